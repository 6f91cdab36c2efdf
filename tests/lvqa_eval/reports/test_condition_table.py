import random

import numpy as np
import pytest

from lvqa_eval.benchmarks import LAYERED_VQA
from lvqa_eval.metrics.bootstrap import scene_weights
from lvqa_eval.metrics.scores import score
from lvqa_eval.reports.conditions.rows import condition_rows
from lvqa_eval.reports.conditions.table import condition_table
from lvqa_eval.statuses import Status
from tests.support.scored_runs import conversation, judgement, question, write_run

QUESTIONS = [question(f"q{i}", f"s{i // 2}") for i in range(6)]


def row_of(table, condition):
    (row,) = [row for row in table.rows if row.condition == condition]
    return row


def records(correct_by_condition):
    conversations, judgements = [], []
    for condition, verdicts in correct_by_condition.items():
        for one, verdict in zip(QUESTIONS, verdicts, strict=True):
            conversations.append(conversation(condition, one.question_id))
            judgements.append(judgement(condition, one.question_id, correct=bool(verdict)))
    return conversations, judgements


def small_table(tmp_path, correct_by_condition, conditions=None, **options):
    conversations, judgements = records(correct_by_condition)
    conditions = conditions or list(correct_by_condition)
    store = write_run(tmp_path / "run", conditions, 1, QUESTIONS, conversations, {"exact-match": judgements})
    return condition_table(store, "exact-match", **options)


def test_sixteen_rows_in_the_papers_order_whatever_was_run(tmp_path):
    table = small_table(tmp_path, {"oracle": [1] * 6, "full": [1, 1, 1, 0, 0, 0]})
    assert tuple(row.condition for row in table.rows) == LAYERED_VQA.conditions
    assert [row.condition for row in table.rows if row.measured] == ["full", "oracle"]


def test_conditions_of_others_come_last(tmp_path):
    table = small_table(tmp_path, {"question-last": [0] * 6, "full": [1] * 6})
    assert [row.condition for row in table.rows][16:] == ["question-last"]
    assert row_of(table, "question-last").measured.difference.value == -1.0


def test_figures_of_a_small_run(tmp_path):
    table = small_table(tmp_path, {"full": [1, 1, 1, 1, 0, 0], "sharded-v": [1, 0, 0, 0, 0, 0]})
    full, sharded = row_of(table, "full").measured, row_of(table, "sharded-v").measured
    assert full.accuracy.value == 4 / 6
    assert full.difference is None
    assert sharded.difference.value == pytest.approx(-3 / 6)
    # Of three scenes with differences -1, -2 and 0 over two questions each, no draw leaves [-1, 0].
    assert -1.0 <= sharded.difference.low < sharded.difference.high <= 0.0
    assert (table.questions, table.scenes, table.runs) == (6, 3, 1)


def test_without_full_there_is_no_difference(tmp_path):
    table = small_table(tmp_path, {"oracle": [1] * 6})
    assert row_of(table, "oracle").measured.difference is None


def test_missing_conversations_lower_the_coverage_and_the_rank(tmp_path):
    """Four conditions are planned and two of them held: the others have no figure, nor has the whole."""
    plan = ["full", "concat-v", "sharded-v", "oracle"]
    table = small_table(tmp_path, {"full": [1] * 6, "concat-v": [1] * 5 + [0]}, plan)
    for condition in ("sharded-v", "oracle"):
        accuracy = row_of(table, condition).measured.accuracy
        assert np.isnan(accuracy.value)
        assert (accuracy.coverage, accuracy.counts["missing"]) == (0.0, 6)
    assert "Coverage below 99 % of the plan, so not ranked: sharded-v, oracle." in table.cautions


