import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score, roc_auc_score, roc_curve

from lvqa_eval.metrics.thresholds import balanced_accuracy_at, sweep


def test_no_point_lies_inside_a_block_of_equal_scores():
    found = sweep([0.2, 0.2, 0.7, 0.7], [False, True, False, True])
    points = list(zip(found.false_positive_rate, found.true_positive_rate, strict=True))
    assert points == [(0, 0), (0.5, 0.5), (1, 1)]
    assert found.threshold.tolist() == [np.inf, 0.7, 0.2]
    assert found.auroc == 0.5
    assert found.true_positive_rate_at(0.0) == 0.0


def test_the_best_cut_by_hand():
    # At .6 two of three positives and no negative are called: (2/3 + 1) / 2.
    found = sweep([0.9, 0.6, 0.5, 0.4, 0.1], [True, True, False, True, False])
    assert found.cut == 0.55
    assert found.balanced_accuracy.max() == pytest.approx(5 / 6)
    assert found.true_positive_rate_at(0.5) == 1.0


@pytest.mark.parametrize("positive", [True, False])
def test_one_class_has_no_curve(positive):
    found = sweep([0.1, 0.2, 0.3], [positive] * 3)
    assert np.isnan([found.auroc, found.cut]).all()
    assert np.isnan(found.balanced_accuracy).all()
    assert np.isnan(balanced_accuracy_at(0.2, [0.1, 0.3], [positive] * 2))


def test_of_equally_good_cuts_the_middle_one_is_taken():
    # Below each positive one third less two thirds of a fourth: cuts at 5.5, 3.5 and 1.5 are equally good.
    found = sweep([6, 5, 4, 3, 2, 1], [True, False, True, False, True, False])
    assert found.cut == 3.5
    # Of two equally good ones, at 3.5 and 1.5, the lower.
    assert sweep([4, 3, 2, 1], [True, False, True, False]).cut == 1.5


def test_a_cut_parts_the_scores_even_where_none_is_better_than_calling_all():
    # The wrong way round no cut is better than none, but who calls all or nothing is no detector.
    assert sweep([3, 2, 1], [False, True, True]).cut == 1.5
    assert sweep([0.7, 0.7], [True, False]).cut == 0.7


@pytest.mark.parametrize("low", [1.0, 0.1, -1e308, 5e-324])
def test_a_cut_between_neighbouring_numbers_keeps_them_apart(low):
    high = np.nextafter(low, np.inf)
    found = sweep([low, high], [False, True])
    assert low < found.cut <= high
    assert sweep([-1.7e308, 1.7e308], [False, True]).cut == 0.0


def test_nothing_to_sweep():
    found = sweep([], [])
    assert found.threshold.tolist() == [np.inf]
    assert np.isnan(found.auroc)


def test_scores_that_are_no_numbers_are_refused():
    with pytest.raises(ValueError, match=r"found nan \(1 such\), allowed: finite"):
        sweep([0.1, np.nan], [True, False])


def test_a_threshold_from_elsewhere_keeps_its_direction():
    assert balanced_accuracy_at(0.5, [0.9, 0.8, 0.1, 0.2], [False, False, True, True]) == 0.0
    assert balanced_accuracy_at(0.5, [0.9, 0.5, 0.1], [True, True, False]) == 1.0


@settings(max_examples=25)
@given(st.data())
def test_agrees_with_scikit_learn(data):
    count = data.draw(st.integers(2, 25))
    grid = st.sampled_from([0.0, 0.2, 0.25, 0.5, 1.0])
    scores = np.array(data.draw(st.lists(grid, min_size=count, max_size=count)))
    marks = np.array(
        data.draw(st.lists(st.booleans(), min_size=count, max_size=count).filter(lambda y: len({*y}) == 2))
    )
    found = sweep(scores, marks)
    false, true, thresholds = roc_curve(marks, scores, drop_intermediate=False)
    np.testing.assert_allclose(found.false_positive_rate, false, atol=1e-9)
    np.testing.assert_allclose(found.true_positive_rate, true, atol=1e-9)
    assert found.threshold.tolist() == thresholds.tolist()
    assert found.auroc == pytest.approx(roc_auc_score(marks, scores), abs=1e-9)
    for threshold, balanced in zip(found.threshold, found.balanced_accuracy, strict=True):
        expected = balanced_accuracy_score(marks, scores >= threshold)
        assert balanced == pytest.approx(expected, abs=1e-9)
        assert balanced_accuracy_at(threshold, scores, marks) == pytest.approx(expected, abs=1e-9)
    parting = found.balanced_accuracy[1:-1]
    expected = parting.max() if len(parting) else 0.5
    assert balanced_accuracy_score(marks, scores >= found.cut) == pytest.approx(expected, abs=1e-9)
