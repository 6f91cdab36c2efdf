"""The cells that tables share: a figure with its interval below, a model with what it is below its name."""

import math
from typing import Final, Literal

from leaderboard.board.records import Entry
from leaderboard.html.escape import Child, Markup, el, joined, outer
from leaderboard.html.frame import small
from leaderboard.html.words import DASH, Words
from lvqa_eval.metrics.bootstrap import Estimate

DOT: Final = " · "
_LONG: Final = 24
"""Letters of a name that every table has room for."""


def absent(words: Words, class_: str = "") -> Markup:
    """Return the cell of a figure that is not there: a dash, read out as a word."""
    shown = el("span", DASH, aria_hidden="true")
    return el("td", shown, el("span", words("absent"), class_="vh"), class_=f"n na {class_}".strip())


def figure_cell(
    figure: Estimate | None,
    unit: str,
    words: Words,
    interval: Literal["ends", "half"] = "half",
    class_: str = "",
) -> Markup:
    """Return the cell of a figure, its interval below: its ends, or half its width after a ±."""
    if figure is None or not math.isfinite(figure.value):
        return absent(words, class_)
    below = words.interval(figure, unit) if interval == "ends" else words.half_width(figure, unit)
    value: Child = words.figure(figure.value, unit)
    if interval == "ends":
        value = el("b", value)
    known = math.isfinite(figure.low) and math.isfinite(figure.high)
    return el("td", value, small(below) if known else None, class_=f"n {class_}".strip())


def model_name(model: str) -> Markup:
    """Return the name of a model on one line or two; one that may be cut off there is a title as well."""
    return el("span", outer(model), class_="lv-name", title=model if len(model) > _LONG else None)


def model_lines(entry: Entry, words: Words) -> Markup:
    """Return the name of a model and what it is, as they stand in the head of its row."""
    if entry.shown == "reported":
        further = [entry.source]
    else:
        further = [words(f"badge.{entry.badge}.name"), reason(entry, words)]
    return named(entry, words, *further)


def named(entry: Entry, words: Words, *further: str) -> Markup:
    """Return the name of a model, below it its size, openness and what else is said of it."""
    parts = (size(entry.parameters, words), openness(entry, words), *further)
    return joined([model_name(entry.model), small(outer(DOT.join(part for part in parts if part)))])


def breakable(name: str) -> Markup:
    """Return a name that may go on in the next line after each underscore."""
    first, *others = name.split("_")
    pieces = [piece for other in others for piece in ("_", el("wbr"), other)]
    return el("bdi", first, *pieces)


def size(parameters: float | None, words: Words) -> str:
    """Return a model's parameters in billions, those of a small one in millions."""
    if parameters is None:
        return words("model.size.unknown")
    if parameters < 0.1:
        return words("model.size.millions", n=words.general(round(1000 * parameters, 1)))
    return words("model.size.known", n=words.general(round(parameters, 1)))


def openness(entry: Entry, words: Words) -> str:
    """Return whether a model's weights can be had; empty where nobody said."""
    return words(f"model.{entry.weights}") if entry.weights else ""


def reason(entry: Entry, words: Words) -> str:
    """Return why an entry has no rank: a text `reason.NAME` where there is one, or else as it stands."""
    key = f"reason.{entry.reason}"
    if not words.has(key):
        return entry.reason
    return words(
        key,
        conditions=words.integer(len(entry.conditions)),
        runs=words.integer(entry.runs),
        coverage=words.coverage(entry.coverage),
        version=entry.dataset_version,
    )
