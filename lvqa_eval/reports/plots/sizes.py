"""Figures over the size of models: a logarithmic axis, and a strip for those whose size nobody states."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.study import Mask
from lvqa_eval.reports.plots.dots import Series
from lvqa_eval.reports.plots.palette import MARKS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

_TICKS: Final = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0)
_ROOM: Final = 1.7
"""By what the axis goes beyond the least and the greatest size."""


def draw_sizes(figure: "Canvas", billions: Floats, series: Sequence[Series]) -> "tuple[Axes, ...]":
    """Draw `series` in per cent over `billions` of parameters, (models,), NaN where not stated.

    Return the panels: that of the stated sizes and that of the others, as far as there are any.
    """
    stated = np.isfinite(billions)
    parts = [(part, is_scale) for part, is_scale in ((stated, True), (~stated, False)) if part.any()]
    ratios = [4.0 if is_scale else 1.0 for _, is_scale in parts]
    panels = figure.subplots(1, len(parts), sharey=True, squeeze=False, width_ratios=ratios)[0]
    for axes, (part, is_scale) in zip(panels, parts, strict=True):
        if is_scale:
            _draw(axes, _side_by_side(billions[part]), series, part, factor=1.06)
            _name_sizes(axes, billions[part])
        else:
            _draw(axes, np.arange(part.sum(), dtype=float), series, part, step=0.3)
            axes.set_xlim(-0.8, part.sum() - 0.2)
            axes.set_xticks([])
            axes.set_xlabel("not stated")
    panels[0].set_ylim(0, 100)
    panels[0].set_ylabel("accuracy, %")
    return tuple(panels)


def _draw(
    axes: "Axes", x: Floats, series: Sequence[Series], part: Mask, *, factor: float = 1.0, step: float = 0.0
) -> None:
    """Draw the models of `part` at `x`; series stand apart by a factor or a step."""
    for place, (one, mark) in enumerate(zip(series, MARKS, strict=False)):
        shift = place - (len(series) - 1) / 2
        whiskers = np.nan_to_num(np.abs(np.stack([one.low, one.high]) - one.value))
        axes.errorbar(
            x * factor**shift + step * shift,
            100 * one.value[part],
            yerr=100 * whiskers[:, part],
            fmt=mark.marker,
            color=mark.colour,
            elinewidth=1.0,
            label=one.label,
        )


def _side_by_side(billions: Floats) -> Floats:
    """Return the sizes, those of equal ones a little apart, so that no model stands on another."""
    moved = billions.copy()
    for size in np.unique(billions):
        equal = np.flatnonzero(billions == size)
        moved[equal] = size * 1.16 ** (np.arange(len(equal)) - (len(equal) - 1) / 2)
    return moved


def _name_sizes(axes: "Axes", billions: Floats) -> None:
    low, high = billions.min() / _ROOM, billions.max() * _ROOM
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    ticks = [one for one in _TICKS if low <= one <= high]
    if len(ticks) < 2:
        ends = [float(billions.min()), float(billions.max())]
        ticks = ends if ends[1] > 1.1 * ends[0] else ends[:1]
    axes.set_xticks(ticks, labels=[f"{one:,g}" for one in ticks])
    axes.set_xticks([], minor=True)
    axes.set_xlabel("parameters, billions")
