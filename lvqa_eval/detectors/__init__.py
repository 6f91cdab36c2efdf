"""Detectors: which answers are wrong, told from the conversation alone."""
