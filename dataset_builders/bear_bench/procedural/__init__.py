"""Procedural pages: reports and papers of our own making, with questions that are true by construction."""

from dataset_builders.bear_bench.procedural.options import PageOptions
from dataset_builders.bear_bench.procedural.source import MadePage, pages, run

__all__ = ["MadePage", "PageOptions", "pages", "run"]
