"""A small board for the tests of this folder, made once and copied by those that change it."""

import shutil

import pytest

from leaderboard.board.assemble import assemble
from leaderboard.store.folder import BoardFolder
from tests.support.boards import small_board


@pytest.fixture(scope="session")
def small_folder(tmp_path_factory):
    """Return the folder of a board whose figures are kept already; not to be changed."""
    folder = tmp_path_factory.mktemp("small-board")
    assemble(small_board(folder))
    return folder


@pytest.fixture(scope="session")
def small(small_folder):
    """Return the board in that folder."""
    return BoardFolder.open(small_folder / "board")


@pytest.fixture
def copied(small_folder, tmp_path):
    """Return a board of its own, its figures kept as well."""
    shutil.copytree(small_folder, tmp_path / "all")
    return BoardFolder.open(tmp_path / "all" / "board")


@pytest.fixture(scope="session")
def assembled(small):
    """Return what the pages of that board show."""
    return assemble(small)
