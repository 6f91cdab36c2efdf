"""From run folders to the inputs of exhibits: what is joined, and what stands at the head."""

import numpy as np
import pytest

from lvqa_eval.metrics.grounding import MEASURES
from lvqa_eval.reports.layered import commitment, ungrounded, verbosity
from lvqa_eval.reports.study.admission import StudyRunsError
from lvqa_eval.reports.study.join import study_inputs
from lvqa_eval.runs.records import ConversationRecord
from lvqa_eval.runs.store import RunStore
from lvqa_eval.statuses import JudgeStatus, Status
from tests.support.scored_runs import conversation, judgement, turn, write_run
from tests.support.small_run import small_run
from tests.support.study_runs import CONDITIONS, QUESTIONS, consensus, settings, study_run
from tests.support.table_cells import at, table_of

NAN = np.nan
BOTH = {"m": settings("m"), "m.post-hoc": settings("m", "post-hoc")}


def two(tmp_path, judges=None, **changed):
    return [
        study_run(tmp_path / "a", "org/a", judges, right="++--", **changed),
        study_run(tmp_path / "b", "org/b", judges, right="+---", **changed),
    ]


def test_scores_of_every_run_under_one_set_of_draws(tmp_path):
    found = study_inputs(two(tmp_path), draws=50, seed=3)
    assert found.study.models == ("org/a", "org/b")
    assert found.study.conditions == CONDITIONS
    right = [[1, 1, 0, 0], [1, 0, 0, 0]]
    assert found.study.correct[..., 0].tolist() == [[row, row] for row in right]
    assert found.weights.tolist() == found.study.weights(50, 3).tolist()
    assert (found.judge, found.draws, found.seed) == ("m", 50, 3)
    assert found.runs == (str(tmp_path / "a"), str(tmp_path / "b"))
    assert (found.post_hoc, found.rulings, found.baselines, found.panel) == (None, None, None, None)
    assert found.relational == ("spatial", "counting", "multi_hop")


def test_what_conversations_say_of_themselves(tmp_path):
    read = study_inputs(two(tmp_path), draws=20).readings
    shape = (2, 2, 4, 1)
    # Layers 1 and 2 come in turns 2 and 3; under full the scene comes in turn 1.
    assert read.evidence.tolist() == np.broadcast_to([[[1.0]], [[3.0]]], shape).tolist()
    assert read.turns.tolist() == np.broadcast_to([[[1.0]], [[3.0]]], shape).tolist()
    assert read.multi_turn.tolist() == np.broadcast_to([[[0.0]], [[1.0]]], shape).tolist()
    assert read.characters[:, 0].tolist() == np.full((2, 4, 1), len("a circle")).tolist()
    assert read.characters[:, 1].tolist() == np.full((2, 4, 1), len("a red circle")).tolist()
    assert read.measures.shape == (2, 4, 1, len(MEASURES))
    assert np.isnan(read.measures).all()
    assert [counts.chances.sum() for counts in read.citations] == [4 * 3 * 3] * 2


def test_layers_that_replies_name(tmp_path):
    said = {
        "q0": "Answer: red\nLayers: 1, 2\nConfidence: 90\nWhy: it is red",
        "q1": "Answer: red\nLayers: 1, 3\nConfidence: 90\nWhy: it is red",
        "q2": "Answer: red",
    }
    talks = [conversation("all-layers", name, turns=[turn(reply=reply)]) for name, reply in said.items()]
    write_run(tmp_path / "a", ["all-layers"], 1, QUESTIONS[:3], talks, {"m": []})
    found = study_inputs([tmp_path / "a"], draws=20).readings.measures[0, :, 0]
    exact, precision = MEASURES.index("exact match"), MEASURES.index("precision")
    np.testing.assert_array_equal(found[:, [precision, exact]], [[1, 1], [0.5, 0], [NAN, NAN]])


def test_rulings_turn_by_turn_are_those_of_the_only_such_judge(tmp_path):
    found = study_inputs(two(tmp_path, BOTH), draws=20)
    assert found.post_hoc == "m.post-hoc"
    assert found.rulings.first_attempt[0, :, 0, 0].tolist() == [1.0, 2.0]
    assert found.rulings.first_correct_attempt[0, :, 0, 0].tolist() == [1.0, 2.0]
    np.testing.assert_array_equal(found.rulings.attempt_verdicts[0, 1, 0, 0, :3], [1, 0, NAN])
    np.testing.assert_array_equal(found.rulings.attempt_characters[1, 1, 3, 0, :3], [8, 12, NAN])
    assert ("Judge, turn by turn", "m.post-hoc") in found.header


