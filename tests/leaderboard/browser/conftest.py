"""One board and one server of its pages for the tests of this folder."""

import json

import pytest

from tests.support.boards import small_board

HOSTILE = (
    "<img src=x onerror=window.harmed=1>${window.harmed=1}{{constructor}}|\n=cmd|'/c calc'!A1 "
    "[x](javascript:window.harmed=1)"
)
"""A name that no submission can have; it stands in one receipt, as if it had come that far."""


@pytest.fixture(scope="session")
def hostile():
    """Give a text that would act if it could, and is the name of a model on the board."""
    return HOSTILE


@pytest.fixture(scope="session")
def board(tmp_path_factory):
    """Return a small board."""
    made = small_board(tmp_path_factory.mktemp("pages"))
    partial = next(one for one in made.submissions() if len(one.receipt.conditions) == 3)
    receipt = made.folder / "submissions" / partial.id / "receipt.json"
    told = json.loads(receipt.read_text())
    told["about"] |= {"model": HOSTILE, "revision": HOSTILE}
    receipt.write_text(json.dumps(told))
    return made


@pytest.fixture(scope="session")
def url(pages, board):
    """Give the address of the board's pages, without a slash."""
    with pages.serving("leaderboard", board.folder, "--no-open") as served:
        yield served.url().rstrip("/")
