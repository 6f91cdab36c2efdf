import numpy as np
import pytest

from lvqa_eval.detectors.answer_length import AnswerLength
from lvqa_eval.detectors.detector import DETECTORS
from lvqa_eval.detectors.gather import NoAnswersError, gather_answers
from lvqa_eval.detectors.signals import Signals
from lvqa_eval.extensions import UnknownExtensionError
from lvqa_eval.metrics.scores import NoPlanError
from lvqa_eval.runs.store import RunStore
from lvqa_eval.statuses import JudgeStatus, Status
from tests.support.answered_pages import JUDGE, answered_run
from tests.support.page_studies import page
from tests.support.scored_runs import conversation, judgement, question, turn, write_run

LONG, SHORT = "I am not sure but it may be red", "red"


def layered_run(folder):
    """Two scenes with two questions, twice: long answers are wrong; one of each way not to be an answer."""
    questions = [question(f"q{i}", f"s{i // 2}") for i in range(4)]
    said = [turn(composite=True, reply="two words")]
    held = [
        conversation("sharded-v", "q0", 1, turns=[*said, turn(reply=LONG)]),
        conversation("sharded-v", "q0", 2, turns=[*said, turn(reply=SHORT)]),
        conversation("sharded-v", "q1", 1, Status.TRUNCATED, turns=[*said, turn(reply="so " * 99)]),
        conversation("sharded-v", "q1", 2, Status.TIMEOUT, turns=said),
        conversation("sharded-v", "q2", 1, turns=[turn(reply=SHORT)]),
        conversation("sharded-v", "q2", 2, turns=[turn(reply=" ")]),
        conversation("sharded-v", "q3", 1, turns=[turn(reply=LONG)]),
        conversation("full", "q3", 1, turns=[turn(reply=LONG)]),
    ]
    ruled = [
        judgement("sharded-v", "q0", 1, correct=False),
        judgement("sharded-v", "q0", 2, correct=True),
        judgement("sharded-v", "q1", 1, correct=False),
        judgement("sharded-v", "q2", 2, correct=False),
        judgement("sharded-v", "q3", 1, status=JudgeStatus.PARSE_ERROR),
    ]
    return write_run(folder, ["full", "sharded-v"], 2, questions, held, {"exact-match": ruled})


def test_answers_are_what_ended_well_and_was_ruled_on(tmp_path):
    answers = gather_answers(layered_run(tmp_path / "run"), "exact-match", "sharded-v")
    assert [answer.key for answer in answers.items] == [
        ("sharded-v", "q0", 1),
        ("sharded-v", "q0", 2),
        ("sharded-v", "q2", 2),
    ]
    assert answers.incorrect.tolist() == [True, False, True]
    assert (answers.clusters, answers.cluster_of.tolist()) == (("s0", "s1"), [0, 0, 1])
    assert answers.items[0].reply == LONG
    assert (answers.model, answers.condition, answers.judge) == ("some/model-4b", "sharded-v", "exact-match")
    # A cut-off answer is wrong in an accuracy, but there is no answer whose words or tokens could tell.
    assert answers.left_out == {
        "truncated": 1,
        "timeout": 1,
        "not_judged": 1,
        "judge_parse_error": 1,
        "missing": 1,
    }


def test_the_length_is_that_of_the_last_reply_and_no_word_is_no_score(tmp_path):
    answers = gather_answers(layered_run(tmp_path / "run"), "exact-match", "sharded-v")
    found = AnswerLength().read(answers, Signals("answer"))
    np.testing.assert_array_equal(found.values, [9.0, 1.0, np.nan])
    assert not found.binary


def test_pages_are_clustered_by_their_document(tmp_path):
    pages = [page(f"p{i}", f"d{i // 2}") for i in range(4)]
    said = {"p0": ("42", True), "p1": ("41", False), "p2": (Status.EMPTY, None), "p3": ("40 41", False)}
    store = RunStore.open(answered_run(tmp_path / "run", "org/model-9B", pages, said))
    answers = gather_answers(store, JUDGE, "default")
    assert [answer.question.question_id for answer in answers.items] == ["p0", "p1", "p3"]
    assert answers.clusters == ("d0", "d1")
    assert answers.words.tolist() == [1.0, 1.0, 2.0]
    assert answers.left_out == {"empty": 1}


def test_a_condition_that_was_not_planned_is_refused(tmp_path):
    store = layered_run(tmp_path / "run")
    with pytest.raises(NoAnswersError, match="run: condition: found 'oracle', allowed: full, sharded-v"):
        gather_answers(store, "exact-match", "oracle")


def test_a_condition_without_a_verdict_is_refused(tmp_path):
    store = layered_run(tmp_path / "run")
    told = (
        r"no answer under full has a verdict by exact-match \(1 not_judged, 7 missing\); judge them first: "
    )
    with pytest.raises(NoAnswersError, match=told + "lvqa judge .*run --judge exact-match"):
        gather_answers(store, "exact-match", "full")


def test_a_run_without_a_plan_is_refused(tmp_path):
    store = layered_run(tmp_path / "run")
    path = store.folder / "run.yaml"
    path.write_text(path.read_text().replace("runs: 2\n", ""))
    with pytest.raises(NoPlanError, match="runs: missing"):
        gather_answers(RunStore.open(store.folder), "exact-match", "full")


def test_built_in_detectors_are_found_by_name():
    assert DETECTORS.names()[0] == "answer-length"
    assert DETECTORS.get("answer-length") is AnswerLength
    with pytest.raises(UnknownExtensionError, match="detectors: found 'oracle', allowed: answer-length"):
        DETECTORS.get("oracle")
    for name in DETECTORS.names():
        assert DETECTORS.get(name)().name == name
