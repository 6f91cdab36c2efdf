"""Flowcharts: boxes in a grid, arrows that run along it."""

from collections.abc import Iterator
from math import cos, pi, sin

from dataset_builders.bear_bench.procedural.content import Arrow, Flowchart, Node
from dataset_builders.bear_bench.procedural.typesetting.captions import caption
from dataset_builders.bear_bench.procedural.typesetting.fonts import Face, width
from dataset_builders.bear_bench.procedural.typesetting.marks import (
    Box,
    Mark,
    Piece,
    Point,
    Shape,
    Text,
    centred,
    rectangle,
)
from dataset_builders.bear_bench.procedural.typesetting.paragraphs import block_of_lines
from dataset_builders.bear_bench.procedural.typesetting.style import BLACK, GREY, WHITE, Colour, Look
from dataset_builders.bear_bench.procedural.typesetting.tables import look_dash

_LEADING = 1.22
_GAP = 2.7
"""Height between rows, in text sizes: an arrow with its word has room there."""


def typeset(chart: Flowchart, look: Look, wide: float) -> Piece:
    """Typeset a flowchart with its caption below it."""
    drawn = _Grid(chart, look, wide)
    below = caption(f"{chart.label}{look_dash(look)}{chart.caption}", look, wide, in_the_middle=True)
    top = drawn.high + 0.5 * look.small
    return Piece(top + below.height, (*drawn.marks(), *below.at(0, top).marks), rise=0.6 * look.gap)


