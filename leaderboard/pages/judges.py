"""The page of judges: how they rule on every assistant, who is lenient, and who agrees with whom."""

from typing import Final

import gradio as gr

from leaderboard.board.downloads import Download, agreement_download, judges_download, matrix_download
from leaderboard.board.records import JudgeBoard, Matrix, Standing
from leaderboard.filters import SEARCH, searched
from leaderboard.html.escape import el
from leaderboard.html.frame import part
from leaderboard.html.judges import agreement_table, judge_matrix, judge_table
from leaderboard.pages.shell import Shell
from leaderboard.pages.toolbar import search, take_home
from leaderboard.views import View

CROSSED: Final = "judges-crossed"
AGREEMENT: Final = "judges-agreement"
_NONE: Final = JudgeBoard(None)


def build(app: Shell) -> None:
    """Add the page."""
    with app.page("judges", (SEARCH,), _standing) as page:
        with gr.Row(elem_classes="lv-filters"):
            search(page)
            with gr.Row(elem_classes="lv-take"):
                take_home(page, CROSSED)
        page.part(_matrix)
        with gr.Row(elem_classes="lv-figures"):
            with gr.Column(min_width=320):
                page.part(_table, ())
                with gr.Row(elem_classes="lv-take"):
                    take_home(page, "judges", link=False)
            with gr.Column(min_width=320):
                page.part(_agreement, ())
                with gr.Row(elem_classes="lv-take"):
                    take_home(page, AGREEMENT, link=False)
        page.table("judges", lambda view: judges_download(_board(view), view.board.state))
        page.table(CROSSED, _download)
        page.table(AGREEMENT, lambda view: agreement_download(_board(view), view.board.state))


def _board(view: View) -> JudgeBoard:
    return view.board.judges or _NONE


def _standing(view: View) -> Standing | None:
    board = view.board
    of = board.judges.benchmark if board.judges is not None else ""
    every = (one.standing for one in (board.layered, board.bear) if one is not None)
    return next((one for one in every if one.benchmark == of), None)


def _crossed(view: View) -> Matrix | None:
    """Return the judges by the assistants that are searched for; None where no two judges ruled."""
    whole = _board(view).crossed
    if whole is None:
        return None
    names = tuple(name for name in whole.columns if searched(name, view))
    cells = {key: figure for key, figure in whole.cells.items() if key[1] in names}
    return Matrix(whole.rows, names, cells)


def _matrix(view: View) -> str:
    crossed = _crossed(view)
    if crossed is None or not crossed.columns:
        why = "judges.none" if crossed is None else "ranking.none"
        return part(view.words, el("p", view.words(why), class_="lv-note"))
    return judge_matrix(crossed, view.words)


def _table(view: View) -> str:
    board = _board(view)
    return judge_table(board, view.words) if board.leniency or board.self_preference else ""


def _agreement(view: View) -> str:
    board = _board(view)
    return agreement_table(board, view.words) if board.agreement else ""


def _download(view: View) -> Download:
    crossed, standing = _crossed(view), _standing(view)
    if crossed is None or standing is None:
        return Download(CROSSED, (), ())
    return matrix_download(CROSSED, crossed, "judge", standing, view.board.state)
