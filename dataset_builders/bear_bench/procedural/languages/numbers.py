"""Numbers as they are printed in English and in Russian, and rounding that nobody can dispute."""

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Literal

Language = Literal["en", "ru"]
Number = int | Decimal | Fraction

NO_BREAK = "\u00a0"


def printed(value: Number, language: Language, places: int | None = None) -> str:
    """Return `value` with group and decimal marks: 1,234.5 in English, 1 234,5 in Russian.

    `places` is the number of decimals; without it a Decimal keeps its own. Russian groups digits from 10,000
    on, English from 1,000.
    """
    if places is not None:
        value = rounded(value, places)
    if isinstance(value, Fraction):
        value = exact(value)
    whole, _, decimals = (str(value) if isinstance(value, int) else f"{value:f}").partition(".")
    digits = whole.lstrip("-")
    least, group, mark = (10_000, NO_BREAK, ",") if language == "ru" else (1_000, ",", ".")
    if int(digits) >= least:
        digits = f"{int(digits):,}".replace(",", group)
    sign = "−" if whole.startswith("-") else ""
    return sign + digits + (mark + decimals if decimals else "")


def rounded(value: Number, places: int) -> Decimal:
    """Return `value` with so many decimals, halves away from zero."""
    scaled = Fraction(value) * 10**places
    whole = Decimal(scaled.numerator) / Decimal(scaled.denominator)
    return whole.quantize(Decimal(1), ROUND_HALF_UP).scaleb(-places)


def exact(value: Fraction) -> Decimal:
    """Return a fraction that has a finite decimal form; ValueError for others."""
    for places in range(9):
        if (value * 10**places).denominator == 1:
            return rounded(value, places)
    raise ValueError(f"{value}: found no finite decimal form of up to 8 decimals")


def is_exact(value: Fraction, places: int) -> bool:
    """Tell whether a fraction needs no more than so many decimals."""
    return bool((value * 10**places).denominator == 1)


def is_safe(value: Fraction, places: int) -> bool:
    """Tell whether `value` is so far from a rounding border that sensible ways of computing it agree."""
    part = (abs(value) * 10**places) % 1
    return bool(abs(part - Fraction(1, 2)) > Fraction(1, 8))


def parsed(text: str, language: Language) -> Decimal:
    """Return the number that `printed` wrote; signs of units round it do not matter."""
    kept = "".join(mark for mark in text.replace("−", "-") if mark in "0123456789.,-")
    return Decimal(kept.replace(",", ".") if language == "ru" else kept.replace(",", ""))
