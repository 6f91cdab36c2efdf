"""Heat maps with their numbers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.reports.numerals import PRINTED
from lvqa_eval.reports.plots.palette import EMPTY, INK, LINE, MUTED, diverging, ink_on, sequential

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap


@dataclass(frozen=True)
class Scale:
    """What colours mean: `low` to `high` in the unit of the numbers, diverging where it begins below zero."""

    low: float
    high: float
    label: str

    @property
    def colours(self) -> "Colormap":
        """The colours from `low` to `high`."""
        return diverging() if self.low < 0 else sequential()


def differences(values: Floats, label: str) -> Scale:
    """Return a scale that is symmetric about zero and holds all of `values`, at least one unit either way."""
    limit = max(1.0, float(np.max(np.abs(values[np.isfinite(values)]), initial=0.0)))
    return Scale(-limit, limit, label)


def draw_heat(
    axes: "Axes",
    values: Floats,
    texts: Sequence[Sequence[str]],
    scale: Scale,
    outlined: Iterable[tuple[int, int]] = (),
) -> None:
    """Draw `values` (rows, columns), row 0 on top, each with its text, and the scale beside them.

    A value that is NaN is a grey cell with a dash. Cells in `outlined` (row, column) have a frame.
    """
    from matplotlib.patches import Rectangle

    rows, columns = values.shape
    axes.set_facecolor(EMPTY)
    mesh = axes.pcolormesh(
        values,
        cmap=scale.colours,
        vmin=scale.low,
        vmax=scale.high,
        edgecolors="#FFFFFF",
        linewidth=0.6,
    )
    for row, column in np.ndindex(rows, columns):
        text, colour = PRINTED.dash, MUTED
        if np.isfinite(values[row, column]):
            red, green, blue, _ = mesh.to_rgba(values[row, column])
            text, colour = texts[row][column], ink_on((float(red), float(green), float(blue)))
        # Inside the panel whatever the layout: measuring them all takes most of the time of a drawing.
        number = axes.text(column + 0.5, row + 0.5, text, color=colour, ha="center", va="center")
        number.set_in_layout(False)
    for row, column in outlined:
        frame = Rectangle((column, row), 1, 1, fill=False, edgecolor=INK, linewidth=1.4, clip_on=False)
        axes.add_patch(frame)
    axes.set_xlim(0, columns)
    axes.set_ylim(rows, 0)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    bar = axes.figure.colorbar(mesh, ax=axes, label=scale.label, fraction=0.04, pad=0.015, aspect=25)
    bar.outline.set_edgecolor(LINE)


def name_cells(axes: "Axes", rows: Sequence[str], columns: Sequence[str], *, upright: bool = False) -> None:
    """Name the rows and the columns of a heat map; `upright` turns the names of the columns."""
    axes.set_yticks(np.arange(len(rows)) + 0.5, labels=list(rows))
    axes.set_xticks(np.arange(len(columns)) + 0.5, labels=list(columns), rotation=90 if upright else 0)
