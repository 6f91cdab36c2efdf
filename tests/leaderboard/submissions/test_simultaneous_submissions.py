"""Several submissions at once lose nothing, and a process that is killed leaves the board whole."""

import gzip
import hashlib
import multiprocessing
import os
import signal
import time
from datetime import timedelta

import pytest

from leaderboard.store.folder import BoardFolder
from leaderboard.submissions.accept import accept, mend
from lvqa_eval.runs.verify import verify
from tests.support.boards import NOW, empty_board, submission, tiny_folder
from tests.support.submitted import MadeUp

FEW = {"conditions": ("full", "sharded-v"), "runs": 1}
PROCESSES = multiprocessing.get_context("fork")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    dataset = tiny_folder(folder / "layered-vqa")
    models = [MadeUp(f"Model {letter}", 0.5) for letter in "ABCDEFGH"]
    return dataset, [
        submission(folder / model.name, dataset, model, judges=("j",), **FEW) for model in models
    ]


def whole(board):
    """Check that everything on a board is what it says it is; returns the ids."""
    found = board.submissions()
    for one in found:
        content = gzip.decompress(board.upload(one.id).read_bytes())
        assert hashlib.sha256(content).hexdigest() == one.id
    assert not (board.folder / "log.jsonl.torn").exists()
    assert {event.id for event in board.log()} <= {one.id for one in found}
    for path in (board.folder / "runs").iterdir():
        assert verify(path).problems == []
        assert len((path / "judgements" / "exact-match.jsonl").read_bytes().splitlines()) == 4
    assert {one.id for one in found} <= {path.name for path in (board.folder / "runs").iterdir()}
    return [one.id for one in found]


def take(folder, paths, begin, results):
    board = BoardFolder.open(folder)
    begin.wait()
    results.put([accept(board, path, None, NOW + timedelta(days=1)).id for path in paths])


def test_different_and_equal_submissions_at_once_are_all_there_once(tmp_path, files):
    dataset, paths = files
    board = empty_board(tmp_path / "board", dataset)
    begin, results = PROCESSES.Barrier(3), PROCESSES.Queue()
    lots = [[paths[0], paths[3], paths[4]], [paths[1], paths[3], paths[4]], [paths[3], paths[2], paths[0]]]
    workers = [PROCESSES.Process(target=take, args=(board.folder, lot, begin, results)) for lot in lots]
    for worker in workers:
        worker.start()
    taken = [results.get(timeout=300) for _ in workers]
    for worker in workers:
        worker.join()
    ids = {name for lot in taken for name in lot}
    assert len(ids) == 5
    assert sorted(whole(board)) == sorted(ids)
    assert sorted(event.id for event in board.log()) == sorted(ids)
    assert [path.name for path in (board.folder / "tmp").iterdir()] == ["lock"]


def sent(folder, path):
    accept(BoardFolder.open(folder), path, None, NOW)


STAGES = (
    *("tmp/draft-*", "tmp/draft-*/submission/upload.jsonl.gz", "tmp/draft-*/submission/receipt.json"),
    *(
        "tmp/draft-*/run",
        "tmp/draft-*/run/uploaded/judge-01.yaml",
        "tmp/draft-*/run/judgements/exact-match.jsonl",
    ),
    *("runs/{id}", "submissions/{id}"),
)
"""What can be seen of a board while it takes a submission, in this order."""


def test_killed_at_any_point_the_board_is_whole_and_takes_the_same_again(tmp_path, files):
    dataset, paths = files
    board = empty_board(tmp_path / "board", dataset)
    first = accept(board, paths[-1], None, NOW - timedelta(days=1)).id
    caught = 0
    for stage, path in zip(STAGES, paths, strict=True):
        name = hashlib.sha256(gzip.decompress(path.read_bytes())).hexdigest()
        pattern = stage.format(id=name)
        worker = PROCESSES.Process(target=sent, args=(board.folder, path))
        worker.start()
        while worker.is_alive() and not any(board.folder.glob(pattern)):
            time.sleep(0.0005)
        os.kill(worker.pid, signal.SIGKILL)
        worker.join()
        caught += worker.exitcode == -signal.SIGKILL
        assert first in whole(board)
        told = []
        mend(board, told.append)
        assert [one.name for one in (board.folder / "tmp").iterdir()] == ["lock"]
        ids = whole(board)
        assert sorted(event.id for event in board.log()) == sorted(ids)
        again = accept(board, path, None, NOW)
        assert again.id == name
        assert name in whole(board)
    assert caught >= len(STAGES) // 2
    assert len(whole(board)) == len(paths)
    assert len(board.log()) == len(paths)
