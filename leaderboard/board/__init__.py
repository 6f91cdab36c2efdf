"""From submissions to the figures of the pages, computed once for each."""
