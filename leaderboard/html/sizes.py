"""Accuracy in both languages by the size of a model, with those of no stated size beside."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from leaderboard.board.records import Row
from leaderboard.html.escape import Markup, el
from leaderboard.html.figures import NARROW, WIDE
from leaderboard.html.frame import head, part
from leaderboard.html.words import Words

_HEIGHT: Final = 320
_TOP, _BOTTOM, _LEFT, _RIGHT = 26, 46, 34, 12
_LETTER: Final = 7.2
"""Pixels that a letter of a label takes, at most."""

_BESIDE: Final = 12
"""Pixels between the middle of a mark and a label."""

_TICK: Final = 30
"""Pixels from one size on the axis to the next, at least."""

_LINE: Final = 13
_UNKNOWN: Final = 0.3
"""Of the width: where the models without a stated size stand."""

_LANGUAGES: Final = ("en", "ru")
Box = tuple[float, float, float, float]


def size_figure(rows: Sequence[Row], words: Words) -> Markup:
    """Return the figure of the rows that have a figure for both languages; empty where none has."""
    shown = [row for row in rows if all(key in row.figures for key in _LANGUAGES)]
    if not shown:
        return part(words)
    told = "; ".join(_told(row, words) for row in shown)
    title = words("figure.sizes.title")
    drawings = [
        _Drawing(shown, words, width).svg(f"{title}. {told}.", class_)
        for width, class_ in ((WIDE, "lv-w"), (NARROW, "lv-n"))
    ]
    return part(words, head(title, words("figure.sizes.lead")), *drawings, class_="lv-fig")


def _told(row: Row, words: Words) -> str:
    values = (f"{words(f'column.{key}')} {words.percent(row.figures[key].value)}" for key in _LANGUAGES)
    return f"{row.entry.model}: {', '.join(values)}"


@dataclass(frozen=True)
class _Place:
    """Where a model stands: its column, and the heights of its two figures."""

    row: Row
    x: float
    ends: tuple[float, float]


class _Drawing:
    """One drawing, `width` pixels wide."""

    def __init__(self, rows: Sequence[Row], words: Words, width: int) -> None:
        self._words, self._width = words, width
        self._known = sorted(
            (row for row in rows if row.entry.parameters), key=lambda row: row.entry.parameters or 0.0
        )
        self._unknown = [row for row in rows if not row.entry.parameters]
        self._end = width - _RIGHT
        self._border = self._end - (width * _UNKNOWN if self._unknown else 0)
        sizes = [row.entry.parameters or 1.0 for row in self._known] or [1.0]
        self._low, self._high = math.log(min(sizes)) - 0.3, math.log(max(sizes)) + 0.3

    def svg(self, told: str, class_: str) -> Markup:
        """Return the drawing; `told` are its values in words."""
        places = [*self._sized(), *self._unsized()]
        return el(
            "svg",
            *self._grid(),
            *self._sizes(),
            *self._key(),
            *(mark for place in places for mark in _marks(place)),
            *self._labels([place for place in places if place.row.entry.parameters]),
            class_=class_,
            role="img",
            aria_label=told,
            viewBox=f"0 0 {self._width} {_HEIGHT}",
            width=self._width,
            height=_HEIGHT,
        )

    def _sized(self) -> Iterator[_Place]:
        for row in self._known:
            yield self._at(row, self._x(row.entry.parameters or 1.0))

    def _unsized(self) -> Iterator[_Place]:
        step = (self._end - self._border) / (len(self._unknown) + 1)
        for number, row in enumerate(self._unknown, 1):
            yield self._at(row, self._border + step * number)

    def _at(self, row: Row, x: float) -> _Place:
        first, second = (_y(row.figures[key].value) for key in _LANGUAGES)
        return _Place(row, round(x, 1), (first, second))

    def _x(self, size: float) -> float:
        share = (math.log(size) - self._low) / (self._high - self._low)
        return _LEFT + 14 + (self._border - _LEFT - 28) * share

    def _grid(self) -> Iterator[Markup]:
        for tick in range(0, 101, 20):
            y = _y(tick / 100)
            yield el("line", class_="lv-ax0" if tick == 0 else "lv-ax", x1=_LEFT, x2=self._end, y1=y, y2=y)
            yield el("text", self._words.integer(tick), x=_LEFT - 6, y=y + 4, text_anchor="end")

    def _sizes(self) -> Iterator[Markup]:
        low = _HEIGHT - 28
        for size in self._ticks():
            name = self._words.general(size)
            yield el("text", name, x=round(self._x(size), 1), y=low, text_anchor="middle")
        middle = round((_LEFT + self._border) / 2, 1)
        yield el(
            "text", self._words("figure.sizes.axis"), class_="q", x=middle, y=low + 18, text_anchor="middle"
        )
        if self._unknown:
            x = round((self._border + self._end) / 2, 1)
            yield el("line", class_="lv-ax0", x1=self._border, x2=self._border, y1=_TOP, y2=_y(0))
            yield el("text", self._words("figure.sizes.unknown"), x=x, y=low, text_anchor="middle")

    def _ticks(self) -> list[float]:
        """Return powers of two that are far enough apart for their names."""
        octave = self._x(2.0) - self._x(1.0)
        step = max(math.ceil(_TICK / octave), 1)
        first = math.ceil(self._low / math.log(2))
        last = math.floor(self._high / math.log(2))
        return [2.0**power for power in range(first, last + 1, step)] if self._known else []

    def _key(self) -> Iterator[Markup]:
        for number, name in enumerate(_LANGUAGES):
            x = _LEFT + 10 + 44 * number
            yield _mark(x, 10, hollow=bool(number))
            yield el("text", self._words(f"column.{name}"), x=x + 9, y=14)

    def _labels(self, places: Sequence[_Place]) -> Iterator[Markup]:
        """Yield the names that lie over nothing, each beside its upper or its lower mark."""
        taken = [box for place in places for box in _taken(place)]
        for place in places:
            name = place.row.entry.model.rpartition("/")[2]
            for x, y in _spots(place, len(name) * _LETTER):
                box = (x, y - _LINE + 3, x + len(name) * _LETTER, y + 3)
                inside = box[0] >= _LEFT and box[2] <= self._border and box[1] > _TOP and box[3] < _y(0)
                if inside and not any(_meet(box, other) for other in taken):
                    taken.append(box)
                    yield el("text", name, x=round(x, 1), y=round(y, 1))
                    break


def _spots(place: _Place, width: float) -> Iterator[tuple[float, float]]:
    for y in (min(place.ends), max(place.ends), sum(place.ends) / 2):
        yield place.x + _BESIDE, y + 4
        yield place.x - _BESIDE - width, y + 4
    yield place.x - width / 2, min(place.ends) - _BESIDE
    yield place.x - width / 2, max(place.ends) + _BESIDE + 8


def _taken(place: _Place) -> Iterator[Box]:
    for y in place.ends:
        yield place.x - 8, y - 8, place.x + 8, y + 8
    yield place.x - 1, min(place.ends), place.x + 1, max(place.ends)


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _marks(place: _Place) -> Iterator[Markup]:
    first, second = place.ends
    yield el("line", class_="lv-whisker", x1=place.x, x2=place.x, y1=first, y2=second)
    yield _mark(place.x, first, hollow=False)
    yield _mark(place.x, second, hollow=True)
    if place.row.entry.shown == "reported":
        for y in place.ends:
            yield el("circle", class_="lv-ring", cx=place.x, cy=y, r=7)


def _mark(x: float, y: float, *, hollow: bool) -> Markup:
    if hollow:
        return el("rect", class_="lv-mark hollow", x=x - 3.2, y=y - 3.2, width=6.4, height=6.4)
    return el("circle", class_="lv-mark", cx=x, cy=y, r=3.6)


def _y(share: float) -> float:
    return round(_TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - share), 1)
