"""Dots of detectors in rows, a panel for each model that answered, over what is noise there."""

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Final

import numpy as np

from lvqa_eval.detectors.chance import Folds, Span, auroc_span
from lvqa_eval.reports.plots.dots import Series, draw_dots
from lvqa_eval.reports.plots.legend import legend_above
from lvqa_eval.reports.plots.palette import EMPTY, GRID, LINE
from lvqa_eval.reports.plots.style import WIDTH

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

BAND: Final = (
    "Dark band: four in five scores without information have their AUROC there, with so many answers; light "
    "band: nineteen in twenty. The line is one half."
)
COLUMNS: Final = 3
WIDER: Final = 0.95
# Inches, about: of a letter, of a row with one mark, of the head and the foot of a panel.
_LETTER: Final = 0.064
_ROW: Final = 0.17
_ENDS: Final = 0.75


@dataclass(frozen=True, eq=False)
class Panel:
    """The figures of one target: `groups` of series, (rows,) each; those of a group stand side by side.

    `neutral` holds four in five scores without information, `wider` nineteen in twenty.
    """

    title: str
    groups: tuple[tuple[Series, ...], ...]
    neutral: Span
    wider: Span


def panel_of(title: str, groups: Sequence[Sequence[Series]], folds: Folds) -> Panel:
    """Return a panel whose bands are those of scores without information on `folds`."""
    return Panel(title, tuple(map(tuple, groups)), auroc_span(folds), auroc_span(folds, WIDER))


def panels_size(rows: Sequence[str], panels: int, marks: int = 1) -> tuple[float, float]:
    """Return the inches of a figure of so many panels, with up to so many marks in a row."""
    lines = -(-panels // COLUMNS)
    width = WIDTH if panels > 1 else 4.6
    return width, 0.45 + lines * (_ENDS + _ROW * (1 + 0.45 * (marks - 1)) * max(len(rows), 2))


def draw_panels(figure: "Canvas", rows: Sequence[str], panels: Sequence[Panel], label: str) -> None:
    """Draw a panel for each target, up to three beside each other; `label` is that of their axis."""
    columns = min(COLUMNS, len(panels))
    lines = -(-len(panels) // columns)
    grid = figure.subplots(lines, columns, sharex=True, sharey=True, squeeze=False)
    room = (figure.get_figwidth() - 0.3 - _LETTER * max(map(len, rows))) / columns
    places = list(grid.flat)
    for axes, panel in zip(places, panels, strict=False):
        _draw_panel(axes, rows, panel)
        # A narrow panel's title takes two lines or three.
        axes.set_title("\n".join(line for part in panel.title.split("\n") for line in _lines(part, room)))
    for place, axes in enumerate(places):
        if place >= len(panels):
            axes.remove()
        elif place + columns >= len(panels):
            axes.set_xlabel(label)
            axes.tick_params(axis="x", labelbottom=True)
    legend_above(*places[: len(panels)], columns=2 if columns == 1 else 4)


def _lines(text: str, room: float) -> list[str]:
    return wrap(text, max(8, int(room / (1.12 * _LETTER))))


def _draw_panel(axes: "Axes", rows: Sequence[str], panel: Panel) -> None:
    first = 0
    for group in panel.groups:
        if any(np.isfinite(one.value).any() for one in group):
            draw_dots(axes, rows, group, scale=1.0, first_mark=first)
        first += len(group)
    for span, colour in ((panel.wider, EMPTY), (panel.neutral, GRID)):
        if np.isfinite(span.low):
            axes.axvspan(*span, color=colour, zorder=0, linewidth=0)
    axes.axvline(0.5, color=LINE, linewidth=0.9, zorder=1)
