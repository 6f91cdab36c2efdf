from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, balanced_accuracy_score, roc_auc_score

from lvqa_eval.detectors import fold_metrics as module
from lvqa_eval.detectors.fold_metrics import (
    OutOfFold,
    balanced_accuracies,
    over_folds,
    random_average_precision,
    rankings,
)
from tests.support.detectors import metrics_of

NAN = np.nan


@settings(max_examples=15)
@given(st.data())
def test_every_draw_is_what_scikit_learn_says_of_weighted_answers(data):
    count = data.draw(st.integers(4, 25))
    marks = st.lists(st.booleans(), min_size=count, max_size=count).filter(lambda y: len({*y}) == 2)
    values = np.array(
        data.draw(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=count, max_size=count))
    )
    wrong = np.array(data.draw(marks))
    clusters = np.array(data.draw(st.lists(st.integers(0, 5), min_size=count, max_size=count)))
    weights = np.random.default_rng(0).integers(0, 4, (4, 6)).astype(float)
    areas = rankings(values, wrong, clusters, weights)
    balanced = balanced_accuracies(values >= 0.4, wrong, clusters, weights)
    for draw, weight in enumerate(weights[:, clusters]):
        drawn = weight > 0
        if len({*wrong[drawn]}) < 2:
            assert np.isnan([*areas[:, draw], balanced[draw]]).all()
            continue
        what = {"y_true": wrong[drawn], "sample_weight": weight[drawn]}
        assert areas[0, draw] == pytest.approx(roc_auc_score(y_score=values[drawn], **what), abs=1e-12)
        precision = average_precision_score(y_score=values[drawn], **what)
        assert areas[1, draw] == pytest.approx(precision, abs=1e-12)
        expected = balanced_accuracy_score(y_pred=values[drawn] >= 0.4, **what)
        assert balanced[draw] == pytest.approx(expected, abs=1e-12)


def test_equal_scores_are_one_step_of_the_curve():
    wrong = np.array([False, True, False, True])
    auroc, precision = rankings(np.array([0.2, 0.2, 0.7, 0.7]), wrong, np.arange(4), np.ones((1, 4)))[:, 0]
    assert (auroc, precision) == (0.5, 0.5)


def test_many_draws_are_summed_up_in_parts(monkeypatch):
    rng = np.random.default_rng(1)
    values, wrong = rng.integers(0, 9, 40).astype(float), rng.random(40) < 0.4
    clusters = rng.integers(0, 8, 40)
    weights = rng.integers(0, 3, (50, 8)).astype(float)
    whole = rankings(values, wrong, clusters, weights)
    monkeypatch.setattr(module, "_AT_ONCE", 7 * 40)
    parts = rankings(values, wrong, clusters, weights)
    np.testing.assert_allclose(whole, parts, rtol=1e-12)


def test_a_fold_of_one_class_has_no_measure_and_the_mean_goes_over_the_others():
    """Not 0.0, which would pull the mean down unseen: (.8 + .6) / 2 over two of three folds."""
    assert over_folds(np.array([[0.8, NAN, 0.6]])) == pytest.approx([0.7])
    assert np.isnan(over_folds(np.array([[NAN, NAN]]))[0])
    wrong = [True, False, True, True, True, False]
    _, metrics = metrics_of(wrong, [0, 0, 1, 1, 2, 2])
    scores = OutOfFold(np.array([0.9, 0.1, 0.9, 0.1, 0.1, 0.9]), np.full(3, 0.5))
    every = np.ones(6, dtype=bool)
    found = metrics.measured(scores, every)
    assert found[:, 0].tolist() == [1, 1, 1]
    assert np.isnan(found[:, 1]).all()
    assert found[:, 2].tolist() == [0, 0, 0.5]


def test_verdicts_have_no_ranking_and_a_fold_without_a_cut_no_balanced_accuracy():
    _, metrics = metrics_of([True, False, True, False], [0, 0, 1, 1])
    found = metrics.measured(OutOfFold(np.array([1.0, 0, 0, 0]), np.full(2, 0.5), True), np.ones(4, bool))
    assert found[0].tolist() == [1.0, 0.5]
    assert np.isnan(found[1:]).all()
    found = metrics.measured(OutOfFold(np.array([1.0, 0, 0, 1]), np.array([NAN, 0.5])), np.ones(4, bool))
    assert np.isnan(found[0, 0])
    assert found[1].tolist() == [1.0, 0.0]


def test_draws_are_of_documents_within_all_answers():
    """The oracle repeats the answers of each document as often as it was drawn, one draw after the other."""
    rng = np.random.default_rng(3)
    clusters = np.repeat(np.arange(20), 3)
    wrong, values, fold_of = rng.random(60) < 0.5, np.round(rng.normal(size=60), 1), np.repeat([0, 1], 30)
    _, metrics = metrics_of(wrong, fold_of, clusters, draws=8)
    drawn = metrics.drawn(OutOfFold(values, np.zeros(2)), np.ones(60, dtype=bool))
    for draw, weight in enumerate(metrics.weights):
        for fold in (0, 1):
            again = np.repeat(np.arange(60), weight[clusters].astype(int) * (fold_of == fold))
            expected = (
                balanced_accuracy_score(wrong[again], values[again] >= 0),
                roc_auc_score(wrong[again], values[again]),
                average_precision_score(wrong[again], values[again]),
            )
            assert drawn[:, fold, draw] == pytest.approx(expected, abs=1e-12)


def test_a_class_of_one_document_has_no_spread():
    _, metrics = metrics_of([True, True, False, False], [0, 1, 0, 1], [0, 0, 1, 2])
    assert not metrics.has_spread(np.ones(4, dtype=bool))
    _, metrics = metrics_of([True, True, False, False], [0, 1, 0, 1], [0, 1, 1, 2])
    assert metrics.has_spread(np.ones(4, dtype=bool))
    assert not metrics.has_spread(np.array([True, False, True, True]))


@pytest.mark.parametrize(("n", "incorrect"), [(1, 1), (2, 1), (5, 2), (6, 1), (7, 7), (8, 3)])
def test_a_random_average_precision_is_the_mean_over_all_orders(n, incorrect):
    orders = []
    for places in combinations(range(n), incorrect):
        labels = np.isin(np.arange(n), places)
        orders.append(average_precision_score(labels, -np.arange(n)))
    assert random_average_precision(n, incorrect) == pytest.approx(np.mean(orders), abs=1e-12)


def test_a_random_average_precision_lies_above_the_share_of_incorrect_answers():
    rng = np.random.default_rng(4)
    labels = np.arange(200) < 60
    alone, once = np.arange(200), np.ones((1, 200))
    drawn = [rankings(rng.random(200), labels, alone, once)[1, 0] for _ in range(400)]
    exact, harmonic = random_average_precision(200, 60), (1 / np.arange(1, 201)).sum()
    assert exact == pytest.approx(0.3 + 0.7 * harmonic / 200, abs=0.004)
    assert abs(np.mean(drawn) - exact) < 3 * np.std(drawn) / 20
    assert np.isnan(random_average_precision(5, 0))
