"""Stage classify: what a page contains, by labels of a strong model and a small classifier over all pages."""
