import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy as oracle

from lvqa_eval.detectors.signals import entropies, entropy
from lvqa_eval.runs.records import TokenLogprobs


def test_a_token_of_probability_zero_adds_nothing():
    assert entropy([0.0, -math.inf]) == 0.0


@given(st.lists(st.floats(0.001, 1.0), min_size=1, max_size=30))
def test_entropy_is_that_of_scipy(weights):
    total = sum(weights)
    assert entropy([math.log(w / total) for w in weights]) == pytest.approx(oracle(weights), abs=1e-12)


def test_without_alternatives_the_entropy_is_missing_not_zero():
    given_none = TokenLogprobs(("a", "b"), (-0.1, -0.2), ((), ()), (None, None))
    assert all(math.isnan(value) for value in entropies(given_none))
    one = TokenLogprobs(("a", "b"), (-0.1, -0.2), ((), (math.log(0.5),) * 2), (None, 0))
    assert [math.isnan(value) for value in entropies(one)] == [True, False]


def test_one_k_for_all_tokens_even_where_the_token_itself_came_on_top():
    half, small = math.log(0.5), math.log(0.01)
    logprobs = TokenLogprobs(("a", "b"), (half, small), ((half, half), (half, half, small)), (0, 2), ())
    assert entropies(logprobs) == pytest.approx([math.log(2), math.log(2)])
