"""Where submissions are kept: a folder, or a dataset repository on the Hub."""
