import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve

from lvqa_eval.detectors.evaluate import evaluate, mean_of_defined
from lvqa_eval.metrics.bootstrap import scene_weights


def scenes(count, each=1):
    return [f"s{i // each:03d}" for i in range(count)]


def test_a_small_case_by_hand():
    # Incorrect at .9 and .4 against correct at .5 and .1: three of four pairs in order. Precision is 1 at the
    # first incorrect answer and 2/3 at the second.
    found = evaluate([0.9, 0.5, 0.4, 0.1], [True, False, True, False], scenes(4))
    assert found.auroc == 0.75
    assert found.average_precision == pytest.approx((1 + 2 / 3) / 2)
    assert (found.prevalence, found.n, found.unscored) == (0.5, 4, 0)


@pytest.mark.parametrize("incorrect", [[True] * 3, [False] * 3])
def test_one_class_has_no_ranking(incorrect):
    """Not 0.0, which would pull a mean down unseen, nor the 1.0 of the average precision."""
    found = evaluate([0.1, 0.2, 0.3], incorrect, scenes(3))
    assert np.isnan([found.auroc, found.average_precision, found.low, found.high]).all()
    assert found.prevalence == float(incorrect[0])
    assert found.n == 3


def test_a_mean_says_over_how_many_it_goes():
    mean, defined, total = mean_of_defined([0.8, math.nan, 0.6])
    assert mean == pytest.approx(0.7)
    assert (defined, total) == (2, 3)
    assert np.isnan(mean_of_defined([math.nan])[0])
    assert np.isnan(mean_of_defined([])[0])


def test_equal_scores_are_half_a_pair():
    scores, incorrect = [0.2, 0.2, 0.7, 0.7], [False, True, False, True]
    found = evaluate(scores, incorrect, scenes(4))
    assert found.auroc == 0.5
    # The points of the curve that a threshold can reach: none lies inside a block of equal scores.
    false_positive, true_positive, _ = roc_curve(incorrect, scores)
    assert list(zip(false_positive, true_positive, strict=True)) == [(0, 0), (0.5, 0.5), (1, 1)]


def test_scores_that_say_nothing_are_left_out_and_counted():
    found = evaluate([0.9, math.nan, 0.1, math.nan], [True, True, False, False], scenes(4))
    assert (found.auroc, found.n, found.unscored, found.prevalence) == (1.0, 2, 2, 0.5)


def test_infinite_scores_rank_first_and_last():
    found = evaluate([math.inf, 3.0, -math.inf, 2.0], [True, False, False, True], scenes(4))
    assert found.auroc == evaluate([4.0, 3.0, 1.0, 2.0], [True, False, False, True], scenes(4)).auroc == 0.75
    assert evaluate([math.inf, -math.inf], [True, False], scenes(2)).auroc == 1.0


def test_nothing_to_evaluate():
    found = evaluate([], [], [])
    assert np.isnan([found.auroc, found.prevalence]).all()
    assert (found.n, found.unscored) == (0, 0)


@given(st.data())
def test_agrees_with_scikit_learn(data):
    count = data.draw(st.integers(4, 30))
    values = data.draw(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=count, max_size=count))
    wrong = data.draw(
        st.lists(st.booleans(), min_size=count, max_size=count).filter(lambda y: len({*y}) == 2)
    )
    found = evaluate(values, wrong, scenes(count, each=3), draws=50)
    assert found.auroc == pytest.approx(roc_auc_score(wrong, values), abs=1e-12)
    assert found.average_precision == pytest.approx(average_precision_score(wrong, values), abs=1e-12)


def test_the_interval_is_that_of_redrawn_scenes():
    """The oracle weighs every answer by how often its scene was drawn, one draw after the other."""
    rng = np.random.default_rng(2)
    wrong = rng.random(60) < 0.4
    values = np.round(rng.normal(size=60) + wrong, 1)  # rounded, so that there are ties
    names = scenes(60, each=5)
    found = evaluate(values, wrong, names, draws=300, seed=7)
    drawn = []
    for weight in scene_weights(12, draws=300, seed=7):
        sample = np.repeat(weight, 5)
        drawn.append(roc_auc_score(wrong[sample > 0], values[sample > 0], sample_weight=sample[sample > 0]))
    assert found.low == pytest.approx(np.quantile(drawn, 0.025), abs=1e-12)
    assert found.high == pytest.approx(np.quantile(drawn, 0.975), abs=1e-12)
    assert found.dropped == 0


def test_draws_of_one_class_are_dropped_and_counted():
    values, wrong = [3.0, 2.0, 1.0, 0.0], [True, True, False, False]
    found = evaluate(values, wrong, scenes(4), draws=1000, seed=0)
    # A draw of four scenes misses one of the classes with probability 2/16.
    assert 80 < found.dropped < 170
    assert (found.low, found.high) == (1.0, 1.0)


def test_a_class_from_one_scene_has_no_interval():
    found = evaluate([3.0, 2.0, 1.0, 0.5], [True, True, False, False], ["a", "a", "b", "c"])
    assert found.auroc == 1.0
    assert np.isnan([found.low, found.high]).all()


@given(st.permutations(range(24)))
def test_the_order_of_the_answers_changes_nothing(order):
    rng = np.random.default_rng(1)
    values, wrong, names = rng.integers(0, 5, 24).astype(float), rng.random(24) < 0.5, np.array(scenes(24, 4))
    here = evaluate(values, wrong, list(names), draws=40)
    there = evaluate(values[order], wrong[order], list(names[order]), draws=40)
    assert repr(here) == repr(there)
