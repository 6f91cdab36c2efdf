"""Colours of the plots: told apart by colour-blind people, on white, and in grey print with their marks."""

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from matplotlib.colors import Colormap

INK: Final = "#151A20"
MUTED: Final = "#596067"
LINE: Final = "#878F94"
GRID: Final = "#D9DDE0"
LIGHT: Final = "#B4BABF"
"""What stands behind the figures, such as single models behind their mean."""
EMPTY: Final = "#EDEFF1"
"""A cell that has no figure."""


class Mark(NamedTuple):
    """How one series is drawn: no two share a colour, a marker or a line style."""

    colour: str
    marker: str
    line: str


MARKS: Final = (
    Mark("#14599B", "o", "-"),
    Mark("#C4611C", "s", "--"),
    Mark("#2B2B2B", "D", ":"),
    Mark("#3E9E96", "^", "-."),
)
"""Four series at most in one panel; their lightness differs too, so that grey print keeps them apart."""

_BELOW = ("#974610", "#DF8F4E", "#F8CEAF")
_ABOVE = ("#BBDCFC", "#67AAE9", "#14599B")
_ZERO = "#F2F4F5"


def diverging() -> "Colormap":
    """Return the colours of differences: brown below zero, near white at zero, blue above."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("differences", (*_BELOW, _ZERO, *_ABOVE))


def sequential() -> "Colormap":
    """Return the colours of shares: near white for none, dark blue for all."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("shares", (_ZERO, *_ABOVE))


def ink_on(background: tuple[float, float, float]) -> str:
    """Return the colour of text, dark or white, with the higher contrast on a background (RGB, 0 to 1)."""
    dark = luminance(_rgb(INK))
    behind = luminance(background)
    return "#FFFFFF" if contrast(1.0, behind) > contrast(behind, dark) else INK


def luminance(colour: tuple[float, float, float]) -> float:
    """Return the relative luminance of an sRGB colour (0 to 1), as WCAG 2 defines it."""
    linear = [
        channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4 for channel in colour
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: float, other: float) -> float:
    """Return the contrast ratio of two luminances, from 1 to 21."""
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)


def _rgb(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    return red, green, blue
