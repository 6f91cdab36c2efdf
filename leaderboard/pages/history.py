"""The page of history: every submission that was taken, also those that others replaced."""

from collections.abc import Iterator
from itertools import chain

import gradio as gr

from leaderboard.board.downloads import Download, history_download
from leaderboard.board.records import BenchmarkBoard, Board, Entry, Standing
from leaderboard.filters import FILTERS, found
from leaderboard.html.history import history
from leaderboard.pages.shell import Shell
from leaderboard.pages.toolbar import filters, search, take_home
from leaderboard.views import View
from lvqa_eval.metrics.figures import Figure


def build(app: Shell) -> None:
    """Add the page."""
    with app.page("history", FILTERS) as page:
        with gr.Row(elem_classes="lv-filters"):
            search(page)
            filters(page)
            with gr.Row(elem_classes="lv-take"):
                take_home(page, "history")
        page.part(lambda view: history(_entries(view), view.words, _scores(view.board)))
        page.table("history", _download)


def _boards(board: Board) -> Iterator[BenchmarkBoard]:
    for one in (board.layered, board.bear):
        if one is not None:
            yield from (one, *one.older)


def _entries(view: View) -> list[Entry]:
    """Return the entries that a view shows, newest first."""
    every = chain.from_iterable(one.history for one in _boards(view.board))
    return sorted(found(every, view), key=lambda entry: entry.received, reverse=True)


def _scores(board: Board) -> dict[str, Figure]:
    return {name: figure for one in _boards(board) for name, figure in one.scores.items()}


def _download(view: View) -> Download:
    every = Standing("", "", "", 0, 0, (), 0)
    return history_download(_entries(view), _scores(view.board), every, view.board.state)
