import numpy as np
import pytest

from lvqa_eval.metrics.scores import OUTCOMES, score
from lvqa_eval.statuses import JudgeStatus, Status
from tests.support.scored_runs import conversation, judgement, question


def one(conversation_record=None, judgement_record=None):
    """Score a plan of one condition, one question and one run; return (correct, outcome)."""
    conversations = {} if conversation_record is None else {conversation_record.key: conversation_record}
    judgements = {} if judgement_record is None else {judgement_record.key: judgement_record}
    scores = score(["full"], 1, [question("q1", "s1")], conversations, judgements)
    return scores.correct[0, 0, 0], OUTCOMES[scores.outcome[0, 0, 0]]


def test_an_answer_has_its_verdict():
    assert one(conversation("full", "q1"), judgement("full", "q1", correct=True)) == (1.0, "ok")
    assert one(conversation("full", "q1"), judgement("full", "q1", correct=False)) == (0.0, "ok")


@pytest.mark.parametrize("status", [Status.TRUNCATED, Status.REFUSED, Status.EMPTY, Status.UNPARSABLE])
def test_a_failure_of_the_model_is_wrong_whatever_a_judge_says(status):
    record = conversation("full", "q1", status=status)
    assert one(record) == (0.0, status.value)
    assert one(record, judgement("full", "q1", correct=True)) == (0.0, status.value)


@pytest.mark.parametrize(
    "status", [Status.TRANSPORT_ERROR, Status.TIMEOUT, Status.SERVER_ERROR, Status.CONTEXT_OVERFLOW]
)
def test_a_failure_of_the_serving_does_not_count(status):
    correct, outcome = one(conversation("full", "q1", status=status), judgement("full", "q1", correct=True))
    assert np.isnan(correct)
    assert outcome == status.value


@pytest.mark.parametrize(
    ("verdict", "outcome"),
    [
        (None, "not_judged"),
        (judgement("full", "q1", status=JudgeStatus.PARSE_ERROR), "judge_parse_error"),
        (judgement("full", "q1", status=JudgeStatus.NO_QUORUM), "judge_no_quorum"),
        (judgement("full", "q1", status=JudgeStatus.TRANSPORT_ERROR), "judge_transport_error"),
        (judgement("full", "q1", correct=None), "judge_parse_error"),
    ],
)
def test_an_answer_without_a_valid_verdict_does_not_count(verdict, outcome):
    correct, found = one(conversation("full", "q1"), verdict)
    assert np.isnan(correct)
    assert found == outcome


def test_what_was_planned_and_is_not_there_is_missing():
    correct, outcome = one()
    assert np.isnan(correct)
    assert outcome == "missing"


def test_what_is_outside_the_plan_is_left_out_and_counted():
    records = [
        conversation("full", "q1"),
        conversation("full", "q1", run=2),
        conversation("full", "q9"),
        conversation("oracle", "q1"),
    ]
    verdicts = [judgement(record.condition, record.question_id, record.run) for record in records]
    scores = score(
        ["full"],
        1,
        [question("q1", "s1")],
        {record.key: record for record in records},
        {verdict.key: verdict for verdict in verdicts},
    )
    assert scores.correct.tolist() == [[[1.0]]]
    assert scores.outside == 3


def test_the_grid_is_in_the_order_of_the_plan_and_of_the_question_ids():
    questions = [question("q2", "sB"), question("q1", "sC"), question("q3", "sB")]
    records = [conversation("full", "q2", run=2), conversation("oracle", "q3", run=1)]
    verdicts = [judgement("full", "q2", 2, True), judgement("oracle", "q3", 1, False)]
    scores = score(
        ["oracle", "full"],
        2,
        questions,
        {record.key: record for record in records},
        {verdict.key: verdict for verdict in verdicts},
    )
    assert scores.conditions == ("oracle", "full")
    assert [one.question_id for one in scores.questions] == ["q1", "q2", "q3"]
    assert scores.scenes == ("sB", "sC")
    assert scores.scene_of.tolist() == [1, 0, 0]
    assert scores.correct[1, 1, 1] == 1.0
    assert scores.correct[0, 2, 0] == 0.0
    assert np.isfinite(scores.correct).sum() == 2
    assert np.isnan(scores.of("recap-v")).all()
