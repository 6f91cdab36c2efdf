"""What each delivery costs: models by conditions, as differences to the model's own `full`."""

import math
from dataclasses import dataclass
from functools import lru_cache

from leaderboard.board.records import Matrix
from leaderboard.html.cells import model_name
from leaderboard.html.escape import Markup, el, joined
from leaderboard.html.frame import head, part, small
from leaderboard.html.glyph import delivery_glyph
from leaderboard.html.matrix import Heat, HeatCell, HeatColumn, HeatRow, heat_table
from leaderboard.html.terms import condition_term
from leaderboard.html.tints import difference_scale, difference_tint
from leaderboard.html.words import Words
from lvqa_eval.metrics.delivery import FULL
from lvqa_eval.metrics.figures import Figure
from lvqa_eval.reports.deliveries import DELIVERIES, FURTHER


@dataclass(frozen=True)
class Costs:
    """The condition matrix.

    `measured.cells[model, condition]` is the accuracy for `full`, for any other the paired difference to it.
    `reported` is the same of a paper's rows, whose figures have no interval; they stand below, apart.
    """

    measured: Matrix
    reported: Matrix | None = None


def condition_matrix(costs: Costs, words: Words, place: str = "conditions") -> Markup:
    """Return the matrix with the scale of its tints and what the glyphs above its columns show."""
    rows = [HeatRow(model_name(name), _cells(costs.measured, name, words)) for name in costs.measured.rows]
    if (paper := costs.reported) is not None:
        rows += [
            HeatRow(model_name(name), _cells(paper, name, words, printed=True), apart=not at)
            for at, name in enumerate(paper.rows)
        ]
    heat = Heat(
        title=words("conditions.title"),
        corner=joined([words("ranking.model"), small(words("conditions.order"))]),
        columns=[_column(name, words, place) for name in costs.measured.columns],
        sections=[("", rows)],
        fixed=True,
    )
    scale = el("div", difference_scale(words), el("span", words("conditions.scale")), class_="lv-key")
    title = head(heat.title, words("conditions.lead"))
    return part(words, title, heat_table(heat, words), scale, _key(words))


def family(condition: str, words: Words) -> str:
    """Return the family that a condition belongs to."""
    found = DELIVERIES.get(condition, FURTHER).family
    return words(f"family.{found.lower().replace(' ', '_')}")


def _column(condition: str, words: Words, place: str) -> HeatColumn:
    name = condition_term(condition, words, place)
    return HeatColumn(condition, name, family(condition, words), delivery_glyph(condition))


def _cells(matrix: Matrix, row: str, words: Words, *, printed: bool = False) -> dict[str, HeatCell]:
    cells = {}
    for condition in matrix.columns:
        figure = matrix.cells.get((row, condition))
        if figure is not None and math.isfinite(figure.value):
            cells[condition] = _cell(figure, condition == FULL, printed, words.language)
    return cells


@lru_cache(maxsize=16384)
def _cell(figure: Figure, absolute: bool, printed: bool, language: str) -> HeatCell:
    words = Words(language)
    if absolute:
        return HeatCell(words.percent(figure.value), "abs")
    return HeatCell(words.points(figure.value), difference_tint(figure, printed=printed))


def _key(words: Words) -> Markup:
    parts = (words(f"conditions.glyph.{one}") for one in ("columns", "question", "scene", "evidence"))
    return el("div", *(el("span", one) for one in parts), class_="lv-key")
