"""Detectors: a row for each model's answers, a column for each detector, tinted from chance."""

import math
from collections.abc import Sequence
from itertools import groupby
from typing import Final, Literal

from leaderboard.board.records import DetectorRow
from leaderboard.html.cells import breakable, model_name
from leaderboard.html.escape import Markup, el, joined, outer
from leaderboard.html.frame import note, part, small
from leaderboard.html.matrix import Heat, HeatCell, HeatColumn, HeatRow, heat_table
from leaderboard.html.terms import term
from leaderboard.html.tints import CHANCE, chance_scale, chance_tint
from leaderboard.html.words import DASH, Words
from lvqa_eval.detectors.signals import NATIVE
from lvqa_eval.detectors.sources import ANSWER
from lvqa_eval.reports.detectors.scorers import KINDS, kind_of

Measure = Literal["balanced_accuracy", "auroc", "average_precision"]
MEASURES: Final[tuple[Measure, ...]] = ("balanced_accuracy", "auroc", "average_precision")

_RANDOM: Final = "random"
_LENGTHS: Final = (("terse", 10.0), ("sentences", 300.0), ("long", math.inf))
"""Kinds of answers by the greatest median number of words."""


def detector_matrix(
    rows: Sequence[DetectorRow], measure: Measure, words: Words, place: str = "detectors"
) -> Markup:
    """Return the table of one measure: rows by the length of answers, shortest first, columns by kind.

    Average precision is tinted from each row's own random value, since it depends on the share of wrong
    answers; the others from one half.
    """
    lines = _lines(rows)
    names = sorted({row.detector for row in rows}, key=_place)
    columns = [
        HeatColumn(name, breakable(name), words(f"detector.kind.{_slug(kind_of(name))}")) for name in names
    ]
    columns.append(HeatColumn(_RANDOM, words("detector.random"), words("detector.kind.chance")))
    sections = [
        (
            words(f"detector.length.{name}"),
            [_row(line, measure, words) for line in lines if _length(line[0]) == name],
        )
        for name in (*(name for name, _ in _LENGTHS), "unknown")
    ]
    heat = Heat(
        title=words(f"term.{measure}.name"),
        corner=words("detector.model"),
        columns=columns,
        sections=[section for section in sections if section[1]],
        before=(
            el("th", words("detector.words"), scope="col", class_="n", rowspan=2),
            el("th", term("prevalence", words, place), scope="col", class_="n", rowspan=2),
            el("th", term("signals", words, place), scope="col", rowspan=2),
        ),
    )
    relative = measure == "average_precision"
    told = words("detector.scale.relative" if relative else "detector.scale.chance")
    key = el("div", chance_scale(words, relative=relative), el("span", told), class_="lv-key")
    title = el(
        "div", el("h2", term(measure, words, place)), el("p", words("detector.lead")), class_="lv-head"
    )
    return part(words, title, heat_table(heat, words), key, note(words("detector.note")))


def _lines(rows: Sequence[DetectorRow]) -> list[list[DetectorRow]]:
    """Return what stands in one line: all on a model's answers that had the same signals to look at.

    Detectors that need no signals join the first line of the model that has none of them yet.
    """

    def answers(row: DetectorRow) -> tuple[float, str, str, bool]:
        return (math.inf if row.words is None else row.words, row.model, row.condition, row.reported)

    found = []
    for _, run in groupby(sorted(rows, key=answers), key=answers):
        lines: list[list[DetectorRow]] = []
        by_source = sorted(run, key=lambda row: (_needs_none(row), row.source != NATIVE, row.source))
        for row in by_source:
            fitting = (
                line
                for line in lines
                if (_needs_none(row) or line[0].source == row.source)
                and all(other.detector != row.detector for other in line)
            )
            line = next(fitting, None)
            if line is None:
                lines.append([row])
            else:
                line.append(row)
        found += lines
    return found


def _needs_none(row: DetectorRow) -> bool:
    return row.source == ANSWER or kind_of(row.detector) == "Verdicts"


def _row(line: Sequence[DetectorRow], measure: Measure, words: Words) -> HeatRow:
    first = line[0]
    chance = first.random_precision if measure == "average_precision" else CHANCE
    cells = {row.detector: cell for row in line if (cell := _cell(row, measure, chance, words))}
    if chance is not None:
        cells[_RANDOM] = HeatCell(words.ratio(chance), "nr")
    told = [words("badge.reported.name")] if first.reported else [f"n {words.integer(first.n)}"]
    length = DASH if first.words is None else words.integer(round(first.words))
    wrong = DASH if first.prevalence is None else words.percent(first.prevalence)
    before = (
        el("td", length, class_="n"),
        el("td", wrong, class_="n"),
        el("td", _source(first, words)),
    )
    return HeatRow(joined([model_name(first.model), small(*told)]), cells, before=before)


def _cell(row: DetectorRow, measure: Measure, chance: float | None, words: Words) -> HeatCell | None:
    figure = row.figures.get(measure)
    if figure is None or not math.isfinite(figure.value):
        return None
    interval = words.interval(figure, "ratio")
    tint = chance_tint(figure.value, math.nan if chance is None else chance)
    return HeatCell(words.ratio(figure.value), tint, "" if interval == DASH else interval)


def _place(detector: str) -> tuple[int, str]:
    """Return the place of a detector's column: kinds together, in each the order in which they are known."""
    known = [name for names in KINDS.values() for name in names]
    return (known.index(detector) if detector in known else len(known), detector)


def _slug(kind: str) -> str:
    return kind.lower().replace(" ", "_")


def _source(row: DetectorRow, words: Words) -> Markup | str:
    return words(f"detector.source.{row.source}") if row.source in (NATIVE, ANSWER) else outer(row.source)


def _length(row: DetectorRow) -> str:
    if row.words is None:
        return "unknown"
    return next(name for name, most in _LENGTHS if row.words <= most)
