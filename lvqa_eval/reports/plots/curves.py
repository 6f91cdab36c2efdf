"""Figures with their intervals over an axis of steps or of numbers: marks, whiskers, and a line."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.figures import FieldTable
from lvqa_eval.reports.plots.dots import Series
from lvqa_eval.reports.plots.lines import draw_behind
from lvqa_eval.reports.plots.names import short_names
from lvqa_eval.reports.plots.palette import MARKS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMED: Final = len(MARKS)
"""So many models have a mark of their own; of more the mean has one, and they stand behind it."""


def draw_curves(
    axes: "Axes",
    x: Floats,
    series: Sequence[Series],
    *,
    apart: float,
    joined: int | None = None,
    first_mark: int = 0,
) -> None:
    """Draw `series` in per cent over `x`, each shifted by `apart` so that whiskers do not cover each other.

    A line joins the first `joined` values of each, all by default; it is broken where one is NaN.
    `first_mark` is the place in `MARKS` of the first series.
    """
    shifts = (np.arange(len(series)) - (len(series) - 1) / 2) * apart
    for one, shift, mark in zip(series, shifts, MARKS[first_mark:], strict=False):
        whiskers = np.nan_to_num(np.abs(np.stack([one.low, one.high]) - one.value))
        known = np.isfinite(one.value)
        axes.errorbar(
            (x + shift)[known],
            100 * one.value[known],
            yerr=100 * whiskers[:, known],
            fmt=mark.marker,
            color=mark.colour,
            elinewidth=1.0,
            label=one.label,
            zorder=3,
        )
        axes.plot((x + shift)[:joined], 100 * one.value[:joined], mark.line, color=mark.colour, zorder=3)


def draw_models(
    axes: "Axes", x: Floats, table: FieldTable, mean: str, *, apart: float, joined: int | None = None
) -> None:
    """Draw the columns of a table of shares over `x`, (columns,): a curve a model.

    Of more than `NAMED` models the mean, called `mean`, is drawn over thin lines of them all.
    """
    if len(table.models) <= NAMED:
        names = short_names(table.models)
        series = [
            Series.of(name, [table.at(model, column) for column in table.columns])
            for name, model in zip(names, table.models, strict=True)
        ]
    else:
        draw_behind(axes, x[:joined], 100 * table.cells.value[:, :joined], "single models")
        series = [Series.of(mean, [table.of_field(column) for column in table.columns])]
    draw_curves(axes, x, series, apart=apart, joined=joined)
