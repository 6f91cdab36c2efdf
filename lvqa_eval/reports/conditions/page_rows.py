"""The rows of the condition table as a page draws them: with their glyph, and with bars on shared axes."""

from dataclasses import dataclass, replace

from lvqa_eval.reports.axes import SHARES, Axis, IntervalBar, difference_axis, interval_bar
from lvqa_eval.reports.conditions.outcomes import outcome_counts
from lvqa_eval.reports.conditions.rows import ConditionRow, Measured
from lvqa_eval.reports.conditions.table import ConditionTable
from lvqa_eval.reports.deliveries import Delivery, delivery, families
from lvqa_eval.reports.glyphs import Glyph, glyph
from lvqa_eval.reports.numerals import PRINTED

WIDTH = 132
"""Pixels of an axis: both fit on a page 1,280 wide, beside the list of what is on it."""


@dataclass(frozen=True)
class PageRow:
    """One condition or baseline as the page draws it; `measured` is None where it was not run."""

    condition: str
    delivery: Delivery
    glyph: Glyph | None
    measured: Measured | None
    bar: IntervalBar | None
    difference_bar: IntervalBar | None
    outcomes: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class PageTable:
    """The condition table as the page draws it: its rows by family, and the two axes of their bars."""

    families: dict[str, list[PageRow]]
    accuracy_axis: Axis
    difference_axis: Axis


def page_table(table: ConditionTable) -> PageTable:
    """Return what a page draws of a table."""
    differences = [row.measured.difference for row in table.rows if row.measured and row.measured.difference]
    shares = replace(SHARES, width=WIDTH)
    points = replace(difference_axis(differences), width=WIDTH)
    rows = {row.condition: _page_row(row, shares, points) for row in table.rows}
    grouped = {name: [rows[one] for one in group] for name, group in families(table.rows).items()}
    return PageTable(grouped, shares, points)


def _page_row(row: ConditionRow, shares: Axis, points: Axis) -> PageRow:
    measured = row.measured
    bar = difference_bar = None
    outcomes: tuple[tuple[int, str], ...] = ()
    if measured is not None:
        bar = interval_bar(shares, measured.interval)
        if measured.difference is not None:
            difference_bar = interval_bar(points, measured.difference)
        planned = measured.accuracy.planned
        counts = outcome_counts(measured.accuracy.counts)
        outcomes = tuple((count, PRINTED.percent(count / planned)) for count in counts)
    return PageRow(
        row.condition, delivery(row), glyph(row.condition), measured, bar, difference_bar, outcomes
    )
