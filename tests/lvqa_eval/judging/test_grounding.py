"""Replies in four lines: the set of layers that they name, and why there is none."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lvqa_eval.judging.grounding import Grounding, grounded_answer, parse_grounding, parse_layers
from lvqa_eval.judging.layer_sets import LayersError

REPLIES = json.loads(
    (Path(__file__).resolve().parents[2] / "cases" / "grounding_replies.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("case", REPLIES, ids=lambda case: case["raw"])
def test_recorded_replies(case):
    if case["expect"] is None:
        with pytest.raises(LayersError, match=r"^layers: found "):
            parse_layers(case["raw"], case["n_layers"])
    else:
        assert parse_layers(case["raw"], case["n_layers"]) == frozenset(case["expect"])


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("1, 3", {1, 3}),
        ("1 , 3 ,", {1, 3}),
        ("1, 2, and 3", {1, 2, 3}),
        ("1 & 3 + 4", {1, 3, 4}),
        ("1 3", {1, 3}),
        ("03", {3}),
        ("[0, 2, 5]", {0, 2, 5}),
        ("{1; 2}", {1, 2}),
        (r"\{1, 2\}", {1, 2}),
        (r"$\boxed{2}$", {2}),
        ("`1`, **2**", {1, 2}),
        ("1 to 3", {1, 2, 3}),
        ("from 1 through 3", {1, 2, 3}),
        ("с 1 по 3 и 5", {1, 2, 3, 5}),
        ("от 1 до 3", {1, 2, 3}),
        ("1…3", {1, 2, 3}),
        ("1 — 3", {1, 2, 3}),
        ("1--3", {1, 2, 3}),
        ("$1$–$3$", {1, 2, 3}),
        ("two-four", {2, 3, 4}),
        ("3-3", {3}),
        ("L1-L3", {1, 2, 3}),
        ("layer 2, Layer_4, #5", {2, 4, 5}),
        ("layers 1 and 3", {1, 3}),
        ("слой 2 и слой №3", {2, 3}),
        ("zero, twenty", {0, 20}),
        ("ноль и двадцать", {0, 20}),
        ("the background and 3", {0, 3}),
        ("фон, 2", {0, 2}),
        ("0 (background), 2 (the red dog)", {0, 2}),
        ("2 (собака и кот)", {2}),
        ("All layers.", {0, 1, 2, 3, 4, 5}),
        ("[all]", {0, 1, 2, 3, 4, 5}),
        ("все", {0, 1, 2, 3, 4, 5}),
        ("No layers", set()),
        ("**None**", set()),
        ("ни один", set()),
        ("{}", set()),
        ("∅", set()),
        ("7, 1000", {7, 1000}),
    ],
)
def test_a_list_in_many_spellings(text, named):
    assert parse_layers(f"Layers: {text}", 6) == named


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("−2", "a minus at '-2'"),
        ("1, -2", "a minus at '-2'"),
        ("1 -3", "a minus at '-3'"),
        ("(-2)", "a minus at '-2'"),
        ("$-2$", "a minus at '-2'"),
        (".5", "a fraction at '.5'"),
        ("2, 1.5", "a fraction at '.5'"),
        ("1/2", "a fraction at '/2'"),
        ("½", "a fraction at '/2'"),
        ("3-1", "the reversed range '3-1'"),
        ("from 3 to 1", "the reversed range 'from 3 to 1'"),
        ("not 2, but 5", "a denial or a choice at 'not 2, but 5'"),
        ("5, not 2", "a denial or a choice at 'not 2'"),
        ("не 2, а 5", "a denial or a choice at 'не 2, а 5'"),
        ("5 (not 2)", "a denial or a choice at 'not 2'"),
        ("5 (maybe none)", "a denial or a choice"),
        ("2 or 3", "a denial or a choice at 'or 3'"),
        ("2 или 3", "a denial or a choice at 'или 3'"),
        ("none, 2", "a denial or a choice at 'none, 2'"),
        ("all except 2", "a denial or a choice at 'all except 2'"),
        ("все кроме 2", "a denial or a choice at 'все кроме 2'"),
        ("нет, 2", "a denial or a choice at 'нет, 2'"),
        ("1-3-5", "a minus at '-5'"),
        ("1-", "no layer numbers at '-'"),
        ("-", "no layer numbers at '-'"),
        ("2 and", "no layer numbers at ''"),
        ("2nd", "no layer numbers at 'nd'"),
        ("2?", "no layer numbers at"),
        ("the dog in 2", "no layer numbers at 'the dog in 2'"),
        ("5-9 of 6", "no layer numbers at 'of 6'"),
        ("1000000000", "no layer numbers at '1000000000'"),
        ("9" * 10_000, "no layer numbers at"),
        ("0-999999999", "more than 10000 numbers in '0-999999999'"),
        ("1, " * 10_001, "more than 10000 numbers"),
    ],
)
def test_what_is_no_list_says_why(text, reason):
    with pytest.raises(LayersError, match=f"^layers: found {reason}"):
        parse_layers(f"Layers: {text}", 6)


@pytest.mark.parametrize(
    ("reply", "named"),
    [
        ("Layers: 1\nConfidence: 90\nWhy: 4 dogs in layer 5", {1}),
        ("Layers: 1\nWhy: I see it. Layers: 4", {1}),
        ("Layers: 1\nOnly the layers: those with dogs", {1}),
        ("Layers: 1\nLayers:", {1}),
        ("Layers: not 1, but 3\nLayers: 3", {3}),
        ("Layers: -1\nLayers: 3", {3}),
        ("Layers: 1\nNo, it is\nLayer 4", {4}),
        ("Layer 4 shows it.\nLayers: 1", {1}),
        ("Layers: 1\nLayer 4 shows the dog.", {1}),
        ("Layer 1\nLayer 3", {1, 3}),
        ("Layers 1 and 3.", {1, 3}),
        ("- **Слои**: 1", {1}),
        ("LAYERS： 1", {1}),
        ("Relevant layers: 1", {1}),
        ("Layer(s): 1", {1}),
        ("Layers used = 1", {1}),
        ("Answer: red, Layers: 1. Confidence: 80. Why: red", {1}),
        ("Ответ: 12. Слои: 1; Уверенность: 80", {1}),
        ("Layers:\n1, 3\nWhy: red", {1, 3}),
        ("Layers:\n\n- Layer 1\n- 3 (the dog)\nConfidence: 80", {1, 3}),
        ("Layers:\n1. Layer 2\n2. Layer 3", {2, 3}),
        ("Answer:\nLayer 3\nLayers:\n2", {2}),
        ("Why:\nLayer 3\nLayers: 2", {2}),
        ('{\n"answer": "red",\n"layers": [1, 3],\n"confidence": 80\n}', {1, 3}),
        ("Layers: 1\r\nWhy: red\r\n", {1}),
    ],
)
def test_where_a_declaration_stands(reply, named):
    assert parse_layers(reply, 6) == named


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "no line that names them"),
        ("Answer: 3", "no line that names them"),
        ("Answer: Layer 3\nWhy: layers: 2", "no line that names them"),
        ("Why:\nLayer 3", "no line that names them"),
        ("Layers: 1, 2\nLayers: not 2, but 5", "a denial or a choice"),
        ("Layers: 1, 2\nLayers: -2", "a minus"),
        ("Layers:\nI could not find any.", "a denial or a choice at 'i could not find any'"),
        ("Layer 3 shows the dog.", "no layer numbers at 'shows the dog'"),
    ],
)
def test_no_declaration_stands(reply, reason):
    with pytest.raises(LayersError, match=f"^layers: found {reason}"):
        parse_layers(reply, 6)


def test_the_four_lines_in_both_languages():
    english = "Answer: a red kite\nLayers: 1, 3\nConfidence: 85\nWhy: Only layer 3 has a kite."
    assert parse_grounding(english, 4) == Grounding(
        "a red kite", frozenset({1, 3}), 85.0, "Only layer 3 has a kite."
    )
    russian = "**Ответ:** красный\n**Слои:** нет\n**Уверенность:** 85,5 %\n**Почему:** так видно"
    assert parse_grounding(russian, 4) == Grounding("красный", frozenset(), 85.5, "так видно")


def test_what_else_a_reply_lacks_is_none():
    assert parse_grounding("Layer 2", 4) == Grounding(None, frozenset({2}), None, None)
    assert parse_grounding("Answer: Layers: 2", 4) == Grounding(None, frozenset({2}), None, None)
    with pytest.raises(LayersError):
        parse_grounding("Answer: red\nConfidence: 90", 4)


@pytest.mark.parametrize(
    ("text", "confidence"),
    [
        *[("90", 90.0), ("90%.", 90.0), ("90/100", 90.0), ("0.9", 0.9), ("ninety", 90.0), ("0", 0.0)],
        *[(text, None) for text in ("high", "101", "-1", "90 or 80", "", "nan")],
    ],
)
def test_confidence(text, confidence):
    assert parse_grounding(f"Layers: 1\nConfidence: {text}", 4).confidence == confidence


def test_the_answer_ends_where_another_label_begins():
    assert grounded_answer("Answer: 12 apples. Layers: 2") == "12 apples."
    assert grounded_answer("Ответ: 12\nСлои: 2") == "12"
    assert grounded_answer("Layers: 2") is None


@given(
    st.frozensets(st.integers(0, 99)), st.sampled_from([", ", "; ", " and ", " и ", ",", " "]), st.booleans()
)
def test_what_is_listed_is_read(numbers, between, named):
    listed = between.join(f"L{one}" if named else str(one) for one in sorted(numbers))
    assert parse_layers(f"Layers: {listed or 'none'}", 4) == numbers


def named_or_why(reply):
    """Return the layers that a reply names, or the reader's own error."""
    try:
        return parse_grounding(reply, 3).layers
    except LayersError as error:
        return str(error)


def is_sound(found):
    return len(found) < 250 if isinstance(found, str) else min(found, default=0) >= 0


PIECES = [
    "Layers: ",
    "Слои: ",
    "Why: ",
    "Layer ",
    "L",
    "1",
    "2",
    "-",
    ", ",
    ".",
    "\n",
    "(",
    ")",
    "…",
    "all",
    "none",
    "not ",
]


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_reply_gives_a_set_or_says_why(reply):
    assert is_sound(named_or_why(reply))


@given(st.text())
def test_no_text_names_layers(reply):
    assert isinstance(named_or_why(reply), str)


@pytest.mark.parametrize(
    "piece", ["Layers: ", "- ", "1-", "1 (", "*", "Layers: -1\n", "L", "answer:", "( ", "{ "]
)
def test_endless_replies_are_read_in_one_go(piece):
    assert is_sound(named_or_why(piece * 10_000))
    assert is_sound(named_or_why("Layers: " + piece * 10_000))
