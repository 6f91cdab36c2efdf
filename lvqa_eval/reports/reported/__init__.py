"""Figures that the two papers print, to stand beside measured ones: always marked, never merged with them."""

from lvqa_eval.reports.reported.papers import (
    ReportedFigure,
    ReportedRow,
    ReportedTable,
    Unit,
    reported_row,
    reported_table,
    reported_tables,
)

__all__ = [
    "ReportedFigure",
    "ReportedRow",
    "ReportedTable",
    "Unit",
    "reported_row",
    "reported_table",
    "reported_tables",
]
