"""What a board shows: who is ranked and why others are not, badges, versions, means, another order."""

import logging
import math
import shutil
from dataclasses import replace
from datetime import timedelta
from functools import partial

import msgspec
import numpy as np
import pytest

from leaderboard.board.assemble import assemble, reordered
from leaderboard.board.entries import Found, first_reason
from leaderboard.board.figure_files import run_figures
from leaderboard.board.records import BenchmarkBoard, Entry, Row, Standing
from leaderboard.board.standings import Version
from leaderboard.store.folder import BoardFolder
from leaderboard.store.settings import BoardSettings
from leaderboard.submissions.accept import accept
from lvqa_eval.metrics.bootstrap import DRAWS, scene_weights
from lvqa_eval.runs.identity import RunIdentity
from lvqa_eval.settings import Settings
from tests.support.board_records import figure
from tests.support.boards import (
    ABOUT,
    CYRILLIC,
    JUDGES,
    MIDDLING,
    NOW,
    SKILLED,
    SLOW,
    empty_board,
    layered_folder,
    submission,
    tiny_folder,
)
from tests.support.submitted import MadeUp


def told(board):
    """Return model, badge, section and reason of every measured row, in order."""
    return [
        (row.entry.model, row.entry.badge, row.entry.shown, row.entry.reason)
        for row in board.rows
        if row.entry.shown != "reported"
    ]


def test_rows_badges_and_reasons(assembled):
    assert told(assembled.layered) == [
        (SKILLED.name, "panel", "ranked", ""),
        (MIDDLING.name, "panel", "ranked", ""),
        (CYRILLIC.name, "provisional", "not ranked", "partial"),
        (SLOW.name, "provisional", "not ranked", "provisional"),
        (SLOW.name, "self-judged", "not ranked", "self-judged"),
    ]
    assert told(assembled.bear) == [
        (SLOW.name, "provisional", "not ranked", "provisional"),
        (SKILLED.name, "provisional", "not ranked", "provisional"),
    ]
    assert [row.tier for row in assembled.bear.rows] == [None] * len(assembled.bear.rows)
    assert (assembled.layered.order, assembled.bear.order) == ("delivered", "overall")
    assert (assembled.layered.judges, assembled.bear.judges) == (JUDGES, ())
    assert assembled.title == "A small board"
    sections = [row.entry.shown for row in assembled.layered.rows]
    assert sections == sorted(sections, key=["ranked", "not ranked", "reported"].index)


def test_an_entry_says_what_its_receipt_and_run_say(small, assembled):
    first = assembled.layered.rows[0].entry
    receipt = small.receipt(first.id)
    about = ABOUT[SKILLED]
    assert (first.revision, first.weights, first.parameters) == (about.revision, "open", 32.5)
    assert (first.received, first.harness, first.runs) == (receipt.received, receipt.lvqa, 3)
    assert (first.judges, first.coverage, first.version, first.newest) == (JUDGES, 1.0, 1, True)
    assert first.conditions == receipt.conditions
    prompt, completion = 0, 0
    for line in (small.run(first.id) / "conversations.jsonl").read_bytes().splitlines():
        for turn in msgspec.json.decode(line)["turns"]:
            prompt, completion = prompt + turn["prompt_tokens"], completion + turn["completion_tokens"]
    assert (first.prompt_tokens, first.completion_tokens) == (prompt, completion)


def test_the_newest_version_of_a_model_stands_and_the_history_has_all(assembled):
    history = [(one.model, one.version, one.newest) for one in assembled.layered.history]
    assert history == [
        (CYRILLIC.name, 1, True),
        (SLOW.name, 2, True),
        (SLOW.name, 1, False),
        (MIDDLING.name, 1, True),
        (SKILLED.name, 1, True),
    ]
    shown = [row.entry for row in assembled.layered.rows if row.entry.model == SLOW.name]
    assert {one.version for one in shown} == {2}
    scored = {one.id for one in assembled.layered.history if one.id in assembled.layered.scores}
    assert len(scored) == 4  # all but the partial one
    for row in assembled.layered.rows[:2]:
        assert assembled.layered.scores[row.entry.id] == row.figures["delivered"]


