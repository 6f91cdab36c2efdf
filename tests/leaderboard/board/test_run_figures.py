"""The figures of one run: by hand, the same as the reports', kept, and made anew where they are stale."""

import json
import logging
import math
from dataclasses import replace

import numpy as np
import pytest

from leaderboard.board.figure_files import ARRAYS, figures_state, read_figures, run_figures
from leaderboard.board.layered_figures import DELIVERY_CONDITIONS
from leaderboard.board.run_figures import compute_figures
from leaderboard.board.verdicts import board_verdicts
from lvqa_eval.metrics.delivery import cost_of_delivery, retained
from lvqa_eval.metrics.reliability import reliability
from lvqa_eval.reports.study.join import study_inputs
from lvqa_eval.runs.records import Key
from lvqa_eval.runs.store import RunStore
from lvqa_eval.statuses import Status
from tests.support.boards import JUDGES
from tests.support.scored_runs import conversation, judgement, question, turn, write_run
from tests.support.study_runs import consensus, settings, study_run

EXACT = "exact-match"
NEEDED = ("full", "sharded-v")


def run_of(folder, right, conditions=NEEDED, runs=2, **given):
    """Write a run of four questions about two scenes, judged by exact match.

    `right` has for each condition, repetition by repetition, a letter a question.
    """
    questions = [question(f"q{i}", f"s{i // 2}") for i in range(4)]
    keys = [
        (condition, f"q{i}", run + 1)
        for condition in conditions
        for run in range(runs)
        for i, letter in enumerate(right[condition][run])
        if letter != "."
    ]
    verdicts = [judgement(*key, right[key[0]][key[2] - 1][int(key[1][1])] == "+") for key in keys]
    return write_run(
        folder, conditions, runs, questions, [conversation(*key) for key in keys], {EXACT: verdicts}, **given
    )


def test_figures_by_hand(tmp_path):
    right = {"full": ("++++", "+++-"), "sharded-v": ("+---", "++--")}
    found = compute_figures(run_of(tmp_path / "run", right), (), NEEDED)
    values = {key: one.value for key, one in found.figures.items()}
    assert (values["full"], values["sharded-v"], values["delta_sharded-v"]) == (7 / 8, 3 / 8, -0.5)
    assert values["delivered"] == pytest.approx((7 / 8 + 3 / 8) / 2)
    # Decided both ways: q3 of four under full, q1 of four under sharded-v.
    assert (values["unreliability"], values["aptitude"]) == (0.25, pytest.approx((1 + 0.5) / 2))
    assert values["retained_scene"] == pytest.approx(100 * (3 / 8) / (7 / 8))
    assert (values["coverage"], values["truncated"]) == (1.0, 0.0)
    assert "retained_question" not in values
    assert "joint" not in values
    assert found.verdicts is not None
    assert (found.verdicts.names, found.verdicts.panel, found.questions, found.clusters) == (
        (EXACT,),
        False,
        4,
        2,
    )
    assert found.coverage == {"full": 1.0, "sharded-v": 1.0}
    assert (found.correct[0].tolist(), found.correct[1].tolist()) == (
        [[1, 1], [1, 1], [1, 1], [1, 0]],
        [[1, 1], [0, 1], [0, 0], [0, 0]],
    )


def test_the_figures_are_those_of_the_reports(small):
    """Every accuracy, difference, retained share and unreliable share as `lvqa report` computes it."""
    name, folder = next(iter(small.runs().items()))
    conditions = small.settings.benchmarks["layered-vqa"].conditions
    found = run_figures(small, name, conditions).figures
    inputs = study_inputs([folder], "consensus")
    study, weights = inputs.study, inputs.weights
    (model,) = study.models
    costs, kept = cost_of_delivery(study, weights), retained(study, weights)
    for condition in costs.columns:
        assert found[f"delta_{condition}"] == costs.at(model, condition)
    assert found["retained_order"] == kept.at(model, "evidence order")
    shares = reliability(study, weights, DELIVERY_CONDITIONS).unreliability
    mean = np.mean([shares.at(model, one).value for one in DELIVERY_CONDITIONS])
    assert found["unreliability"].value == pytest.approx(mean)
    assert found["unreliability"].low < mean < found["unreliability"].high


def test_delivered_is_the_mean_of_conditions_1_to_14_and_is_not_there_without_one_of_them(small, tmp_path):
    assert (len(DELIVERY_CONDITIONS), DELIVERY_CONDITIONS[0], DELIVERY_CONDITIONS[-1]) == (
        14,
        "full",
        "misaligned-vq",
    )
    conditions = small.settings.benchmarks["layered-vqa"].conditions
    for name in list(small.runs())[:2]:
        found = run_figures(small, name, conditions).figures
        mean = np.mean([found[one].value for one in DELIVERY_CONDITIONS])
        assert found["delivered"].value == pytest.approx(mean)
    right = {"full": ("++++",), "sharded-v": ("+---",)}
    store = run_of(tmp_path / "run", right, runs=1)
    found = compute_figures(store, (), (*NEEDED, "concat-v")).figures
    assert "delivered" not in found
    assert {"full", "sharded-v"} <= found.keys()
    # One run tells nothing of reliability.
    assert "unreliability" not in found
    # A board whose full run has two conditions means those.
    assert compute_figures(store, (), NEEDED).figures["delivered"].value == pytest.approx(0.625)


