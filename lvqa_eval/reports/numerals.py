"""Numbers as they are printed: percentages and points with one decimal, a dash where there is no figure."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Numerals:
    """How a format writes what plain ASCII has no sign for."""

    minus: str = "\N{MINUS SIGN}"
    dash: str = "\N{EN DASH}"

    def percent(self, share: float) -> str:
        """Return a share (0 to 1) as a percentage without the sign, such as 61.5."""
        return self._write(share, "{:.1f}")

    def points(self, difference: float) -> str:
        """Return a difference of shares in percentage points with its sign, such as +5.9."""
        return self._write(difference, "{:+.1f}")

    def interval(self, low: float, high: float) -> str:
        """Return the interval of a share, such as [55.0, 68.9]; a dash where it is undefined."""
        return self._pair(self.percent(low), self.percent(high))

    def points_interval(self, low: float, high: float) -> str:
        """Return the interval of a difference, such as [+1.0, +9.5]; a dash where it is undefined."""
        return self._pair(self.points(low), self.points(high))

    def percent_with_interval(self, share: float, low: float, high: float) -> str:
        """Return a share and its interval, such as 61.5 [55.0, 68.9]; a dash for neither."""
        return self._join(self.percent(share), self.interval(low, high))

    def points_with_interval(self, difference: float, low: float, high: float) -> str:
        """Return a difference and its interval, such as +5.9 [+1.0, +9.5]; a dash for neither."""
        return self._join(self.points(difference), self.points_interval(low, high))

    def turn(self, number: float) -> str:
        """Return a mean turn with two decimals, such as 3.25."""
        return f"{number:.2f}" if math.isfinite(number) else self.dash

    def coverage(self, valid: int, planned: int) -> str:
        """Return valid / planned in per cent, rounded down: 100.0 only where nothing is missing."""
        if not planned:
            return self.dash
        tenths = valid * 1000 // planned
        return f"{tenths // 10}.{tenths % 10}"

    def _write(self, share: float, form: str) -> str:
        if not math.isfinite(share):
            return self.dash
        text = form.format(round(share * 100, 1))
        if float(text) == 0:
            return "0.0"
        return text.replace("-", self.minus)

    def _pair(self, low: str, high: str) -> str:
        return self.dash if self.dash in (low, high) else f"[{low}, {high}]"

    def _join(self, figure: str, interval: str) -> str:
        return figure if figure == self.dash else f"{figure} {interval}"


PRINTED = Numerals()
ASCII = Numerals(minus="-", dash="-")
LATEX = Numerals(minus="$-$", dash="--")
