import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lvqa_eval.judging.consensus import consensus, leave_self_out
from lvqa_eval.metrics.rankings import assistant_accuracy, kendall_tau, leave_one_judge_out, ranks

NAN = np.nan


def test_accuracy_by_assistant_leaves_out_what_is_not_decided():
    verdicts = np.array([1, 0, 1, -1, -1], dtype=np.int8)
    found = assistant_accuracy(verdicts, np.array([0, 0, 1, 1, 2]), 3)
    np.testing.assert_array_equal(found, [0.5, 1.0, NAN])


def test_equals_share_the_better_rank():
    np.testing.assert_array_equal(ranks(np.array([0.5, 0.9, NAN, 0.5, 0.1])), [2, 1, NAN, 2, 4])


def test_kendall_tau_by_hand():
    # Of six pairs one is turned round: (5 - 1) / 6.
    assert kendall_tau(np.array([1.0, 2, 3, 4]), np.array([1.0, 2, 4, 3])) == pytest.approx(4 / 6)
    assert kendall_tau(np.array([1.0, 2, NAN, 4]), np.array([1.0, 2, 4, NAN])) == 1.0
    assert np.isnan(kendall_tau(np.array([1.0, NAN]), np.array([1.0, 2])))
    assert np.isnan(kendall_tau(np.array([1.0, 1]), np.array([1.0, 2])))


def test_one_judge_can_turn_a_ranking_round():
    # Two items each of assistants 0 and 1. Judges 0 and 1 differ on all; judge 2 decides, for assistant 0.
    votes = np.array([[0, 0, 1, 1], [1, 1, 0, 0], [1, 1, 0, 0]], dtype=np.int8)
    found = leave_one_judge_out(votes, np.array([0, 0, 1, 1]), 2)
    assert found.full.tolist() == [1.0, 0.0]
    assert found.without.tolist() == [[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]
    np.testing.assert_array_equal(found.tau, [1.0, NAN, NAN])


def test_without_itself_a_vain_model_falls():
    # Judge 0 is assistant 0 and lets all of its own pass; on assistant 1 it agrees with the others.
    votes = np.array([[1, 1, 1, 1], [1, 0, 1, 1], [0, 0, 1, 0]], dtype=np.int8)
    assistant_of = np.array([0, 0, 1, 1])
    own = np.array([0, -1])[assistant_of]
    assert assistant_accuracy(consensus(votes).verdict, assistant_of, 2).tolist() == [0.5, 1.0]
    assert assistant_accuracy(leave_self_out(votes, own).verdict, assistant_of, 2).tolist() == [0.0, 1.0]


@given(st.integers(0, 2**32 - 1))
def test_judges_who_all_vote_the_same_change_nothing(seed):
    rng = np.random.default_rng(seed)
    assistant_of = np.repeat(np.arange(4), 10)
    one = (rng.random(40) < np.repeat([0.1, 0.4, 0.6, 0.9], 10)).astype(np.int8)
    found = leave_one_judge_out(np.stack([one] * 3), assistant_of, 4)
    assert (found.without == found.full).all()
    if len(set(found.full)) > 1:
        assert found.tau == pytest.approx([1.0] * 3)