def test_standings_and_counts_are_those_of_the_dataset(small, assembled):
    standing = assembled.layered.standing
    assert (standing.questions, standing.clusters, standing.runs, len(standing.conditions)) == (8, 4, 3, 16)
    assert standing.manifest_sha256 == small.settings.benchmarks["layered-vqa"].manifest_sha256
    assert assembled.layered.counts["depth_oracle_3"] == 2
    counts = assembled.bear.counts
    assert counts["overall"] == assembled.bear.standing.questions == counts["en"] + counts["ru"]


def test_means_are_those_of_the_ranked_models_in_each_draw(small, assembled):
    ranked = [row for row in assembled.layered.rows if row.entry.shown == "ranked"]
    conditions = assembled.layered.standing.conditions
    runs = [run_figures(small, row.entry.id, conditions) for row in ranked]
    for column in ("full", "delta_concat-v", "restored_scene", "delivered"):
        mean = assembled.layered.means[column]
        assert mean.value == pytest.approx(np.mean([row.figures[column].value for row in ranked]))
        drawn = np.mean([run.draws_of(column).astype(float) for run in runs], axis=0)
        assert (mean.low, mean.high) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])))
        assert mean.n == sum(row.figures[column].n for row in ranked)
    joint = assembled.layered.means["joint"]
    assert (joint.value, math.isnan(joint.low)) == (
        pytest.approx(np.mean([row.figures["joint"].value for row in ranked])),
        True,
    )
    # No mean over what is there: a provisional model has turns that the panel did not rule on.
    assert "ungrounded" not in assembled.layered.means
    assert assembled.bear.means == {}


def test_all_models_share_each_draw(small, assembled):
    weights = scene_weights(assembled.layered.standing.clusters, DRAWS, 0)
    conditions = assembled.layered.standing.conditions
    for row in assembled.layered.rows[:2]:
        run = run_figures(small, row.entry.id, conditions)
        place = conditions.index("full")
        right = (run.correct[place] == 1).sum(axis=1).reshape(4, 2).sum(axis=1)
        np.testing.assert_allclose(
            run.draws_of("full"), weights @ right / (weights.sum(axis=1) * 6), rtol=1e-6
        )


def test_nothing_of_an_assembly_depends_on_whether_figures_were_kept(copied, assembled):
    shutil.rmtree(copied.folder / "figures")
    fresh = assemble(copied)
    assert repr(fresh.layered.rows) == repr(assembled.layered.rows)
    assert repr(fresh.bear) == repr(assembled.bear)
    assert repr(fresh.judges) == repr(assembled.judges)
    assert fresh.state == copied.state()


def test_withdrawn_and_verified(copied):
    first, second = (row.entry.id for row in assemble(copied).layered.rows[:2])
    copied.withdraw(first, None, "Wrong revision.", NOW)
    copied.mark_verified(second, "a maintainer", "", NOW)
    slow = next(one.id for one in copied.submissions() if one.receipt.about.model == SLOW.name and one.newest)
    copied.mark_verified(slow, "a maintainer", "", NOW)
    board = assemble(copied)
    assert told(board.layered)[0] == (MIDDLING.name, "verified", "ranked", "")
    assert SKILLED.name not in {row.entry.model for row in board.layered.rows}
    gone = next(one for one in board.layered.history if one.id == first)
    assert (gone.reason, gone.shown, gone.newest) == ("withdrawn", "not ranked", False)
    # Held again, yet judged by no panel.
    assert (SLOW.name, "provisional", "not ranked", "provisional") in told(board.layered)
    assert board.judges is not None
    assert board.judges.crossed.columns == (MIDDLING.name,)


def test_without_a_panel_exact_match_ranks_all(copied):
    msgspec.structs.replace(copied.settings, panel=()).write(copied.folder)
    board = assemble(BoardFolder.open(copied.folder))
    assert [one[:3] for one in told(board.layered)] == [
        (SKILLED.name, "provisional", "ranked"),
        (MIDDLING.name, "provisional", "ranked"),
        (SLOW.name, "provisional", "ranked"),
        (CYRILLIC.name, "provisional", "not ranked"),
    ]
    assert [one[1:3] for one in told(board.bear)] == [("provisional", "ranked")] * 2
    assert (board.layered.judges, board.judges) == (("exact-match",), None)
    assert "ungrounded" in board.layered.rows[0].figures


