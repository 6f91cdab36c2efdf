"""Interval bars: where a figure and its interval stand on a shared axis."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from lvqa_eval.metrics.bootstrap import Estimate


@dataclass(frozen=True)
class Axis:
    """A horizontal axis from `low` to `high` (shares), `width` pixels wide, its ends `margin` pixels in."""

    low: float
    high: float
    ticks: tuple[float, ...]
    width: int = 190
    margin: int = 12

    def x(self, value: float) -> float:
        """Return the pixel of `value`; outside the axis, that of the nearer end."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(self.margin + share * (self.width - 2 * self.margin), 1)


@dataclass(frozen=True)
class IntervalBar:
    """A mark at `at` and a line from `start` to `end`, in pixels; the line is None without an interval.

    `clear` is false for a difference that is not told from none: its interval is missing or holds zero.
    """

    at: float
    start: float | None
    end: float | None
    clear: bool


SHARES = Axis(0.0, 1.0, (0.0, 0.25, 0.5, 0.75, 1.0))


def difference_axis(figures: Iterable[Estimate]) -> Axis:
    """Return an axis around zero that holds all of `figures`, to the next ten points, at least ten."""
    ends = [
        abs(end)
        for figure in figures
        for end in (figure.value, figure.low, figure.high)
        if math.isfinite(end)
    ]
    limit = max(1, math.ceil(round(max(ends, default=0.0) * 10, 9))) / 10
    return Axis(-limit, limit, (-limit, -limit / 2, 0.0, limit / 2, limit))


def interval_bar(axis: Axis, figure: Estimate) -> IntervalBar | None:
    """Return the bar of a figure on `axis`; None for a figure that is undefined."""
    if not math.isfinite(figure.value):
        return None
    clear = axis.low >= 0 or figure.low > 0 or figure.high < 0
    if not math.isfinite(figure.low):
        return IntervalBar(axis.x(figure.value), None, None, clear)
    return IntervalBar(axis.x(figure.value), axis.x(figure.low), axis.x(figure.high), clear)
