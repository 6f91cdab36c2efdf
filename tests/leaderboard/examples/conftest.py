"""Two boards for the tests of this folder, made once: one of runs that were held, one of made-up models."""

import shutil

import pytest

from leaderboard.board.records import Board
from leaderboard.examples.library import Library
from leaderboard.examples.pictures import PictureFolder
from leaderboard.store.folder import BoardFolder
from lvqa_eval.runs.store import RunStore
from tests.support.boards import small_board
from tests.support.browser import watch
from tests.support.page_features import add_features
from tests.support.sent_runs import FIRST, sent_board

NO_ORDER = Board("a board", None, None)


@pytest.fixture(scope="session")
def sent(tmp_path_factory):
    """Return a board, and what its runs were sent, by benchmark and side; see `sent_board`."""
    return sent_board(tmp_path_factory.mktemp("sent"))


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """Return a small board, not to be changed."""
    return small_board(tmp_path_factory.mktemp("made"))


@pytest.fixture
def library(tmp_path):
    """Return a function from a board to its runs, with a folder of pictures of their own."""
    return lambda board, now=NO_ORDER: Library(board, PictureFolder(tmp_path / "pictures"), lambda: now)


@pytest.fixture(scope="session")
def served(sent, pages, tmp_path_factory):
    """Serve a copy of the board of runs that were held, one answer read; returns its address."""
    folder = tmp_path_factory.mktemp("served") / "all"
    shutil.copytree(sent[0].folder.parent, folder)
    board = BoardFolder.open(folder / "board")
    first = [one for one in board.submissions() if one.model[1] == FIRST.casefold()]
    _features(next(board.run(one.id) for one in first if one.receipt.benchmark == "bear-bench"))
    with pages.serving("leaderboard", board.folder, "--no-open") as started:
        yield started.url().rstrip("/")


def _features(folder):
    with RunStore.open(folder) as store:
        talks = [one for one in store.conversations().values() if one.question_id == "business-en-1"]
    add_features(folder, talks, (3, 4), [[0.0, 0.1, 0.2, 0.3], [0.1, 0.9, 0.1, 0.1], [0.5, 0.1, 0.1, 0.8]])


@pytest.fixture(scope="session")
def models(sent):
    """Return what links call the submission of each model, by benchmark and model."""
    board, _ = sent
    return {(one.receipt.benchmark, one.receipt.about.model): one.id[:16] for one in board.submissions()}


@pytest.fixture
def opened(served, models, page):
    """Return a function that opens the page with a query, and waits until it is drawn."""
    watched = watch(page)

    def go(query="", name="examples", language="en"):
        benchmark = "bear-bench" if "bear-bench" in query else "layered-vqa"
        if "&a=" not in query:
            query += f"&a={models[benchmark, FIRST]}"
        page.goto(f"{served}/{name}?lang={language}&{query}")
        page.wait_for_selector("body.lv-drawn")
        page.wait_for_selector(".lv-chat, .lv-forest")
        return page

    yield go
    assert (watched.errors, watched.hosts - {served.removeprefix("http://")}) == ([], set())
