import math

import numpy as np
import pytest

from lvqa_eval.metrics.accuracy import accuracy
from lvqa_eval.metrics.scores import OUTCOMES

NAN = np.nan


def outcomes(correct, otherwise="not_judged"):
    codes = np.where(np.isfinite(correct), OUTCOMES.index("ok"), OUTCOMES.index(otherwise))
    return codes.astype(np.int8)


def measure(rows):
    correct = np.array(rows, dtype=float)
    return accuracy(correct, outcomes(correct))


def test_pooled_accuracy_and_the_spread_over_runs():
    found = measure([[1, 0, 1], [1, 1, 1], [0, 0, 1], [1, 0, 1]])
    assert found.value == 8 / 12
    assert found.by_run == (0.75, 0.25, 1.0)
    assert found.run_mean == pytest.approx(2 / 3)
    # Deviations from 2/3: 1/12, -5/12, 4/12; their squares sum to 42/144, over n - 1 = 2.
    assert found.run_sd == pytest.approx(math.sqrt(42 / 288))
    assert (found.valid, found.planned, found.coverage, found.ranked) == (12, 12, 1.0, True)


def test_one_run_has_no_spread():
    found = measure([[1], [0]])
    assert found.run_mean == 0.5
    assert math.isnan(found.run_sd)


def test_pooling_weighs_conversations_and_the_mean_weighs_runs():
    found = measure([[1, 1], [0, NAN], [0, NAN], [0, NAN]])
    assert found.value == 2 / 5
    assert found.run_mean == (0.25 + 1.0) / 2


def test_a_run_without_a_valid_conversation_has_no_share_in_mean_and_spread():
    found = measure([[1, NAN, 0], [1, NAN, 1]])
    assert math.isnan(found.by_run[1])
    assert found.run_mean == 0.75
    assert found.run_sd == pytest.approx(math.sqrt(0.125))


def test_items_without_a_verdict_stay_in_view():
    """They leave the denominator, but not unseen."""
    found = measure([[1], [0], [NAN], [1], [NAN]])
    assert (found.planned, found.valid, found.coverage) == (5, 3, 0.6)
    assert found.value == 2 / 3
    assert found.strict == 2 / 5
    assert found.counts["not_judged"] == 2
    assert sum(found.counts.values()) == 5
    assert not found.ranked


def test_ranked_from_ninety_nine_per_cent():
    assert measure([[1]] * 99 + [[NAN]]).ranked
    assert not measure([[1]] * 98 + [[NAN]] * 2).ranked


def test_nothing_valid_is_no_accuracy_and_not_zero():
    found = measure([[NAN], [NAN]])
    assert math.isnan(found.value)
    assert found.strict == 0.0
    assert found.coverage == 0.0
