"""What scores without information reach, by hand and by drawing them."""

import math

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from lvqa_eval.detectors.chance import auroc_span, balanced_accuracy_span
from lvqa_eval.detectors.detections import FoldFigures


def fold(n, incorrect):
    return FoldFigures(n, incorrect, None, None, None, None, None)


def test_the_neutral_band_of_a_thousand_answers():
    # One fold of 400 and 600: sd = sqrt(1001 / (12 * 400 * 600)) = .018643, 1.28155 of them.
    assert auroc_span([fold(1000, 400)]) == pytest.approx((0.5 - 0.023892, 0.5 + 0.023892), abs=1e-6)
    assert auroc_span([fold(1000, 400)], 0.95) == pytest.approx((0.463460, 0.536540), abs=1e-6)


def test_folds_add_their_variances_and_those_of_one_class_have_none():
    # Each fold: (10 + 1) / (12 * 5 * 5); the mean of two has half of it.
    half = 1.281552 * math.sqrt(11 / 300 / 2)
    assert auroc_span([fold(10, 5), fold(10, 5), fold(10, 0)]) == pytest.approx((0.5 - half, 0.5 + half))
    assert all(map(math.isnan, auroc_span([fold(10, 10)])))
    assert all(map(math.isnan, auroc_span([])))


def test_few_answers_cannot_leave_the_scale():
    assert auroc_span([fold(2, 1)], 0.999) == (0.0, 1.0)


def test_balanced_accuracy_of_calls_made_half_of_the_time():
    half = 1.281552 * math.sqrt((1 / 400 + 1 / 600) / 16)
    assert balanced_accuracy_span([fold(1000, 400)]) == pytest.approx((0.5 - half, 0.5 + half))


def test_four_in_five_drawn_scores_are_in_the_band():
    rng = np.random.default_rng(0)
    incorrect = np.arange(120) < 40
    low, high = auroc_span([fold(120, 40)])
    areas = np.array([roc_auc_score(incorrect, rng.random(120)) for _ in range(400)])
    assert ((areas > low) & (areas < high)).mean() == pytest.approx(0.8, abs=0.05)
