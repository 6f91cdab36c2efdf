"""What asking for steps changes: accuracy by the plain question and by the prompt that asks for them."""

from collections.abc import Sequence
from typing import Final

from leaderboard.board.records import Row
from leaderboard.html.cells import figure_cell, model_lines
from leaderboard.html.columns import unit
from leaderboard.html.escape import Markup, el
from leaderboard.html.frame import caption, head, part, scroll
from leaderboard.html.words import Words
from lvqa_eval.metrics.bear.conditions import COT

_COLUMNS: Final = (
    ("default", "overall", "share"),
    ("cot", COT, "share"),
    ("gain", f"delta_{COT}", "difference"),
)


def prompting_table(rows: Sequence[Row], words: Words) -> Markup:
    """Return the table of the rows given, in their order."""
    title = words("prompting.title")
    heads = [el("th", words("ranking.model"), scope="col", class_="pin")]
    heads += [
        el("th", words(f"prompting.{name}"), unit(kind, words), scope="col", class_="n")
        for name, _, kind in _COLUMNS
    ]
    lines = [
        el(
            "tr",
            el("th", model_lines(row.entry, words), scope="row", class_="pin"),
            *(figure_cell(row.figures.get(key), kind, words, "ends") for _, key, kind in _COLUMNS),
        )
        for row in rows
    ]
    table = el("table", caption(title), el("thead", el("tr", *heads)), el("tbody", *lines), class_="lv-tbl")
    return part(words, head(title, words("prompting.lead")), scroll(title, table))
