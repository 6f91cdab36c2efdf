import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from lvqa_eval.metrics.bootstrap import (
    SceneSums,
    bootstrap,
    percentile_interval,
    replicates,
    scene_sums,
    scene_weights,
)

NAN = np.nan


def singletons(values):
    """Each value is the only one of its scene."""
    return scene_sums(np.array(values, dtype=float)[:, None], np.arange(len(values)), len(values))


def random_scores(seed, cells=3, questions=20, runs=3, scenes=7):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 2, (cells, questions, runs)).astype(float)
    values[rng.random(values.shape) < 0.15] = NAN
    scene_of = np.concatenate([np.arange(scenes), rng.integers(scenes, size=questions - scenes)])
    return values, scene_of


def test_weights_are_draws_with_replacement():
    weights = scene_weights(scenes=93, draws=4000, seed=1)
    assert weights.shape == (4000, 93)
    assert (weights.sum(axis=1) == 93).all()
    # Multinomial(93, 1/93): variance 1 - 1/93, covariance -1/93; five standard errors of 4000 draws.
    assert weights.mean() == 1.0
    assert weights[:, 0].var() == pytest.approx(1 - 1 / 93, abs=5 * math.sqrt(3 / 4000))
    assert np.cov(weights[:, 0], weights[:, 1])[0, 1] == pytest.approx(-1 / 93, abs=5 / math.sqrt(4000))


def test_the_same_seed_gives_the_same_draws():
    assert (scene_weights(9, 50, seed=3) == scene_weights(9, 50, seed=3)).all()
    assert (scene_weights(9, 50, seed=3) != scene_weights(9, 50, seed=4)).any()


def test_no_scene_and_no_draw_are_refused():
    with pytest.raises(ValueError, match="found 0 scenes and 2000 draws, allowed: at least 1 of each"):
        scene_weights(0)
    with pytest.raises(ValueError, match="found 3 scenes and 0 draws"):
        scene_weights(3, draws=0)


def test_sums_of_scenes_by_hand():
    values = np.array([[1, 0, NAN], [1, 1, 1], [NAN, NAN, NAN]])
    sums = scene_sums(values, np.array([1, 0, 1]), 3)
    assert sums.totals.tolist() == [3, 1, 0]
    assert sums.counts.tolist() == [3, 2, 0]


def test_replicates_by_hand():
    sums = SceneSums(np.array([[3.0, 1.0]]), np.array([[3.0, 2.0]]))
    drawn = replicates(sums, np.array([[1.0, 1.0], [2.0, 0.0], [0.0, 2.0]]))
    assert drawn.tolist() == [[0.8, 1.0, 0.5]]


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1))
def test_equal_to_drawing_the_scenes_one_by_one(seed):
    values, scene_of = random_scores(seed)
    weights = scene_weights(7, draws=12, seed=seed)
    paired = values - values[:1]
    found = replicates(scene_sums(np.stack([values, paired]), scene_of, 7), weights)
    for group, cells in zip(found, (values, paired), strict=True):
        for drawn, cell in zip(group, cells, strict=True):
            for replicate, weight in zip(drawn, weights, strict=True):
                sample = [
                    cell[scene_of == scene].ravel()
                    for scene, times in enumerate(weight.astype(int))
                    for _ in range(times)
                ]
                kept = np.concatenate(sample)
                kept = kept[~np.isnan(kept)]
                expected = kept.mean() if len(kept) else NAN
                np.testing.assert_allclose(replicate, expected, rtol=0, atol=1e-12)


def test_agrees_with_scipy_where_every_scene_has_one_value():
    values = np.random.default_rng(5).gamma(2.0, size=60)
    draws = 20_000
    found = bootstrap(singletons(values), scene_weights(60, draws, seed=1)).at()
    oracle = stats.bootstrap(
        (values,), np.mean, n_resamples=draws, method="percentile", rng=np.random.default_rng(2)
    )
    # An end of the interval is itself an estimate: its standard error is that of the mean times
    # sqrt(.025 * .975 / draws) / .0584, the normal density at 1.96. Two of them differ; five standard errors.
    end_error = oracle.standard_error * math.sqrt(0.025 * 0.975 / draws) / 0.0584
    tolerance = 5 * math.sqrt(2) * end_error
    assert found.value == pytest.approx(values.mean())
    assert found.low == pytest.approx(oracle.confidence_interval.low, abs=tolerance)
    assert found.high == pytest.approx(oracle.confidence_interval.high, abs=tolerance)
    assert tolerance < 0.1 * (found.high - found.low)


