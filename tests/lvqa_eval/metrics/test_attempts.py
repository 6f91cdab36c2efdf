import numpy as np
import pytest

from lvqa_eval.metrics.attempts import (
    attempt_characters,
    attempt_profile,
    attempt_verdicts,
    first_attempt,
    first_correct_attempt,
    turn_count,
)
from lvqa_eval.runs.records import Attempt, JudgementRecord
from lvqa_eval.statuses import JudgeStatus, Status
from tests.support.scored_runs import conversation, judgement, question, turn
from tests.support.studies import NAN, agrees, random_study, scipy_bootstrap, study_of, without

ASKED = question("q0", "s0")


def ruled(*attempts, first=0):
    found = tuple(Attempt(*one) for one in attempts)
    return JudgementRecord("sharded-v", "q0", 1, JudgeStatus.OK, False, first, found)


LISTED = ruled((3, " red one ", True), (1, "blue", False), (4, "red", True))


def test_the_first_attempt_and_the_first_right_one():
    assert first_attempt(ASKED, LISTED) == 1
    assert first_correct_attempt(ASKED, LISTED) == 3


def test_no_attempt_is_not_the_same_as_no_ruling():
    unruled = judgement("sharded-v", "q0", status=JudgeStatus.PARSE_ERROR)
    for read in (first_attempt, first_correct_attempt):
        assert read(ASKED, ruled()) == 0
        assert np.isnan(read(ASKED, unruled))
    assert attempt_characters(ASKED, unruled) == []


def test_what_the_judge_says_of_the_first_right_turn_counts_where_it_lists_none():
    assert first_correct_attempt(ASKED, ruled((1, "blue", False), first=2)) == 2
    assert first_correct_attempt(ASKED, ruled((3, "red", True), first=2)) == 3


def test_attempts_are_read_by_turn_and_trimmed():
    assert attempt_characters(ASKED, LISTED) == [4, 7, 3]
    assert attempt_verdicts(ASKED, LISTED) == [0, 1, 1]


def test_turns_count_in_a_conversation_that_came_to_its_end():
    assert turn_count(ASKED, conversation("sharded-v", "q0", turns=[turn()] * 3)) == 3
    assert np.isnan(turn_count(ASKED, conversation("sharded-v", "q0", status=Status.TRUNCATED)))


def profile(weights=50, **changed):
    """Attempts of 10 and 20 characters (wrong, right), of 40 (right), and a conversation without any."""
    study = study_of([[[[1], [1], [0]]]], ["sharded-v"])
    cells = {
        "characters": [[[[[10, 20]], [[40, NAN]], [[NAN, NAN]]]]],
        "verdicts": [[[[[0, 1]], [[1, NAN]], [[NAN, NAN]]]]],
    }
    arrays = {name: np.array(values, dtype=float) for name, values in cells.items()}
    return attempt_profile(study, **arrays, weights=study.weights(weights), **changed)


def test_length_and_correctness_by_number():
    found = profile()
    assert found.characters.columns == ("1", "2")
    assert found.characters.cells.value.tolist() == [[25.0, 20.0]]
    assert found.correct.cells.value.tolist() == [[0.5, 1.0]]
    assert found.pooled_characters.value.tolist() == [25.0, 20.0]
    assert found.pooled_correct.n.tolist() == [2, 1]
    assert (found.conversations, found.planned) == (2, 3)
    assert found.conditions == ("sharded-v",)


def test_pooled_figures_weigh_attempts_and_the_field_weighs_models():
    study = study_of([[[[1], [1]]], [[[1], [1]]]], ["sharded-v"])
    characters = np.array([[[[[10]], [[20]]]], [[[[60]], [[NAN]]]]], dtype=float)
    found = attempt_profile(study, characters, characters * 0 + 1, study.weights(30))
    assert found.pooled_characters.at(0).value == 30.0
    assert found.characters.of_field("1").value == (15 + 60) / 2


def test_a_number_that_a_model_never_comes_to_has_no_field():
    study = study_of([[[[1], [1]]], [[[1], [1]]]], ["sharded-v"])
    verdicts = np.array([[[[[1, 1]], [[0, 1]]]], [[[[1, NAN]], [[1, NAN]]]]], dtype=float)
    found = attempt_profile(study, verdicts, verdicts, study.weights(10))
    assert found.correct.lacking("2") == ("m1",)
    assert np.isnan(found.correct.of_field("2").value)
    assert found.pooled_correct.at(1).value == 1.0


def test_agrees_with_scipy():
    study = random_study(["sharded-v", "recap-v"], seed=12)
    rng = np.random.default_rng(0)
    verdicts = rng.integers(0, 2, (*study.correct.shape, 3)).astype(float)
    verdicts[rng.random(verdicts.shape) < 0.3] = NAN

    def pooled(drawn):
        return np.nanmean(verdicts[:, :, drawn, :, 1])

    weights, low, high = scipy_bootstrap(study, pooled)
    found = attempt_profile(study, verdicts, verdicts, weights)
    agrees(found.pooled_correct.at(1), pooled(list(range(18))), low, high)


def test_a_model_without_one_of_the_conditions_is_not_pooled_with_the_others():
    study = without(random_study(["sharded-v", "recap-v"], seed=1), "m1", "recap-v")
    verdicts = np.ones((*study.correct.shape, 1))
    found = attempt_profile(study, verdicts, verdicts, study.weights(10))
    assert found.correct.lacking("1") == ("m1",)
    assert found.pooled_correct.at(0).n == 2 * 18 * 3


@pytest.mark.parametrize("conditions", [("recap-v",), ()])
def test_conditions_that_nobody_ran_leave_nothing(conditions):
    found = profile(conditions=conditions)
    assert found.conditions == ()
    assert np.isnan(found.pooled_correct.value).all()
