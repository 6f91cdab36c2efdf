"""Stacked bars of counts, one row each."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from lvqa_eval.reports.plots.dots import name_rows
from lvqa_eval.reports.plots.palette import MARKS

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_stacked(axes: "Axes", rows: Sequence[str], series: Mapping[str, Sequence[int]]) -> None:
    """Draw for each row, the first on top, the counts of all `series` one behind the other, and their sum."""
    places = np.arange(len(rows))
    reached = np.zeros(len(rows))
    for (label, counts), mark in zip(series.items(), MARKS, strict=False):
        axes.barh(places, counts, left=reached, height=0.66, color=mark.colour, label=label)
        reached += counts
    for place, total in zip(places.tolist(), reached.tolist(), strict=True):
        axes.annotate(f"{total:,.0f}", (total, place), xytext=(3, 0), textcoords="offset points", va="center")
    axes.set_xlim(0, 1.16 * max(reached.max(initial=0), 1))
    name_rows(axes, rows)
