"""The probability of INCORRECT against CORRECT, at the token where a judge chose between them."""

import math
from random import Random

import pytest

from lvqa_eval.detectors.verdicts.probability import incorrect_probability
from lvqa_eval.detectors.verdicts.ruling import parse_verdict_word


def token(text, probability, **others):
    """Return one token with its alternatives, itself among them; `others` by word."""
    top = [{"token": word, "logprob": math.log(p)} for word, p in ({text: probability} | others).items()]
    return {"token": text, "logprob": math.log(probability), "top_logprobs": top}


def sure(text):
    return token(text, 1.0, zzz=1e-9)


def score(reply, *content):
    return incorrect_probability({"content": list(content)}, reply, parse_verdict_word(reply))


def test_two_words_in_one_token_each():
    assert score("CORRECT", token("CORRECT", 0.6, INCORRECT=0.3)) == pytest.approx(1 / 3)
    assert score("INCORRECT", token("INCORRECT", 0.6, CORRECT=0.3)) == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("reply", "content", "expected"),
    [
        # Pieces of the chosen word: only the first one decides, whatever the later ones say.
        ("INCORRECT", [token("IN", 0.6, COR=0.3), token("CORRECT", 0.9, CORRECTED=0.1)], 2 / 3),
        ("INCORRECT", [token("INC", 0.5, COR=0.25, IN=0.25), sure("ORRECT")], 0.75),
        ("CORRECT", [token("COR", 0.5, IN=0.25, INC=0.125), sure("RECT")], 0.375 / 0.875),
        ("CORRECT", [token("C", 0.5, I=0.25), sure("ORRECT")], 1 / 3),
        # A blank or mark in front belongs to the token.
        (
            "The response is CORRECT.",
            [sure("The response is"), token(" CORRECT", 0.6, **{" IN": 0.2}), sure(".")],
            0.25,
        ),
        ("CORRECT", [token(" CORRECT", 0.6, **{" IN": 0.2, "\nINCORRECT": 0.1, "**COR": 0.1})], 0.3),
        ("**INCORRECT**", [sure("**"), token("IN", 0.6, COR=0.2), sure("CORRECT"), sure("**")], 0.75),
        ("**INCORRECT", [token("**IN", 0.6, **{"**COR": 0.2}), sure("CORRECT")], 0.75),
        # The same case as that of the word chosen, unless it is whole.
        ("Correct", [token("Correct", 0.6, In=0.1, IN=0.1, incorrect=0.1, INC=0.1)], 0.25),
        ("incorrect", [token(" in", 0.5, **{" correct": 0.25, " In": 0.125}), sure("correct")], 2 / 3),
        # What begins neither, or may begin anything, counts for none.
        ("CORRECT", [token("CORRECT", 0.5, IN=0.25, I=0.1, The=0.1, It=0.02, INCOME=0.01, C=0.01)], 1 / 3),
        ("CORRECT", [token("CORRECT", 0.5, IN=0.25, **{"IN the": 0.2, "CORRECT\n": 0.25})], 0.25),
        # A word that is not among the alternatives counts as nothing.
        ("CORRECT", [token("CORRECT", 0.9, Yes=0.1)], 0.0),
        ("INCORRECT", [token("IN", 0.9, Yes=0.1), sure("CORRECT")], 1.0),
        # Special tokens, before and after, and thinking that weighs both words.
        (
            "CORRECT",
            [
                sure("<think>"),
                *map(sure, ("IN", "CORRECT", " or", " CORRECT", "?")),
                sure("</think>\n\n"),
                token("CORRECT", 0.75, IN=0.25),
                sure("<|im_end|>"),
            ],
            0.25,
        ),
    ],
)
def test_tokens(reply, content, expected):
    assert score(reply, *content) == pytest.approx(expected)


def test_the_word_is_found_behind_letters_that_were_cut_in_two():
    content = [sure("\ufffd"), sure("\ufffd"), sure(": "), token("IN", 0.75, COR=0.25), sure("CORRECT")]
    reply = "Verdict: INCORRECT"
    assert incorrect_probability({"content": content}, reply, parse_verdict_word(reply)) == pytest.approx(
        0.75
    )


def test_the_chosen_token_may_come_in_addition_to_the_alternatives():
    entry = token("CORRECT", 0.25, IN=0.5, INCORRECT=0.25)
    entry["top_logprobs"] = entry["top_logprobs"][1:]
    assert score("CORRECT", entry) == pytest.approx(0.75)


def test_a_masked_alternative_has_no_probability():
    entry = token("CORRECT", 0.5)
    for missing in (-9999.0, -math.inf, math.nan, None):
        entry["top_logprobs"].append({"token": "IN", "logprob": missing})
    assert score("CORRECT", entry) == 0.0
    entry["top_logprobs"].append({"token": "INCORRECT", "logprob": math.log(0.5)})
    assert score("CORRECT", entry) == 0.5


OTHER = {"token": "IN", "logprob": -1.0}


@pytest.mark.parametrize(
    "given",
    [
        None,
        {},
        {"content": None},
        {"content": ["CORRECT"]},
        {"content": []},
        {"content": [sure("Something"), sure(" else")]},
        {"content": [{"token": "CORRECT", "logprob": -0.1, "top_logprobs": []}]},
        {"content": [{"token": "CORRECT", "logprob": -0.1}]},
        {
            "content": [
                {"token": "CORRECT", "logprob": None, "top_logprobs": [{"token": "IN", "logprob": -1.0}]}
            ]
        },
        {
            "content": [
                {"token": "CORRECT", "logprob": 0.7, "top_logprobs": [{"token": "IN", "logprob": -1.0}]}
            ]
        },
    ],
)
def test_what_cannot_be_known_is_none(given):
    assert incorrect_probability(given, "CORRECT", parse_verdict_word("CORRECT")) is None


def test_any_cut_of_the_words_gives_the_probability_of_the_first_letter():
    """An oracle: a distribution over whole replies; each cut is read off its marginals at the first token."""
    rng = Random(5)
    for _ in range(200):
        p = rng.random()
        cuts = {word: rng.randint(2, len(word)) for word in ("CORRECT", "INCORRECT")}
        first = {word[:cut] for word, cut in cuts.items()}
        chosen = "INCORRECT" if p > 0.5 else "CORRECT"
        mass = {"INCORRECT": 0.9 * p, "CORRECT": 0.9 * (1 - p)}
        head, tail = chosen[: cuts[chosen]], chosen[cuts[chosen] :]
        others = {word[: cuts[word]]: mass[word] for word in cuts if word != chosen}
        content = [token(head, mass[chosen], **others, The=0.1), *([sure(tail)] if tail else [])]
        assert len(first) == 2
        assert score(chosen, *content) == pytest.approx(p)