def test_lines_of_that_judge_that_cannot_be_read_are_told(tmp_path):
    folders = two(tmp_path, BOTH)
    path = folders[1] / "judgements" / "m.post-hoc.jsonl"
    path.write_bytes(b"{broken\n" + path.read_bytes())
    told = f"{folders[1]}: m.post-hoc.jsonl: lines that cannot be read, left out: 1, the first is line 1."
    assert told in study_inputs(folders, draws=20).cautions


def test_of_several_post_hoc_judges_their_consensus_or_none(tmp_path):
    judges = BOTH | {"n": settings("n"), "n.post-hoc": settings("n", "post-hoc")}
    folders = two(tmp_path, judges)
    found = study_inputs(folders, "m", draws=20)
    assert (found.post_hoc, found.rulings) == (None, None)
    assert (
        "m.post-hoc and n.post-hoc rule turn by turn, and none of them is named: what rests on such rulings "
        f"is left out. Name one, or make their consensus: lvqa panel {folders[0]} {folders[1]}"
    ) in found.cautions
    assert study_inputs(folders, "m", "n.post-hoc", draws=20).post_hoc == "n.post-hoc"
    consensus(*folders)
    assert study_inputs(folders, draws=20).post_hoc == "consensus.post-hoc"


def test_a_post_hoc_judge_of_some_runs_is_none(tmp_path):
    folders = [study_run(tmp_path / "a", "a", BOTH), study_run(tmp_path / "b", "b")]
    assert study_inputs(folders, draws=20).post_hoc is None


def test_a_known_judge_may_be_named_for_every_turn(tmp_path):
    folders = two(tmp_path, {"exact-match": {"judge": "exact-match"}})
    found = study_inputs(folders, post_hoc="exact-match", draws=20)
    assert found.rulings.first_attempt[:, 0, 0, 0].tolist() == [1.0, 1.0]
    assert found.header[2:4] == (
        ("Judge", "exact-match (provisional: exact text match, no judge model)"),
        ("Judge, turn by turn", "exact-match (provisional: exact text match, no judge model)"),
    )


def test_the_panel_is_that_of_the_consensus(tmp_path):
    judges = {name: settings(name) for name in ("k", "m", "n")}
    folders = two(tmp_path, judges)
    consensus(*folders)
    study_run(tmp_path / "c", "org/c", judges)
    found = study_inputs(folders, draws=20)
    assert found.judge == "consensus"
    assert found.panel.judges == ("k", "m", "n")
    assert found.panel.assistants == ("org/a", "org/b")
    assert found.panel.votes.shape == (3, 2 * 8)
    assert ("Judge", "consensus of k, m, n") in found.header
    assert study_inputs(folders, "k", draws=20).panel.size == 3


def test_without_two_judges_of_every_run_there_is_no_panel(tmp_path):
    judges = {name: settings(name) for name in ("m", "n")}
    folders = [study_run(tmp_path / "a", "a", judges), study_run(tmp_path / "b", "b")]
    found = study_inputs(folders, "m", draws=20)
    assert found.panel is None
    assert not any("panel" in caution for caution in found.cautions)


def test_judges_that_make_no_panel_leave_it_out_with_a_word(tmp_path):
    a = study_run(tmp_path / "a", "a", {"m": settings("m"), "n": settings("n")})
    b = study_run(tmp_path / "b", "b", {"m": settings("m"), "n": settings("n", seed=1)})
    found = study_inputs([a, b], "m", draws=20)
    assert found.panel is None
    (told,) = [caution for caution in found.cautions if "panel" in caution]
    assert told.startswith(f"No panel of judges: n: judged {a} and {b} with different settings: seed: ")


def test_a_model_with_two_runs_is_two_rows(tmp_path):
    folders = [study_run(tmp_path / name, model) for name, model in (("a", "x"), ("b", "x"), ("c", "y"))]
    assert study_inputs(folders, draws=20).study.models == ("x (a)", "x (b)", "y")
    again = study_run(tmp_path / "d" / "a", "x")
    found = study_inputs([folders[0], again], draws=20)
    assert found.study.models == (f"x ({folders[0]})", f"x ({again})")


def test_a_run_that_is_named_twice_is_one(tmp_path):
    folder = study_run(tmp_path / "a", "org/a")
    found = study_inputs([folder, folder / ".." / "a"], draws=20)
    assert found.study.models == ("org/a",)
    assert found.header == (
        ("Model", "org/a"),
        ("Dataset", "layered-vqa 1.0.0, manifest sha256:0123456789abcdef"),
        ("Judge", "m"),
        ("Questions", "4 in 2 scenes"),
        ("Runs", "1 of each question and condition"),
        ("Intervals", "95 %, scene-cluster bootstrap, 20 draws, seed 0"),
    )
    assert found.cautions == (
        "2 scenes are few for a bootstrap: the intervals are probably too narrow.",
        "One run: the spread over runs is not known.",
    )


