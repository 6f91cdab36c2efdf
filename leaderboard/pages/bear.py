"""The page of BEAR-Bench: who reads dense pages how well, in which language, and on smaller pictures."""

from typing import Final

import gradio as gr

from leaderboard.board.records import Row
from leaderboard.filters import found
from leaderboard.html.figures import Line, Mark, resolution_figure
from leaderboard.html.prompting import prompting_table
from leaderboard.html.sizes import size_figure
from leaderboard.pages.benchmark import ROWS, Ranked, ranked_page
from leaderboard.pages.shell import Shell
from leaderboard.views import View
from lvqa_eval.metrics.bear.conditions import COT, FACTORS, at_factor

BEAR: Final = Ranked(
    name="bear",
    of=lambda board: board.bear,
    columns=(
        *("en", "ru", "gap", "business", "science"),
        *("business-en", "business-ru", "science-en", "science-ru", "words"),
    ),
    source="ranking.bear_source",
    under=lambda view, board: {
        key: f"n {view.words.integer(count)}" for key, count in board.counts.items() if count
    },
)

LINES: Final = 5
"""Measured models that a figure has lines for: the first ones, as more could not be told apart."""


def build(app: Shell) -> None:
    """Add the page."""
    with app.page("bear", BEAR.fields, BEAR.standing) as page:
        ranked_page(page, BEAR)
        with gr.Row(elem_classes="lv-figures"):
            page.part(_sizes, ROWS)
            page.part(_resolutions, ROWS)
        page.part(_prompting, ROWS)


def _rows(view: View) -> list[Row]:
    board = BEAR.chosen(view)
    return [] if board is None else found(board.rows, view)


def _resolutions(view: View) -> str:
    lines: list[Line] = []
    for row in _rows(view):
        reported = row.entry.shown == "reported"
        marks = tuple(_mark(row, at_factor(factor), reported) for factor in FACTORS)
        if sum(mark is not None for mark in marks) > 1:
            lines.append(Line(row.entry.model.rpartition("/")[2], marks, dashed=reported))
    measured = [line for line in lines if not line.dashed][:LINES]
    shown = [*measured, *(line for line in lines if line.dashed)]
    return resolution_figure(shown, FACTORS, view.words) if shown else ""


def _mark(row: Row, condition: str, reported: bool) -> Mark | None:
    figure = row.figures.get("overall" if condition == at_factor(1) else condition)
    if figure is None:
        return None
    low, high = (float("nan"),) * 2 if reported else (figure.low, figure.high)
    return Mark(figure.value, low, high, reported)


def _sizes(view: View) -> str:
    return size_figure(_rows(view), view.words)


def _prompting(view: View) -> str:
    rows = [row for row in _rows(view) if f"delta_{COT}" in row.figures]
    return prompting_table(rows, view.words) if rows else ""
