import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lvqa_eval.judging.consensus import consensus, consensus_attempts, leave_self_out, without_judge
from lvqa_eval.runs.records import Attempt

VOTES = arrays(np.int8, st.tuples(st.integers(1, 11), st.integers(1, 12)), elements=st.integers(-1, 1))


def by_item(*items):
    """Items as rows are easier to read; votes are judge-major."""
    return np.array(items, dtype=np.int8).T


def panel_of_eleven(right, wrong):
    """One item on which so many of eleven judges say each, the others nothing."""
    return by_item([1] * right + [0] * wrong + [-1] * (11 - right - wrong))


def by_counting(votes, panel):
    """The rule word for word, one item after the other."""
    verdicts, ties = [], []
    for item in votes.T.tolist():
        right, wrong = item.count(1), item.count(0)
        quorum = right + wrong > panel / 2
        verdicts.append((1 if right > wrong else 0) if quorum else -1)
        ties.append(quorum and right == wrong)
    return verdicts, ties


def test_a_strict_majority_of_valid_votes_decides():
    found = consensus(
        by_item([1, 1, 0], [1, 0, 0], [0, 0, 0], [1, 1, 1], [1, 1, -1], [1, 0, -1], [1, -1, -1])
    )
    assert found.verdict.tolist() == [1, 0, 0, 1, 1, 0, -1]
    assert found.right.tolist() == [2, 1, 0, 3, 2, 1, 1]
    assert found.valid.tolist() == [3, 3, 3, 3, 2, 2, 1]
    assert found.ties.tolist() == [False] * 5 + [True, False]
    assert found.unanimous.tolist() == [False, False, True, True, True, False, False]
    assert found.decided.tolist() == [True] * 6 + [False]


@pytest.mark.parametrize(
    ("right", "wrong", "verdict", "tie"),
    [
        (6, 5, 1, False),
        (5, 6, 0, False),
        (4, 2, 1, False),
        (3, 3, 0, True),
        (5, 5, 0, True),
        (5, 0, -1, False),
        (0, 5, -1, False),
        (2, 2, -1, False),
        (0, 0, -1, False),
    ],
)
def test_six_of_eleven_are_a_quorum_and_an_even_split_is_wrong(right, wrong, verdict, tie):
    found = consensus(panel_of_eleven(right, wrong))
    assert (found.verdict.item(), found.ties.item()) == (verdict, tie)


def test_judges_that_have_not_begun_belong_to_the_panel():
    four = by_item([1, 1, 1, 0])
    assert consensus(four).verdict.item() == 1
    assert consensus(four, panel=7).verdict.item() == 1
    assert consensus(four, panel=8).verdict.item() == -1
    with pytest.raises(ValueError, match="panel: found 3, allowed: at least 4"):
        consensus(four, panel=3)


@given(VOTES, st.integers(0, 3))
def test_equal_to_counting_item_by_item(votes, absent):
    panel = len(votes) + absent
    found = consensus(votes, panel)
    assert (found.verdict.tolist(), found.ties.tolist()) == by_counting(votes, panel)


@given(VOTES, st.randoms(use_true_random=False))
def test_the_order_of_judges_and_items_changes_nothing(votes, random):
    judges, items = (random.sample(range(size), size) for size in votes.shape)
    here, there = consensus(votes), consensus(votes[judges][:, items])
    for field in ("verdict", "right", "valid", "ties", "unanimous"):
        assert (getattr(here, field)[items] == getattr(there, field)).all()


def test_a_panel_too_large_for_bytes_is_counted_right():
    votes = np.repeat(by_item([1, 0]), 150, axis=0)
    found = consensus(votes[:201])
    assert (found.right.tolist(), found.valid.tolist(), found.verdict.tolist()) == ([150], [201], [1])


def test_other_codes_and_types_are_refused():
    with pytest.raises(ValueError, match=r"votes: found 2, 7, allowed: 1 \(correct\), 0 \(wrong\), -1"):
        consensus(by_item([1, 2, 7]))
    with pytest.raises(ValueError, match="found float64 of 2 dimensions, allowed: int8 of 2"):
        consensus(np.ones((3, 3)))


def test_a_model_does_not_vote_on_itself():
    # Judge 0 is the assistant of the first three items, judge 2 of the fourth, none of the last.
    votes = by_item([1, 0, 0], [1, 1, 0], [1, -1, 0], [1, 0, 1], [1, 0, 1])
    found = leave_self_out(votes, np.array([0, 0, 0, 2, -1]))
    assert found.verdict.tolist() == [0, 0, -1, 0, 1]
    assert found.ties.tolist() == [False, True, False, True, False]
    assert found.valid.tolist() == [2, 2, 1, 2, 3]
    assert votes[0, 0] == 1, "the votes themselves are kept"


