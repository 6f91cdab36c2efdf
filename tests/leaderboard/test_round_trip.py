"""From a run to a row of the board's own judges, by commands alone; no upload moves a panel's score."""

import contextlib
import gzip
import json
import shutil

import msgspec
import pytest
from click.testing import CliRunner

from leaderboard.board.assemble import assemble
from leaderboard.store.folder import BoardFolder
from leaderboard.submissions.checking import check_submission
from lvqa_eval.distributed import cluster
from lvqa_eval.judging import labour, spread
from lvqa_eval.main import main
from lvqa_eval.runs.store import RunStore
from tests.support.boards import tiny_folder
from tests.support.near_hand import NearCluster
from tests.support.stand_in_models import WRONG, judge, sometimes
from tests.support.steady_server import steady_server

CONDITIONS = ("full", "sharded-v", "recap-v")
JUDGES = ("some/judge-a", "some/judge-b")
ANSWER = "red"


def lvqa(*arguments):
    """Run a command and return what it prints; it must succeed."""
    done = CliRunner().invoke(main, list(map(str, arguments)))
    assert done.exit_code == 0, done.output
    return done.output


def refused(*arguments):
    done = CliRunner().invoke(main, list(map(str, arguments)))
    assert done.exit_code == 1, done.output
    return done.output


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    return tiny_folder(tmp_path_factory.mktemp("data") / "layered-vqa", scenes=4)


@pytest.fixture(scope="module")
def run(dataset, tmp_path_factory):
    """Return a run that the commands have held, and that a judge of its own finds right throughout."""
    folder = tmp_path_factory.mktemp("runs") / "walker"
    with steady_server(names=("org/walker",), reply=sometimes(ANSWER)) as url:
        lvqa(
            *("run", "--model", "org/walker", "--base-url", url, "--dataset", dataset, "--out", folder),
            *("--conditions", ",".join(CONDITIONS), "--runs", 2),
        )
    with steady_server(names=("own/judge",), reply=judge(lambda reference, answer: True)) as url:
        lvqa("judge", folder, "--judge", f"own/judge@{url}")
    return folder


@pytest.fixture
def board(dataset, tmp_path):
    """Return the folder of a board on which three conditions, twice, are a full run."""
    folder = tmp_path / "board"
    lvqa("board", "init", folder, "--dataset", dataset, "--panel", JUDGES[0], "--panel", JUDGES[1])
    settings = BoardFolder.open(folder).settings
    told = msgspec.structs.replace(settings.benchmarks["layered-vqa"], conditions=CONDITIONS, runs=2)
    msgspec.structs.replace(settings, benchmarks={"layered-vqa": told}).write(folder)
    return folder


def rows(board):
    """Return the rows of the board's table that are not from a paper, by model and badge."""
    found = assemble(BoardFolder.open(board)).layered.rows
    return {(one.entry.model, one.entry.badge): one for one in found if one.entry.id}


def listed(board):
    return json.loads(lvqa("board", "list", board, "--json"))


def ruled_by_panel(board):
    """Let both judges of the panel rule, one after the other, and return how many requests that took."""
    strict = judge()
    kind = judge(lambda reference, answer: answer != WRONG)
    asked = 0
    for name, reply in zip(JUDGES, (strict, kind), strict=True):

        def counted(body, reply=reply):
            nonlocal asked
            asked += "Reference answer" in str(body["messages"][-1]["content"])
            return reply(body)

        with steady_server(names=(name,), reply=counted) as url:
            lvqa("board", "judge", board, "--judge", f"{name}@{url}")
    return asked


def test_a_run_becomes_a_provisional_row_and_then_one_of_the_panel(run, board, dataset):
    checked = lvqa("submit", run, "--check", "--dataset", dataset)
    assert "24 conversations, 24 judgements" in checked
    assert "Problems    none" in checked
    assert listed(board) == []

    told = lvqa("submit", run, "--board", board, "--open", "--size", "7.2")
    [entry] = listed(board)
    assert f"submission {entry['id']}\nversion 1 of org/walker, received " in told
    assert (entry["badge"], entry["self_judged"], entry["judges"]) == ("provisional", True, ["exact-match"])
    before = rows(board)
    assert {badge: (one.entry.shown, one.tier) for (_, badge), one in before.items()} == {
        "provisional": ("not ranked", None),
        "self-judged": ("not ranked", None),
    }
    assert before["org/walker", "self-judged"].figures["full"].value == 1.0

    conversations = RunStore.open(run).conversations()
    right = {key: ANSWER in one.turns[-1].reply for key, one in conversations.items()}
    assert 0 < sum(right.values()) < len(right)
    assert ruled_by_panel(board) == len(JUDGES) * 2 * len(conversations)
    assert ruled_by_panel(board) == 0
    [entry] = listed(board)
    assert (entry["badge"], entry["judges"]) == ("panel", list(JUDGES))
    row = rows(board)["org/walker", "panel"]
    assert (row.entry.shown, row.tier) == ("ranked", 1)
    for condition in CONDITIONS:
        ours = [correct for key, correct in right.items() if key.condition == condition]
        assert row.figures[condition].value == pytest.approx(sum(ours) / len(ours))
    assert "1 submissions, all as they were taken" in lvqa("board", "check", board)


