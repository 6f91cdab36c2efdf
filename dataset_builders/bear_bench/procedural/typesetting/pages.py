"""A page: blocks find their places in columns, and running text fills what is left."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil

from dataset_builders.bear_bench.procedural.content import Block, Footnote, Heading, Paragraph, Title
from dataset_builders.bear_bench.procedural.typesetting.blocks import spans, typeset
from dataset_builders.bear_bench.procedural.typesetting.marks import (
    Mark,
    Piece,
    Shape,
    Sheet,
    Text,
    centred,
    flush_right,
    rule,
)
from dataset_builders.bear_bench.procedural.typesetting.style import BLACK, GREY, RULE, Look

_LEAST_LINES = 3
"""Fewer lines of running text are not begun at the foot of a column."""
_TRIES = 12


class DoesNotFitError(Exception):
    """What must stand on a page is higher than the page."""


@dataclass(frozen=True)
class Section:
    """Running text that may be cut after any sentence: a heading, and paragraphs as lists of sentences."""

    heading: str
    paragraphs: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Furniture:
    """What stands on every page of a document: its name at the top, the number of the page."""

    name: str
    note: str
    page: int


@dataclass(frozen=True)
class Filler:
    """Running text for the room above the blocks of a page, and for the room below them.

    `used` is called for each section from below that found its place: its number is then taken.
    """

    above: Callable[[], Section]
    below: Callable[[], Section]
    used: Callable[[], object]


Set = tuple[Block, Piece]


@dataclass(frozen=True)
class _Frame:
    left: float
    top: float
    bottom: float

    @property
    def high(self) -> float:
        return self.bottom - self.top


def compose(
    blocks: Sequence[Block], look: Look, furniture: Furniture, filler: Filler | None, before: float
) -> tuple[Sheet, tuple[Block, ...]]:
    """Set `blocks` in their order, with running text round them until the page is full.

    `before` is the share of the free room, in a page of one column, that is filled above the blocks. Without
    a filler the page ends where its blocks do. Returns the page, and everything that stands on it in reading
    order; raises DoesNotFitError where the blocks need more room.
    """
    notes = [block for block in blocks if isinstance(block, Footnote)]
    wide = [
        block for block in blocks if isinstance(block, Title) or (look.columns > 1 and spans(block, look))
    ]
    flowing = [block for block in blocks if block not in notes and block not in wide]
    top, bottom = float(look.margin), look.height - look.margin - 0.4 * look.line
    on_top = _stack([(block, typeset(block, look, look.width - 2 * look.margin)) for block in wide], look)
    foot = [(block, typeset(block, look, look.column)) for block in notes]
    frames = _frames(look, top + on_top.high + (1.7 * look.gap if wide else 0), bottom, foot)
    columns = _distribute([(block, typeset(block, look, look.column)) for block in flowing], frames, look)
    placed = list(on_top.at(look.margin, top))
    for number, (frame, column) in enumerate(zip(frames, columns, strict=True)):
        free = frame.high - _stack(column, look).high
        above = free * (before if look.columns == 1 else number == 0)
        last = number == len(frames) - 1
        full = _filled(column, frame, above, look, filler, last) if filler else column
        stacked = _stack(full, look)
        placed += (stacked.spread(frame.high, look) if filler else stacked).at(frame.left, frame.top)
    placed += _at_foot(foot, frames[-1], look)
    height = look.height if filler else ceil(max(_lowest(piece) for _, piece in placed)) + look.margin
    pieces = (
        (*_furniture(furniture, look), *(piece for _, piece in placed))
        if filler
        else tuple(piece for _, piece in placed)
    )
    return Sheet(look.width, height, pieces), tuple(block for block, _ in placed)


def _lowest(piece: Piece) -> float:
    ends = [mark.box()[3] for mark in piece.marks if not isinstance(mark, Shape)]
    ends += [y for mark in piece.marks if isinstance(mark, Shape) for _, y in mark.points]
    return max(ends)


@dataclass(frozen=True)
class _Stack:
    """Pieces one above the other."""

    sets: tuple[Set, ...]
    offsets: tuple[float, ...]
    high: float

    def at(self, left: float, top: float) -> Iterator[Set]:
        for (block, piece), offset in zip(self.sets, self.offsets, strict=True):
            yield block, piece.at(left, top + offset)

    def spread(self, high: float, look: Look) -> "_Stack":
        """Return it drawn apart towards a height, less than a line a gap; headings keep to their text."""
        loose = [not upper[1].leads for upper, _ in pairwise(self.sets)]
        if not any(loose):
            return self
        each = min(max(0.0, high - self.high) / sum(loose), 0.7 * look.line)
        extra = [each * sum(loose[:number]) for number in range(len(self.sets))]
        offsets = tuple(offset + more for offset, more in zip(self.offsets, extra, strict=True))
        return replace(self, offsets=offsets, high=self.high + each * sum(loose))


def _stack(sets: Sequence[Set], look: Look) -> _Stack:
    y, offsets = 0.0, []
    for number, (block, piece) in enumerate(sets):
        if number:
            y += _gap(sets[number - 1], (block, piece), look)
        offsets.append(y)
        y += piece.height
    return _Stack(tuple(sets), tuple(offsets), y)


def _gap(upper: Set, lower: Set, look: Look) -> float:
    if upper[1].leads:
        return 0.15 * look.gap
    plain = isinstance(upper[0], Paragraph) and isinstance(lower[0], Paragraph)
    if plain and look.indented:
        return 0.1 * look.gap
    return 0.75 * look.gap + max(lower[1].rise, upper[1].rise if not plain else 0.0)


def _frames(look: Look, top: float, bottom: float, foot: Sequence[Set]) -> list[_Frame]:
    needed = sum(piece.height for _, piece in foot) + (1.2 * look.gap if foot else 0)
    lefts = [look.margin + number * (look.column + look.gutter) for number in range(look.columns)]
    last = len(lefts) - 1
    return [_Frame(x, top, bottom - (needed if n == last else 0)) for n, x in enumerate(lefts)]


def _distribute(sets: Sequence[Set], frames: Sequence[_Frame], look: Look) -> list[list[Set]]:
    """Split the blocks over one or two columns, as evenly as they go; a heading stays with what follows."""
    ways = (
        [[list(sets)]]
        if len(frames) == 1
        else [[list(sets[:at]), list(sets[at:])] for at in range(len(sets) + 1)]
    )
    fitting = []
    for way in ways:
        heights = [_stack(part, look).high for part in way]
        torn = any(part and part[-1][1].leads for part in way)
        if not torn and all(high <= frame.high for high, frame in zip(heights, frames, strict=True)):
            fitting.append((max(heights), way))
    if not fitting:
        raise DoesNotFitError(f"{len(sets)} blocks do not fit into {len(frames)} columns")
    return min(fitting, key=lambda one: one[0])[1]


def _filled(
    sets: list[Set], frame: _Frame, above: float, look: Look, filler: Filler, last: bool
) -> list[Set]:
    """Return a column with running text above its blocks, as high as `above`, and below them.

    New sections begin in the last column alone, where no numbered section follows them.
    """
    # The text above stays clear of the blocks by the space that a heading or a figure wants.
    room = above - 1.6 * look.gap
    upper = _fill([], room, look, filler.above) if room > _LEAST_LINES * look.line else []
    column = [*upper, *sets]
    if last:
        return _fill(column, frame.high, look, filler.below, filler.used)
    return _fill(column, frame.high, look, filler.above)


def _fill(
    column: list[Set],
    high: float,
    look: Look,
    more: Callable[[], Section],
    used: Callable[[], object] = lambda: None,
) -> list[Set]:
    for _ in range(_TRIES):
        if high - _stack(column, look).high < (_LEAST_LINES + 2) * look.line:
            break
        section = more()
        grown = list(column)
        if section.heading:
            heading = Heading(section.heading)
            grown.append((heading, typeset(heading, look, look.column)))
        begun = len(grown)
        for sentences in section.paragraphs:
            fitted = _cut(sentences, grown, high, look)
            if fitted is None:
                break
            grown.append(fitted)
        if len(grown) > begun:
            column = grown
            used()
    return column


def _cut(sentences: Sequence[str], column: list[Set], high: float, look: Look) -> Set | None:
    """Return as many of a paragraph's sentences as fit below a column, at least two of them."""
    for count in range(len(sentences), 1, -1):
        block = Paragraph(" ".join(sentences[:count]))
        piece = typeset(block, look, look.column)
        if _stack([*column, (block, piece)], look).high <= high:
            return block, piece
    return None


def _at_foot(foot: Sequence[Set], frame: _Frame, look: Look) -> list[Set]:
    placed: list[Set] = []
    y = frame.bottom + 1.2 * look.gap
    for number, (block, piece) in enumerate(foot):
        moved = piece.at(frame.left, y)
        if number == 0:
            line = rule(frame.left, frame.left + 8 * look.size, y - 0.35 * look.gap, GREY, 1.2)
            moved = replace(moved, marks=(line, *moved.marks))
        placed.append((block, moved))
        y += piece.height
    return placed


def _furniture(furniture: Furniture, look: Look) -> list[Piece]:
    size, right = 0.8 * look.size, look.width - look.margin
    y = look.margin - 1.9 * look.line + 0.9 * look.size
    marks: list[Mark] = [
        Text(look.margin, y, furniture.name, look.body, size, GREY, after=" "),
        flush_right(right, y, furniture.note, look.body, size, GREY),
        rule(look.margin, right, y + 0.45 * look.size, RULE, 1.2),
    ]
    below = look.height - look.margin + 1.6 * look.line
    number = centred(look.width / 2, below, str(furniture.page), look.body, 0.88 * look.size, BLACK)
    return [Piece(0.0, tuple(marks)), Piece(0.0, (number,))]
