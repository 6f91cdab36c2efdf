import numpy as np
import pytest

from lvqa_eval.metrics.votes import count_votes, encode, parse_rates
from lvqa_eval.statuses import JudgeStatus

NAN = float("nan")


def test_items_without_a_verdict_stay_in_the_denominator():
    found = count_votes(encode([1, 0, None, 1, NAN]))
    assert (found.n, found.scored, found.coverage) == (5, 3, 0.6)
    assert (found.accuracy, found.strict) == (2 / 3, 2 / 5)


def test_nothing_scored_is_no_figure():
    found = count_votes(encode([None]))
    assert (found.coverage, found.strict) == (0.0, 0.0)
    assert np.isnan(found.accuracy)
    assert np.isnan([count_votes(encode([])).accuracy, count_votes(encode([])).strict]).all()


def test_verdicts_in_words():
    assert encode([True, False, None, 1.0, 0.0, np.True_, np.int64(0), np.nan]).tolist() == [
        *(1, 0, -1, 1, 0, 1, 0, -1)
    ]


def test_all_strange_verdicts_are_named():
    with pytest.raises(
        ValueError, match=r"item 1: found 'yes'; item 2: found 0.5; item 4: found -1; allowed"
    ):
        encode([1, "yes", 0.5, None, -1])


def test_votes_of_a_whole_panel_are_not_counted_as_one():
    with pytest.raises(ValueError, match="found int8 of 2 dimensions, allowed: int8 of 1"):
        count_votes(np.ones((2, 2), dtype=np.int8))


def test_parse_rate_by_judge_and_assistant():
    statuses = {
        JudgeStatus.OK: np.array([[9, 0], [10, 0]]),
        JudgeStatus.PARSE_ERROR: np.array([[1, 5], [0, 0]]),
        JudgeStatus.TRANSPORT_ERROR: np.array([[7, 0], [0, 3]]),
    }
    np.testing.assert_array_equal(parse_rates(statuses), [[0.9, 0.0], [1.0, NAN]])
    by_judge = {status: counts.sum(axis=1) for status, counts in statuses.items()}
    np.testing.assert_array_equal(parse_rates(by_judge), [9 / 15, 1.0])
    np.testing.assert_array_equal(parse_rates({JudgeStatus.OK: np.array([3])}), [1.0])
