"""Taking a submission: what is kept, what is derived of it, and what happens to the same and to the next."""

import gzip
import json
from dataclasses import replace
from datetime import timedelta

import pytest
from msgspec import structs

from leaderboard.store.folder import BoardFolder
from leaderboard.submissions.accept import RefusedError, accept, mend
from leaderboard.submissions.derive import uploaded_verdicts
from leaderboard.submissions.reading import read_submission
from leaderboard.submissions.records import About
from lvqa_eval.runs.store import RunStore
from lvqa_eval.runs.verify import verify
from tests.support.boards import NOW, SLOW, empty_board, submission, tiny_folder
from tests.support.submitted import MadeUp, made_up_run

FEW = {"conditions": ("full", "sharded-v"), "runs": 2}


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    return tiny_folder(tmp_path_factory.mktemp("accepted") / "layered-vqa")


@pytest.fixture
def board(tmp_path, dataset):
    return empty_board(tmp_path / "board", dataset)


@pytest.fixture(scope="module")
def upload(tmp_path_factory, dataset):
    folder = tmp_path_factory.mktemp("upload")
    return submission(folder, dataset, SLOW, judges=("own/judge".replace("/", "-"),), **FEW)


def test_what_is_taken_is_kept_under_the_hash_of_its_content(board, upload):
    receipt = accept(board, upload, "someone", NOW)
    assert (receipt.received, receipt.by) == ("2026-03-01T12:00:00Z", "someone")
    assert receipt.about == About(SLOW.name, "v1.1", "open", 7.2, "https://example.org/aurora")
    assert (receipt.benchmark, receipt.dataset_version) == ("layered-vqa", "1.0.0")
    assert (receipt.conditions, receipt.runs, receipt.conversations) == (("full", "sharded-v"), 2, 8)
    parsed = read_submission(upload)
    list(parsed.records())
    assert receipt.id == parsed.sha256
    assert board.receipt(receipt.id) == receipt
    kept = board.upload(receipt.id)
    assert kept == board.folder / "submissions" / receipt.id / "upload.jsonl.gz"
    assert gzip.decompress(kept.read_bytes()) == gzip.decompress(upload.read_bytes())
    assert sorted(path.name for path in kept.parent.iterdir()) == ["receipt.json", "upload.jsonl.gz"]
    assert [(one.event, one.id, one.at, one.by) for one in board.log()] == [
        ("received", receipt.id, "2026-03-01T12:00:00Z", "someone")
    ]


def test_its_run_has_the_boards_questions_and_the_boards_verdicts(board, upload, dataset, tmp_path):
    run = board.run(accept(board, upload, None, NOW).id)
    assert verify(run).problems == []
    store, sent = RunStore.open(run), RunStore.open(upload.parent / "run")
    assert store.questions() == sent.questions()
    assert store.identity == sent.identity
    assert store.conversations() == {
        key: replace(one, turns=tuple(replace(turn, thinking=None, logprobs=None) for turn in one.turns))
        for key, one in sent.conversations().items()
    }
    assert store.judges() == ["exact-match"]
    verdicts = store.judgements("exact-match")
    assert {key: one.final_turn_correct for key, one in verdicts.items()} == {
        key: "red" in one.turns[-1].reply for key, one in store.conversations().items()
    }
    assert {one.final_turn_correct for one in verdicts.values()} == {True, False}


def test_flipped_verdicts_of_an_upload_stay_apart_and_change_nothing(board, upload, tmp_path):
    lines = gzip.decompress(upload.read_bytes()).splitlines()
    flipped = tmp_path / "flipped.jsonl"
    flipped.write_bytes(b"\n".join(map(_flip, lines)))
    one, other = accept(board, upload, None, NOW), accept(board, flipped, None, NOW + timedelta(days=1))
    assert one.id != other.id
    for name in (
        "conversations.jsonl",
        "judgements/exact-match.jsonl",
        "judgements/exact-match.yaml",
        "run.yaml",
    ):
        assert (board.run(one.id) / name).read_bytes() == (board.run(other.id) / name).read_bytes()
    [as_sent], [turned] = uploaded_verdicts(board.run(one.id)), uploaded_verdicts(board.run(other.id))
    assert (as_sent.judge, as_sent.settings["protocol"]) == ("own-judge", "final-turn")
    assert len(as_sent.judgements) == 8
    for key, verdict in as_sent.judgements.items():
        assert verdict.final_turn_correct is not turned.judgements[key].final_turn_correct
    assert sorted(path.name for path in (board.run(one.id) / "uploaded").iterdir()) == [
        "judge-01.jsonl",
        "judge-01.yaml",
    ]


def _flip(line):
    record = json.loads(line)
    if record["kind"] == "judgement":
        record["final_turn_correct"] = not record["final_turn_correct"]
    return json.dumps(record).encode()


def test_the_same_content_again_gives_the_receipt_that_it_had(board, upload, tmp_path):
    first = accept(board, upload, "someone", NOW)
    state = board.state()
    plain = tmp_path / "again.txt"
    plain.write_bytes(b"\xef\xbb\xbf" + gzip.decompress(upload.read_bytes()).replace(b"\n", b"\r\n"))
    assert accept(board, plain, "another", NOW + timedelta(days=9)) == first
    assert board.state() == state
    assert [path.name for path in (board.folder / "tmp").iterdir()] == ["lock"]