class _Grid:
    """Where the boxes of a flowchart lie."""

    def __init__(self, chart: Flowchart, look: Look, wide: float) -> None:
        self.chart, self.look = chart, look
        self.size, self.face = look.small * 0.94, Face("sans")
        backs = any(arrow.back for arrow in chart.arrows)
        self.edge = wide - 1
        room = wide - (2.2 * self.size if backs else 0)
        self.pitch = room / (max(node.column for node in chart.nodes) + 1)
        self.cells = {node.key: self._lines(node) for node in chart.nodes}
        rows = sorted({node.row for node in chart.nodes})
        self.tops, y = {}, 2.0
        for row in rows:
            self.tops[row] = y
            y += self._row_height(row) + _GAP * self.size
        self.high = y - _GAP * self.size
        self.boxes = {node.key: self._box(node) for node in chart.nodes}

    def marks(self) -> list[Mark]:
        shapes = [self._arrow(arrow) for arrow in self.chart.arrows]
        lines: list[Mark] = [mark for one in shapes for mark in one]
        drawn: list[Mark] = [_outline(node, self.boxes[node.key], self.look) for node in self.chart.nodes]
        texts: list[Mark] = [text for node in self.chart.nodes for text in self._texts(node)]
        words: list[Mark] = [text for arrow in self.chart.arrows for text in self._word(arrow)]
        return [*lines, *drawn, *texts, *words]

    def _wide(self, node: Node) -> float:
        others = [one.column for one in self.chart.nodes if one.row == node.row and one.key != node.key]
        apart = min((abs(node.column - one) for one in others), default=10)
        room = min(
            apart * self.pitch * 0.84,
            (2 * min(node.column, self._last() - node.column) + 1) * self.pitch * 0.96,
        )
        return min(room, 17 * self.size)

    def _last(self) -> int:
        return max(node.column for node in self.chart.nodes)

    def _lines(self, node: Node) -> list[list[Text]]:
        inset = 2.2 if node.kind == "choice" else 0.9
        return block_of_lines(
            node.text, self.face, self.size, self._wide(node) - inset * self.size, self.look.language
        )

    def _node_height(self, node: Node) -> float:
        return len(self.cells[node.key]) * _LEADING * self.size + 1.1 * self.size

    def _row_height(self, row: int) -> float:
        return max(self._node_height(node) for node in self.chart.nodes if node.row == row)

    def _box(self, node: Node) -> Box:
        x, wide = (node.column + 0.5) * self.pitch, self._wide(node)
        middle = self.tops[node.row] + self._row_height(node.row) / 2
        half = self._node_height(node) / 2
        return x - wide / 2, middle - half, x + wide / 2, middle + half

    def _texts(self, node: Node) -> list[Text]:
        left, top, right, bottom = self.boxes[node.key]
        lines = self.cells[node.key]
        leading = _LEADING * self.size
        first = (top + bottom) / 2 - leading * len(lines) / 2 + 0.93 * self.size
        return [
            mark.moved((left + right - line[-1].box()[2]) / 2, first + number * leading)
            for number, line in enumerate(lines)
            for mark in line
        ]

    def _path(self, arrow: Arrow) -> list[Point]:
        source, target = self.boxes[arrow.source], self.boxes[arrow.target]
        sx, tx = _middle(source), _middle(target)
        if arrow.back:
            sy, ty = (source[1] + source[3]) / 2, (target[1] + target[3]) / 2
            return [(source[2], sy), (self.edge, sy), (self.edge, ty), (target[2], ty)]
        if source[1] < target[3] and target[1] < source[3]:
            y = (source[1] + source[3]) / 2
            return [(source[2], y), (target[0], y)] if sx < tx else [(source[0], y), (target[2], y)]
        if abs(sx - tx) < 1:
            return [(sx, source[3]), (tx, target[1])]
        turn = self._turn(arrow)
        return [(sx, source[3]), (sx, turn), (tx, turn), (tx, target[1])]

    def _turn(self, arrow: Arrow) -> float:
        """Return where an arrow runs level: in the gap above the row of its target."""
        row = next(node.row for node in self.chart.nodes if node.key == arrow.target)
        return self.tops[row] - 0.5 * _GAP * self.size

    def _arrow(self, arrow: Arrow) -> list[Shape]:
        path = self._path(arrow)
        (ax, ay), (bx, by) = path[-2:]
        reach = 0.5 * self.size
        if ay == by:
            back = -reach if bx > ax else reach
            head = ((bx, by), (bx + back, by - reach * 0.6), (bx + back, by + reach * 0.6))
        else:
            head = ((bx, by), (bx - reach * 0.6, by - reach), (bx + reach * 0.6, by - reach))
        return [Shape("line", tuple(path), GREY, width=1.8), Shape("polygon", head, None, GREY)]

    def _word(self, arrow: Arrow) -> list[Text]:
        if not arrow.text:
            return []
        path = self._path(arrow)
        face, long = self.face.slanted(), width(arrow.text, self.face.slanted(), self.size)
        (ax, ay), (bx, _) = path[0], path[1]
        if len(path) == 4 and not arrow.back:
            (ax, ay), (bx, _) = path[1], path[2]
        if ax == bx:
            # Close below the box: arrows from the side join further down.
            return [Text(ax + 0.5 * self.size, ay + 1.0 * self.size, arrow.text, face, self.size)]
        if arrow.back:
            return [Text(ax + 0.4 * self.size, ay - 0.4 * self.size, arrow.text, face, self.size)]
        middle = (ax + bx) / 2 if abs(bx - ax) < 3 * long else bx + (long if bx < ax else -long)
        return [centred(middle, ay - 0.35 * self.size, arrow.text, face, self.size)]


def _middle(box: Box) -> float:
    return (box[0] + box[2]) / 2


def _outline(node: Node, box: Box, look: Look) -> Shape:
    left, top, right, bottom = box
    half, middle = (bottom - top) / 2, (top + bottom) / 2
    tint: Colour = tuple(round(255 - (255 - part) * 0.14) for part in look.accent)  # type: ignore[assignment]
    if node.kind == "choice":
        inset = min(half, 1.1 * look.small)
        points = (
            *((left, middle), (left + inset, top), (right - inset, top)),
            *((right, middle), (right - inset, bottom), (left + inset, bottom)),
        )
        return Shape("polygon", points, look.accent, tint, 2.0)
    if node.kind == "action":
        return rectangle(left, top, right, bottom, BLACK, WHITE)
    return Shape("polygon", tuple(_rounded(left, top, right, bottom)), BLACK, WHITE, 1.6)


def _rounded(left: float, top: float, right: float, bottom: float) -> Iterator[Point]:
    """Yield the outline of a box whose short sides are half circles."""
    radius, middle = (bottom - top) / 2, (top + bottom) / 2
    for x, start in ((right - radius, -90), (left + radius, 90)):
        for degrees in range(start, start + 181, 10):
            angle = degrees * pi / 180
            yield x + radius * cos(angle), middle + radius * sin(angle)
