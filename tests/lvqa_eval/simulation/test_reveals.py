"""The contract of a simulated user's reply: one shard that is left, and words."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lvqa_eval.simulation.reveals import BadReplyError, Reveal, read_reveal, reveal_schema

CASES = json.loads((Path(__file__).resolve().parents[2] / "cases" / "simulator_replies.json").read_text())


def read(text, left):
    """Return the id that a reply reveals, None for a bad one."""
    try:
        return read_reveal(text, left).shard
    except BadReplyError:
        return None


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["raw"][:20])
def test_an_id_is_taken_only_where_it_is_whole_and_not_revealed_yet(case):
    assert read(case["raw"], case["left"]) == case["expect"]


@pytest.mark.parametrize("given", ["2", "2.0", '"2"', '" 2 "', '"2.0"', "2e0", "20e-1"])
def test_whole_numbers(given):
    assert read_reveal(f'{{"shard_id": {given}, "response": " Red. "}}', [2, 3]) == Reveal(2, "Red.")


@pytest.mark.parametrize(
    "given",
    [
        *("2.5", '"2.5"', '"two"', '"shard 2"', '"2e0"', "null", "[2]", '{"id": 2}', "false", "NaN", "1e999"),
        *("Infinity", "9" * 5000, '"' + "9" * 5000 + '"', "-2", '"-1"', '""', '"\N{FULLWIDTH DIGIT TWO}"'),
    ],
)
def test_what_is_no_whole_number_reveals_nothing(given):
    assert read(f'{{"shard_id": {given}, "response": "Red."}}', [2, 3]) is None


@pytest.mark.parametrize("given", ['""', '"  "', '"\\u200b"', '"?!"', "null", "5", '["Red."]', '{"a": 1}'])
def test_a_reply_without_words_is_bad(given):
    with pytest.raises(BadReplyError, match=r"response: found .*, needed words"):
        read_reveal(f'{{"shard_id": 2, "response": {given}}}', [2])


def test_minus_one_is_right_only_where_nothing_is_left():
    text = '{"shard_id": -1, "response": "That was all."}'
    assert read_reveal(text, []) == Reveal(-1, "That was all.")
    assert read(text, [3]) is None
    assert read(text.replace("-1", "3"), []) is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I will not.", "found no JSON object with shard_id or response, needed one"),
        ('{"response": "Red."}', "shard_id: found None, allowed: 2, 3"),
        ('{"shard_id": 9, "response": "Red."}', "shard_id: found 9, allowed: 2, 3"),
        ('{"shard_id": 2}', "response: found None, needed words"),
        (
            '{"shard_id": 2, "response": "Red."} or {"shard_id": 3, "response": "Red."}',
            "found 2 different JSON objects with shard_id or response, needed one",
        ),
        (
            '{"shard_id": 2, "shard_id": 3, "response": "Red."}',
            "shard_id: found two different values, allowed: 2, 3",
        ),
        (
            '{"shard_id": 2, "response": "Red.", "response": "Blue."}',
            "response: found two different values, needed words",
        ),
    ],
)
def test_a_bad_reply_says_what_is_wrong_with_it(text, told):
    with pytest.raises(BadReplyError) as caught:
        read_reveal(text, [2, 3])
    assert str(caught.value) == told


IDS = st.one_of(st.integers(), st.floats(), st.booleans(), st.text(), st.lists(st.integers(1, 6)))
MADE = st.builds(
    lambda before, shard, words, after: before + json.dumps({"shard_id": shard, "response": words}) + after,
    st.text(max_size=5),
    IDS | st.integers(1, 6),
    st.text(),
    st.text(max_size=5),
)


@given(st.text() | MADE, st.sets(st.integers(1, 6), min_size=1))
def test_no_reply_raises_and_none_reveals_a_shard_that_is_not_left(text, left):
    found = read(text, sorted(left))
    assert found is None or found in left


def test_the_schema_allows_only_what_is_left_and_ends_the_words():
    schema = reveal_schema([2, 4], longest_shard=40)
    assert schema["properties"]["shard_id"] == {"type": "integer", "enum": [2, 4]}
    assert schema["properties"]["response"] == {"type": "string", "minLength": 1, "maxLength": 300}
    assert sorted(schema["required"]) == ["response", "shard_id"]
    assert reveal_schema([1], longest_shard=200)["properties"]["response"]["maxLength"] == 600