def test_a_board_that_came_without_empty_folders_takes_submissions(board, upload):
    for name in ("submissions", "runs"):
        (board.folder / name).rmdir()
    assert board.submissions() == ()
    receipt = accept(board, upload, None, NOW)
    assert board.runs() == {receipt.id: board.folder / "runs" / receipt.id}


def test_another_submission_of_a_model_is_its_next_version(board, dataset, tmp_path):
    names = ["Org/Model-A", "org/model-a ", "Other", "ORG/Model-a"]
    ids = []
    for number, name in enumerate(names):
        file = submission(
            tmp_path / str(number), dataset, MadeUp(name.strip(), 0.5, number), About(name), **FEW
        )
        ids.append(accept(board, file, None, NOW + timedelta(days=number)).id)
    found = board.submissions()
    assert [one.id for one in found] == ids
    assert [one.receipt.about.model for one in found] == [
        "Org/Model-A",
        "org/model-a",
        "Other",
        "ORG/Model-a",
    ]
    assert [one.version for one in found] == [1, 2, 1, 3]
    assert [one.newest for one in found] == [False, False, True, True]
    board.withdraw(ids[3], "maintainer", "a mistake", NOW)
    found = board.submissions()
    assert [one.newest for one in found] == [False, True, True, False]
    assert found[3].withdrawn.note == "a mistake"
    assert [one.version for one in found] == [1, 2, 1, 3]


def test_a_look_alike_of_a_model_on_the_board_is_refused(board, upload, dataset, tmp_path):
    accept(board, upload, None, NOW)
    file = submission(tmp_path, dataset, SLOW, About("aurora-Iab/Aurora-VL-7B"), **FEW)
    with pytest.raises(RefusedError, match='looks like "aurora-lab/Aurora-VL-7B"'):
        accept(board, file, None, NOW)


def test_nothing_of_a_refused_file_is_kept(board, upload, tmp_path):
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(b"\n".join(gzip.decompress(upload.read_bytes()).splitlines()[:-1]))
    before = board.state()
    with pytest.raises(RefusedError) as refused:
        accept(board, bad, None, NOW)
    assert [one.field for one in refused.value.problems] == ["judgements"]
    assert str(refused.value).splitlines()[0] == "bad.jsonl: not accepted: 1 problem(s)"
    assert board.state() == before
    assert not board.submissions()
    assert not board.runs()
    assert [path.name for path in (board.folder / "tmp").iterdir()] == ["lock"]


def test_the_model_of_a_run_is_called_as_it_was_submitted(board, dataset, tmp_path):
    run = made_up_run(tmp_path / "run", dataset, MadeUp("checkpoint-1200", 0.5), **FEW)
    from leaderboard.submissions.format import pack

    file = pack(run, About("  Родник/Взгляд-3Б "), tmp_path / "file").path
    receipt = accept(board, file, None, NOW)
    assert receipt.about.model == "Родник/Взгляд-3Б"
    assert RunStore.open(board.run(receipt.id)).identity.settings["model"]["name"] == "Родник/Взгляд-3Б"


def test_a_board_is_mended_from_its_submissions_and_verdicts_of_judges_stay(board, upload, dataset, tmp_path):
    import shutil

    one = accept(board, upload, None, NOW)
    two = accept(
        board, submission(tmp_path / "two", dataset, MadeUp("Two", 0.5), **FEW), "b", NOW + timedelta(1)
    )
    kept = {path.name: path.read_bytes() for path in board.run(one.id).rglob("*.jsonl")}
    shutil.rmtree(board.run(one.id))
    (board.run(two.id) / "judgements" / "panel.jsonl").write_bytes(b"")
    (board.folder / "log.jsonl").write_bytes((board.folder / "log.jsonl").read_bytes().splitlines(True)[0])
    (board.folder / "tmp" / "draft-old").mkdir()
    (board.folder / "tmp" / "draft-old" / "part").write_bytes(b"x")
    told = []
    mend(BoardFolder.open(board.folder), told.append)
    assert told == [
        "tmp/draft-old: removed, a leftover",
        f"log.jsonl: {two.id}: written down as received at 2026-03-02T12:00:00Z",
        f"runs/{one.id}: derived",
    ]
    assert {path.name: path.read_bytes() for path in board.run(one.id).rglob("*.jsonl")} == kept
    assert (board.run(two.id) / "judgements" / "panel.jsonl").exists()
    assert [(event.id, event.by) for event in board.log()] == [(one.id, None), (two.id, "b")]
    told.clear()
    mend(board, told.append)
    assert told == []


def test_a_run_over_a_dataset_that_is_gone_is_not_derived_and_that_is_told(board, upload, tmp_path):
    import shutil

    receipt = accept(board, upload, None, NOW)
    shutil.rmtree(board.run(receipt.id))
    settings = board.settings
    told = {
        "layered-vqa": structs.replace(
            settings.benchmarks["layered-vqa"], manifest_sha256="0" * 64, version="2.0.0"
        )
    }
    structs.replace(settings, benchmarks=told).write(board.folder)
    lines = []
    mend(BoardFolder.open(board.folder), lines.append)
    assert lines == [f"runs/{receipt.id}: not derived: layered-vqa 1.0.0 is not here"]
    structs.replace(
        settings, benchmarks=told, earlier={"layered-vqa": (settings.benchmarks["layered-vqa"],)}
    ).write(board.folder)
    mend(BoardFolder.open(board.folder), lines.append)
    assert lines[1:] == [f"runs/{receipt.id}: derived"]
