"""What the pages do with an upload: here it is taken, on a Space it becomes a pull request by somebody."""

import json

import pytest

from leaderboard.store.hub_send import publish_board
from leaderboard.submissions.checking import Checked
from leaderboard.submissions.format import pack
from leaderboard.submissions.reception import LogInError, Reception, Taken, used_up
from leaderboard.submissions.records import About
from tests.support.boards import SLOW

RESULTS = "ORG/results"


@pytest.fixture
def upload(drawn, tmp_path):
    return pack(drawn[1], About(SLOW.name), tmp_path / "upload.jsonl.gz").path


def test_without_a_space_nobody_is_named_and_the_board_takes_it(published, upload, monkeypatch):
    monkeypatch.delenv("SPACE_ID", raising=False)
    monkeypatch.setenv("LVQA_RESULTS", RESULTS)
    reception = Reception.here(published)
    assert (reception.repo, reception.names_needed) == (None, False)
    taken = reception.take(upload, "forged")
    assert isinstance(taken, Taken)
    assert (taken.receipt.by, taken.version, taken.request) == (None, 1, "")
    assert published.receipt(taken.receipt.id) == taken.receipt
    assert taken.score.ranking == ""
    assert taken.score.score.value == pytest.approx(
        sum(taken.score.figures[name].value for name in ("full", "sharded-v")) / 2
    )


def test_a_space_names_who_submits_and_asks_its_repository(published, hub, upload, monkeypatch):
    publish_board(published, RESULTS, print)
    monkeypatch.setenv("SPACE_ID", "ORG/space")
    monkeypatch.setenv("LVQA_RESULTS", RESULTS)
    reception = Reception.here(published)
    with pytest.raises(LogInError, match="log in first"):
        reception.take(upload, None)
    taken = reception.take(upload, "ann")
    assert taken.request == f"{hub.url}/datasets/{RESULTS}/discussions/1"
    assert taken.receipt.by == "ann"
    assert published.submissions() == ()
    tree = hub.repos[RESULTS].tree("refs/pr/1")
    place = f"submissions/{taken.receipt.id}"
    assert json.loads(tree[f"{place}/receipt.json"])["by"] == "ann"
    assert tree[f"{place}/upload.jsonl.gz"] == upload.read_bytes()


def test_a_bad_upload_is_answered_and_not_taken(published, tmp_path):
    bad = tmp_path / "bad.csv"
    bad.write_text("model;score\n")
    for found in (Reception(published).check(bad), Reception(published).take(bad, None)):
        assert isinstance(found, Checked)
        [problem] = found.problems
        assert problem.found == "CSV (values between ';') in UTF-8"
        assert (found.read, found.planned, found.score) == (0, None, None)
    assert published.submissions() == ()


def test_an_upload_goes_with_the_folder_that_it_lies_alone_in(tmp_path):
    for name, stays in (("alone", False), ("beside", True)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "file").write_text("x")
        if stays:
            (folder / "another").write_text("y")
        with used_up(folder / "file") as path:
            assert path.read_text() == "x"
        assert (folder.exists(), (folder / "file").exists()) == (stays, False)
