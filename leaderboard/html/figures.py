"""Line figures as SVG, drawn once for a wide and once for a narrow page, so that text keeps its size."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from leaderboard.html.escape import Markup, el
from leaderboard.html.frame import head, part
from leaderboard.html.words import Words

WIDE: Final = 556
NARROW: Final = 326
_TOP, _BOTTOM, _LEFT = 14, 48, 44
_LETTER: Final = 7.4
"""Pixels that a letter of a label takes, at most."""

_INSET: Final = 42
"""Pixels between the axis and the first mark, for a value beside it."""

_APART: Final = 14
_STEPS: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5)
_MOST_TICKS: Final = 7


@dataclass(frozen=True)
class Mark:
    """One value of a line, with its interval where it has one; `reported` is ringed, its value printed."""

    value: float
    low: float = math.nan
    high: float = math.nan
    reported: bool = False


@dataclass(frozen=True)
class Line:
    """One line: a mark at each position, None for none. Its name stands at its end, with the last value."""

    name: str
    marks: tuple[Mark | None, ...]
    dashed: bool = False


@dataclass(frozen=True)
class LineFigure:
    """Lines over positions.

    - `title`, `lead`: texts. `unit`: share or difference. `axis` names what the positions are.
    - `positions`: their names, `counts` what stands below them, with the name `counted`; both may be empty.
    """

    title: str
    lead: str
    unit: str
    positions: tuple[str, ...]
    lines: tuple[Line, ...]
    axis: str = ""
    counts: tuple[str, ...] = ()
    counted: str = ""


def line_figure(figure: LineFigure, words: Words) -> Markup:
    """Return the figure under its title; both drawings say its values to whoever cannot see them."""
    told = _told(figure, words)
    drawings = [
        _Drawing(figure, words, width).svg(told, class_)
        for width, class_ in ((WIDE, "lv-w"), (NARROW, "lv-n"))
    ]
    return part(words, head(figure.title, figure.lead), *drawings, class_="lv-fig")


def depth_figure(lines: Sequence[Line], depths: Sequence[int], counts: Sequence[int], words: Words) -> Markup:
    """Return losses to `full` by the number of layers; `counts` are the questions at each depth."""
    return line_figure(
        LineFigure(
            title=words("figure.depth.title"),
            lead=words("figure.depth.lead"),
            unit="difference",
            positions=tuple(map(words.integer, depths)),
            lines=tuple(lines),
            axis=words("figure.depth.axis"),
            counts=tuple(map(words.integer, counts)),
            counted="n",
        ),
        words,
    )


def restoring_figure(question: tuple[Mark, Mark], scene: tuple[Mark, Mark], words: Words) -> Markup:
    """Return what taking apart costs and showing whole again gives back; of a stream: pieces, restored."""
    start = Mark(0.0)
    lines = (
        Line(words("figure.restoring.question"), (start, *question), dashed=True),
        Line(words("figure.restoring.scene"), (start, *scene)),
    )
    positions = tuple(words(f"figure.restoring.{step}") for step in ("whole", "pieces", "restored"))
    texts = words("figure.restoring.title"), words("figure.restoring.lead")
    return line_figure(LineFigure(*texts, "difference", positions, lines), words)


def resolution_figure(lines: Sequence[Line], factors: Sequence[float], words: Words) -> Markup:
    """Return accuracy on pages whose sides were divided by each factor."""
    positions = tuple(f"{words.general(factor)}\N{MULTIPLICATION SIGN}" for factor in factors)
    texts = words("figure.resolution.title"), words("figure.resolution.lead")
    axis = words("figure.resolution.axis")
    return line_figure(LineFigure(*texts, "share", positions, tuple(lines), axis), words)


class _Drawing:
    """One drawing of a figure, `width` pixels wide."""

    def __init__(self, figure: LineFigure, words: Words, width: int) -> None:
        self._figure, self._words, self._width = figure, words, width
        self._height = 300 if width == WIDE else 280
        self._ticks = _ticks(figure)
        longest = max((len(self._end_label(line)) for line in figure.lines), default=0)
        self._right = min(width * 0.36, 16 + longest * _LETTER)

    def svg(self, told: str, class_: str) -> Markup:
        """Return the drawing; `told` are its values in words."""
        children = [*self._grid(), *self._position_labels(), *self._drawn_lines(), *self._end_labels()]
        return el(
            "svg",
            *children,
            class_=class_,
            role="img",
            aria_label=told,
            viewBox=f"0 0 {self._width} {self._height}",
            width=self._width,
            height=self._height,
        )

    def _x(self, place: int) -> float:
        count = max(len(self._figure.positions) - 1, 1)
        beside = any(
            mark is not None and mark.reported for line in self._figure.lines for mark in line.marks[:1]
        )
        first, last = _LEFT + (_INSET if beside else _INSET / 2), self._width - self._right
        return round(first + (last - first) * place / count, 1)

    def _y(self, value: float) -> float:
        low, high = self._ticks[0], self._ticks[-1]
        return round(_TOP + (self._height - _TOP - _BOTTOM) * (high - value) / (high - low), 1)

    def _grid(self) -> list[Markup]:
        found = []
        for tick in self._ticks:
            y = self._y(tick)
            label = self._words.general(
                round(tick * 100, 6), signed=self._figure.unit == "difference" and tick > 0
            )
            found.append(
                el(
                    "line",
                    class_="lv-ax0" if tick == 0 else "lv-ax",
                    x1=_LEFT,
                    x2=self._x(self._last),
                    y1=y,
                    y2=y,
                )
            )
            found.append(el("text", label, x=_LEFT - 6, y=y + 4, text_anchor="end"))
        return found

    @property
    def _last(self) -> int:
        return len(self._figure.positions) - 1

    def _position_labels(self) -> list[Markup]:
        figure, low = self._figure, self._height - 22
        found = [
            el("text", name, class_="b", x=self._x(place), y=low, text_anchor="middle")
            for place, name in enumerate(figure.positions)
        ]
        found += [
            el("text", count, class_="q", x=self._x(place), y=low + 15, text_anchor="middle")
            for place, count in enumerate(figure.counts)
        ]
        if figure.axis and figure.counts:
            found.append(el("text", figure.axis, class_="q", x=_LEFT - 6, y=low, text_anchor="end"))
            found.append(el("text", figure.counted, class_="q", x=_LEFT - 6, y=low + 15, text_anchor="end"))
        elif figure.axis:
            middle = (self._x(0) + self._x(self._last)) / 2
            found.append(
                el("text", figure.axis, class_="q", x=round(middle, 1), y=low + 16, text_anchor="middle")
            )
        return found

    def _drawn_lines(self) -> list[Markup]:
        found = []
        for line in self._figure.lines:
            placed = [(self._x(at), mark) for at, mark in enumerate(line.marks) if mark is not None]
            points = " ".join(f"{x:g},{self._y(mark.value):g}" for x, mark in placed)
            dashes = "5 4" if line.dashed else None
            found.append(el("polyline", points=points, class_="lv-line", stroke_dasharray=dashes))
            found += [
                el("line", class_="lv-whisker", x1=x, x2=x, y1=self._y(mark.low), y2=self._y(mark.high))
                for x, mark in placed
                if math.isfinite(mark.low)
            ]
            for x, mark in placed:
                y = self._y(mark.value)
                found.append(
                    el("circle", class_="lv-mark hollow" if line.dashed else "lv-mark", cx=x, cy=y, r=4)
                )
                if mark.reported:
                    found.append(el("circle", class_="lv-ring", cx=x, cy=y, r=8))
        return found + self._values()

    def _values(self) -> list[Markup]:
        """Return the values that are printed at their marks: reported ones, save at the end of a line."""
        found = []
        for line in self._figure.lines:
            for place, mark in enumerate(line.marks[:-1]):
                if mark is None or not mark.reported:
                    continue
                label = self._words.figure(mark.value, self._figure.unit)
                x, y = self._x(place), self._y(mark.value)
                # The first stands before its mark, where no line is; the others below theirs.
                at = {"x": x - 12, "y": y + 4} if place == 0 else {"x": x, "y": y + 22}
                found.append(
                    el("text", label, class_="b", text_anchor="end" if place == 0 else "middle", **at)
                )
        return found

    def _end_label(self, line: Line) -> str:
        last = line.marks[-1] if line.marks else None
        value = "" if last is None else f" {self._words.figure(last.value, self._figure.unit)}"
        return line.name + value

    def _end_labels(self) -> list[Markup]:
        """Return the names at the ends of lines, moved apart where they would lie over each other."""
        ends = []
        for line in self._figure.lines:
            placed = [(at, mark) for at, mark in enumerate(line.marks) if mark is not None]
            if placed:
                at, mark = placed[-1]
                ends.append((self._y(mark.value), self._x(at), line))
        found = []
        below = -math.inf
        for y, x, line in sorted(ends, key=lambda end: end[0]):
            below = max(y, below + _APART)
            found.append(el("text", self._end_label(line), class_="b", x=x + 12, y=round(below + 4, 1)))
        return found


def _ticks(figure: LineFigure) -> tuple[float, ...]:
    values = [
        end
        for line in figure.lines
        for mark in line.marks
        if mark is not None
        for end in (mark.value, mark.low, mark.high)
        if math.isfinite(end)
    ]
    low, high = min([0.0, *values]), max([0.0, *values])
    for step in _STEPS:
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        last = max(last, first + 1)
        if last - first < _MOST_TICKS:
            break
    return tuple(round(place * step, 9) for place in range(first, last + 1))


def _told(figure: LineFigure, words: Words) -> str:
    lines = []
    for line in figure.lines:
        values = [
            f"{position}: {words.figure(mark.value, figure.unit)}"
            for position, mark in zip(figure.positions, line.marks, strict=True)
            if mark is not None
        ]
        lines.append(f"{line.name}: {', '.join(values)}")
    return f"{figure.title}. {'. '.join(lines)}."
