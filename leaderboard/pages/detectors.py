"""The page of detectors: how well scores tell wrong answers from right ones, by the model that answered."""

from typing import Final

import gradio as gr

from leaderboard.board.downloads import Download, detectors_download
from leaderboard.board.records import DetectorRow
from leaderboard.filters import SEARCH, searched
from leaderboard.html.detectors import MEASURES, Measure, detector_matrix
from leaderboard.html.escape import el
from leaderboard.html.frame import part
from leaderboard.pages.shell import Shell
from leaderboard.pages.toolbar import search, take_home
from leaderboard.views import Choice, View

MEASURE: Final = Choice("measure", MEASURES)


def build(app: Shell) -> None:
    """Add the page."""
    with app.page("detectors", (SEARCH, MEASURE)) as page:
        with gr.Row(elem_classes="lv-filters"):
            search(page)
            page.control(MEASURE, gr.Radio(min_width=160), _measures)
            with gr.Row(elem_classes="lv-take"):
                take_home(page, "detectors")
        page.part(_matrix)
        page.table("detectors", _download)


def _measures(view: View) -> dict[str, object]:
    choices = [(view.words(f"term.{name}.name"), name) for name in MEASURES]
    return {"label": view.words("control.measure"), "choices": choices}


def _rows(view: View) -> list[DetectorRow]:
    return [
        row for row in view.board.detectors if searched(f"{row.model} {row.condition} {row.source}", view)
    ]


def _matrix(view: View) -> str:
    rows = _rows(view)
    if not rows:
        return part(view.words, el("p", view.words("ranking.none"), class_="lv-note"))
    measure: Measure = next(one for one in MEASURES if one == view.text(MEASURE.name))
    return detector_matrix(rows, measure, view.words)


def _download(view: View) -> Download:
    return detectors_download(_rows(view), view.board.state)
