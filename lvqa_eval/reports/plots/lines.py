"""Lines with a band, and what stands around them."""

from typing import TYPE_CHECKING

import numpy as np

from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.reports.plots.palette import LIGHT, MARKS

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_line(
    axes: "Axes", x: Floats, value: Floats, label: str, *, mark: int = 0, size: float = 4.0
) -> None:
    """Draw a line with markers; `mark` is the place in `MARKS`. Where a value is NaN the line is broken."""
    how = MARKS[mark]
    axes.plot(x, value, how.line, color=how.colour, marker=how.marker, markersize=size, label=label, zorder=4)


def draw_band(axes: "Axes", x: Floats, low: Floats, high: Floats, *, mark: int = 0) -> None:
    """Shade what lies between `low` and `high`, where both are known."""
    known = np.isfinite(low) & np.isfinite(high)
    axes.fill_between(x, low, high, where=known, color=MARKS[mark].colour, alpha=0.25, linewidth=0)


def draw_behind(axes: "Axes", x: Floats, values: Floats, label: str) -> None:
    """Draw many thin lines, (lines, x), behind all others under one label."""
    for row, value in enumerate(values):
        axes.plot(x, value, color=LIGHT, linewidth=0.7, label=label if row == 0 else None, zorder=1)
