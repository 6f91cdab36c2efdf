import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lvqa_eval.metrics.commitment import FIFTHS, commitment, fifth_of
from tests.support.studies import NAN, agrees, random_study, scipy_bootstrap, study_of

BY_END, BY_START = "end of turn", "start of turn"


@pytest.mark.parametrize(
    ("turns", "by_end", "by_start"),
    [
        (2, [3, 5], [1, 3]),
        (3, [2, 4, 5], [1, 2, 4]),
        (4, [2, 3, 4, 5], [1, 2, 3, 4]),
        (5, [1, 2, 3, 4, 5], [1, 2, 3, 4, 5]),
        (6, [1, 2, 3, 4, 5, 5], [1, 1, 2, 3, 4, 5]),
        (10, [1, 1, 2, 2, 3, 3, 4, 4, 5, 5], [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]),
    ],
)
def test_fifths_by_both_rules(turns, by_end, by_start):
    turn = np.arange(1, turns + 1, dtype=float)
    assert fifth_of(turn, np.full(turns, float(turns)), BY_END).tolist() == by_end
    assert fifth_of(turn, np.full(turns, float(turns)), BY_START).tolist() == by_start


@given(st.integers(1, 40), st.data())
def test_every_turn_lies_in_a_fifth(turns, data):
    turn = data.draw(st.integers(1, turns))
    for rule in (BY_END, BY_START):
        assert fifth_of(np.array(float(turn)), np.array(float(turns)), rule) in range(1, 6)
    assert fifth_of(np.array(1.0), np.array(float(turns)), BY_START) == 1
    if turns < 5:
        assert fifth_of(np.array(1.0), np.array(float(turns)), BY_END) > 1


def held():
    """Four turns each: first attempts in turns 1, 1, 2 and 4; then none, no ruling, a failure, no verdict."""
    correct = [[[[1], [0], [1], [0], [1], [1], [0], [NAN]]]]
    attempts = np.array([[[[1], [1], [2], [4], [0], [NAN], [1], [1]]]], dtype=float)
    turns = np.array([[[[4], [4], [4], [4], [4], [4], [NAN], [4]]]], dtype=float)
    return study_of(correct, ["sharded-v"]), attempts, turns


def test_shares_and_final_accuracy_by_hand():
    study, attempts, turns = held()
    found = commitment(study, attempts, turns, study.weights(100))
    assert found.share.columns == FIFTHS
    assert found.share.cells.value.tolist() == [[0.0, 0.5, 0.25, 0.0, 0.25]]
    np.testing.assert_array_equal(found.accuracy.cells.value, [[NAN, 0.5, 1.0, NAN, 0.0]])
    assert found.modal == ("2",)
    assert (found.no_attempt, found.unruled, found.failed) == (1, 1, 1)
    assert found.share.at("m0", "2").n == 4
    assert found.share.at("m0", "2").planned == 8
    assert found.accuracy.at("m0", "2").n == 2


def test_the_other_rule_says_something_else():
    study, attempts, turns = held()
    found = commitment(study, attempts, turns, study.weights(20), binning=BY_START)
    assert found.share.cells.value.tolist() == [[0.5, 0.25, 0.0, 0.25, 0.0]]
    assert found.modal == ("1",)
    assert found.binning == BY_START


def test_agrees_with_scipy():
    study = random_study(["sharded-v", "recap-v"], seed=13)
    rng = np.random.default_rng(1)
    turns = rng.integers(2, 7, study.correct.shape).astype(float)
    attempts = np.minimum(rng.integers(0, 7, turns.shape), turns)
    fifth = np.where(np.isfinite(study.correct) & (attempts > 0), np.ceil(5 * attempts / turns), NAN)

    def share(drawn):
        return np.mean(
            [np.mean(cells[np.isfinite(cells)] == 3) for cells in (fifth[row][:, drawn] for row in range(2))]
        )

    weights, low, high = scipy_bootstrap(study, share)
    agrees(commitment(study, attempts, turns, weights).share.of_field("3"), share(list(range(18))), low, high)


def test_a_study_without_such_conditions_has_no_commitment():
    study = random_study(["full"])
    empty = np.full(study.correct.shape, NAN)
    found = commitment(study, empty, empty, study.weights(5))
    assert found.conditions == ()
    assert found.modal == (None, None)
