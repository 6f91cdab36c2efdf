"""Two models side by side: their figures, the paired difference with its interval, and where they differ."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from leaderboard.board.compare import Agreement
from leaderboard.html.cells import absent
from leaderboard.html.condition_matrix import family
from leaderboard.html.escape import Markup, el, joined, outer, page_link
from leaderboard.html.exchange import SIGNS, Ruling, letter
from leaderboard.html.frame import caption, head, note, part, scroll, section, small
from leaderboard.html.glyph import delivery_glyph
from leaderboard.html.interval import axis_head, bar
from leaderboard.html.terms import condition_term
from leaderboard.html.words import Words
from lvqa_eval.metrics.bootstrap import Estimate
from lvqa_eval.reports.axes import Axis, difference_axis

_COLUMNS: Final = 7
_AXIS: Final = 420
"""Pixels."""


@dataclass(frozen=True)
class Contrast:
    """Two models on one condition, or on one part of a benchmark.

    - `name`: the condition; of a part, its title, with that of its `group`.
    - `a`, `b`: shares, `difference`: A - B, paired; None where one of the models has none.
    - `differ` of the `questions` both have are right for one model alone.
    """

    name: str
    a: Estimate | None
    b: Estimate | None
    difference: Estimate | None
    differ: int
    questions: int
    group: str = ""


@dataclass(frozen=True)
class Differing:
    """One question that the models answer differently; the answers are those of the final turn.

    `view` is what else restores the view of this one, such as its run, as pairs.
    """

    question_id: str
    condition: str
    category: str
    reference: str
    answers: tuple[str, str]
    rulings: tuple[Ruling, Ruling]
    view: tuple[tuple[str, str], ...] = ()


def comparison(
    contrasts: Sequence[Contrast], models: tuple[str, str], words: Words, place: str = "compare"
) -> Markup:
    """Return the forest table: a hollow mark and plain figures where the interval covers zero."""
    axis = difference_axis(one.difference for one in contrasts if one.difference is not None)
    axis = replace(axis, width=_AXIS)
    bodies = []
    for name, run in groupby(contrasts, key=lambda one: one.group or family(one.name, words)):
        bodies.append(el("tbody", section(_COLUMNS, name), *(_row(one, axis, words, place) for one in run)))
    title = words("compare.title", a=models[0], b=models[1])
    table = el("table", caption(title), _head(contrasts, axis, words), *bodies, class_="lv-tbl lv-forest")
    who = el("p", *_who(models), class_="lv-pair")
    told = words.count("compare.source", len(contrasts))
    return part(words, who, scroll(title, table), note(told))


def agreement_table(agreement: Agreement, title: str, lead: str, words: Words) -> Markup:
    """Return the four counts; those on which the models differ are shaded. `title` and `lead` are texts."""
    corner = el("th", el("span", words("compare.counts"), class_="vh"), scope="col")
    heads = [corner, *(el("th", words(f"compare.b.{one}"), scope="col") for one in ("right", "wrong"))]
    lines = (
        ("right", (agreement.both, None), (agreement.only_a, "d")),
        ("wrong", (agreement.only_b, "d"), (agreement.neither, None)),
    )
    rows = [
        el(
            "tr",
            el("th", words(f"compare.a.{name}"), scope="row"),
            *(el("td", words.integer(count), class_=kind) for count, kind in cells),
        )
        for name, *cells in lines
    ]
    table = el("table", caption(title), el("thead", el("tr", *heads)), el("tbody", *rows), class_="lv-quad")
    return part(words, head(title, lead), table, note(words("compare.shaded")), class_="lv-fig")


def differing_table(
    found: Sequence[Differing], models: tuple[str, str], words: Words, view: dict[str, str] | None = None
) -> Markup:
    """Return the questions that one model alone gets right; each id leads to the example at its last turn.

    `view` is what else restores the view there, such as the language and the two submissions.
    """
    heads = [
        el("th", words("compare.question"), scope="col", class_="pin"),
        el("th", words("compare.category"), scope="col", class_="lv-w"),
        el("th", words("compare.reference"), scope="col"),
        *(
            el("th", letter(side), el("span", outer(model), class_="vh"), scope="col")
            for side, model in enumerate(models)
        ),
    ]
    rows = [_differing(one, words, view or {}) for one in found]
    title = words("compare.differing.title")
    table = el("table", caption(title), el("thead", el("tr", *heads)), el("tbody", *rows), class_="lv-tbl")
    return part(words, head(title, words("compare.differing.lead")), scroll(title, table), class_="lv-fig")


def _who(models: tuple[str, str]) -> list[Markup]:
    return [el("span", letter(side), outer(model, class_="lv-name")) for side, model in enumerate(models)]


def _head(contrasts: Sequence[Contrast], axis: Axis, words: Words) -> Markup:
    per_cent = el("span", "\N{NO-BREAK SPACE}%", class_="u")
    most = max((one.questions for one in contrasts), default=0)
    sides = el(
        "span",
        el("span", "\N{LEFTWARDS ARROW} ", words("compare.better", model="B")),
        el("span", words("compare.better", model="A"), " \N{RIGHTWARDS ARROW}"),
        class_="lv-sides",
    )
    return el(
        "thead",
        el(
            "tr",
            el("th", words("compare.condition"), scope="col", class_="pin"),
            el("th", letter(0), per_cent, scope="col", class_="n lv-w"),
            el("th", letter(1), per_cent, scope="col", class_="n lv-w"),
            el("th", "A \N{MINUS SIGN} B", scope="col", class_="n"),
            el("th", words("compare.interval"), scope="col", class_="n lv-w"),
            el("td", sides, axis_head(axis, words), class_="lv-w axis"),
            el(
                "th", words("compare.differ"), small(words.count("compare.of", most)), scope="col", class_="n"
            ),
        ),
    )


def _row(one: Contrast, axis: Axis, words: Words, place: str) -> Markup:
    glyph = None if one.group else delivery_glyph(one.name)
    title = one.name if one.group else condition_term(one.name, words, place)
    return el(
        "tr",
        el("th", el("span", glyph, title, class_="lv-glyphed"), scope="row", class_="pin"),
        _plain(one.a, words),
        _plain(one.b, words),
        *_difference(one.difference, words),
        el("td", bar(one.difference, axis, signed=True), class_="lv-w axis"),
        el("td", words.integer(one.differ), class_="n"),
    )


def _plain(figure: Estimate | None, words: Words) -> Markup:
    if figure is None or not math.isfinite(figure.value):
        return absent(words, "lv-w")
    return el("td", words.percent(figure.value), class_="n lv-w")


def _difference(figure: Estimate | None, words: Words) -> tuple[Markup, Markup]:
    """Return the difference and its interval, which a narrow page has below it."""
    if figure is None or not math.isfinite(figure.value):
        return absent(words), absent(words, "lv-w")
    ends = words.interval(figure, "difference")
    value = words.points(figure.value)
    shown = el("b", value) if figure.low > 0 or figure.high < 0 else value
    return el("td", shown, el("span", ends, class_="sub lv-n"), class_="n"), el(
        "td", ends, class_="n lv-w soft"
    )


def _sign(ruled: Ruling, words: Words) -> Markup:
    """Return the sign of a ruling; its word is heard, since the column of its model says the rest."""
    shown = el("span", SIGNS[ruled], class_=f"lv-v {ruled}", aria_hidden="true")
    return joined([shown, el("span", words(f"ruling.{ruled}"), class_="vh")])


def _differing(one: Differing, words: Words, view: dict[str, str]) -> Markup:
    told = {"question": one.question_id, "condition": one.condition, **view, **dict(one.view)}
    link = page_link("examples", **told)
    answers = [
        el("td", el("span", _sign(ruled, words), outer(said, class_="lv-clip"), class_="lv-short"))
        for said, ruled in zip(one.answers, one.rulings, strict=True)
    ]
    return el(
        "tr",
        el(
            "th",
            el("a", outer(one.question_id), href=link, class_="mono"),
            small(one.condition),
            scope="row",
            class_="pin",
        ),
        el("td", outer(one.category), class_="lv-w"),
        el("td", outer(one.reference, class_="lv-clip")),
        *answers,
    )
