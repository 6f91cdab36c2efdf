"""Scenes from files that painting programs write: what OpenRaster and Photoshop have in common."""
