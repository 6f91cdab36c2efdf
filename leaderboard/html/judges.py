"""How judges rule: every judge on every assistant, who is lenient, who favours itself, and who agrees."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from leaderboard.board.records import JudgeBoard, Matrix
from leaderboard.html.cells import figure_cell, model_name
from leaderboard.html.escape import Markup, el, outer
from leaderboard.html.frame import caption, head, note, part, scroll
from leaderboard.html.interval import axis_head, bar
from leaderboard.html.matrix import HeatColumn
from leaderboard.html.share_matrix import Shares, share_matrix
from leaderboard.html.terms import term
from leaderboard.html.words import Words
from lvqa_eval.metrics.figures import Figure
from lvqa_eval.reports.axes import difference_axis

_UNIT: Final = "difference"
_AXIS: Final = 132
"""Pixels."""


def judge_matrix(crossed: Matrix, words: Words) -> Markup:
    """Return judges by assistants: the share that a judge calls correct, tinted against all judges' mean."""
    means = {assistant: _mean(crossed, assistant) for assistant in crossed.columns}
    shares = Shares(
        matrix=crossed,
        columns=[HeatColumn(name, model_name(name), words("judges.assistants")) for name in crossed.columns],
        row=model_name,
        corner=words("judges.judge"),
        base=lambda _judge, assistant: means[assistant],
        title=words("judges.crossed.title"),
        scale=words("judges.crossed.scale"),
        source=words("judges.crossed.source"),
        below=lambda judge, assistant: words("judges.itself") if judge == assistant else "",
    )
    return share_matrix(shares, words)


def judge_table(board: JudgeBoard, words: Words, place: str = "judges") -> Markup:
    """Return leniency and self-preference of each judge, with a bar on an axis around zero."""
    names = list(dict.fromkeys([*board.leniency, *board.self_preference]))
    axis = difference_axis([*board.leniency.values(), *board.self_preference.values()])
    axis = replace(axis, width=_AXIS)
    kinds: tuple[tuple[str, Mapping[str, Figure]], ...] = (
        ("leniency", board.leniency),
        ("self_preference", board.self_preference),
    )
    points = el("span", "\N{NO-BREAK SPACE}", words("unit.difference"), class_="u")
    heads = [el("th", words("judges.judge"), scope="col", class_="pin")]
    for name, _ in kinds:
        heads.append(el("th", term(name, words, place), points, scope="col", class_="n gl"))
        heads.append(el("td", axis_head(axis, words), class_="lv-w axis"))
    rows = []
    for judge in names:
        cells = [el("th", model_name(judge), scope="row", class_="pin")]
        for _, figures in kinds:
            cells.append(figure_cell(figures.get(judge), _UNIT, words, "ends", "gl"))
            cells.append(el("td", bar(figures.get(judge), axis, signed=True), class_="lv-w axis"))
        rows.append(el("tr", *cells))
    title = words("judges.table.title")
    table = el("table", caption(title), el("thead", el("tr", *heads)), el("tbody", *rows), class_="lv-tbl")
    return part(words, head(title), scroll(title, table), note(words("judges.table.source")))


def agreement_table(board: JudgeBoard, words: Words, place: str = "agreement") -> Markup:
    """Return how often two judges, or a judge and people, rule alike, with Cohen's kappa beside it."""
    heads = (
        el("th", words("agreement.first"), scope="col", class_="pin"),
        el("th", words("agreement.second"), scope="col"),
        el("th", term("agreement", words, place), el("span", " %", class_="u"), scope="col", class_="n"),
        el("th", term("kappa", words, place), scope="col", class_="n"),
        el("th", "n", scope="col", class_="n"),
    )
    rows = [
        el(
            "tr",
            el("th", outer(one), scope="row", class_="pin"),
            el("td", outer(other)),
            figure_cell(figure, "share", words, "ends"),
            el("td", words.ratio(kappa), class_="n"),
            el("td", words.integer(figure.n), class_="n"),
        )
        for one, other, figure, kappa in board.agreement
    ]
    title = words("agreement.title")
    table = el("table", caption(title), el("thead", el("tr", *heads)), el("tbody", *rows), class_="lv-tbl")
    return part(words, head(title), scroll(title, table))


def _mean(matrix: Matrix, column: str) -> float:
    values = [
        figure.value
        for row in matrix.rows
        if (figure := matrix.cells.get((row, column))) is not None and math.isfinite(figure.value)
    ]
    return sum(values) / len(values) if values else math.nan
