"""`lvqa board`: making a board, runs of one's own, the list, marks, a look at everything that is stored."""

import json
import shutil

import pytest
from click.testing import CliRunner

from leaderboard.store.folder import BoardFolder
from leaderboard.store.maintain import faults
from lvqa_eval.detectors.features.patches import read_patches
from lvqa_eval.detectors.features.store import FeatureStore
from lvqa_eval.main import main
from lvqa_eval.runs.store import RunStore
from tests.support.boards import SKILLED, SLOW, tiny_folder
from tests.support.page_features import PAIR, add_features
from tests.support.submitted import made_up_run


def lvqa(*arguments, code=0):
    done = CliRunner().invoke(main, list(map(str, arguments)))
    assert done.exit_code == code, done.output
    return done.output


@pytest.fixture(scope="module")
def material(tmp_path_factory):
    """Give a dataset, a run with verdicts of two judges and detections, and a board with it and another."""
    folder = tmp_path_factory.mktemp("material")
    dataset = tiny_folder(folder / "layered-vqa")
    few = {"conditions": ("full", "oracle"), "runs": 1}
    run = made_up_run(folder / "skilled", dataset, SKILLED, judges=("judge-a", "judge-b"), **few)
    (run / "detections").mkdir()
    (run / "detections" / "full.json").write_text('{"condition": "full"}')
    (run / "detections" / "full.csv").write_text("judge\n")
    held = RunStore.open(run).conversations().values()
    add_features(run, held, (2, 2), [[0.0, 0.25], [0.5, 0.75]])
    other = made_up_run(folder / "slow", dataset, SLOW, **few)
    board = folder / "board"
    told = lvqa("board", "init", board, "--dataset", dataset, "--title", "Ours", "--panel", "judge-a")
    assert ": layered-vqa 1.0.0 (" in told
    assert told.endswith("): 16 conditions, 3 runs\n")
    assert BoardFolder.open(board).settings.title == "Ours"
    lvqa("board", "add", board, run, "--judged", "--open", "--size", "32.5")
    lvqa("submit", other, "--board", board)
    return dataset, run, board


@pytest.fixture
def board(material, tmp_path):
    """Give a copy of the board, beside its dataset."""
    shutil.copytree(material[0], tmp_path / "layered-vqa")
    shutil.copytree(material[2], tmp_path / "board")
    return BoardFolder.open(tmp_path / "board")


def ids(board):
    return [one.id for one in board.submissions()]


def test_a_maintainers_run_is_verified_and_brings_detections_and_verdicts(board, material):
    own, other = ids(board)
    run = board.run(own)
    assert board.submission(own).verified.note == "a maintainer's own run"
    assert board.submission(other).verified is None
    for name in ("full.json", "full.csv"):
        assert (run / "detections" / name).read_bytes() == (material[1] / "detections" / name).read_bytes()
    for key, one in RunStore.open(run).conversations().items():
        patches = read_patches(run / "features" / "tiny", key, one.turns[-1].reply)
        assert patches.grids == ((2, 2),)
        assert patches.cosines[PAIR] == pytest.approx([0.0, 0.25, 0.5, 0.75], abs=1e-4)
    [table] = FeatureStore.open(run / "features" / "tiny").tables()
    assert not [name for name in table.column_names if name.startswith(("hidden", "logprobs"))]
    assert RunStore.open(run).judges() == ["exact-match", "judge-a", "judge-b"]
    assert len(RunStore.open(run).judgements("judge-b")) == 4
    assert RunStore.open(board.run(other)).judges() == ["exact-match"]
    assert board.receipt(own).about.parameters == 32.5

    again = lvqa("board", "add", board.folder, material[1], "--open", "--size", "32.5")
    assert own in again
    assert [event.event for event in board.log()] == ["received", "verified", "received"]


def test_the_list_tells_badges_and_states(board):
    _, other = ids(board)
    lvqa("board", "withdraw", board.folder, other[:8], "--reason", "asked for")
    told = json.loads(lvqa("board", "list", board.folder, "--json"))
    assert [(one["model"], one["badge"], one["self_judged"], one["withdrawn"]) for one in told] == [
        (SKILLED.name, "verified", True, None),
        (SLOW.name, "provisional", False, "asked for"),
    ]
    assert [one["judges"] for one in told] == [["judge-a"], ["exact-match"]]
    lines = lvqa("board", "list", board.folder).splitlines()
    assert lines[0].split()[:5] == ["Id", "Model", "Version", "Badge", "State"]
    assert "verified, self-judged  newest" in lines[2]
    assert "withdrawn" in lines[3]


def test_a_mark_is_for_one_submission_and_an_id_may_be_short(board):
    own, other = ids(board)
    assert lvqa("board", "verify", board.folder, other[:10], "--note", "again") == (
        f"{other}: {SLOW.name}: verified\n"
    )
    assert board.submission(other).verified.note == "again"
    for name in (own[:7], "0" * 64, "../../x"):
        told = lvqa("board", "withdraw", board.folder, name, "--reason", "x", code=1)
        assert "allowed: an id, or 8 or more characters that one id begins with" in told


def test_what_is_missing_is_derived_and_what_was_changed_is_told(board):
    own, other = ids(board)
    assert "2 submissions, all as they were taken" in lvqa("board", "check", board.folder)
    shutil.rmtree(board.run(other))
    told = lvqa("board", "check", board.folder)
    assert f"runs/{other}: derived" in told

    with (board.run(own) / "conversations.jsonl").open("ab") as file:
        file.write(b"{}\n")
    (board.run(other) / "judgements" / "exact-match.jsonl").write_bytes(b"")
    told = lvqa("board", "check", board.folder, code=1)
    assert f"runs/{own}/conversations.jsonl: is not what the upload gives" in told
    assert f"runs/{other}/judgements/exact-match.jsonl: is not what the upload gives" in told
    assert "all as they were taken" not in told


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda folder: (folder / "upload.jsonl.gz").write_bytes(b"{}"), "upload.jsonl.gz: found content "),
        (
            lambda folder: (folder / "receipt.json").write_text(
                (folder / "receipt.json").read_text().replace(SLOW.name, "Other")
            ),
            "receipt.json: says something else than the header of the upload",
        ),
    ],
)
def test_a_submission_that_is_not_the_one_that_was_taken_is_told(board, change, told):
    _, other = ids(board)
    change(board.folder / "submissions" / other)
    [fault] = faults(board)
    assert fault.startswith(f"submissions/{other}/{told}")


def test_an_event_of_no_submission_is_told(board):
    _, other = ids(board)
    shutil.rmtree(board.folder / "submissions" / other)
    [fault] = faults(board)
    assert fault.startswith("log.jsonl: received ")
    assert fault.endswith(f": no submission {other}")


def test_runs_of_another_dataset_are_not_added(board, material, tmp_path):
    dataset = tiny_folder(tmp_path / "other", version="2.0.0")
    run = made_up_run(tmp_path / "run", dataset, SLOW, conditions=("full",), runs=1)
    told = lvqa("board", "add", board.folder, run, material[1], code=1)
    assert 'settings.dataset.version: found "2.0.0", allowed: "1.0.0", that of the board\'s dataset' in told
    assert SKILLED.name in told
    assert len(ids(board)) == 3