def test_rows_judged_in_other_ways_are_not_ranked_together(copied):
    first, second = list(copied.runs())[:2]
    path = copied.run(second) / "judgements" / "referee-b.yaml"
    told_before = RunIdentity.read(path).settings
    RunIdentity({**told_before, "prompt": "0" * 64}).write(path)
    rows = told(assemble(copied).layered)
    # As many were judged in one way as in the other: the newest submission stays.
    assert rows[0] == (MIDDLING.name, "panel", "ranked", "")
    assert (SKILLED.name, "panel", "not ranked", "judges") in rows
    assert first in copied.runs()


def test_a_run_that_cannot_be_read_is_shown_without_figures(copied, caplog):
    first, second = list(copied.runs())[:2]
    shutil.rmtree(copied.run(first))
    (copied.run(second) / "run.yaml").write_text("no: [mapping")
    with caplog.at_level(logging.WARNING):
        board = assemble(copied)
    rows = {row.entry.model: row for row in board.layered.rows}
    for model, name in ((SKILLED.name, first), (MIDDLING.name, second)):
        assert (rows[model].entry.reason, rows[model].figures) == ("unreadable", {})
        assert f"runs/{name}: no figures" in caplog.text
    assert board.layered.means == {}


def test_versions_of_a_dataset_never_stand_in_one_table(tmp_path):
    old, new = tiny_folder(tmp_path / "old"), tiny_folder(tmp_path / "new", scenes=3, version="1.1.0")
    board = empty_board(tmp_path / "board", old)
    high, low = MadeUp("Old/High", 1.0), MadeUp("New/Low", 0.2)
    accept(board, submission(tmp_path / "a", old, high, runs=3), None, NOW)
    earlier = board.settings.benchmarks["layered-vqa"]
    fresh = empty_board(tmp_path / "fresh", new).settings
    changed = msgspec.structs.replace(fresh, earlier={"layered-vqa": (earlier,)}, panel=())
    changed.write(board.folder)
    board = BoardFolder.open(board.folder)
    accept(board, submission(tmp_path / "b", new, low, runs=3), None, NOW + timedelta(days=1))
    shown = assemble(board).layered
    assert [row[0] for row in told(shown)] == [low.name]
    (before,) = shown.older
    assert [(row[0], row[2]) for row in told(before)] == [(high.name, "ranked")]
    assert (shown.standing.version, before.standing.version) == ("1.1.0", "1.0.0")
    assert (shown.standing.questions, before.standing.questions) == (3, 2)
    assert ([one.model for one in shown.history], [one.model for one in before.history]) == (
        [low.name],
        [high.name],
    )
    # The old data away: what the runs were asked stands in their place. Not listed: no rank.
    shutil.rmtree(old)
    assert assemble(BoardFolder.open(board.folder)).layered.older[0].standing.questions == 2
    msgspec.structs.replace(changed, earlier={}).write(board.folder)
    (gone,) = assemble(BoardFolder.open(board.folder)).layered.older
    assert told(gone) == [(high.name, "provisional", "not ranked", "version")]


def test_a_board_without_a_submission(tmp_path):
    board = assemble(empty_board(tmp_path / "board", tiny_folder(tmp_path / "data")))
    assert (told(board.layered), board.bear, board.judges) == ([], None, None)
    assert {row.entry.shown for row in board.layered.rows} == {"reported"}
    assert board.layered.standing.questions == 2


def test_one_model_and_equal_models_share_the_first_tier(tmp_path):
    data = layered_folder(tmp_path / "data", scenes=2)
    board = BoardFolder.init(tmp_path / "board", "Equal", [str(data)])
    for place in range(3):
        model = MadeUp(f"Perfect-{place}", 2.0)
        accept(board, submission(tmp_path / str(place), data, model), None, NOW + timedelta(days=place))
        rows = [row for row in assemble(board).layered.rows if row.entry.shown == "ranked"]
        assert [(row.entry.model, row.tier) for row in rows] == [
            (f"Perfect-{one}", 1) for one in range(place + 1)
        ]
        assert [row.figures["delivered"].value for row in rows] == [1.0] * (place + 1)