def test_the_header_says_what_was_measured(tmp_path):
    store = write_run(
        tmp_path / "run",
        ["full"],
        2,
        QUESTIONS,
        [],
        {"some-judge": []},
        model={"name": "org/model", "revision": "abc123"},
        user={"name": "scripted"},
    )
    assert condition_table(store, "some-judge", draws=1500, seed=4).header == (
        ("Model", "org/model, revision abc123"),
        ("User", "scripted, in the conversations of several turns"),
        ("Dataset", "layered-vqa 1.0.0, manifest sha256:0123456789abcdef"),
        ("Judge", "some-judge"),
        ("Questions", "6 in 3 scenes"),
        ("Runs", "2 of each question and condition"),
        ("Intervals", "95 %, scene-cluster bootstrap, 1,500 draws, seed 4"),
    )


def test_cautions_name_what_limits_the_figures(tmp_path):
    table = small_table(tmp_path, {"full": [1] * 6})
    assert table.cautions == (
        "The verdicts are provisional: exact text match, no judge model. "
        "Judge with a model before you publish or compare.",
        "3 scenes are few for a bootstrap: the intervals are probably too narrow.",
        "Every draw gives the same figure, so the interval has no width: full.",
        "One run: the spread over runs is not known.",
    )


def test_one_scene_has_no_interval_and_says_so(tmp_path):
    questions = [question("q1", "s1"), question("q2", "s1")]
    store = write_run(
        tmp_path / "run",
        ["full"],
        1,
        questions,
        [conversation("full", "q1"), conversation("full", "q2")],
        {"some-judge": [judgement("full", "q1"), judgement("full", "q2", correct=False)]},
    )
    table = condition_table(store, "some-judge")
    interval = row_of(table, "full").measured.interval
    assert interval.value == 0.5
    assert np.isnan([interval.low, interval.high]).all()
    assert (
        "All questions come from one scene, which tells nothing of the spread: there are no intervals."
        in table.cautions
    )
    assert table.judge_label == "some-judge"


def test_lines_that_cannot_be_read_are_told(tmp_path):
    conversations, judgements = records({"full": [1] * 6})
    store = write_run(tmp_path / "run", ["full"], 1, QUESTIONS, conversations, {"exact-match": judgements})
    path = store.folder / "judgements" / "exact-match.jsonl"
    lines = path.read_bytes().split(b"\n")
    changed = lines[4].replace(b'"correct":true', b'"correct":false', 1)
    path.write_bytes(b"\n".join([*lines[:2], b"{broken", *lines[2:-1], changed, b'{"torn']))
    found = condition_table(store, "exact-match").cautions
    assert "exact-match.jsonl: lines that cannot be read, left out: 1, the first is line 3." in found
    assert "Records that are twice there and differ (the last counts): 1, the first is full q4 1." in found


def test_a_run_without_a_plan_is_refused(tmp_path):
    store = write_run(tmp_path / "run", ["full"], 1, QUESTIONS, [], {"exact-match": []})
    settings = dict(store.identity.settings)
    del settings["runs"]
    object.__setattr__(store.identity, "settings", settings)
    with pytest.raises(ValueError, match=r"run\.yaml: runs: missing; every run has them"):
        condition_table(store, "exact-match")


def test_the_order_of_the_records_changes_nothing():
    rng = random.Random(4)
    statuses = [Status.OK] * 6 + [Status.TRUNCATED, Status.TIMEOUT]
    keys = [(c, q.question_id, r) for c in ("full", "recap-v") for q in QUESTIONS for r in (1, 2)]
    conversations = [conversation(*key, status=rng.choice(statuses)) for key in keys]
    judgements = [judgement(*key, correct=rng.random() < 0.5) for key in keys]
    questions, tables = list(QUESTIONS), []
    for _ in range(4):
        scores = score(
            ["full", "recap-v"],
            2,
            questions,
            {record.key: record for record in conversations},
            {verdict.key: verdict for verdict in judgements},
        )
        tables.append(condition_rows(scores, scene_weights(3, 100), LAYERED_VQA.conditions))
        for shuffled in (questions, conversations, judgements):
            rng.shuffle(shuffled)
    assert all(repr(table) == repr(tables[0]) for table in tables)
