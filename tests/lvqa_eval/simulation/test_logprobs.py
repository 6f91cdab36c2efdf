import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lvqa_eval.runs.objects import encode
from lvqa_eval.simulation.logprobs import parse_logprobs, prompt_logprobs
from lvqa_eval.simulation.replies import parse_reply

CASES = Path(__file__).resolve().parents[2] / "cases"


def entry(token, value, *top):
    return {"token": token, "logprob": value, "top_logprobs": [{"token": t, "logprob": v} for t, v in top]}


def parsed(*entries):
    return parse_logprobs({"logprobs": {"content": list(entries)}})


def test_minus_infinity_under_any_name_has_no_value_and_is_flagged():
    choice = {"logprobs": json.loads((CASES / "logprobs_eos_9999.json").read_text())}
    found = parse_logprobs(choice)
    assert found.tokens == ("{", "}", "")
    assert found.logprobs == (-0.02, 0.0, None)
    assert found.top == ((-0.02, -4.0), (0.0,), ())
    assert found.chosen == (0, 0, None)
    assert found.flags == ("no alternatives", "no value")
    line = encode({"logprobs": found})
    assert b"NaN" not in line
    assert b"nfinity" not in line


@pytest.mark.parametrize("value", [-math.inf, math.nan, None, -9999.0, -10000.5, True, "x"])
def test_what_is_no_finite_value_is_none(value):
    assert parsed(entry("a", value, ("a", value))).logprobs == (None,)
    assert parsed(entry("a", value, ("a", value))).top == ((),)


def test_a_positive_log_probability_is_refused_and_marked_and_rounding_is_zero():
    found = parsed(entry("a", 0.7, ("a", 0.7)), entry("b", -0.2), entry("c", 1e-9, ("c", 1e-9)))
    assert found.logprobs == (None, -0.2, 0.0)
    assert found.top == ((), (), (0.0,))
    assert "positive" in found.flags


def test_empty_alternatives_leave_the_log_probabilities():
    found = parsed(entry("a", -0.5), entry("b", -1.5))
    assert found.logprobs == (-0.5, -1.5)
    assert found.top == ((), ())
    assert found.flags == ("no alternatives",)


def test_alternatives_are_ranked_and_the_token_found_among_them():
    # vLLM lists the drawn token first, whatever its rank.
    found = parsed(entry("b", -2.0, ("b", -2.0), ("a", -0.3), ("c", -3.0)))
    assert found.top == ((-0.3, -2.0, -3.0),)
    assert found.chosen == (1,)
    assert parsed(entry("z", -5.0, ("a", -0.3))).chosen == (None,)


def test_prompt_values_come_from_the_tokens_own_id_and_the_first_has_none():
    payload = json.loads((CASES / "logprobs_prompt_first_none.json").read_text())
    assert prompt_logprobs(payload) == [None, -2.0, -7.5]
    with pytest.raises(ValueError, match="as long as prompt_token_ids"):
        prompt_logprobs({"prompt_logprobs": [None], "prompt_token_ids": [1, 2]})


@pytest.mark.parametrize("given_", [None, {}, {"content": None}, {"content": [1]}, {"content": "x"}, [], 3])
def test_no_log_probabilities_are_none(given_):
    assert parse_logprobs({"logprobs": given_}) is None


def test_a_reply_carries_them():
    logprobs = {"content": [entry("a", -1.0)]}
    choice = {"message": {"content": "a"}, "finish_reason": "stop", "logprobs": logprobs}
    assert parse_reply({"choices": [choice]}).logprobs.logprobs == (-1.0,)
    assert parse_reply({"choices": [choice | {"logprobs": None}]}).logprobs is None


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=3) | st.integers(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["token", "logprob", "top_logprobs", "content"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(JSON)
def test_no_reply_makes_it_raise_or_write_what_is_no_json(content):
    found = parse_logprobs({"logprobs": {"content": content}})
    if found is not None:
        values = [*found.logprobs, *(value for top in found.top for value in top)]
        assert all(value is None or (-9999 < value <= 0) for value in values)
        assert len(found.tokens) == len(found.logprobs) == len(found.top) == len(found.chosen)