@pytest.mark.parametrize(
    ("covered", "reason"),
    [
        ({"full": 1.0, "oracle": 0.99}, ""),
        ({"full": 0.98, "oracle": 0.99}, "coverage"),
        ({"full": 1.0, "oracle": 0.985}, "condition"),
        ({"full": 1.0}, "coverage"),
    ],
)
def test_the_coverage_of_every_condition_counts(small, covered, reason):
    one = next(one for one in small.submissions() if one.newest)
    conditions = small.settings.benchmarks["layered-vqa"].conditions
    figures = replace(run_figures(small, one.id, conditions), coverage=covered)
    standing = Standing("layered-vqa", "1.0.0", "", 8, 4, ("full", "oracle"), 3)
    version = Version(standing, True, {}, (one,))
    assert first_reason(Found(one, figures, True), version) == reason


def test_fewer_runs_or_questions_than_a_full_run_are_partial(small):
    one = next(one for one in small.submissions() if one.newest)
    figures = run_figures(small, one.id, small.settings.benchmarks["layered-vqa"].conditions)
    found = Found(one, figures, True)
    for runs, questions, reason in ((4, 8, "partial"), (3, 9, "questions"), (2, 8, "")):
        standing = Standing("layered-vqa", "1.0.0", "", questions, 4, ("full", "oracle"), runs)
        assert first_reason(found, Version(standing, True, {}, (one,))) == reason


def test_a_run_over_a_part_of_the_pages_has_the_figures_of_whole_parts_alone(copied, tmp_path, monkeypatch):
    pages = copied.folder.parent / "bear-bench"
    name = MadeUp("English/Only", 0.9)
    monkeypatch.setattr("tests.support.submitted.Settings", partial(Settings, split={"language": "en"}))
    file = submission(tmp_path / "part", pages, name)
    accept(copied, file, None, NOW + timedelta(days=30))
    row = next(row for row in assemble(copied).bear.rows if row.entry.model == name.name)
    assert (row.entry.shown, row.entry.reason) == ("not ranked", "questions")
    assert {"en", "business-en", "science-en", "coverage"} <= row.figures.keys()
    assert not {"overall", "ru", "gap", "business", "science"} & row.figures.keys()


def test_another_order_moves_rows_and_leaves_tiers(assembled):
    def row(model, tier, **values):
        return Row(
            Entry("", model, "panel", "ranked"), {key: figure(one) for key, one in values.items()}, tier
        )

    below = Row(Entry("", "below", "panel", "not ranked"), {"full": figure(0.99)})
    rows = (
        row("a", 1, full=0.7, ungrounded=0.4),
        row("b", 1, full=0.9),
        row("c", 2, full=math.nan, ungrounded=0.1),
        below,
    )
    board = BenchmarkBoard(assembled.layered.standing, "delivered", rows)
    orders = {
        ("full", None): "bac",
        ("full", False): "abc",
        ("ungrounded", None): "cab",  # less is better
        ("ungrounded", True): "acb",
    }
    for (column, descending), expected in orders.items():
        found = reordered(board, column, descending)
        assert "".join(one.entry.model for one in found.rows[:3]) == expected
        assert {one.entry.model: one.tier for one in found.rows[:3]} == {"a": 1, "b": 1, "c": 2}
        assert (found.rows[3], found.order) == (below, "delivered")


def test_the_settings_of_a_board_are_part_of_what_figures_depend_on(copied):
    before = {path.name for path in (copied.folder / "figures").glob("[0-9a-f]*")}
    settings = BoardSettings.read(copied.folder)
    msgspec.structs.replace(settings, panel=("referee-a",)).write(copied.folder)
    board = BoardFolder.open(copied.folder)
    shown = assemble(board).layered
    assert shown.judges == ("referee-a",)
    assert not before & {path.name for path in (copied.folder / "figures").iterdir()}