def test_without_itself_the_panel_is_one_smaller():
    # Five of the other ten are no quorum; with judge 0 they would be six of eleven.
    assert consensus(panel_of_eleven(6, 0)).verdict.item() == 1
    assert leave_self_out(panel_of_eleven(6, 0), np.array([0])).verdict.item() == -1
    assert leave_self_out(panel_of_eleven(7, 0), np.array([0])).verdict.item() == 1
    # Of a panel of ten, five others are more than half of nine.
    assert leave_self_out(panel_of_eleven(6, 0)[:10], np.array([0])).verdict.item() == 1


def test_without_one_judge():
    votes = by_item([1, 1, 0, 0], [1, 0, 0, 0], [1, 1, -1, -1])
    assert without_judge(votes, 0).verdict.tolist() == [0, 0, -1]
    assert without_judge(votes, 3).verdict.tolist() == [1, 0, 1]
    assert without_judge(votes, 3, panel=5).verdict.tolist() == [1, 0, -1]


@given(VOTES)
def test_leaving_out_by_item_and_by_row_agree(votes):
    for judge in range(len(votes)):
        by_item_ = leave_self_out(votes, np.full(votes.shape[1], judge))
        assert (by_item_.verdict == without_judge(votes, judge).verdict).all()


def ruling(*attempts):
    return tuple(Attempt(turn, words, correct) for turn, words, correct in attempts)


def test_an_attempt_exists_and_is_right_where_most_judges_say_so():
    rulings = [
        ruling((1, "a cat", False), (3, "two dogs", True)),
        ruling((3, "2 dogs", True)),
        ruling((1, "cat", False), (2, "hm", True), (3, "two", False)),
    ]
    assert consensus_attempts(rulings) == ruling((1, "a cat", False), (3, "two dogs", True))


def test_a_judge_that_lists_no_attempt_does_not_call_it_correct():
    # Three of five list one, two of them as correct: it exists, but two of five are no majority.
    rulings = [ruling((2, "x", True)), ruling((2, "y", True)), ruling((2, "z", False)), (), ()]
    assert consensus_attempts(rulings) == ruling((2, "z", False))


def test_half_of_the_judges_make_no_attempt_and_no_right_one():
    assert consensus_attempts([ruling((1, "x", True)), ()]) == ()
    assert consensus_attempts([ruling((1, "x", True)), ruling((1, "y", False))]) == ruling((1, "y", False))


def test_wrong_by_vote_though_all_who_list_it_call_it_right():
    rulings = [ruling((1, "x", True)), ruling((1, "x", True)), ruling((1, "y", False)), ruling()]
    assert consensus_attempts(rulings) == ruling((1, "y", False))
    assert consensus_attempts([*rulings[:2], *rulings[:2]]) == ruling((1, "x", True))


def test_judges_without_a_ruling_do_not_vote_on_attempts_but_count_for_the_quorum():
    one = ruling((1, "x", True))
    assert consensus_attempts([one, one, None]) == one
    assert consensus_attempts([one, None, None]) is None
    assert consensus_attempts([one, one], panel=4) is None
    assert consensus_attempts([(), (), None]) == ()


def test_the_last_of_two_attempts_in_one_turn_counts():
    assert consensus_attempts([ruling((1, "x", True), (1, "no, y", False))]) == ruling((1, "no, y", False))


RULING = st.none() | st.dictionaries(st.integers(1, 4), st.booleans()).map(
    lambda listed: ruling(*((turn, "", correct) for turn, correct in listed.items()))
)


@given(st.lists(RULING, min_size=1, max_size=7), st.randoms(use_true_random=False))
def test_attempts_are_votes_turn_by_turn(rulings, random):
    found = consensus_attempts(rulings)
    listed = np.full((len(rulings), 4), -1, dtype=np.int8)
    right = listed.copy()
    for judge, one in enumerate(rulings):
        if one is not None:
            turns = {attempt.turn: attempt.correct for attempt in one}
            listed[judge] = [turn in turns for turn in range(1, 5)]
            right[judge] = [turns.get(turn, False) for turn in range(1, 5)]
    exists, correct = consensus(listed).verdict, consensus(right).verdict
    if found is None:
        assert (exists == -1).all()
    else:
        expected = [(turn, correct[turn - 1] == 1) for turn in range(1, 5) if exists[turn - 1] == 1]
        assert [(attempt.turn, attempt.correct) for attempt in found] == expected
    assert consensus_attempts(random.sample(rulings, len(rulings))) == found
