"""The token scores against those of lm-polygraph, where it is installed.

    pip install --no-deps lm-polygraph

Without its dependencies only the modules with formulas can be imported; of the package around them stand-ins
are put, which have no formula. What it defines in another way is named in the tests.
"""

import importlib
import importlib.util
import math
import sys
from types import ModuleType

import numpy as np
import pytest
from scipy.stats import entropy as exact
from scipy.stats import spearmanr

from lvqa_eval.detectors import token_scores

SPEC = importlib.util.find_spec("lm_polygraph")
pytestmark = pytest.mark.skipif(
    SPEC is None, reason="lm-polygraph is not installed: pip install --no-deps lm-polygraph"
)


@pytest.fixture
def polygraph(monkeypatch):
    """Return what makes the class of a module of lm-polygraph, without what its packages import beside it."""
    folder = SPEC.submodule_search_locations[0]
    packages = [ModuleType(f"lm_polygraph{part}") for part in ("", ".estimators", ".stat_calculators")]
    for package in packages:
        package.__path__ = [folder + package.__name__.removeprefix("lm_polygraph").replace(".", "/")]
    common = ModuleType("lm_polygraph.utils.common")
    common.polygraph_module_init = lambda function: function  # the package's own writes a log
    model = ModuleType("lm_polygraph.utils.model")
    model.Model = model.WhiteboxModel = object
    for module in (*packages, ModuleType("lm_polygraph.utils"), common, model):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    yield lambda module, name: getattr(importlib.import_module(f"lm_polygraph.{module}"), name)()
    for name in [name for name in sys.modules if name.startswith("lm_polygraph")]:
        del sys.modules[name]


def distributions(count=40, vocabulary=200, seed=5):
    """Answers of 1 to 30 tokens, each with the log-probabilities of a whole vocabulary: lists of arrays."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 30, size=count)
    with np.errstate(divide="ignore"):
        return [np.log(rng.dirichlet(np.full(vocabulary, 10.0 ** rng.uniform(-2, 1)), size=n)) for n in sizes]


def drawn(answers):
    return [rows.max(axis=1) for rows in answers]


def ours(score, values):
    return np.array([score(one) for one in values])


def test_maximum_sequence_probability_is_the_sum(polygraph):
    theirs = polygraph("estimators.max_probability", "MaximumSequenceProbability")
    values = drawn(distributions())
    expected = theirs({"greedy_log_likelihoods": values})
    assert ours(token_scores.log_likelihood_sum, values) == pytest.approx(expected, rel=1e-12)
    # Not what is called max_prob here, which looks at one token.
    two = np.log([0.5, 0.25])
    assert theirs({"greedy_log_likelihoods": [two]})[0] == pytest.approx(3 * math.log(2))
    assert token_scores.max_prob(two) == pytest.approx(-0.5)


def test_perplexity_is_its_logarithm_there_as_here(polygraph):
    theirs = polygraph("estimators.perplexity", "Perplexity")
    values = drawn(distributions())
    expected = theirs({"greedy_log_likelihoods": values})
    assert ours(token_scores.log_perplexity, values) == pytest.approx(expected, rel=1e-12)
    assert ours(token_scores.log_likelihood, values) == pytest.approx(expected, rel=1e-12)
    assert theirs({"greedy_log_likelihoods": [np.array([-2.0])]})[0] == 2.0 != math.exp(2.0)


def test_entropies_of_whole_distributions_agree(polygraph):
    entropies = polygraph("stat_calculators.entropy", "EntropyCalculator")
    mean = polygraph("estimators.token_entropy", "MeanTokenEntropy")
    largest = polygraph("estimators.claim.token_entropy", "MaxTokenEntropyClaim")
    answers = distributions()
    found = entropies({"greedy_log_probs": answers})
    bounds = [token_scores.entropy_bounds(rows, vocabulary=200) for rows in answers]
    for (lower, upper), theirs in zip(bounds, found["entropy"], strict=True):
        assert lower == pytest.approx(theirs, abs=1e-9)
        assert upper == pytest.approx(theirs, abs=1e-9)
    lowers = [lower for lower, _ in bounds]
    assert ours(token_scores.mean_entropy, lowers) == pytest.approx(mean(found), abs=1e-9)
    assert ours(token_scores.max_entropy, lowers) == pytest.approx(
        [largest._reduce(one) for one in found["entropy"]], abs=1e-9
    )


def test_of_the_k_most_likely_it_takes_the_entropy_without_the_tail(polygraph):
    entropies = polygraph("stat_calculators.entropy", "EntropyCalculator")
    rows = np.sort(distributions(count=1, seed=1)[0], axis=1)[:, ::-1]
    top, true = rows[:, :5], exact(np.exp(rows), axis=1)
    cut = np.array(entropies({"greedy_log_probs": [top]})["entropy"][0])
    lower, upper = token_scores.entropy_bounds(top, vocabulary=200)
    assert (cut < lower).all()
    assert (lower <= true).all()
    assert (true <= upper).all()
    # Five tokens that have less and less beside a tail over 195: the more uncertain, the surer it holds them.
    tails = np.linspace(0.01, 0.4, 30)
    top = np.log(np.repeat((1 - tails)[:, None] / 5, 5, axis=1))
    cut = entropies({"greedy_log_probs": [top]})["entropy"][0]
    assert spearmanr(cut, tails).statistic == pytest.approx(-1.0)
    assert spearmanr(token_scores.entropy_bounds(top, vocabulary=200)[0], tails).statistic == pytest.approx(
        1.0
    )


def test_it_averages_what_stands_for_a_missing_value(polygraph):
    theirs = polygraph("estimators.perplexity", "Perplexity")
    values = np.array([-0.5, -9999.0])
    assert theirs({"greedy_log_likelihoods": [values]})[0] == pytest.approx(4999.75)
    assert token_scores.log_perplexity(values) == 0.5
