"""Figures with their intervals, one row each: a mark and a whisker."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

import numpy as np

from lvqa_eval.metrics.bootstrap import Estimate, Floats
from lvqa_eval.metrics.figures import FieldTable
from lvqa_eval.reports.plots.palette import INK, LINE, MARKS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SPREAD: Final = 0.56
"""The part of a row that the marks of several series share."""


@dataclass(frozen=True)
class Series:
    """One figure of each row: value and interval, (rows,); NaN where there is none."""

    label: str
    value: Floats
    low: Floats
    high: Floats

    @classmethod
    def of(cls, label: str, figures: Sequence[Estimate]) -> Self:
        """Return the series of estimates, one a row."""
        parts = (np.array([getattr(one, name) for one in figures]) for name in ("value", "low", "high"))
        return cls(label, *parts)

    @classmethod
    def of_column(cls, label: str, table: FieldTable, column: str) -> Self:
        """Return a column of a table: a row for each model, and their mean where there are several."""
        figures = [table.at(model, column) for model in table.models]
        return cls.of(label, [*figures, table.of_field(column)] if len(figures) > 1 else figures)


def draw_dots(
    axes: "Axes",
    rows: Sequence[str],
    series: Sequence[Series],
    *,
    scale: float = 100.0,
    summary: int = 0,
    first_mark: int = 0,
) -> None:
    """Draw `series` side by side in each row, the first row on top; values are multiplied by `scale`.

    The last `summary` rows stand apart from those above. `first_mark` is the place in `MARKS` of the first
    series. An axis that reaches both sides of zero has a line there.
    """
    places = np.arange(len(rows), dtype=float)
    shifts = (np.arange(len(series)) - (len(series) - 1) / 2) * SPREAD / max(len(series), 1)
    for one, shift, mark in zip(series, shifts, MARKS[first_mark:], strict=False):
        # From end to end: the interval of a biased statistic need not hold its value.
        spread = np.isfinite(one.low) & np.isfinite(one.high)
        low, high = scale * one.low[spread], scale * one.high[spread]
        axes.hlines((places + shift)[spread], low, high, color=mark.colour, linewidth=1.1)
        axes.plot(scale * one.value, places + shift, mark.marker, color=mark.colour, label=one.label)
    name_rows(axes, rows, summary)
    low, high = axes.get_xlim()
    if low < 0 < high:
        axes.axvline(0, color=LINE, linewidth=0.9, zorder=1)


def name_rows(axes: "Axes", rows: Sequence[str], summary: int = 0) -> None:
    """Name the rows of an axis from the top, with a line above the last `summary`."""
    axes.set_yticks(range(len(rows)), labels=list(rows))
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.spines["left"].set_visible(False)
    if 0 < summary < len(rows):
        axes.axhline(len(rows) - summary - 0.5, color=INK, linewidth=0.7)
