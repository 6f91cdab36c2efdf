"""The licence of what this project adds to a dataset."""

ANNOTATIONS = "CC-BY-4.0"
"""Licence of questions and annotations, as SPDX names it."""
