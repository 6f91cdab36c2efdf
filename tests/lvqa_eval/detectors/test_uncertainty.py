import math

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from lvqa_eval.detectors.answers import Answer, Answers
from lvqa_eval.detectors.detector import DETECTORS
from lvqa_eval.detectors.signals import NATIVE, Signals, TokenSignals
from tests.support.scored_runs import conversation, question

NAMES = [
    "max_prob",
    "mean_prob",
    "log_likelihood",
    "log_likelihood_sum",
    "max_entropy",
    "mean_entropy",
    "perplexity",
    "weakest_token",
]
HALF, QUARTER = math.log(0.5), math.log(0.25)


def answers(count):
    items = [
        Answer(question(f"q{i}", f"s{i}"), conversation("full", f"q{i}"), incorrect=bool(i % 2))
        for i in range(count)
    ]
    return Answers("model", "full", "judge", tuple(items), {})


def tokens(logprobs, entropies=(), upper=None):
    entropies = np.array(entropies, dtype=np.float64)
    upper = entropies if upper is None else np.array(upper, dtype=np.float64)
    return TokenSignals(np.array(logprobs, dtype=np.float64), entropies, upper)


def read(name, *found):
    return DETECTORS.get(name)().read(answers(len(found)), Signals(NATIVE, tokens=found))


@pytest.mark.parametrize("name", NAMES)
def test_each_is_registered_under_its_own_name_and_reads_tokens(name):
    detector = DETECTORS.get(name)()
    assert (detector.name, detector.needs) == (name, "tokens")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("max_prob", [-0.5, -1.0]),
        ("mean_prob", [-0.375, -1.0]),
        ("log_likelihood", [1.5 * math.log(2), 0.0]),
        ("log_likelihood_sum", [3 * math.log(2), 0.0]),
        ("max_entropy", [1.25, 0.0]),
        ("mean_entropy", [0.75, 0.0]),
        ("perplexity", [1.5 * math.log(2), 0.0]),
        ("weakest_token", [2 * math.log(2), 0.0]),
    ],
)
def test_the_score_of_each_answer_and_none_without_tokens(name, expected):
    scored = read(name, tokens([HALF, QUARTER], [0.25, 1.25]), None, tokens([0.0], [0.0]), tokens([]))
    assert scored.values == pytest.approx([expected[0], math.nan, expected[1], math.nan], nan_ok=True)
    assert scored.values.dtype == np.float64
    assert not scored.binary
    assert scored.upper is None


def test_log_likelihood_and_perplexity_rank_alike_whatever_the_length():
    rng = np.random.default_rng(0)
    found = [tokens(-rng.exponential(size=rng.integers(1, 40))) for _ in range(200)]
    by_name = {name: read(name, *found).values for name in NAMES}
    incorrect = answers(200).incorrect
    area = {
        name: roc_auc_score(incorrect, values)
        for name, values in by_name.items()
        if not np.isnan(values).any()
    }
    assert area["log_likelihood"] == area["perplexity"]
    assert area["log_likelihood"] != area["log_likelihood_sum"]
    assert by_name["log_likelihood_sum"] == pytest.approx(
        by_name["log_likelihood"] * [len(one.logprobs) for one in found]
    )


@pytest.mark.parametrize(("name", "lower", "upper"), [("max_entropy", 1.0, 3.0), ("mean_entropy", 0.75, 2.0)])
def test_bounded_entropies_give_both_bounds(name, lower, upper):
    scored = read(name, tokens([HALF, HALF], [0.5, 1.0], [1.0, 3.0]), None)
    assert scored.values == pytest.approx([lower, math.nan], nan_ok=True)
    assert scored.upper == pytest.approx([upper, math.nan], nan_ok=True)


@pytest.mark.parametrize("name", ["max_entropy", "mean_entropy"])
def test_without_an_upper_bound_of_one_answer_there_is_none(name):
    scored = read(name, tokens([HALF], [0.5], [math.inf]), tokens([HALF], [0.5], [0.75]))
    assert scored.values.tolist() == [0.5, 0.5]
    assert scored.upper is None


def test_missing_tokens_are_left_out_of_means_and_leave_no_sum():
    found = tokens([HALF, math.nan], [math.nan, 1.0])
    assert read("mean_prob", found).values.tolist() == [-0.5]
    assert read("mean_entropy", found).values.tolist() == [1.0]
    assert np.isnan(read("log_likelihood_sum", found).values).all()