@given(st.permutations(range(20)), st.integers(0, 2**32 - 1))
def test_the_order_of_the_questions_changes_nothing(order, seed):
    values, scene_of = random_scores(seed)
    weights = scene_weights(7, draws=30)
    here = bootstrap(scene_sums(values, scene_of, 7), weights)
    there = bootstrap(scene_sums(values[:, order], scene_of[list(order)], 7), weights)
    for field in ("value", "low", "high", "n", "scenes", "dropped"):
        np.testing.assert_array_equal(getattr(here, field), getattr(there, field))


def test_percentiles_are_those_of_numpy_and_leave_nan_out():
    drawn = np.random.default_rng(0).random((5, 101))
    drawn[1, ::3] = NAN
    drawn[2, 1:] = NAN
    drawn[3] = NAN
    low, high = percentile_interval(drawn, level=0.9)
    for row in (0, 1, 2, 4):
        assert low[row] == pytest.approx(np.nanquantile(drawn[row], 0.05), abs=1e-12)
        assert high[row] == pytest.approx(np.nanquantile(drawn[row], 0.95), abs=1e-12)
    assert np.isnan(low[3])
    assert np.isnan(high[3])


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_constant_data_give_an_interval_without_width(value):
    """No exception and no NaN for a perfect score and for a score of zero."""
    found = bootstrap(singletons([value] * 12), scene_weights(12)).at()
    assert (found.value, found.low, found.high) == (value, value, value)


def test_a_paired_difference_is_drawn_in_pairs():
    """B is A plus one on each of forty items, so the difference is one, without doubt."""
    a = np.random.default_rng(3).normal(0, 10, 40)
    found = bootstrap(singletons((a + 1) - a), scene_weights(40)).at()
    assert found.low == pytest.approx(1.0)
    assert found.high == pytest.approx(1.0)


def test_a_pair_counts_where_both_sides_are_valid():
    a = np.array([[1, NAN, 1, 0]]).T
    b = np.array([[0, 1, NAN, 0]]).T
    found = bootstrap(scene_sums(a - b, np.arange(4), 4), scene_weights(4)).at()
    assert found.value == 0.5
    assert found.n == 2


def test_data_of_one_scene_have_no_interval():
    values = np.array([[1.0, 0.0], [1.0, 1.0]])
    alone = bootstrap(scene_sums(values, np.array([0, 0]), 1), scene_weights(1)).at()
    assert alone.value == 0.75
    assert np.isnan([alone.low, alone.high]).all()
    # The set has three scenes, but this cell has data in one.
    one_of_three = bootstrap(scene_sums(values, np.array([0, 0]), 3), scene_weights(3)).at()
    assert np.isnan([one_of_three.low, one_of_three.high]).all()
    assert one_of_three.scenes == 1


def test_draws_without_a_datum_are_dropped_and_counted():
    # Two of four scenes have data; a draw misses both with probability (2/4)^4 = 1/16.
    sums = SceneSums(np.array([1.0, 0.0, 0.0, 0.0]), np.array([1.0, 1.0, 0.0, 0.0]))
    weights = scene_weights(4, draws=1600, seed=0)
    found = bootstrap(sums, weights).at()
    assert found.dropped == int((weights[:, :2].sum(axis=1) == 0).sum())
    assert 50 < found.dropped < 150
    assert (found.low, found.high) == (0.0, 1.0)


def test_nothing_valid_is_no_figure():
    found = bootstrap(scene_sums(np.full((2, 1), NAN), np.array([0, 1]), 2), scene_weights(2, 10)).at()
    assert np.isnan([found.value, found.low, found.high]).all()
    assert (found.n, found.scenes, found.dropped) == (0, 0, 10)
