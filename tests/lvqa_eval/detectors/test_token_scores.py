import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy as oracle
from scipy.stats import spearmanr

from lvqa_eval.detectors.token_scores import (
    VocabularyError,
    entropy_bounds,
    known,
    log_likelihood,
    log_likelihood_sum,
    log_perplexity,
    max_entropy,
    max_prob,
    mean_entropy,
    mean_prob,
    weakest_token,
)

HALF, QUARTER, EIGHTH = math.log(0.5), math.log(0.25), math.log(0.125)
LN2 = math.log(2)


def array(*values):
    return np.array(values, dtype=np.float64)


def bounds(*top, vocabulary=None, ranked=True):
    """The bounds of one token whose k most likely have these probabilities."""
    row = [math.log(p) if p else -math.inf for p in top]
    lower, upper = entropy_bounds(array(row), vocabulary, np.array([ranked]))
    return lower[0], upper[0]


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        (max_prob, -0.5),
        (mean_prob, -(0.5 + 0.25 + 0.125) / 3),
        (log_likelihood, 2 * LN2),
        (log_likelihood_sum, 6 * LN2),
        (log_perplexity, 2 * LN2),
        (weakest_token, 3 * LN2),
        (max_entropy, 1.75),
        (mean_entropy, 1.0),
    ],
)
def test_each_score_of_three_tokens(score, expected):
    values = array(1.75, 0.25, 1.0) if "entropy" in score.__name__ else array(QUARTER, HALF, EIGHTH)
    assert score(values) == pytest.approx(expected, abs=1e-15)


def test_perplexity_is_stored_as_its_logarithm():
    values = array(-1.0, -2.0, -6.0)
    assert log_perplexity(values) == 3.0 == math.log(math.exp(3.0))
    assert math.isfinite(log_perplexity(array(-99.0) + np.zeros(9)))


def test_a_certain_answer_scores_plain_zeros():
    for score in (log_likelihood, log_likelihood_sum, log_perplexity, weakest_token):
        assert math.copysign(1.0, score(array(0.0, 0.0))) == 1.0
        assert score(array(0.0, 0.0)) == 0.0
    assert max_prob(array(0.0)) == mean_prob(array(0.0)) == -1.0


SCORES = [max_prob, mean_prob, log_likelihood, log_perplexity, weakest_token]


@pytest.mark.parametrize("score", [*SCORES, log_likelihood_sum, max_entropy, mean_entropy])
def test_an_answer_without_tokens_or_without_a_known_one_has_no_score(score):
    assert math.isnan(score(array()))
    assert math.isnan(score(array(math.nan, math.nan)))


@pytest.mark.parametrize("missing", [-9999.0, -100.0, -10000.5, -math.inf, math.inf, math.nan, 0.7])
@pytest.mark.parametrize("score", SCORES)
def test_what_stands_for_a_missing_value_is_never_averaged(score, missing):
    assert score(array(HALF, missing, QUARTER)) == score(array(HALF, QUARTER))
    assert math.isnan(score(array(missing)))
    assert math.isnan(log_likelihood_sum(array(HALF, missing)))


def test_missing_entropies_are_left_out():
    assert mean_entropy(array(0.5, math.nan, 1.5)) == 1.0
    assert max_entropy(array(0.5, math.nan, 1.5)) == 1.5
    assert mean_entropy(array(0.5, math.inf)) == math.inf


def test_a_positive_value_is_refused_and_rounding_is_zero():
    assert np.array_equal(known([0.7, -0.2]), [math.nan, -0.2], equal_nan=True)
    assert np.array_equal(known([1e-9, 2e-6, None, -99.9]), [0.0, math.nan, math.nan, -99.9], equal_nan=True)
    assert log_likelihood(array(0.7, -0.2)) == 0.2


def test_bounds_of_two_known_probabilities():
    # h = -.5 log .5 - .2 log .2; the tail .3 is one and a half tokens of .2, or ten of .03.
    h = 0.5 * LN2 - 0.2 * math.log(0.2)
    lower, upper = bounds(0.5, 0.2, vocabulary=12)
    assert lower == pytest.approx(h - 0.3 * math.log(0.2))
    assert upper == pytest.approx(h - 0.3 * math.log(0.3) + 0.3 * math.log(10))
    assert upper == pytest.approx(oracle([0.5, 0.2, *[0.03] * 10]))
    # A tail smaller than the least of the k may be one token.
    lower, _ = bounds(0.6, 0.3, vocabulary=12)
    assert lower == pytest.approx(oracle([0.6, 0.3, 0.1]))


def test_a_token_of_probability_zero_adds_nothing():
    assert bounds(1.0, 0.0) == (0.0, 0.0)
    assert bounds(1.0, 0.0, vocabulary=50_000) == (0.0, 0.0)


def test_without_a_tail_both_bounds_are_the_entropy():
    assert bounds(0.5, 0.25, 0.25) == pytest.approx((1.5 * LN2, 1.5 * LN2))
    assert bounds(0.25, 0.25, 0.25, 0.25, vocabulary=100) == pytest.approx((2 * LN2, 2 * LN2))


