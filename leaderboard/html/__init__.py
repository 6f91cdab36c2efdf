"""The parts of the pages that are our own HTML and SVG, as strings built and escaped here."""