def test_what_an_upload_says_of_itself_moves_no_score(run, board, tmp_path):
    lvqa("submit", run, "--board", board)
    flipped = tmp_path / "flipped"
    shutil.copytree(run, flipped)
    path = flipped / "judgements" / "own-judge.jsonl"
    verdicts = [json.loads(line) for line in path.read_text().splitlines()]
    for one in verdicts:
        one["final_turn_correct"] = not one["final_turn_correct"]
    path.write_text("".join(json.dumps(one) + "\n" for one in verdicts))
    (flipped / "report").mkdir()
    (flipped / "report" / "report.json").write_text('{"accuracy": 0.99}')
    lvqa("submit", flipped, "--board", board, "--name", "org/flipped")

    before = rows(board)
    assert before["org/flipped", "provisional"].figures == before["org/walker", "provisional"].figures
    assert before["org/flipped", "self-judged"].figures["full"].value == 0.0
    ruled_by_panel(board)
    after = rows(board)
    assert after["org/flipped", "panel"].figures == after["org/walker", "panel"].figures
    assert {after[model, "panel"].tier for model in ("org/flipped", "org/walker")} == {1}


@pytest.mark.parametrize("field", ["accuracy", "settings.score"])
def test_a_figure_has_no_place_in_a_file(run, board, tmp_path, field):
    file = tmp_path / "honest.jsonl.gz"
    lvqa("submit", run, "--check", "--board", board, "--out", file)
    header, *lines = gzip.decompress(file.read_bytes()).splitlines()
    told = json.loads(header)
    (told["settings"] if "." in field else told)[field.rpartition(".")[2]] = 0.99
    forged = tmp_path / "forged.jsonl"
    forged.write_bytes(b"\n".join([json.dumps(told).encode(), *lines]))
    opened = BoardFolder.open(board)
    [problem] = check_submission(forged, opened.standing(), opened.settings.limits).problems
    assert (problem.line, problem.field) == (1, field)
    assert "not known" in problem.found


def test_the_panel_of_a_board_is_settled_by_the_first_that_rule(run, dataset, tmp_path):
    board = tmp_path / "board"
    lvqa("board", "init", board, "--dataset", dataset)
    lvqa("submit", run, "--board", board)
    assert "--judge: missing; the board has no panel yet" in refused("board", "judge", board)
    with steady_server(names=(JUDGES[0],), reply=judge()) as url:
        lvqa("board", "judge", board, "--judge", f"{JUDGES[0]}@{url}")
    assert BoardFolder.open(board).settings.panel == (JUDGES[0],)
    assert [one["badge"] for one in listed(board)] == ["panel"]
    told = refused("board", "judge", board, "--judge", f"other/judge@{url}")
    assert f"--judge: found other/judge, allowed: {JUDGES[0]}, the panel in board.yaml" in told


def test_a_panel_that_was_broken_off_goes_on_and_may_work_on_a_cluster(run, board, monkeypatch):
    monkeypatch.setattr(cluster, "joined", lambda *_, **__: contextlib.nullcontext(NearCluster()))
    monkeypatch.setattr(spread, "PAUSES", (0.01,))
    monkeypatch.setattr(labour, "has_gpu", lambda: False)
    lvqa("submit", run, "--board", board)
    [entry] = listed(board)
    ruled_by_panel(board)
    whole = consensus_of(board, entry)
    path = BoardFolder.open(board).run(entry["id"]) / "judgements" / "some-judge-b.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:5]))
    for one in path.parent.glob("consensus*"):
        one.unlink()
    with steady_server(names=(JUDGES[0],), reply=judge()) as url:
        told = lvqa("board", "judge", board, "--judge", f"{JUDGES[0]}@{url}", "--ray", "auto")
    assert "layered-vqa: 0 judged by the whole panel, 1 waiting" in told
    assert [one["badge"] for one in listed(board)] == ["provisional"]
    with steady_server(names=(JUDGES[1],), reply=judge(lambda reference, answer: answer != WRONG)) as url:
        told = lvqa("board", "judge", board, "--judge", f"{JUDGES[1]}@{url}", "--ray", "auto")
    assert "19 of them now" in told
    assert "layered-vqa: 1 judged by the whole panel, 0 waiting" in told
    assert consensus_of(board, entry) == whole
    assert sorted(whole) == [
        *("consensus.jsonl", "consensus.post-hoc.jsonl", "consensus.post-hoc.yaml", "consensus.yaml"),
    ]


def consensus_of(board, entry):
    """Return the files of the panel's consensus on a submission, by name."""
    folder = BoardFolder.open(board).run(entry["id"]) / "judgements"
    return {path.name: path.read_bytes() for path in folder.glob("consensus*")}
