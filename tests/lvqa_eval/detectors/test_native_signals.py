import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import entropy as oracle

from lvqa_eval.detectors.answers import Answer, Answers
from lvqa_eval.detectors.native_signals import native_tokens
from lvqa_eval.detectors.token_scores import VocabularyError
from lvqa_eval.runs.records import TokenLogprobs
from lvqa_eval.simulation.logprobs import parse_logprobs
from lvqa_eval.simulation.replies import parse_reply
from tests.support.scored_runs import conversation, question, turn

CASES = Path(__file__).resolve().parents[2] / "cases"
END = "<|im_end|>"
HALF, QUARTER, EIGHTH = math.log(0.5), math.log(0.25), math.log(0.125)


def answered(*replies):
    """Answers whose final replies are (words, log-probabilities)."""
    items = []
    for number, (words, logprobs) in enumerate(replies):
        first = replace(turn(composite=True), logprobs=TokenLogprobs(("no",), (-9.0,), ((),), (None,)))
        last = replace(turn(reply=words), logprobs=logprobs)
        record = conversation("full", f"q{number}", turns=[first, last])
        items.append(Answer(question(f"q{number}", f"s{number}"), record, incorrect=False))
    return Answers("model", "full", "judge", tuple(items), {})


def server(*content):
    """The log-probabilities of (token, value, (alternative, value), …) as a server gives them."""
    entries = [
        {
            "token": token,
            "logprob": value,
            "top_logprobs": [{"token": name, "logprob": one} for name, one in top],
        }
        for token, value, *top in content
    ]
    return parse_logprobs({"logprobs": {"content": entries}})


def same(values, *expected):
    return values.shape == (len(expected),) and np.allclose(values, expected, atol=1e-4, equal_nan=True)


def test_only_the_tokens_of_the_final_reply_count():
    body = {
        "content": "<think>It is red.</think>\n\nred circle",
        "tokens": ["<think>", "It is red", ".", "</think>", "\n\n", "red", " circle", END],
    }
    values = [-1.0, -2.0, -3.0, -4.0, -5.0, -0.25, -0.5, -6.0]
    content = [{"token": t, "logprob": v} for t, v in zip(body["tokens"], values, strict=True)]
    choice = {
        "message": {"content": body["content"]},
        "finish_reason": "stop",
        "logprobs": {"content": content},
    }
    reply = parse_reply({"choices": [choice]})
    (found,) = native_tokens(answered((reply.text, reply.logprobs)))
    assert found.logprobs.tolist() == [-0.25, -0.5]


def test_replies_without_words_or_log_probabilities_have_no_signals():
    given = server(("red", -0.1), (END, -0.2))
    not_given = TokenLogprobs((), (), (), (), ("not given",))
    answers = answered((None, given), ("", given), ("red", None), ("red", not_given), ("blue", given))
    assert native_tokens(answers) == [None] * 5


def test_alternatives_that_are_not_given_leave_the_log_probabilities():
    (found,) = native_tokens(answered(("red circle", server(("red", -0.5), (" circle", -1.5)))), vocabulary=9)
    assert found.logprobs.tolist() == [-0.5, -1.5]
    assert np.isnan(found.entropies).all()
    assert np.isnan(found.entropies_upper).all()


def test_minus_infinity_under_any_name_is_missing_and_a_zero_probability_adds_nothing():
    given = parse_logprobs({"logprobs": json.loads((CASES / "logprobs_eos_9999.json").read_text())})
    (found,) = native_tokens(answered(("{}", given)), vocabulary=1000)
    # The end of sequence, with -9999, has no words; of the second token all but one have no probability.
    assert found.logprobs.tolist() == [-0.02, 0.0]
    assert found.entropies[1] == found.entropies_upper[1] == 0.0
    p = [math.exp(-0.02), math.exp(-4.0)]
    assert found.entropies[0] == pytest.approx(oracle([*p, 1 - sum(p)]))


@pytest.mark.parametrize("value", [-9999.0, -100.0, -math.inf, None, math.nan])
def test_a_drawn_token_without_a_value_is_missing(value):
    given = server(("red", -0.5), (" circle", value))
    (found,) = native_tokens(answered(("red circle", given)))
    assert same(found.logprobs, -0.5, math.nan)


@pytest.mark.parametrize("value", [-9999.0, -100.0, -math.inf, None])
def test_an_alternative_without_a_value_is_no_alternative(value):
    given = server(("red", HALF, ("red", HALF), ("blue", HALF), ("a", value)))
    (found,) = native_tokens(answered(("red", given)), vocabulary=1000)
    assert same(found.entropies, math.log(2))


