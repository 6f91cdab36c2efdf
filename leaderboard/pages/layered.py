"""The page of Layered-VQA: who is ranked where, what each delivery costs, and what more layers do."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Final

import gradio as gr

from leaderboard.board.downloads import Download, matrix_download
from leaderboard.board.records import BenchmarkBoard, Matrix
from leaderboard.board.reported import LAYERED as LAYERED_VQA
from leaderboard.board.reported import reported_costs, reported_rows
from leaderboard.filters import found
from leaderboard.html.condition_matrix import Costs, condition_matrix
from leaderboard.html.figures import Line, Mark, depth_figure, restoring_figure
from leaderboard.html.strip import Stat, strip
from leaderboard.pages.benchmark import ROWS, Ranked, ranked_page
from leaderboard.pages.shell import Shell
from leaderboard.views import View
from lvqa_eval.metrics.controls import ORACLE
from lvqa_eval.metrics.delivery import FULL
from lvqa_eval.metrics.figures import Figure
from lvqa_eval.metrics.recomposition import STREAMS
from lvqa_eval.reports.deliveries import DELIVERIES
from lvqa_eval.reports.reported import reported_table

LAYERED: Final = Ranked(
    name="layered",
    of=lambda board: board.layered,
    columns=(
        "full",
        *("retained_question", "retained_scene", "retained_order", "retained_both"),
        *("joint", "grounding_f1", "ungrounded", "unreliability", "coverage"),
    ),
    source="ranking.layered_source",
)
LOSS: Final = "concat-v"
"""The condition whose loss the paper prints by the number of layers."""

_VERSION: Final = ("version",)
_DEPTH: Final = re.compile(r"depth_(.+)_(\d+)")


def build(app: Shell) -> None:
    """Add the page."""
    with app.page("layered", LAYERED.fields, LAYERED.standing) as page:
        page.part(_strip, _VERSION)
        ranked_page(page, LAYERED)
        page.part(_costs, ROWS)
        with gr.Row(elem_classes="lv-figures"):
            page.part(_depths, _VERSION)
            page.part(_restoring, _VERSION)
        page.table("layered-conditions", _download)


def _strip(view: View) -> str:
    board = LAYERED.chosen(view)
    if board is None or not board.means:
        return ""
    means = board.means
    models = sum(row.entry.shown == "ranked" for row in board.rows)
    alone = means.get("all-layers")
    return strip(
        [
            Stat("full", means.get(FULL), "share", "full", {"models": models}),
            Stat("question", means.get("delta_concat-q"), "difference"),
            Stat("scene", means.get("delta_concat-v"), "difference"),
            Stat("restored", means.get("restored_scene"), "difference"),
            Stat(
                "joint",
                means.get("joint"),
                "share",
                "joint",
                {"accuracy": alone.value if alone else math.nan},
            ),
        ],
        view.words,
    )


def _costs(view: View) -> str:
    board = LAYERED.chosen(view)
    if board is None:
        return ""
    return condition_matrix(Costs(costs(board, view), reported_costs()), view.words)


def costs(board: BenchmarkBoard, view: View) -> Matrix:
    """Return ranked models by conditions: the accuracy under `full`, for any other the difference to it."""
    rows = [row for row in found(board.rows, view) if row.entry.shown == "ranked"]
    conditions = board.standing.conditions or tuple(DELIVERIES)
    cells = {
        (row.entry.model, name): row.figures[key]
        for row in rows
        for name in conditions
        if (key := name if name == FULL else f"delta_{name}") in row.figures
    }
    return Matrix(tuple(row.entry.model for row in rows), conditions, cells)


def _download(view: View) -> Download:
    board = LAYERED.chosen(view)
    if board is None:
        return Download("layered-conditions", (), ())
    return matrix_download(
        "layered-conditions", costs(board, view), "model", board.standing, view.board.state
    )


def _depths(view: View) -> str:
    board = LAYERED.chosen(view)
    means = board.means if board is not None else {}
    counts = board.counts if board is not None else {}
    measured: dict[str, dict[int, Mark]] = {}
    asked: dict[int, int] = {}
    for key, figure in means.items():
        if (told := _DEPTH.fullmatch(key)) is not None:
            condition, depth = told[1], int(told[2])
            measured.setdefault(condition, {})[depth] = _mark(figure)
            asked[depth] = counts.get(key, 0)
    printed = {
        int(row.keys["layers"]): Mark(row.figures["difference"].share, reported=True)
        for row in reported_table(LAYERED_VQA, "depth").rows
        if "difference" in row.figures
    }
    depths = sorted({*asked, *printed})
    lines = [_line(name, marks, depths, dashed=name == ORACLE) for name, marks in measured.items()]
    lines.append(_line(LOSS, printed, depths, dashed=bool(measured)))
    return depth_figure(lines, depths, [asked.get(depth, 0) for depth in depths] if asked else [], view.words)


def _restoring(view: View) -> str:
    board = LAYERED.chosen(view)
    means = board.means if board is not None else {}
    printed = next((row.figures for row in reported_rows(LAYERED_VQA) if FULL in row.figures), {})
    pairs = []
    for stream in ("question", "scene"):
        keys = [f"delta_{one}" for one in (STREAMS[stream].sharded, STREAMS[stream].recap)]
        source = means if all(key in means for key in keys) else printed
        marks = [_mark(source[key], reported=source is printed) for key in keys]
        pairs.append((marks[0], marks[1]))
    return restoring_figure(pairs[0], pairs[1], view.words)


def _line(name: str, marks: Mapping[int, Mark], depths: Sequence[int], *, dashed: bool) -> Line:
    return Line(name, tuple(marks.get(depth) for depth in depths), dashed)


def _mark(figure: Figure, *, reported: bool = False) -> Mark:
    return Mark(figure.value, figure.low, figure.high, reported)
