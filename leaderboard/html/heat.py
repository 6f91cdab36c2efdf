"""How near each patch of a page is to the answer, as tints over the page; the numbers come with the focus."""

import math
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Final

from leaderboard.html.escape import Markup, el
from leaderboard.html.exchange import Picture, picture
from leaderboard.html.frame import head, note, part
from leaderboard.html.words import Words

_TINTS: Final = ("p1", "p2", "p3", "p4")
NAMED: Final = 5
"""Patches with the highest values, which are listed below the page too."""


@dataclass(frozen=True)
class PatchMap:
    """The cosines of a page's patches with an answer, row by row; NaN for a patch that has none."""

    page: Picture
    values: tuple[tuple[float, ...], ...]
    model: str


def patch_map(shown: PatchMap, words: Words) -> Markup:
    """Return the page under its patches: five equal steps from median to maximum, the lowest without tint."""
    edges = _edges(shown)
    # The keyboard comes to the highest first, and goes on from there.
    first = max((value for row in shown.values for value in row if math.isfinite(value)), default=math.nan)
    rows = [el("tr", *(_patch(value, edges, words, value == first) for value in row)) for row in shown.values]
    # The tints lie over a picture that has its own words; what they say stands in the list below.
    grid = el("table", el("tbody", *rows), class_="lv-patches", role="presentation")
    box = el("div", picture(shown.page, words("heat.alt")), grid, class_="lv-heatmap")
    return part(
        words,
        head(words("heat.title"), words("heat.lead", model=shown.model)),
        box,
        *_legend(shown, edges, words),
    )


def _edges(shown: PatchMap) -> tuple[float, ...]:
    """Return where each tint begins, lowest first; none where all patches are alike."""
    values = [value for row in shown.values for value in row if math.isfinite(value)]
    if not values or max(values) == min(values):
        return ()
    low, high = median(values), max(values)
    steps = len(_TINTS) + 1
    return tuple(low + (high - low) * step / steps for step in range(1, steps))


def _tint(value: float, edges: tuple[float, ...]) -> str:
    """Return the tint of a value; empty for one below the first edge."""
    reached = sum(value >= edge for edge in edges)
    return _TINTS[reached - 1] if reached else ""


def _patch(value: float, edges: tuple[float, ...], words: Words, first: bool) -> Markup:
    tint = _tint(value, edges)
    if not tint:
        return el("td")
    return el("td", el("span", words.ratio(value)), class_=tint, tabindex="0" if first else "-1")


def _legend(shown: PatchMap, edges: tuple[float, ...], words: Words) -> tuple[Markup, ...]:
    if not edges:
        return (note(words("heat.flat")),)
    places = [
        (value, row, column)
        for row, line in enumerate(shown.values, 1)
        for column, value in enumerate(line, 1)
        if math.isfinite(value)
    ]
    highest = max(value for value, _, _ in places)
    steps = [
        el("span", el("i", class_=f"lv-box {tint}"), " ", words.span(words.ratio(low), words.ratio(high)))
        for tint, (low, high) in zip(_TINTS, pairwise((*edges, highest)), strict=True)
    ]
    best = sorted(places, key=lambda place: (-place[0], place[1:]))[:NAMED]
    listed = "; ".join(
        words("heat.patch", row=words.integer(row), column=words.integer(column), value=words.ratio(value))
        for value, row, column in best
    )
    return el("div", *steps, class_="lv-key lv-page-key"), note(words("heat.highest", patches=listed))
