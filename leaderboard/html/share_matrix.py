"""Shares by two kinds of names, each cell tinted by its distance from a share that it is compared with."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from leaderboard.board.records import Matrix
from leaderboard.html.escape import Child, Markup, el
from leaderboard.html.frame import head, note, part
from leaderboard.html.matrix import Heat, HeatCell, HeatColumn, HeatRow, heat_table
from leaderboard.html.tints import difference_scale, tint_of
from leaderboard.html.words import Words


@dataclass(frozen=True)
class Shares:
    """A matrix of shares as it is to be shown.

    - `base(row, column)`: the share that a cell's tint is the distance from; NaN for no tint.
    - `columns`: their heads, in the matrix's order; `row`: the title of a row by its name.
    - `corner`: what the rows are. `title`, `scale` and `source` are texts already: what the table shows, what
      a tint means, and what the figures are. `below(row, column)` is text under a figure, empty for none.
    """

    matrix: Matrix
    columns: Sequence[HeatColumn]
    row: Callable[[str], Child]
    corner: str
    base: Callable[[str, str], float]
    title: str
    scale: str
    source: str
    below: Callable[[str, str], str] = lambda _row, _column: ""


def share_matrix(shares: Shares, words: Words) -> Markup:
    """Return the matrix with its head, the scale of its tints, and the note."""
    rows = [HeatRow(shares.row(name), _cells(shares, name, words)) for name in shares.matrix.rows]
    heat = Heat(shares.title, shares.corner, shares.columns, [("", rows)])
    scale = el("div", difference_scale(words), el("span", shares.scale), class_="lv-key")
    return part(words, head(shares.title), heat_table(heat, words), scale, note(shares.source))


def _cells(shares: Shares, row: str, words: Words) -> dict[str, HeatCell]:
    cells = {}
    for column in shares.matrix.columns:
        figure = shares.matrix.cells.get((row, column))
        if figure is None or not math.isfinite(figure.value):
            continue
        tint = tint_of(figure.value - shares.base(row, column))
        cells[column] = HeatCell(words.percent(figure.value), tint, shares.below(row, column))
    return cells