def test_what_does_not_count_lowers_the_coverage_and_what_the_model_failed_is_wrong(tmp_path):
    questions = [question(f"q{i}", f"s{i}") for i in range(4)]
    statuses = (Status.OK, Status.TRUNCATED, Status.TIMEOUT, Status.OK)
    talks = [conversation("full", f"q{i}", status=status) for i, status in enumerate(statuses)]
    store = write_run(tmp_path / "run", ("full",), 1, questions, talks, {EXACT: [judgement("full", "q0")]})
    found = compute_figures(store, (), ("full",))
    assert (found.figures["full"].value, found.figures["full"].n) == (0.5, 2)
    assert (found.coverage, found.figures["coverage"].value) == ({"full": 0.5}, 0.5)
    assert (found.figures["truncated"].value, found.figures["refused"].value) == (0.25, 0.0)
    assert found.correct[0, :, 0].tolist() == [1, 0, -1, -1]


def test_tokens_are_told_only_where_the_server_counted_all_of_them(tmp_path):
    def made(name, *counts):
        talks = [
            conversation("full", f"q{i}", turns=(replace(turn(), prompt_tokens=one, completion_tokens=2),))
            for i, one in enumerate(counts)
        ]
        asked = [question(f"q{i}", f"s{i}") for i in range(len(counts))]
        store = write_run(tmp_path / name, ("full",), 1, asked, talks, {EXACT: []})
        found = compute_figures(store, (), ("full",))
        return found.prompt_tokens, found.completion_tokens

    assert made("all", 100, 50) == (150, 4)
    assert made("some", 100, None) == (None, 4)
    assert made("zero", 0, 0) == (0, 4)


def test_nobody_has_judged(tmp_path):
    store = write_run(
        tmp_path / "run", ("full",), 1, [question("q0", "s0")], [conversation("full", "q0")], {}
    )
    found = compute_figures(store, JUDGES, ("full",))
    assert (found.verdicts, found.figures, found.columns) == (None, {}, ())


@pytest.mark.parametrize(("value", "right"), [(1.0, "++++"), (0.0, "----")], ids=["perfect", "nothing right"])
def test_constant_verdicts_have_the_interval_of_that_value(tmp_path, value, right):
    found = compute_figures(run_of(tmp_path / "run", {"full": (right,)}, ("full",), runs=1), (), ("full",))
    figure = found.figures["delivered"]
    assert (figure.value, figure.low, figure.high) == (value, value, value)


def test_whose_verdicts_count_follows_the_panel(tmp_path):
    folder = study_run(
        tmp_path / "run", "m", {"a": settings("org/a"), "b": settings("b"), EXACT: {"judge": EXACT}}
    )
    store = RunStore.open(folder)
    found = board_verdicts(store, ("a", "b"))
    assert found is not None
    assert (found.judge, found.panel) == (EXACT, False)
    consensus(folder)
    by_model = board_verdicts(RunStore.open(folder), ("org/a@http://host/v1", "b"))
    assert by_model is not None
    assert (by_model.judge, by_model.names, by_model.members, by_model.panel) == (
        "consensus", ("org/a", "b"), ("a", "b"), True,
    )  # fmt: skip
    # Of the whole panel, or not at all; and of no others.
    for panel in ((), ("a", "c"), ("a", "b", "c")):
        other = board_verdicts(RunStore.open(folder), panel)
        assert other is not None
        assert not other.panel
    alone = board_verdicts(RunStore.open(folder), ("b",))
    assert alone is not None
    assert (alone.judge, alone.names, alone.panel) == ("b", ("b",), True)


def test_how_judges_judge_tells_rows_apart_but_not_where_they_were_served(tmp_path):
    def ways(name, **changed):
        judges = {"a": settings("a", **changed), "b": settings("b")}
        folder = study_run(tmp_path / name, "m", judges)
        consensus(folder)
        found = board_verdicts(RunStore.open(folder), ("a", "b"))
        assert found is not None
        assert found.panel
        return found.ways

    first = ways("one")
    assert ways("served elsewhere", server={"version": "2"}) == first
    assert ways("another prompt", prompt="0" * 64) != first


