import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from lvqa_eval.metrics.bootstrap import scene_weights
from lvqa_eval.metrics.judges import (
    additive_fit,
    corrected_self_preference,
    cross_matrix,
    cross_sums,
    own_judges,
    raw_self_preference,
    self_preference,
)

NAN = np.nan
SEEDS = st.integers(0, 2**32 - 1)


def expectation(own, judges, delta, seed=0):
    """The matrix that the additive model with self-preferences `delta` expects, one for each own cell."""
    rng = np.random.default_rng(seed)
    matrix = 0.5 + rng.normal(0, 0.1, (len(own), 1)) + rng.normal(0, 0.1, judges)
    assistants = np.flatnonzero(own >= 0)
    matrix[assistants, own[assistants]] += delta
    return matrix


def closed_form(matrix):
    """Double centring and its correction for n models that are all assistants and judges."""
    n = len(matrix)
    residual = matrix - matrix.mean(1, keepdims=True) - matrix.mean(0, keepdims=True) + matrix.mean()
    raw = np.diag(residual)
    return raw, (raw - raw.mean() / (1 - 1 / n) / n) / (1 - 2 / n)


def planted_votes(delta, seed, per_assistant=2 * 93 * 12, models=11, scenes=93):
    """Votes with the marginals of the additive model; judges agree, since they look at the same answers.

    Whether judge j says that item i of assistant a is right hangs on one difficulty for all judges, part of
    which the scene shares over all assistants, and on the judge's own noise.
    """
    rng = np.random.default_rng(seed)
    share = 0.5 + np.linspace(-0.15, 0.15, models)[:, None] + np.linspace(0.05, -0.05, models)
    share = share + np.eye(models) * delta
    assistant_of = np.repeat(np.arange(models), per_assistant)
    scene_of = np.tile(np.arange(per_assistant) * scenes // per_assistant, models)
    difficulty = 0.3 * rng.normal(size=scenes)[scene_of] + 0.9 * rng.normal(size=len(scene_of))
    latent = difficulty + np.sqrt(0.1) * rng.normal(size=(models, len(scene_of)))
    votes = (latent < norm.ppf(share).T[:, assistant_of]).astype(np.int8)
    votes[rng.random(votes.shape) < 0.01] = -1
    return votes, assistant_of, scene_of


def planted_estimate(delta, seed):
    votes, assistant_of, scene_of = planted_votes(delta, seed)
    sums = cross_sums(votes, assistant_of, 11, scene_of, 93)
    return self_preference(sums, np.arange(11), scene_weights(93, draws=1000, seed=1))


def test_matrix_by_hand():
    # Items of assistants 0, 1, 0, 1, 1; judge 1 has no vote on any item of assistant 0.
    votes = np.array([[1, 0, 0, 1, 1], [-1, 1, -1, 1, -1], [1, -1, 1, 0, 0]], dtype=np.int8)
    matrix = cross_matrix(cross_sums(votes, np.array([0, 1, 0, 1, 1]), 2))
    np.testing.assert_allclose(matrix, [[0.5, NAN, 1.0], [2 / 3, 1.0, 0.0]])


def test_sums_by_scene_by_hand():
    votes = np.array([[1, 0, 1, -1], [0, 1, 1, 1]], dtype=np.int8)
    sums = cross_sums(votes, np.array([0, 0, 1, 0]), 2, np.array([0, 1, 1, 1]), 2)
    assert sums.totals.tolist() == [[[1, 0], [0, 2]], [[0, 1], [0, 1]]]
    assert sums.counts.tolist() == [[[1, 1], [1, 2]], [[0, 1], [0, 1]]]


@given(SEEDS)
def test_matrix_is_the_mean_vote_whatever_the_order_of_the_items(seed):
    rng = np.random.default_rng(seed)
    votes = rng.integers(-1, 2, (3, 20)).astype(np.int8)
    assistant_of, scene_of = rng.integers(0, 4, 20), rng.integers(0, 5, 20)
    order = rng.permutation(20)
    sums = cross_sums(votes[:, order], assistant_of[order], 4, scene_of[order], 5)
    found = cross_matrix(sums)
    for a in range(4):
        for j in range(3):
            here = votes[j, assistant_of == a]
            here = here[here >= 0]
            assert found[a, j] == (here.mean() if len(here) else pytest.approx(NAN, nan_ok=True))
    np.testing.assert_array_equal(found, cross_matrix(cross_sums(votes, assistant_of, 4)))


def test_residual_leniency_and_ability_by_hand():
    matrix = np.array([[0.5, 0.7], [0.2, 0.4], [0.2, 0.1]])
    fit = additive_fit(matrix)
    assert fit.grand == pytest.approx(0.35)
    assert fit.leniency == pytest.approx([-0.05, 0.05])
    assert fit.ability == pytest.approx([0.25, -0.05, -0.2])
    np.testing.assert_allclose(matrix - fit.expected, [[-0.05, 0.05], [-0.05, 0.05], [0.1, -0.1]], atol=1e-12)


@given(SEEDS)
def test_of_a_full_matrix_the_fit_is_double_centring(seed):
    matrix = np.random.default_rng(seed).random((5, 4))
    fit = additive_fit(matrix)
    rows, columns = matrix.mean(1, keepdims=True), matrix.mean(0, keepdims=True)
    np.testing.assert_allclose(matrix - fit.expected, matrix - rows - columns + matrix.mean(), atol=1e-12)
    np.testing.assert_allclose(fit.ability, (rows - matrix.mean())[:, 0], atol=1e-12)
    np.testing.assert_allclose(fit.leniency, (columns - matrix.mean())[0], atol=1e-12)


def test_a_missing_cell_does_not_bend_the_fit():
    """Means over what is there would call the assistant able whom the strict judge has not judged."""
    matrix = np.add.outer([0.3, 0.3, 0.3], [0.3, 0.0, -0.3])
    matrix[0, 2] = NAN
    fit = additive_fit(matrix)
    np.testing.assert_allclose(fit.ability, 0, atol=1e-12)
    assert fit.leniency == pytest.approx([0.3, 0.0, -0.3])
    assert fit.expected[0, 2] == pytest.approx(0.0)


def test_assistants_that_no_judge_has_in_common_are_not_compared():
    fit = additive_fit(np.array([[0.2, 0.4, NAN], [0.4, 0.6, NAN], [NAN, NAN, 0.9]]))
    assert np.isnan([fit.grand, *fit.ability, *fit.leniency]).all()
    np.testing.assert_allclose(fit.expected, [[0.2, 0.4, NAN], [0.4, 0.6, NAN], [NAN, NAN, 0.9]])
    # A row without any cell is no part of its own.
    fit = additive_fit(np.array([[0.2, 0.4], [0.4, 0.6], [NAN, NAN]]))
    assert fit.ability == pytest.approx([-0.1, 0.1, NAN], nan_ok=True)
    assert fit.leniency == pytest.approx([-0.1, 0.1])


def test_models_are_matched_by_name():
    assert own_judges(["a", "b", "c"], ["c", "x", "a"]).tolist() == [2, -1, 0]
    with pytest.raises(ValueError, match="judges: found x, y more than once, allowed: each model once"):
        own_judges(["a"], ["y", "x", "y", "x"])


def test_raw_self_preference_by_hand():
    """Of 0.9 on one of three models the raw estimate finds 0.9 (1 - 2/3) + 0.3 / 3 = 0.4."""
    own = np.arange(3)
    matrix = expectation(own, 3, [0.9, 0.0, 0.0])
    assert raw_self_preference(matrix, own) == pytest.approx([0.4, 0.1, 0.1])
    assert corrected_self_preference(matrix, own) == pytest.approx([0.9, 0.0, 0.0])


@given(SEEDS, st.integers(3, 12))
def test_the_corrected_estimate_is_the_closed_form_for_any_square_matrix(seed, n):
    matrix = np.random.default_rng(seed).random((n, n))
    raw, corrected = closed_form(matrix)
    np.testing.assert_allclose(raw_self_preference(matrix, np.arange(n)), raw, rtol=0, atol=1e-9)
    np.testing.assert_allclose(corrected_self_preference(matrix, np.arange(n)), corrected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("planted", [0.026, 0.129])
def test_an_expected_matrix_gives_back_what_was_planted_and_the_raw_estimate_less(planted):
    own = np.arange(11)
    for one in (False, True):
        delta = np.where(own == 4, planted, 0.0) if one else np.full(11, planted)
        matrix = expectation(own, 11, delta)
        np.testing.assert_allclose(corrected_self_preference(matrix, own), delta, rtol=0, atol=1e-9)
        raw = raw_self_preference(matrix, own)
        assert raw.mean() == pytest.approx((1 - 1 / 11) * delta.mean(), abs=1e-12)
        assert raw[4] == pytest.approx((1 - 2 / 11) * planted + delta.mean() / 11, abs=1e-12)
        assert raw[4] < 0.95 * planted


@given(SEEDS)
def test_judges_and_assistants_that_are_not_both(seed):
    """Assistants a to f, judges e, x, c, b: three own cells, and one cell was not judged."""
    own = own_judges("abcdef", "excb")
    assert own.tolist() == [-1, 3, 2, -1, 0, -1]
    delta = np.random.default_rng(seed).normal(0, 0.1, 3)
    matrix = expectation(own, 4, delta, seed)
    np.testing.assert_allclose(corrected_self_preference(matrix, own), delta, rtol=0, atol=1e-9)
    matrix[3, 1] = NAN
    np.testing.assert_allclose(corrected_self_preference(matrix, own), delta, rtol=0, atol=1e-9)
    matrix[1, 3] = NAN  # an own cell
    np.testing.assert_allclose(corrected_self_preference(matrix, own), [NAN, *delta[1:]], rtol=0, atol=1e-9)


@given(SEEDS)
def test_the_order_of_assistants_and_judges_changes_nothing(seed):
    rng = np.random.default_rng(seed)
    assistants, judges = list("abcdef"), list("excbg")
    matrix = rng.random((6, 5))
    rows, columns = rng.permutation(6), rng.permutation(5)
    own = own_judges(assistants, judges)
    shuffled = own_judges([assistants[i] for i in rows], [judges[j] for j in columns])
    for estimator in (raw_self_preference, corrected_self_preference):
        here = dict(zip(np.flatnonzero(own >= 0), estimator(matrix, own), strict=True))
        found = estimator(matrix[rows][:, columns], shuffled)
        there = dict(zip(rows[shuffled >= 0], found, strict=True))
        assert there == pytest.approx(here, abs=1e-9)


def test_two_models_alone_do_not_tell_their_self_preferences_apart():
    assert np.isnan(corrected_self_preference(np.array([[0.9, 0.5], [0.4, 0.8]]), np.arange(2))).all()


@pytest.mark.parametrize("planted", [0.026, 0.129])
def test_planted_self_preference_is_recovered_within_three_standard_errors(planted):
    found = planted_estimate(planted, seed=3)
    mean = found.corrected_mean
    assert abs(mean.value - planted) < 3 * mean.se
    assert 0 < mean.se < 0.003
    assert mean.low < planted < mean.high
    assert (np.abs(found.corrected.value - planted) < 3 * found.corrected.se).all()
    assert found.dropped == 0


def test_the_raw_estimate_of_a_planted_self_preference_is_biased():
    one = np.where(np.arange(11) == 7, 0.129, 0.0)
    shared, alone = planted_estimate(0.129, seed=3), planted_estimate(one, seed=4)
    assert shared.raw_mean.value + 3 * shared.raw_mean.se < 0.129
    assert shared.raw_mean.value == pytest.approx(0.129 * 10 / 11, abs=3 * shared.raw_mean.se)
    assert alone.raw.value[7] + 3 * alone.raw.se[7] < 0.129
    assert abs(alone.corrected.value[7] - 0.129) < 3 * alone.corrected.se[7]
    assert abs(alone.corrected_mean.value - 0.129 / 11) < 3 * alone.corrected_mean.se


def test_the_standard_error_is_the_spread_over_new_data():
    """Sixty data sets with new scenes: their spread has a relative error of 1 / sqrt(120), so 3 of it."""
    weights = scene_weights(30, draws=300, seed=1)
    means, errors = [], []
    for seed in range(60):
        votes, assistant_of, scene_of = planted_votes(0.05, seed, per_assistant=60, models=4, scenes=30)
        found = self_preference(cross_sums(votes, assistant_of, 4, scene_of, 30), np.arange(4), weights)
        means.append(found.corrected_mean.value)
        errors.append(found.corrected_mean.se)
    assert np.mean(errors) == pytest.approx(np.std(means, ddof=1), rel=3 / np.sqrt(120))


def test_draws_equal_estimates_on_resampled_items():
    votes, assistant_of, scene_of = planted_votes(0.1, seed=5, per_assistant=40, models=4, scenes=5)
    own = np.array([-1, 1, 2, 0])
    weights = scene_weights(5, draws=20, seed=2)
    sums = cross_sums(votes, assistant_of, 4, scene_of, 5)
    drawn = []
    for draw in weights.astype(int):
        items = np.concatenate([np.flatnonzero(scene_of == scene) for scene in np.repeat(range(5), draw)])
        again = cross_matrix(cross_sums(votes[:, items], assistant_of[items], 4))
        drawn.append(corrected_self_preference(again, own))
    found = self_preference(sums, own, weights)
    assert (found.assistants.tolist(), found.judges.tolist()) == ([1, 2, 3], [1, 2, 0])
    np.testing.assert_allclose(found.corrected.se, np.std(drawn, axis=0, ddof=1), rtol=1e-9)
    np.testing.assert_allclose(found.corrected_mean.se, np.std(np.mean(drawn, axis=1), ddof=1), rtol=1e-9)
    np.testing.assert_allclose(found.corrected.low, np.quantile(drawn, 0.025, axis=0), rtol=1e-9)


def test_draws_without_a_cell_are_dropped_and_counted():
    # Judge 0 saw assistant 2 in scene 0 alone, which a draw of three misses with probability (2/3)^3.
    votes, assistant_of, scene_of = planted_votes(0.1, seed=5, per_assistant=30, models=4, scenes=3)
    votes[0, (assistant_of == 2) & (scene_of != 0)] = -1
    weights = scene_weights(3, draws=500, seed=0)
    found = self_preference(cross_sums(votes, assistant_of, 4, scene_of, 3), np.arange(4), weights)
    assert found.dropped == (weights[:, 0] == 0).sum()
    assert np.isfinite(found.corrected.se).all()


def test_data_of_one_scene_have_no_standard_error():
    votes, assistant_of, _ = planted_votes(0.1, seed=5, per_assistant=30, models=4, scenes=3)
    found = self_preference(cross_sums(votes, assistant_of, 4), np.arange(4), scene_weights(1, 10))
    assert np.isfinite(found.corrected.value).all()
    assert np.isnan([found.corrected.se, found.corrected.low, found.raw.high]).all()
    assert np.isnan(found.corrected_mean.se)


def test_no_model_is_both():
    votes, assistant_of, scene_of = planted_votes(0.0, seed=5, per_assistant=30, models=4, scenes=3)
    sums = cross_sums(votes, assistant_of, 4, scene_of, 3)
    found = self_preference(sums, np.full(4, -1), scene_weights(3, 10))
    assert found.corrected.value.shape == (0,)
    assert np.isnan([found.corrected_mean.value, found.corrected_mean.se, found.raw_mean.low]).all()
