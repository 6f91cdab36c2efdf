"""Detectors on terse and on long answers apart: by hand, and against scikit-learn."""

import math

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from lvqa_eval.detectors.fold_metrics import FoldMetrics, OutOfFold
from lvqa_eval.detectors.length_conditioned import length_conditioned
from lvqa_eval.metrics.bootstrap import scene_weights


def metrics_of(incorrect, fold_of=None, draws=50):
    count = len(incorrect)
    folds = np.zeros(count, dtype=np.intp) if fold_of is None else np.array(fold_of, dtype=np.intp)
    return FoldMetrics(
        np.array(incorrect, dtype=np.bool_), np.arange(count), folds, scene_weights(count, draws, seed=1)
    )


def test_a_detector_that_knows_nothing_but_the_length():
    # Long answers are wrong more often; inside either half the score tells nothing right.
    incorrect = [1, 0, 0, 0, 1, 1, 1, 0]
    words = np.array([1, 1, 1, 1, 9, 9, 9, 9])
    found = length_conditioned(
        metrics_of(incorrect), OutOfFold(words.astype(float), np.array([5.0])), words > 5
    )
    terse, long, difference = found["auroc"]
    assert (terse.value, long.value, difference.value) == (0.5, 0.5, 0.0)
    assert (terse.n, long.n, difference.n) == (4, 4, 8)
    # Called wrong are all long answers and no terse one.
    assert [one.value for one in found["balanced_accuracy"]] == [0.5, 0.5, 0.0]


def test_both_sides_by_hand():
    incorrect = [1, 0, 1, 0, 1, 0, 1, 0]
    scores = [0.9, 0.1, 0.8, 0.2, 0.1, 0.9, 0.7, 0.6]
    is_long = np.arange(8) >= 4
    found = length_conditioned(metrics_of(incorrect), OutOfFold(np.array(scores), np.array([0.65])), is_long)
    # Terse: all four pairs in order. Long: .7 over .6 alone of four.
    assert [one.value for one in found["auroc"]] == [1.0, 0.25, -0.75]
    # At .65 long wrong ones: one of two; right ones not called: one of two.
    assert [one.value for one in found["balanced_accuracy"]] == [1.0, 0.5, -0.5]


def test_scores_are_compared_inside_a_fold_and_unscored_answers_left_out():
    # In the second fold all scores are ten higher; across folds they would be out of order.
    incorrect = [1, 0, 1, 0, 1, 0]
    scores = np.array([2.0, 1.0, 12.0, 11.0, np.nan, 5.0])
    folds = [0, 0, 1, 1, 0, 0]
    found = length_conditioned(
        metrics_of(incorrect, folds), OutOfFold(scores, np.array([1.5, 11.5])), np.zeros(6, dtype=bool)
    )
    # First fold: 2 over 1, and under 5; second: 12 over 11.
    assert found["auroc"].terse.value == pytest.approx((0.5 + 1.0) / 2)
    assert found["auroc"].terse.n == 5
    assert math.isnan(found["auroc"].long.value)
    assert found["auroc"].long.n == 0
    assert math.isnan(found["auroc"].difference.low)


def test_verdicts_have_balanced_accuracy_alone():
    incorrect = [1, 0, 1, 0]
    found = length_conditioned(
        metrics_of(incorrect), OutOfFold(np.array([1.0, 0, 0, 0]), np.array([0.5]), True), np.zeros(4, bool)
    )
    assert found["balanced_accuracy"].terse.value == 0.75
    assert math.isnan(found["auroc"].terse.value)
    assert math.isnan(found["auroc"].terse.low)


def test_the_interval_is_of_draws_of_documents_and_paired():
    rng = np.random.default_rng(3)
    count = 80
    incorrect, is_long = rng.random(count) < 0.5, rng.random(count) < 0.5
    scores = incorrect * 0.7 + rng.normal(size=count)
    metrics = metrics_of(incorrect, draws=200)
    found = length_conditioned(metrics, OutOfFold(scores, np.array([0.3])), is_long)["auroc"]
    areas = []
    for weight in metrics.weights:
        parts = [
            roc_auc_score(incorrect[side], scores[side], sample_weight=weight[side])
            for side in (~is_long, is_long)
        ]
        areas.append((*parts, parts[1] - parts[0]))
    low, high = np.quantile(areas, (0.025, 0.975), axis=0)
    assert [one.low for one in found] == pytest.approx(low.tolist())
    assert [one.high for one in found] == pytest.approx(high.tolist())


def test_a_class_from_one_document_has_no_interval():
    incorrect = [1, 0, 0, 0]
    found = length_conditioned(
        metrics_of(incorrect), OutOfFold(np.array([4.0, 1, 2, 3]), np.array([3.5])), np.zeros(4, bool)
    )
    assert found["auroc"].terse.value == 1.0
    assert math.isnan(found["auroc"].terse.low)
