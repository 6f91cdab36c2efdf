"""A small board: a Layered-VQA dataset and a BEAR one, with runs of made-up models of differing skill."""

from datetime import UTC, datetime, timedelta

from dataset_builders.layered_vqa.build import build
from dataset_builders.layered_vqa.conditions import ConditionOptions
from dataset_builders.layered_vqa.sources.procedural.source import ProceduralSource
from leaderboard.store.folder import BoardFolder
from leaderboard.submissions.accept import accept
from leaderboard.submissions.format import pack
from leaderboard.submissions.records import About
from tests.support.page_folder import page_folder
from tests.support.sources import SmallSource
from tests.support.submitted import MadeUp, judge_run, made_up_run

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
"""When the first submission of a board is received; each next one a day later."""

SKILLED = MadeUp("Northwind/Vista-32B", 0.95)
MIDDLING = MadeUp("Halden/Glimpse Pro", 0.7)
SLOW = MadeUp("aurora-lab/Aurora-VL-7B", 0.45)
CYRILLIC = MadeUp("Родник/Взгляд-3Б", 0.3)

ABOUT = {
    SKILLED: About(SKILLED.name, "9f3c1d2", "open", 32.5, "https://example.org/vista", "Run on two GPUs."),
    MIDDLING: About(MIDDLING.name, "2026-02", "closed"),
    SLOW: About(SLOW.name, "v1.1", "open", 7.2, "https://example.org/aurora"),
    CYRILLIC: About(CYRILLIC.name, weights="open", parameters=3.1),
}
JUDGES = ("referee-a", "referee-b", "referee-c")
"""The board's panel; their verdicts are pretended."""


def layered_folder(folder, scenes=4, version="1.0.0"):
    """Build a dataset of drawn scenes with two questions each, of several categories; returns its folder."""
    source = ProceduralSource(scenes=scenes, questions_per_scene=2, width=160, height=160, max_depth=5)
    build(source, folder, version, ConditionOptions())
    return folder


def tiny_folder(folder, scenes=2, version="1.0.0"):
    """Build the smallest dataset, with one question a scene, and return its folder."""
    build(SmallSource(scenes=scenes, depth=3), folder, version, ConditionOptions())
    return folder


def submission(folder, dataset, model, about=None, **options):
    """Pack the run of a made-up model in `folder` and return the file; `options` as of `made_up_run`."""
    run = made_up_run(folder / "run", dataset, model, **options)
    return pack(run, about or ABOUT.get(model) or About(model.name), folder / "submission.jsonl.gz").path


def empty_board(folder, *datasets, limits=None):
    """Make a board of dataset folders, with a panel and no submission."""
    names = [str(one) for one in datasets]
    return BoardFolder.init(folder, "A small board", names, panel=JUDGES, limits=limits)


def small_board(folder):
    """Make a board of both datasets and return it.

    Layered-VQA: the skilled model and the middling one, both judged by the panel; two versions of the slow
    one, which are provisional, the newer with verdicts of a judge in its upload; and of the Cyrillic one
    three conditions, once. BEAR-Bench: the skilled and the slow one.
    """
    layered, pages = layered_folder(folder / "layered-vqa"), page_folder(folder / "bear-bench")
    board = empty_board(folder / "board", layered, pages)
    files = [
        submission(folder / "skilled", layered, SKILLED),
        submission(folder / "middling", layered, MIDDLING),
        submission(folder / "slow", layered, SLOW),
        submission(folder / "again", layered, MadeUp(SLOW.name, 0.5, 1), ABOUT[SLOW], judges=("own-judge",)),
        submission(folder / "few", layered, CYRILLIC, conditions=("full", "sharded-v", "sharded-q"), runs=1),
        submission(folder / "pages", pages, SKILLED),
        submission(folder / "more-pages", pages, SLOW),
    ]
    receipts = [accept(board, file, None, NOW + timedelta(days=day)) for day, file in enumerate(files)]
    judge_by_panel(board, [one.id for one in receipts[:2]])
    return board


def judge_by_panel(board, ids):
    """Let the pretended panel of a board rule on runs, and keep its consensus."""
    from lvqa_eval.judging.panel_report import make_panel

    folders = [board.run(name) for name in ids]
    for run in folders:
        for number, judge in enumerate(JUDGES):
            judge_run(run, judge, lenient=0.03 * number)
    make_panel(folders, None, None, draws=20, seed=0)
