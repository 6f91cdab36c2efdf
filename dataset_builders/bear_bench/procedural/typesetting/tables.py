"""Tables: columns as wide as they need, the first one broken over lines where the room is short."""

from dataclasses import dataclass, replace

from dataset_builders.bear_bench.procedural.content import Table
from dataset_builders.bear_bench.procedural.typesetting.captions import caption
from dataset_builders.bear_bench.procedural.typesetting.fonts import Face, width
from dataset_builders.bear_bench.procedural.typesetting.marks import Mark, Piece, Text, rectangle, rule
from dataset_builders.bear_bench.procedural.typesetting.paragraphs import block_of_lines
from dataset_builders.bear_bench.procedural.typesetting.style import BLACK, GREY, RULE, WHITE, Colour, Look

Cell = list[list[Text]]
"""A cell: its lines, each with its base line at 0."""

_PAD = 0.55
_BAND: Colour = (238, 241, 246)


def least_width(table: Table, look: Look) -> float:
    """Return the width below which a table's numbers or its longest words would not fit."""
    return sum(_needs(table, look, whole=False)) + 2 * _PAD * look.small * len(table.head)


def typeset(table: Table, look: Look, wide: float) -> Piece:
    """Typeset a table, its caption above it, over the whole width."""
    head = caption(f"{table.label}{look_dash(look)}{table.caption}", look, wide)
    widths = _column_widths(table, look, wide)
    top = head.height + 0.35 * look.small
    marks: list[Mark] = list(head.marks)
    shapes: list[Mark] = []
    y, edges = top, [top]
    for number, row in enumerate((table.head, *table.rows)):
        is_head, is_total = number == 0, number > len(table.rows) - table.totals
        cells = _cells(row, widths, look, is_head, is_total)
        high = max(len(cell) for cell in cells) * look.small * 1.2 + 0.55 * look.small
        shapes += _ground(look, number, y, high, wide)
        marks += _place_row(cells, widths, look, y, high)
        y += high
        edges.append(y)
    shapes += _rules(table, look, edges, widths, wide)
    return Piece(y, (*shapes, *marks), rise=0.5 * look.gap)


def look_dash(look: Look) -> str:
    """Return what stands between a label and its caption."""
    return "\u00a0— " if look.language == "ru" else ". "


def _needs(table: Table, look: Look, whole: bool) -> list[float]:
    """Return the widest text of each column; of the first only its longest word, unless `whole`."""
    face = Face(look.family, bold=True)
    needs = []
    for index in range(len(table.head)):
        cells = [row[index] for row in table.rows]
        if index == 0 and not whole:
            cells = [word for cell in cells for word in cell.split()]
        cells += table.head[index].split() if index or not whole else [table.head[index]]
        needs.append(max(width(cell, face, look.small) for cell in cells))
    return needs


def _column_widths(table: Table, look: Look, wide: float) -> list[float]:
    needs = _needs(table, look, whole=True)
    pad = 2 * _PAD * look.small * len(needs)
    free = wide - pad - sum(needs)
    if free < 0:
        needs[0] += free
        free = 0
    # What is left goes to the numbers, so that they stand apart.
    share = free / (len(needs) - 1 + 0.6)
    return [
        need + 2 * _PAD * look.small + (share if index else 0.6 * share) for index, need in enumerate(needs)
    ]


def _cells(row: tuple[str, ...], widths: list[float], look: Look, head: bool, total: bool) -> list[Cell]:
    face = Face(look.family, bold=head or total)
    colour = WHITE if head and look.tables == "banded" else BLACK
    return [
        block_of_lines(text, face, look.small, wide - 2 * _PAD * look.small + 0.5, look.language, colour)
        for text, wide in zip(row, widths, strict=True)
    ]


def _place_row(cells: list[Cell], widths: list[float], look: Look, top: float, high: float) -> list[Text]:
    marks: list[Text] = []
    x, leading = 0.0, look.small * 1.2
    for index, (cell, wide) in enumerate(zip(cells, widths, strict=True)):
        first = top + (high - leading * len(cell)) / 2 + 0.9 * look.small
        for number, line in enumerate(cell):
            taken = line[-1].box()[2]
            left = x + _PAD * look.small if index == 0 else x + wide - _PAD * look.small - taken
            marks += [replace(mark, x=mark.x + left, y=first + number * leading) for mark in line]
        x += wide
    return marks


def _ground(look: Look, number: int, top: float, high: float, wide: float) -> list[Mark]:
    if look.tables != "banded" or (number and number % 2):
        return []
    fill = look.accent if number == 0 else _BAND
    return [rectangle(0, top, wide, top + high, None, fill)]


def _rules(table: Table, look: Look, edges: list[float], widths: list[float], wide: float) -> list[Mark]:
    before_totals = [edges[-1 - table.totals]] if table.totals else []
    if look.tables == "banded":
        return [rule(0, wide, y, look.accent, 1.6) for y in (*before_totals, edges[-1])]
    if look.tables == "ruled":
        thick = [rule(0, wide, y, BLACK, 2.2) for y in (edges[0], edges[-1])]
        return [*thick, *(rule(0, wide, y, BLACK, 1.2) for y in (edges[1], *before_totals))]
    grid = _Grid(edges, widths)
    return [*grid.level(wide), *grid.upright()]


@dataclass(frozen=True)
class _Grid:
    edges: list[float]
    widths: list[float]

    def level(self, wide: float) -> list[Mark]:
        return [rule(0, wide, y, GREY if y == self.edges[1] else RULE, 1.2) for y in self.edges]

    def upright(self) -> list[Mark]:
        xs = [sum(self.widths[:index]) for index in range(len(self.widths) + 1)]
        return [rectangle(x, self.edges[0], x, self.edges[-1], RULE, None) for x in xs]
