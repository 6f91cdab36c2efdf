"""A board on disk: its settings, its log, its state, and ids that lead nowhere."""

import shutil
from datetime import UTC, datetime, timedelta, timezone

import pytest
from msgspec.structs import replace

from leaderboard.store.drafts import clear_leftovers, draft, place
from leaderboard.store.folder import BoardFolder, UnknownSubmissionError
from leaderboard.store.receipts import Event, timestamp
from leaderboard.store.settings import BoardError, BoardSettings
from leaderboard.submissions.accept import accept
from leaderboard.submissions.reading import Limits
from lvqa_eval.dataset_folder import DatasetError
from tests.support.boards import JUDGES, NOW, SLOW, empty_board, submission, tiny_folder
from tests.support.page_folder import page_folder


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return a dataset folder, a board with one submission, and its id."""
    folder = tmp_path_factory.mktemp("board")
    dataset = tiny_folder(folder / "layered-vqa")
    board = empty_board(folder / "board", dataset)
    file = submission(folder / "file", dataset, SLOW, conditions=("full",), runs=1)
    return dataset, board.folder, accept(board, file, None, NOW).id


@pytest.fixture
def board(made, tmp_path):
    """Return a copy of the board, beside its dataset."""
    shutil.copytree(made[0], tmp_path / "layered-vqa")
    shutil.copytree(made[1], tmp_path / "board")
    return BoardFolder.open(tmp_path / "board")


def test_a_board_knows_its_datasets_wherever_both_are_moved(board, made):
    settings = board.settings
    assert (settings.title, settings.panel, settings.limits) == ("A small board", JUDGES, Limits())
    told = settings.benchmarks["layered-vqa"]
    assert (told.dataset, told.version, told.runs, len(told.conditions)) == ("../layered-vqa", "1.0.0", 3, 16)
    standing = board.standing()
    assert standing.models == (SLOW.name,)
    assert standing.benchmarks["layered-vqa"].dataset.folder.resolve() == board.folder.parent / "layered-vqa"


def test_a_dataset_inside_a_board_and_two_benchmarks(tmp_path):
    tiny_folder(tmp_path / "board" / "data")
    page_folder(tmp_path / "pages")
    board = BoardFolder.init(
        tmp_path / "board", "Both", ["data", str(tmp_path / "pages")], limits=Limits(judges=1)
    )
    found = BoardSettings.read(board.folder)
    assert {name: one.dataset for name, one in found.benchmarks.items()} == {
        "layered-vqa": "data",
        "bear-bench": "../pages",
    }
    assert found.benchmarks["bear-bench"].conditions == ("default",)
    assert found.limits.judges == 1
    assert sorted(board.standing().benchmarks) == ["bear-bench", "layered-vqa"]
    with pytest.raises(BoardError, match=r"board\.yaml: exists"):
        BoardFolder.init(tmp_path / "board", "Again", ["data"])


def test_the_runs_of_a_full_run_can_be_chosen(tmp_path):
    board = BoardFolder.init(tmp_path / "board", "x", [str(tiny_folder(tmp_path / "data"))], runs=2)
    assert BoardSettings.read(board.folder).benchmarks["layered-vqa"].runs == 2
    assert board.benchmark("layered-vqa").runs == 2


def test_boards_that_cannot_be_made_or_opened_say_why(tmp_path):
    one, other = tiny_folder(tmp_path / "one"), tiny_folder(tmp_path / "other", version="2.0.0")
    with pytest.raises(BoardError, match="found layered-vqa, layered-vqa, allowed: one a benchmark"):
        BoardFolder.init(tmp_path / "board", "x", [str(one), str(other)])
    with pytest.raises(BoardError, match="found none"):
        BoardFolder.init(tmp_path / "board", "x", [])
    with pytest.raises(DatasetError, match="allowed: a folder that exists"):
        BoardFolder.init(tmp_path / "board", "x", ["nothing"])
    with pytest.raises(BoardError, match=r"not a board: board\.yaml is missing"):
        BoardFolder.open(tmp_path)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("title: [", ["not readable as YAML"]),
        ("- 1", ["line: found [1], allowed: an object"]),
        ("title: 3\n", ["title: found 3, allowed: text", "benchmarks: found nothing, allowed: an object"]),
        (
            "title: x\nbenchmarks: {other: {}}\n",
            ["benchmarks.other: found no benchmark, allowed: layered-vqa"],
        ),
        (
            "title: x\nbenchmarks:\n  layered-vqa: {dataset: d, version: 1, runs: 3}\n",
            [
                "benchmarks.layered-vqa.version: found 1, allowed: text",
                "benchmarks.layered-vqa.manifest_sha256: found nothing, allowed: text",
                "benchmarks.layered-vqa.conditions: found nothing, allowed: a list of text",
            ],
        ),
        (
            "title: x\nbenchmarks: {}\nlimits: {judges: many}\n",
            ['limits.judges: found "many", allowed: a whole number'],
        ),
        ("title: x\nbenchmarks: {}\ncolour: red\n", ["colour: found a field that is not known"]),
    ],
)
def test_everything_that_is_wrong_with_settings_is_told(tmp_path, text, told):
    (tmp_path / "board.yaml").write_text(text)
    with pytest.raises(BoardError) as refused:
        BoardFolder.open(tmp_path)
    lines = str(refused.value).splitlines()
    for line in told:
        assert any(line in one for one in lines), lines
    assert all(str(tmp_path / "board.yaml") in line for line in lines)


def test_settings_are_read_as_they_were_written(board):
    settings = replace(
        board.settings,
        earlier={"layered-vqa": (replace(board.settings.benchmarks["layered-vqa"], version="0.9.0"),)},
        panel=("Qwen/Qwen3-32B",),
        limits=Limits(conversations=5),
    )
    settings.write(board.folder)
    assert BoardSettings.read(board.folder) == settings


def test_a_dataset_that_was_rebuilt_is_not_the_boards(board):
    (board.folder.parent / "layered-vqa" / "manifest.json").write_text(
        (board.folder.parent / "layered-vqa" / "manifest.json").read_text() + "\n"
    )
    with pytest.raises(BoardError, match="manifest_sha256: the dataset "):
        board.standing()


@pytest.mark.parametrize("name", ["", "../board.yaml", "x" * 64, "0" * 63, "A" * 64, "0" * 64 + "\n", "/etc"])
def test_an_id_that_is_none_leads_nowhere(board, name):
    for ask in (board.receipt, board.upload, board.submission):
        with pytest.raises(UnknownSubmissionError, match="allowed: the id of one on this board"):
            ask(name)
    assert not board.has(name)
    with pytest.raises(UnknownSubmissionError):
        board.run(name)
    with pytest.raises(UnknownSubmissionError):
        board.withdraw(name, None, "", NOW)
    assert len(board.log()) == 1


def test_an_unknown_hash_is_no_submission(board):
    with pytest.raises(UnknownSubmissionError):
        board.receipt("0" * 64)
    assert not board.has("0" * 64)


def test_events_are_added_to_the_log_and_a_torn_line_is_mended(board, made):
    name = made[2]
    log = board.folder / "log.jsonl"
    with log.open("ab") as file:
        file.write(b'{"event":"withdr')
    assert [event.event for event in board.log()] == ["received"]
    board.mark_verified(name, "maintainer", "run again on 2 March", NOW + timedelta(days=1))
    assert board.log()[1] == Event(
        "verified", name, "2026-03-02T12:00:00Z", "maintainer", "run again on 2 March"
    )
    assert (board.folder / "log.jsonl.torn").read_bytes() == b'{"event":"withdr\n'
    [one] = board.submissions()
    assert one.verified == board.log()[1]
    assert (one.withdrawn, one.newest) == (None, True)
    board.withdraw(name, None, "asked for", NOW + timedelta(days=2))
    [one] = board.submissions()
    assert (one.withdrawn.note, one.newest) == ("asked for", False)
    assert board.submission(name) == one


def test_the_state_changes_with_everything_that_pages_depend_on_and_with_nothing_else(board, made):
    name = made[2]
    states, runs = [board.state()], [board.run_state(name)]
    assert BoardFolder.open(board.folder).state() == states[0]
    (board.folder / "figures").mkdir()
    (board.folder / "figures" / f"{name}.json").write_text("{}")
    (board.folder / "tmp" / "draft-x").mkdir()
    assert board.state() == states[0]
    with (board.run(name) / "judgements" / "panel.jsonl").open("ab") as file:
        file.write(b"{}\n")
    states.append(board.state())
    runs.append(board.run_state(name))
    board.mark_verified(name, None, "", NOW)
    states.append(board.state())
    runs.append(board.run_state(name))
    replace(board.settings, title="Another").write(board.folder)
    states.append(board.state())
    (board.folder / "audits" / "first").mkdir(parents=True)
    assert board.state() == states[-1]
    (board.folder / "audits" / "first" / "ann.jsonl").write_text("{}\n")
    states.append(board.state())
    shutil.rmtree(board.run(name))
    states.append(board.state())
    assert len(set(states)) == 6
    assert runs[0] != runs[1] == runs[2]
    assert board.runs() == {}


def test_leftovers_are_removed_and_drafts_in_use_are_not(tmp_path):
    folder = tmp_path / "tmp"
    assert clear_leftovers(folder) == []
    with draft(folder) as mine:
        (folder / "draft-dead").mkdir()
        (folder / "draft-dead" / "file").write_text("x")
        (folder / "stray").write_text("x")
        assert clear_leftovers(folder) == ["draft-dead", "stray"]
        assert mine.is_dir()
        (mine / "made").mkdir()
        (mine / "made" / "file").write_text("y")
        place(mine / "made", tmp_path / "placed")
    assert not mine.exists()
    assert (tmp_path / "placed" / "file").read_text() == "y"
    with pytest.raises(RuntimeError), draft(folder) as mine:
        raise RuntimeError
    assert [path.name for path in folder.iterdir()] == ["lock"]


def test_moments_are_told_in_utc_to_the_second():
    zone = timezone(timedelta(hours=3))
    assert timestamp(datetime(2026, 3, 1, 2, 30, 9, 999, tzinfo=zone)) == "2026-02-28T23:30:09Z"
    assert timestamp(datetime(2026, 3, 1, tzinfo=UTC)) == "2026-03-01T00:00:00Z"
    with pytest.raises(ValueError, match="with a time zone"):
        timestamp(datetime(2026, 3, 1))