def test_a_positive_value_is_refused_with_the_entropy_at_its_token():
    given = server(
        ("red", 0.7, ("red", 0.7), ("blue", HALF)), (" dot", -0.2, (" dot", HALF), (" circle", HALF))
    )
    (found,) = native_tokens(answered(("red dot", given)), vocabulary=9)
    assert same(found.logprobs, math.nan, -0.2)
    assert same(found.entropies, math.nan, math.log(2))
    assert same(found.entropies_upper, math.nan, math.log(2))


def test_a_drawn_token_in_addition_to_the_k_is_left_out():
    first = ("a", HALF, ("a", HALF), ("b", QUARTER))
    added = ("c", EIGHTH, ("c", EIGHTH), ("a", HALF), ("b", QUARTER))
    (found,) = native_tokens(answered(("ac", server(first, added))), vocabulary=6)
    assert same(found.entropies, *[oracle([0.5, 0.25, 0.25])] * 2)
    assert same(found.entropies_upper, *[oracle([0.5, 0.25, *[0.0625] * 4])] * 2)


def test_a_drawn_token_in_the_place_of_the_kth_is_left_out_and_k_is_one_for_all():
    # The third place went to a token of rank 40: others, not listed, may be likelier than it.
    third = ("a", HALF, ("a", HALF), ("b", QUARTER), ("c", EIGHTH))
    drawn = ("z", -6.0, ("z", -6.0), ("a", HALF), ("b", QUARTER))
    answers = answered(("aa", server(third, third)), ("z", server(drawn)))
    two = oracle([0.5, 0.25, 0.25])
    both = native_tokens(answers)
    assert same(both[0].entropies, two, two)
    assert same(both[1].entropies, two)
    (alone,) = native_tokens(answered(("aa", server(third, third))))
    assert same(alone.entropies, *[oracle([0.5, 0.25, 0.125, 0.125])] * 2)


def test_a_list_that_a_server_cut_where_nothing_is_likely_leaves_the_k_of_others():
    sure = ("x", 0.0, ("x", 0.0))
    three = ("a", HALF, ("a", HALF), ("b", QUARTER), ("c", EIGHTH))
    (found,) = native_tokens(answered(("xa", server(sure, three))), vocabulary=100)
    assert same(found.entropies, 0.0, oracle([0.5, 0.25, 0.125, 0.125]))


def test_a_drawn_token_that_stands_alone_caps_no_other():
    # One alternative was asked for and the drawn token given in its place: another may have all the rest.
    given = server(("a", math.log(0.1), ("a", math.log(0.1))), ("b", math.log(0.8), ("b", math.log(0.8))))
    (found,) = native_tokens(answered(("ab", given)), vocabulary=3)
    assert same(found.entropies, oracle([0.1, 0.9]), oracle([0.8, 0.2]))
    assert same(found.entropies_upper, oracle([0.1, 0.45, 0.45]), oracle([0.8, 0.1, 0.1]))


def test_without_a_vocabulary_the_entropies_have_no_upper_bound():
    given = server(("a", HALF, ("a", HALF), ("b", QUARTER)))
    (found,) = native_tokens(answered(("a", given)))
    assert found.entropies_upper.tolist() == [math.inf]
    with pytest.raises(VocabularyError, match="found 1 tokens"):
        native_tokens(answered(("a", given)), vocabulary=1)


def test_the_true_entropy_lies_between_the_bounds_of_what_a_server_tells():
    """Tokens are drawn from random distributions and told as vLLM tells them, three or one at most."""
    rng = np.random.default_rng(3)
    for k in (1, 3):
        p = rng.dirichlet(np.full(8, 0.5), size=500)
        drawn = [int(rng.choice(8, p=row)) for row in p]
        content = []
        for row, token in zip(p, drawn, strict=True):
            ranks = sorted(range(8), key=lambda i: -row[i])[:k]
            told = [token, *(i for i in ranks if i != token)][:k]
            content.append(
                ("abcdefgh"[token], math.log(row[token]), *(("abcdefgh"[i], math.log(row[i])) for i in told))
            )
        words = "".join(entry[0] for entry in content)
        (found,) = native_tokens(answered((words, server(*content))), vocabulary=8)
        true = oracle(p, axis=1)
        assert found.logprobs == pytest.approx([math.log(p[i, t]) for i, t in enumerate(drawn)], abs=1e-5)
        assert (found.entropies <= true + 1e-3).all()
        assert (true <= found.entropies_upper + 1e-3).all()
