"""Every word of the pages in one language, and numbers and dates as that language writes them."""

import math
from collections.abc import Mapping
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, Final

from lvqa_eval.metrics.bootstrap import Estimate
from lvqa_eval.reports.numerals import PRINTED

TEXTS: Final = Path(__file__).parent.parent / "texts"
LANGUAGES: Final = ("en", "ru")

DASH: Final = PRINTED.dash
_SPACE: Final = "\N{NO-BREAK SPACE}"
_ERROR: Final = 1e-9  # of a share that is a whole number of tenths of a per cent
_MONTHS: Final = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


class Words:
    """The texts of `texts/LANGUAGE.yaml` by dotted key; a language that is not there is English."""

    def __init__(self, language: str) -> None:
        self.language = language if language in LANGUAGES else LANGUAGES[0]
        self._texts = texts(self.language)
        self._russian = self.language == "ru"

    def __call__(self, key: str, /, **holes: str) -> str:
        """Return a text with its named holes filled; KeyError for a key or a hole that is missing."""
        return self._texts[key].format_map(holes)

    def has(self, key: str) -> bool:
        """Tell whether there is such a text."""
        return key in self._texts

    def count(self, key: str, number: int, /, **holes: str) -> str:
        """Return a text about so many things, `{n}` in it; its forms stand under one, few and many."""
        return self(f"{key}.{self._form(number)}", n=self.integer(number), **holes)

    def integer(self, number: int) -> str:
        """Return a whole number with its thousands apart: 14,400, in Russian with a space and from 10 000."""
        if self._russian:
            return f"{number:,}".replace(",", _SPACE) if abs(number) >= 10_000 else str(number)
        return f"{number:,}"

    def decimal(self, number: float, places: int = 1) -> str:
        """Return a number with so many decimals; a dash for NaN."""
        if not math.isfinite(number):
            return DASH
        text = f"{number:.{places}f}"
        return self._written(text.lstrip("-") if float(text) == 0 else text)

    def general(self, number: float, *, signed: bool = False) -> str:
        """Return a number with the decimals that it has, such as 2.5 or 15."""
        return self._written(f"{number:+g}" if signed else f"{number:g}")

    def percent(self, share: float) -> str:
        """Return a share (0 to 1) in per cent, without the sign."""
        return self._written(PRINTED.percent(share))

    def points(self, difference: float) -> str:
        """Return a difference of shares in percentage points, with its sign."""
        return self._written(PRINTED.points(difference))

    def ratio(self, number: float, places: int = 2) -> str:
        """Return a number that is 1 at most: .67, in Russian 0,67."""
        text = self.decimal(number, places)
        return text if self._russian or abs(number) >= 1 else text.replace("0.", ".", 1)

    def coverage(self, share: float) -> str:
        """Return a share in per cent rounded down: 100.0 only where nothing is missing."""
        return self.decimal(math.floor(share * 1000 + _ERROR) / 10) if math.isfinite(share) else DASH

    def span(self, low: str, high: str) -> str:
        """Return the interval of a figure between its printed ends, such as 64.9-70.0; a dash for none."""
        return DASH if DASH in (low, high) else f"{low}\N{EN DASH}{high}"

    def bracketed(self, low: str, high: str) -> str:
        """Return an interval whose ends may have signs: [-1.4, +5.8], in Russian with a semicolon."""
        return DASH if DASH in (low, high) else f"[{low}{';' if self._russian else ','} {high}]"

    def day(self, moment: str) -> str:
        """Return the date of an ISO 8601 date or time; what is none stands as it is."""
        try:
            found = date.fromisoformat(moment[:10])
        except ValueError:
            return moment or DASH
        if self._russian:
            return f"{found:%d.%m.%Y}"
        return f"{found.day} {_MONTHS[found.month - 1]} {found.year}"

    def figure(self, value: float, unit: str) -> str:
        """Return a value as its unit is written, without the unit.

        Units: share and coverage (0 to 1, in per cent, the latter rounded down), difference (of shares, in
        points), ratio (1 at most), words, characters and count (whole numbers); any other has one decimal.
        """
        written = {
            "share": self.percent,
            "coverage": self.coverage,
            "difference": self.points,
            "ratio": self.ratio,
            **dict.fromkeys(("words", "characters", "count"), self._whole),
        }
        return written.get(unit, self.decimal)(value)

    def interval(self, figure: Estimate, unit: str) -> str:
        """Return the ends of an interval; a dash for a figure without one."""
        ends = (self.figure(figure.low, unit), self.figure(figure.high, unit))
        return self.bracketed(*ends) if unit == "difference" else self.span(*ends)

    def half_width(self, figure: Estimate, unit: str) -> str:
        """Return half the width of an interval after a ±; empty for a figure without one."""
        half = (figure.high - figure.low) / 2
        if not math.isfinite(half):
            return ""
        return "±" + self.figure(half, unit).lstrip("+")

    def _whole(self, number: float) -> str:
        return self.integer(round(number)) if math.isfinite(number) else DASH

    def _form(self, number: int) -> str:
        if not self._russian:
            return "one" if number == 1 else "many"
        if number % 10 == 1 and number % 100 != 11:
            return "one"
        return "few" if number % 10 in (2, 3, 4) and number % 100 not in (12, 13, 14) else "many"

    def _written(self, text: str) -> str:
        text = text.replace("-", PRINTED.minus)
        return text.replace(".", ",") if self._russian else text


@cache
def texts(language: str) -> Mapping[str, str]:
    """Return dotted key -> text of a language."""
    import yaml

    read = yaml.safe_load((TEXTS / f"{language}.yaml").read_text(encoding="utf-8"))
    return dict(_flat("", read))


def _flat(prefix: str, value: Any) -> list[tuple[str, str]]:
    if isinstance(value, Mapping):
        return [
            pair for key, part in value.items() for pair in _flat(f"{prefix}.{key}" if prefix else key, part)
        ]
    return [(prefix, str(value))]
