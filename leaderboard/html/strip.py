"""The strip above a table: the few figures that the page is about, each with what it is of."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from leaderboard.html.cells import DOT
from leaderboard.html.columns import unit
from leaderboard.html.escape import Markup, el
from leaderboard.html.frame import part, small
from leaderboard.html.terms import titled
from leaderboard.html.words import DASH, Words
from lvqa_eval.metrics.bootstrap import Estimate


@dataclass(frozen=True)
class Stat:
    """One figure of a strip.

    - `name`: of the texts `strip.NAME.label` and `strip.NAME.source`; `holes` are filled into the source:
      counts, and shares, which are written in per cent.
    - `unit`: of the value, as `Words.figure` has it. `term` opens a definition, none where empty.
    """

    name: str
    figure: Estimate | None
    unit: str
    term: str = ""
    holes: Mapping[str, int | float] = field(default_factory=dict)


def strip(stats: Sequence[Stat], words: Words, place: str = "strip") -> Markup:
    """Return the strip of at most five figures."""
    return part(words, el("dl", *(_stat(one, words, place) for one in stats), class_="lv-strip"))


def _stat(stat: Stat, words: Words, place: str) -> Markup:
    label = titled(words(f"strip.{stat.name}.label"), stat.term, words, place)
    holes = {
        name: words.percent(value) if isinstance(value, float) else words.integer(value)
        for name, value in stat.holes.items()
    }
    source = words(f"strip.{stat.name}.source", **holes)
    figure = stat.figure
    if figure is None or not math.isfinite(figure.value):
        value = el("dd", DASH, class_="v")
    else:
        value = el(
            "dd", words.figure(figure.value, stat.unit), el("small", unit(stat.unit, words)), class_="v"
        )
        if math.isfinite(figure.low):
            ends = (words.figure(end, stat.unit) for end in (figure.low, figure.high))
            source = f"{words.bracketed(*ends)}{DOT}{source}"
    return el("div", el("dt", label), value, el("dd", small(source)))