def test_baselines_are_joined_where_every_run_has_them(tmp_path):
    has = {"baselines": {"question-only": "hash"}}
    folders = [study_run(tmp_path / name, name, right="+---", **has) for name in "ab"]
    found = study_inputs(folders, draws=20)
    assert found.study.conditions == CONDITIONS
    assert found.baselines.models == found.study.models
    assert found.baselines.of(["question-only"])[:, 0, :, 0].tolist() == [[1, 0, 0, 0]] * 2
    without = study_run(tmp_path / "c", "c")
    assert study_inputs([folders[0], without], draws=20).baselines is None


def test_runs_of_other_conditions_and_repetitions_leave_gaps_that_are_told(tmp_path):
    a = study_run(tmp_path / "a", "a", runs=2)
    b = study_run(tmp_path / "b", "b", conditions=("full",))
    found = study_inputs([a, b], draws=20)
    assert found.study.correct.shape == (2, 2, 4, 2)
    assert found.study.planned.sum(axis=(2, 3)).tolist() == [[8, 8], [4, 0]]
    assert np.isnan(found.readings.turns[1, 1]).all()
    assert ("Runs", "1 or 2 of each question and condition") in found.header
    assert found.cautions[:2] == (
        f"The runs differ in runs: {a} has 2, {b} has 1.",
        "Not run: b in sharded-v.",
    )


def test_what_a_run_did_not_plan_is_read_nowhere(tmp_path):
    a, b = study_run(tmp_path / "a", "a", runs=2), study_run(tmp_path / "b", "b")
    with RunStore.open(b) as store:
        lines = (b / "conversations.jsonl").read_bytes()
        second = lines.splitlines(keepends=True)[0].replace(b'"run":1', b'"run":2')
        (b / "conversations.jsonl").write_bytes(lines + second)
        store.start_judge("m", settings("m"))
        store.append_judgement("m", judgement("full", "q0", 2))
    found = study_inputs([a, b], draws=20)
    assert np.isnan(found.readings.turns[1, :, :, 1]).all()
    assert np.isnan(found.study.correct[1, :, :, 1]).all()
    assert f"{b}: Conversations that the run's plan does not have, left out: 1." in found.cautions


def test_faults_of_files_and_low_coverage_are_told_of_each_run(tmp_path):
    stores = [small_run(tmp_path / name, model={"name": name}) for name in "ab"]
    path = stores[1].folder / "conversations.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([b"{broken\n", *lines]))
    found = study_inputs([store.folder for store in stores], draws=20)
    unread = "conversations.jsonl: lines that cannot be read, left out: 1, the first is line 1."
    assert found.cautions == (
        "The verdicts are provisional: exact text match, no judge model. "
        "Judge with a model before you publish or compare.",
        "Coverage below 99 % of the plan, so not ranked: a in sharded-v; b in sharded-v.",
        "3 scenes are few for a bootstrap: the intervals are probably too narrow.",
        f"{stores[1].folder}: {unread}",
    )


def test_categories_held_relational_are_those_of_the_questions(tmp_path):
    folder = study_run(tmp_path / "a", "a")
    assert study_inputs([folder], draws=20, relational=["spatial"]).relational == ("spatial",)
    with pytest.raises(StudyRunsError, match="relational: found spatail, allowed: spatial"):
        study_inputs([folder], relational=["spatail"])


def test_conversations_that_failed_have_no_turns_and_no_verdict(tmp_path):
    talks = [
        ConversationRecord("full", "q0", 1, Status.TRUNCATED, (turn(reply="a"),)),
        conversation("full", "q1"),
    ]
    verdicts = [judgement("full", "q1", status=JudgeStatus.PARSE_ERROR)]
    write_run(tmp_path / "a", ["full"], 1, QUESTIONS[:2], talks, {"m": verdicts})
    found = study_inputs([tmp_path / "a"], draws=20)
    np.testing.assert_array_equal(found.study.correct[0, 0, :, 0], [0, NAN])
    np.testing.assert_array_equal(found.readings.turns[0, 0, :, 0], [NAN, 1])


def test_exhibits_read_what_was_joined(tmp_path):
    found = study_inputs(two(tmp_path, BOTH), draws=20)
    # The first answer comes in turn 2 of 3, and is right; the evidence is complete in turn 3.
    shares = table_of(commitment.exhibit(found), "table-4")
    assert [at(shares, model, "fifth 4, %").value for model in ("org/a", "org/b")] == [1, 1]
    early = table_of(ungrounded.exhibit(found), "table-6")
    row = [at(early, "org/a", f"{name}, %").value for name in ("accuracy", "ungrounded", "grounded accuracy")]
    assert row == [0.5, 1, 0]
    lengths = table_of(verbosity.exhibit(found), "table-5")
    assert at(lengths, "fifth 1", "several turns: mean length, characters").value == len("a red circle")
