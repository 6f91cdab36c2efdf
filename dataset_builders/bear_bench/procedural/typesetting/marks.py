"""What is put on a page, in pixels of a page at full size."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal

from dataset_builders.bear_bench.procedural.typesetting.fonts import ASCENT, DESCENT, Face, width
from dataset_builders.bear_bench.procedural.typesetting.style import BLACK, Colour

Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


@dataclass(frozen=True)
class Text:
    """Text on a base line that begins at (x, y).

    `after` is what follows it in the text of the page: a space, a new line, or nothing inside a word.
    """

    x: float
    y: float
    text: str
    face: Face
    size: float
    colour: Colour = BLACK
    after: str = "\n"

    def box(self) -> Box:
        """Return the box of its letters."""
        right = self.x + width(self.text, self.face, self.size)
        return self.x, self.y - ASCENT * self.size, right, self.y + DESCENT * self.size

    def moved(self, dx: float, dy: float) -> "Text":
        """Return it elsewhere."""
        return replace(self, x=self.x + dx, y=self.y + dy)


@dataclass(frozen=True)
class Formula:
    """An equation in TeX: its top left corner (x, y), its size, and its characters as `text`."""

    x: float
    y: float
    tex: str
    size: float
    serif: bool
    wide: float
    high: float
    text: str
    after: str = "\n"

    def box(self) -> Box:
        """Return the box of its letters."""
        return self.x, self.y, self.x + self.wide, self.y + self.high

    def moved(self, dx: float, dy: float) -> "Formula":
        """Return it elsewhere."""
        return replace(self, x=self.x + dx, y=self.y + dy)


@dataclass(frozen=True)
class Shape:
    """A line through points, a filled polygon, a disc (two corners), or a slice of one.

    `angles` are in degrees, clockwise from the right.
    """

    kind: Literal["line", "polygon", "disc", "slice"]
    points: tuple[Point, ...]
    colour: Colour | None = None
    fill: Colour | None = None
    width: float = 1.0
    angles: tuple[float, float] = (0.0, 360.0)

    def is_upright(self) -> bool:
        """Tell whether all of its edges run along the pixels."""
        if self.kind not in ("line", "polygon"):
            return False
        closed = self.points if self.kind == "line" else (*self.points, self.points[0])
        return all(a[0] == b[0] or a[1] == b[1] for a, b in pairwise(closed))

    def moved(self, dx: float, dy: float) -> "Shape":
        """Return it elsewhere."""
        return replace(self, points=tuple((x + dx, y + dy) for x, y in self.points))


Mark = Text | Formula | Shape


@dataclass(frozen=True)
class Piece:
    """A block, typeset: its height, its marks relative to its top left corner.

    `rise` is the space it wants above itself. A piece that `leads` stays with what follows it.
    """

    height: float
    marks: tuple[Mark, ...]
    rise: float = 0.0
    leads: bool = False

    def at(self, x: float, y: float) -> "Piece":
        """Return it with its corner at (x, y)."""
        return replace(self, marks=tuple(mark.moved(x, y) for mark in self.marks))


@dataclass(frozen=True)
class Sheet:
    """A whole page: pieces at their places, in the order in which they are read."""

    width: int
    height: int
    pieces: tuple[Piece, ...] = field(default=())

    def written(self) -> Iterable[Text | Formula]:
        """Yield everything that can be read."""
        for piece in self.pieces:
            yield from (mark for mark in piece.marks if not isinstance(mark, Shape))

    def text(self) -> str:
        """Return what can be read, in order, line by line."""
        return "".join(mark.text + mark.after for mark in self.written()).strip()


def rectangle(
    left: float, top: float, right: float, bottom: float, colour: Colour | None, fill: Colour | None
) -> Shape:
    """Return an upright box."""
    corners = ((left, top), (right, top), (right, bottom), (left, bottom))
    return Shape("polygon", corners, colour, fill)


def rule(left: float, right: float, y: float, colour: Colour, thick: float = 1.0) -> Shape:
    """Return a level line."""
    return Shape("line", ((left, y), (right, y)), colour, width=thick)


def centred(x: float, y: float, text: str, face: Face, size: float, colour: Colour = BLACK) -> Text:
    """Return text centred on x."""
    return Text(x - width(text, face, size) / 2, y, text, face, size, colour)


def flush_right(x: float, y: float, text: str, face: Face, size: float, colour: Colour = BLACK) -> Text:
    """Return text that ends at x."""
    return Text(x - width(text, face, size), y, text, face, size, colour)
