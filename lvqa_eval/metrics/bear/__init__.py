"""Statistics of BEAR-Bench: pages with one question each, in clusters of one source document."""
