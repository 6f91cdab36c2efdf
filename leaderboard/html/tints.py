"""Which tint a cell has: how far its figure is from zero, or from chance. The number is always printed."""

import math
from collections.abc import Sequence
from typing import Final

from leaderboard.html.escape import Markup, el
from leaderboard.html.words import Words
from lvqa_eval.metrics.bootstrap import Estimate
from lvqa_eval.reports.exhibit_view import STEPS

NEUTRAL: Final = "z"
CHANCE: Final = 0.5
FROM_CHANCE: Final = (-0.06, -0.025, 0.03, 0.10, 0.17, 0.24)
"""Distances from chance at which the tint changes; from the second to the third is noise at 1,000 answers."""

_FROM_CHANCE_TINTS: Final = ("m2", "m1", NEUTRAL, "p1", "p2", "p3", "p4")
_ERROR: Final = 1e-9  # of a difference that is a whole number of tenths of a point


def difference_tint(figure: Estimate, *, printed: bool = False) -> str:
    """Return the tint of a difference of shares; neutral where its interval covers zero.

    A `printed` one, of a paper that gives no interval, is tinted by its value alone.
    """
    clear = printed or figure.low > 0 or figure.high < 0
    return tint_of(figure.value) if clear else NEUTRAL


def tint_of(difference: float) -> str:
    """Return the tint of a difference of shares by its size; neutral below the first step, and for NaN."""
    step = sum(abs(difference) >= edge - _ERROR for edge in STEPS)
    return f"{'m' if difference < 0 else 'p'}{step}" if step else NEUTRAL


def chance_tint(value: float, chance: float = CHANCE) -> str:
    """Return the tint of a measure by its distance from that of a random score."""
    if not math.isfinite(value - chance):
        return NEUTRAL
    return _FROM_CHANCE_TINTS[sum(value - chance >= edge - _ERROR for edge in FROM_CHANCE)]


def difference_scale(words: Words) -> Markup:
    """Return the tints of differences with the points between them."""
    edges = [*(-step for step in reversed(STEPS)), *STEPS]
    labels = [words.general(edge * 100, signed=True) for edge in edges]
    return _scale(("m4", "m3", "m2", "m1", NEUTRAL, "p1", "p2", "p3", "p4"), labels)


def chance_scale(words: Words, *, relative: bool = False) -> Markup:
    """Return the tints around chance; the `relative` scale has distances from a value that each row has."""
    edges = FROM_CHANCE if relative else tuple(CHANCE + edge for edge in FROM_CHANCE)
    labels = [words.ratio(edge, 2 if math.isclose(edge, round(edge, 2)) else 3) for edge in edges]
    if relative:
        labels = [f"+{label}" if edge > 0 else label for label, edge in zip(labels, edges, strict=True)]
    return _scale(_FROM_CHANCE_TINTS, labels)


def _scale(tints: Sequence[str], labels: Sequence[str]) -> Markup:
    """Return boxes of the tints side by side, each label below the edge between two."""
    marks: list[Markup | None] = [*(el("span", label) for label in labels), None]
    boxes = [el("span", el("i", class_=tint), mark) for tint, mark in zip(tints, marks, strict=True)]
    return el("span", *boxes, class_="lv-scale few" if len(boxes) < 8 else "lv-scale")
