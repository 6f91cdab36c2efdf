import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from lvqa_eval.detectors.logistic import fit_logistic
from tests.support.probed_answers import noise, planted, verdicts

COSTS = (1e-3, 1e-2, 1e-1, 1.0)


@pytest.mark.parametrize("width", [8, 59, 60, 61, 300], ids="width {}".format)
def test_the_fit_is_that_of_plain_scikit_learn(width):
    """Also where states are wider than there are answers, and are fitted in the space that these span."""
    wrong = verdicts(60)
    states = 50 + 7 * planted(wrong, 1.0, width)
    states[:, 5] *= 300  # one feature far larger than others, as models have them
    others = 50 + 7 * noise(25, width, seed=9)
    for cost, fit in zip(COSTS, fit_logistic(states, wrong, COSTS), strict=True):
        head = LogisticRegression(C=cost, class_weight="balanced", tol=1e-10, max_iter=10_000)
        plain = make_pipeline(StandardScaler(), head).fit(states.astype(np.float64), wrong)
        expected = plain.decision_function(others.astype(np.float64))
        assert fit.score(others) == pytest.approx(expected, abs=1e-5)
        assert fit.intercept == pytest.approx(head.intercept_[0], abs=1e-5)


def test_a_feature_that_never_changes_tells_nothing():
    wrong = verdicts(30)
    states = planted(wrong, 2.0, width=40)
    states[:, 7] = 3.0
    (fit,) = fit_logistic(states, wrong, [0.1])
    assert (fit.scale[7], fit.weights[7]) == (1.0, 0.0)
    assert np.isfinite(fit.score(states)).all()


def test_states_that_are_all_alike_score_alike():
    wrong = verdicts(20)
    (fit,) = fit_logistic(np.ones((20, 30), np.float32), wrong, [1.0])
    # Balanced classes without information: even odds.
    assert fit.score(np.ones((2, 30))) == pytest.approx([0.0, 0.0], abs=1e-6)


def test_a_state_that_is_not_finite_has_no_score():
    wrong = verdicts(20)
    (fit,) = fit_logistic(noise(20, 5), wrong, [1.0])
    asked = noise(3, 5, seed=4)
    asked[0, 2], asked[2] = np.inf, np.nan
    assert np.isnan(fit.score(asked)).tolist() == [True, False, True]


def test_one_class_cannot_be_fitted():
    with pytest.raises(ValueError, match="class"):
        fit_logistic(noise(5, 3), np.ones(5, dtype=bool), [1.0])


def test_the_same_bytes_with_any_number_of_threads():
    wrong = verdicts(200)
    states = planted(wrong, 1.0, width=500)

    def scores(threads):
        with threadpool_limits(threads):
            return [fit.score(states).tobytes() for fit in fit_logistic(states, wrong, COSTS)]

    assert scores(1) == scores(2)
