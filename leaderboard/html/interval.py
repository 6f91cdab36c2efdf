"""Where a figure and its interval stand on an axis that all rows share."""

import math
from collections.abc import Iterable

from leaderboard.html.escape import Markup, el
from leaderboard.html.words import Words
from lvqa_eval.metrics.bootstrap import Estimate
from lvqa_eval.reports.axes import Axis, interval_bar

_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5)
_MOST_TICKS = 6
HEIGHT = 20


def share_axis(figures: Iterable[Estimate], width: int = 190, margin: int = 14) -> Axis:
    """Return an axis of shares that holds all figures with their intervals, with six ticks at most."""
    ends = [
        end
        for one in figures
        for end in (one.value, one.low, one.high)
        if math.isfinite(end) and 0 <= end <= 1
    ]
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    for step in _STEPS:
        first, last = math.floor(low / step + 1e-9), max(math.ceil(high / step - 1e-9), 1)
        first = min(first, last - 1)
        if last - first < _MOST_TICKS:
            break
    ticks = tuple(round(place * step, 9) for place in range(first, last + 1))
    return Axis(ticks[0], ticks[-1], ticks, width, margin)


def axis_head(axis: Axis, words: Words) -> Markup:
    """Return the numbers of an axis, in per cent, as they stand in the head above the bars."""
    texts = [
        el("text", words.decimal(tick * 100, 0), x=axis.x(tick), y=12, text_anchor="middle")
        for tick in axis.ticks
    ]
    return _drawing(axis, 15, *texts)


def bar(figure: Estimate | None, axis: Axis, *, signed: bool = False) -> Markup:
    """Return a mark on a line as wide as the interval, the axis' ticks behind it.

    The mark of a difference (`signed`) whose interval covers zero is hollow. Nothing is drawn for a figure
    that is missing; its number stands beside, so the picture has no name of its own.
    """
    middle = HEIGHT / 2
    ticks = [
        el("line", class_="zero" if signed and tick == 0 else "t", x1=x, x2=x, y1=2, y2=HEIGHT - 2)
        for tick in axis.ticks
        for x in (axis.x(tick),)
    ]
    placed = interval_bar(axis, figure) if figure is not None else None
    if placed is None:
        return _drawing(axis, HEIGHT, *ticks)
    line = None
    if placed.start is not None:
        line = el("line", class_="w", x1=placed.start, x2=placed.end, y1=middle, y2=middle)
    mark = el("circle", class_=None if placed.clear else "hollow", cx=placed.at, cy=middle, r=3.2)
    return _drawing(axis, HEIGHT, *ticks, line, mark)


def _drawing(axis: Axis, height: int, *children: Markup | None) -> Markup:
    return el(
        "svg",
        *children,
        class_="lv-iv",
        viewBox=f"0 0 {axis.width} {height}",
        width=axis.width,
        height=height,
        aria_hidden="true",
        focusable="false",
    )