def test_a_tail_that_rounding_made_negative_is_none():
    top = np.round([math.log(0.7), math.log(0.3)], 5) + 1e-5
    assert np.exp(top).sum() > 1
    lower, upper = entropy_bounds(top[None, :])
    assert lower[0] == upper[0] == pytest.approx(oracle([0.7, 0.3]), abs=1e-4)


def test_a_vocabulary_that_is_listed_whole_leaves_no_tail_whatever_rounding_says():
    lower, upper = bounds(0.6, 0.39999, vocabulary=2)
    assert lower == upper == pytest.approx(oracle([0.6, 0.4]), abs=1e-4)
    assert bounds(1.0, vocabulary=1) == (0.0, 0.0)
    assert bounds(0.99999, vocabulary=1) == pytest.approx((0.0, 0.0), abs=1e-4)


def test_one_token_left_out_is_known_by_its_tail():
    assert bounds(0.7, vocabulary=2) == pytest.approx((oracle([0.7, 0.3]),) * 2)


def test_bounds_that_rounding_turned_round_meet():
    # Of three tokens two are listed; .20001 is more than the least of them can leave to one.
    lower, upper = bounds(0.6, 0.19999, vocabulary=3)
    assert lower <= upper
    assert (lower, upper) == pytest.approx((oracle([0.6, 0.2, 0.2]),) * 2, abs=1e-4)


def test_without_the_size_of_the_vocabulary_a_tail_has_no_upper_bound():
    lower, upper = bounds(0.5, 0.25)
    assert lower == pytest.approx(1.5 * LN2)
    assert upper == math.inf


def test_without_alternatives_entropy_is_missing_not_zero():
    none = np.full((3, 0), np.nan)
    assert all(np.isnan(bound).all() for bound in entropy_bounds(none, 100))
    lower, upper = entropy_bounds(np.array([[math.nan, math.nan], [HALF, HALF]]))
    assert np.isnan(lower).tolist() == np.isnan(upper).tolist() == [True, False]
    assert lower[1] == upper[1] == pytest.approx(LN2)


def test_probabilities_of_more_than_one_are_no_distribution():
    assert np.isnan(bounds(0.9, 0.9, vocabulary=9)).all()


def test_what_is_not_the_most_likely_does_not_bound_the_others():
    assert bounds(0.1, ranked=False)[0] == pytest.approx(oracle([0.1, 0.9]))
    assert bounds(0.1)[0] == pytest.approx(math.log(10))


def test_a_vocabulary_smaller_than_the_list_is_refused():
    with pytest.raises(VocabularyError, match="found 1 tokens, allowed: at least the 2"):
        bounds(0.5, 0.25, vocabulary=1)


@pytest.mark.parametrize("rounded", [False, True])
def test_the_true_entropy_lies_between_the_bounds_of_ten_thousand_distributions(rounded):
    rng = np.random.default_rng(20)
    slack = 1e-3 if rounded else 1e-9
    tails, seen = [], 0
    for size in rng.integers(1, 60, size=100):
        # From all but certain to flat, some with tokens of probability zero.
        concentration = 10.0 ** rng.uniform(-2, 2)
        p = np.sort(rng.dirichlet(np.full(size, concentration), size=100), axis=1)[:, ::-1]
        k = int(rng.integers(1, size + 1))
        with np.errstate(divide="ignore"):
            top = np.log(p[:, :k])
        top = np.round(top, 5) if rounded else top
        lower, upper = entropy_bounds(top, int(size))
        true = oracle(p, axis=1)
        assert (lower <= upper).all()
        assert (lower <= true + slack).all()
        assert (true <= upper + slack).all()
        assert np.array_equal(entropy_bounds(top)[0] <= true + slack, np.ones(100, dtype=bool))
        tails += list(1 - p[:, :k].sum(axis=1))
        seen += len(p)
    assert seen == 10_000
    assert min(tails) < 1e-9
    assert max(tails) > 0.8


@given(st.lists(st.floats(0.001, 1.0), min_size=1, max_size=30))
def test_bounds_of_a_whole_distribution_are_the_entropy_of_scipy(weights):
    total = sum(weights)
    lower, upper = bounds(*(w / total for w in weights), vocabulary=len(weights))
    assert lower == upper == pytest.approx(oracle(weights), abs=1e-9)


def test_cutting_the_tail_off_turns_a_ranking_round_that_the_bounds_keep():
    # The heavier the tail over 500 tokens, the less is left of the five that are listed.
    tails = np.linspace(0.01, 0.4, 30)
    p = np.array([[*[(1 - tail) / 5] * 5, *[tail / 500] * 500] for tail in tails])
    true, top = oracle(p, axis=1), np.log(p[:, :5])
    cut = -(np.exp(top) * top).sum(axis=1)
    lower, upper = entropy_bounds(top, 505)
    assert spearmanr(cut, true).statistic == pytest.approx(-1.0)
    assert spearmanr(lower, true).statistic == pytest.approx(1.0)
    assert upper == pytest.approx(true)