def test_figures_are_kept_and_read_back_as_they_were(copied):
    name = next(iter(copied.runs()))
    conditions = copied.settings.benchmarks["layered-vqa"].conditions
    kept = run_figures(copied, name, conditions)
    made = compute_figures(RunStore.open(copied.run(name)), copied.settings.panel, conditions)
    assert kept.verdicts == made.verdicts
    assert repr(kept.figures) == repr(dict(made.figures))
    assert (kept.columns[0], kept.columns) == ("delivered", made.columns)
    for one in ARRAYS:
        np.testing.assert_array_equal(getattr(kept, one), getattr(made, one))
    only = run_figures(copied, name, conditions, ("drawn",))
    assert (only.drawn.shape, only.correct.size) == (made.drawn.shape, 0)
    assert math.isnan(kept.figures["coverage"].low)


def files(board):
    """Return the names of what is kept, with their times."""
    return {path.name: path.stat().st_mtime_ns for path in (board.folder / "figures").iterdir()}


def test_what_is_kept_is_used_until_something_changes(copied, monkeypatch):
    name = next(iter(copied.runs()))
    conditions = copied.settings.benchmarks["layered-vqa"].conditions
    before = files(copied)
    run_figures(copied, name, conditions)
    assert files(copied) == before
    state = figures_state(copied, name, conditions)
    with RunStore.open(copied.run(name)) as store:
        store.start_judge("late", settings("late"))
        store.append_judgement("late", judgement("full", next(iter(store.questions()))))
    assert figures_state(copied, name, conditions) != state
    run_figures(copied, name, conditions)
    after = files(copied)
    mine = {one for one in after if one.startswith(name)}
    assert len(mine) == 2
    assert not mine & before.keys()
    assert {one: when for one, when in after.items() if one not in mine} == {
        one: when for one, when in before.items() if not one.startswith(name)
    }
    assert figures_state(copied, name, conditions[:3]) != figures_state(copied, name, conditions)
    monkeypatch.setattr("leaderboard.board.figure_files._version", lambda: "9.9.9")
    assert read_figures(copied, name, figures_state(copied, name, conditions)) is None


@pytest.mark.parametrize(
    ("suffix", "damage"),
    [
        (".json", lambda content: content[:-40]),
        (".json", lambda _: b"{}"),
        (".npz", lambda _: b""),
        (".npz", lambda content: content.replace(b"1", b"2")),
        (".npz", None),
    ],
    ids=["torn", "of another form", "empty arrays", "other arrays", "no arrays"],
)
def test_a_broken_file_is_made_anew(copied, suffix, damage, caplog):
    name = next(iter(copied.runs()))
    conditions = copied.settings.benchmarks["layered-vqa"].conditions
    path = copied.folder / "figures" / f"{name}-{figures_state(copied, name, conditions)}{suffix}"
    content = path.read_bytes()
    path.unlink()
    if damage is not None:
        path.write_bytes(damage(content))
    with caplog.at_level(logging.CRITICAL):
        found = run_figures(copied, name, conditions)
    if suffix == ".npz":
        assert path.read_bytes() == content
        assert found.drawn.shape[0] == len(found.columns)
    else:
        assert json.loads(path.read_bytes()).keys() == json.loads(content).keys()


def test_figures_are_computed_where_they_cannot_be_kept(copied, caplog, monkeypatch):
    name = next(iter(copied.runs()))
    (copied.folder / "figures").rename(copied.folder / "moved")
    (copied.folder / "figures").write_text("a file in its place")
    with caplog.at_level(logging.WARNING):
        found = run_figures(copied, name, copied.settings.benchmarks["layered-vqa"].conditions)
    assert found.figures["delivered"].n > 0
    assert "figures are not kept" in caplog.text


def test_figures_by_uploaded_verdicts_stand_apart(small):
    conditions = small.settings.benchmarks["layered-vqa"].conditions
    (own,) = [
        found
        for one in small.submissions()
        if (found := run_figures(small, one.id, conditions)).self_judged is not None
    ]
    assert own.self_judged is not None
    assert own.self_judged.names == ("own-judge",)
    assert own.verdicts is not None
    assert own.verdicts.names == (EXACT,)
    assert {"delivered", "full", "delta_oracle"} <= own.self_judged.figures.keys()
    # Nothing was read of replies and turns: a verdict tells nothing of them.
    assert "joint" not in own.self_judged.figures


def test_a_record_of_no_planned_conversation_changes_nothing(tmp_path):
    store = run_of(tmp_path / "run", {"full": ("++--",)}, ("full",), runs=1)
    before = compute_figures(store, (), ("full",)).figures
    with (store.folder / "conversations.jsonl").open("ab") as file:
        line = (store.folder / "conversations.jsonl").read_bytes().splitlines()[0]
        file.write(line.replace(b'"full"', b'"extra"') + b"\n")
    assert Key("extra", "q0", 1) in RunStore.open(store.folder).conversations()
    assert repr(compute_figures(RunStore.open(store.folder), (), ("full",)).figures) == repr(before)
