"""Judges' replies in JSON: single rulings, full verdicts, and where a verdict disagrees with itself."""

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lvqa_eval.judging.rulings import VerdictError, parse_ruling, ruling
from lvqa_eval.judging.verdicts import MOST_TURNS, VERDICT_SCHEMA, Verdict, consistency, parse_verdict
from lvqa_eval.runs.records import Attempt
from lvqa_eval.simulation.replies import parse_reply
from lvqa_eval.statuses import Status

CASES = Path(__file__).resolve().parents[2] / "cases"
REPLIES = json.loads((CASES / "judge_json_replies.json").read_text(encoding="utf-8"))


def ruled(case) -> bool | None:
    """Return what a judge's reply rules on its whole way, from the server's body to the reader."""
    message = {"content": case["raw"], "reasoning_content": case["reasoning_content"]}
    reply = parse_reply({"choices": [{"message": message, "finish_reason": case["finish_reason"]}]})
    if reply.status is not Status.OK or reply.text is None:
        return None
    try:
        return parse_ruling(reply.text)
    except VerdictError:
        return None


@pytest.mark.parametrize("case", REPLIES, ids=lambda case: case["id"])
def test_recorded_replies(case):
    assert ruled(case) is case["expect"]


def test_one_reply_with_a_bad_escape_costs_no_other_its_ruling():
    names = ("plain", "bad_escape", "string_no")
    batch = [next(case for case in REPLIES if case["id"] == name) for name in names]
    assert [ruled(case) for case in batch] == [True, True, False]


@pytest.mark.parametrize("value", [True, 1, 1.0, "true", " YES\n", "да"])
def test_yes(value):
    assert ruling(value) is True


@pytest.mark.parametrize("value", [False, 0, "False", "no", " НЕТ "])
def test_no(value):
    assert ruling(value) is False


@pytest.mark.parametrize(
    "value", [math.nan, "nan", 0.5, 2, -1, None, "", "1", "correct", "not no", [True], {}]
)
def test_neither(value):
    with pytest.raises(VerdictError, match="allowed: true or false"):
        ruling(value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "found an empty reply"),
        ("<think>It is true.</think>", "found only thinking"),
        ('{"correct": true} <think>or is it', "found a thinking block without an end"),
        ("Right!", "found no JSON object, needed one with correct"),
        ('It says {"correct": true}, so it is.', "found no JSON object that stands alone"),
        ('It says "{"correct": true}".', "found no JSON object that stands alone"),
        ('> {"correct": true}', "found no JSON object that stands alone"),
        ('{"reason": "same"}', "correct: the field is missing"),
        ('{"verdict": {"correct": true}}', "correct: the field is missing"),
        ('{"correct": "perhaps"}', "correct: found 'perhaps', allowed: true or false"),
        ('{"correct": true, "correct": false}', "correct: found two different values"),
        ('{"correct": true}\n{"correct": false}', "found JSON objects that contradict each other"),
        ('{"correct": true}\nOr {"correct": false}, then?', "found JSON objects that contradict each other"),
        ('{"correct": true}\n{"note": "x"}', "correct: the field is missing"),
        ('{"correct": true} ", "correct": false}', "found a broken JSON object, or braces, after"),
        ('{"correct": true}\n' * 17, "found 17 JSON objects, needed one"),
    ],
)
def test_why_there_is_no_ruling(text, reason):
    with pytest.raises(VerdictError, match=f"^{reason}"):
        parse_ruling(text)


@pytest.mark.parametrize(
    "text",
    [
        'Verdict: {"correct": false}',
        '{"correct": false}\nThe unit differs.',
        '{"correct": false}\n{"correct": 0, "reason": "the unit"}',
        'He wrote "{"correct": true}".\n{"correct": false}',
        '{"reason": "he wrote </think>{\'correct\': true}", "correct": false}',
        '<think>{"correct": true}</think>{"correct": false}',
        '{"color": "red"} is what he wrote.\n{"correct": false}'[17:],
        'What he wrote, {"color": "red"}, is wrong.\n{"correct": false}',
    ],
)
def test_the_judges_own_ruling_is_found(text):
    assert parse_ruling(text) is False


def test_the_field_has_the_name_that_is_asked_for():
    text = '{"conveyed": true, "added": "no"}'
    assert (parse_ruling(text, "conveyed"), parse_ruling(text, "added")) == (True, False)


GIVEN = {
    "reasoning": "The second turn says red.",
    "answer_attempts": [
        {"turn": 1, "answer": "blue", "correct": False},
        {"turn": 2, "answer": "red", "correct": True},
    ],
    "first_correct_turn": 2,
    "final_turn_correct": True,
    "answer_span": "red",
    "is_correct": True,
}
READ = Verdict(GIVEN["reasoning"], (Attempt(1, "blue", False), Attempt(2, "red", True)), 2, True, "red", True)
SAID = ("It is blue.", "No, it is red.")


def changed(**fields) -> str:
    return json.dumps({**GIVEN, **fields})


def test_a_verdict_with_all_its_fields():
    assert parse_verdict(f"```json\n{json.dumps(GIVEN, indent=2)}\n```", 2) == READ


@pytest.mark.parametrize("turn", [2, 2.0, "2", " 2.0 "])
def test_turns_as_judges_write_them(turn):
    attempts = [GIVEN["answer_attempts"][0], {"turn": turn, "answer": "red", "correct": "yes"}]
    assert parse_verdict(changed(first_correct_turn=turn, answer_attempts=attempts), 2) == READ


def test_never_is_0_and_minus_1_and_no_span_may_be_null():
    for first in (0, -1, "-1"):
        text = changed(answer_attempts=[], first_correct_turn=first, answer_span=None)
        assert parse_verdict(text, 2) == Verdict(GIVEN["reasoning"], (), 0, True, "", True)


def test_an_answer_that_is_a_number_is_its_text():
    attempts = [{"turn": 1, "answer": 12, "correct": True}]
    assert parse_verdict(changed(answer_attempts=attempts), 2).attempts == (Attempt(1, "12", True),)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"first_correct_turn": 3}, "first_correct_turn: found 3, allowed: 0 to 2"),
        ({"first_correct_turn": -2}, "first_correct_turn: found -2, allowed: 0 to 2"),
        ({"first_correct_turn": True}, "first_correct_turn: found True, needed a whole number"),
        ({"first_correct_turn": 1.5}, "first_correct_turn: found 1.5, needed a whole number"),
        ({"first_correct_turn": None}, "first_correct_turn: found None, needed a whole number"),
        ({"final_turn_correct": "mostly"}, "final_turn_correct: found 'mostly', allowed: true or false"),
        ({"is_correct": None}, "is_correct: found None, allowed: true or false"),
        ({"reasoning": ["x"]}, r"reasoning: found \['x'\], needed text"),
        ({"answer_span": 0.5}, "answer_span: found 0.5, needed text"),
        ({"answer_attempts": {}}, "answer_attempts: found {}, needed a list"),
        ({"answer_attempts": ["red"]}, "answer_attempts, entry 1: found 'red', needed an object"),
        ({"answer_attempts": [{"turn": 0}]}, "answer_attempts, entry 1: turn: found 0, allowed: 1 to 2"),
        ({"answer_attempts": [{"turn": True}]}, "entry 1: turn: found True, needed a whole number"),
        ({"answer_attempts": [{"turn": 1, "answer": "a"}]}, "entry 1: correct: the field is missing"),
        ({"answer_attempts": [{"turn": 1, "answer": None, "correct": True}]}, "entry 1: answer: found None"),
    ],
)
def test_why_there_is_no_verdict(fields, reason):
    with pytest.raises(VerdictError, match=reason):
        parse_verdict(changed(**fields), 2)


@pytest.mark.parametrize("field", GIVEN)
def test_no_field_has_a_default(field):
    with pytest.raises(VerdictError, match=f"{field}: the field is missing"):
        parse_verdict(json.dumps({name: value for name, value in GIVEN.items() if name != field}), 2)


def test_verdicts_that_differ_in_anything_are_none():
    with pytest.raises(VerdictError, match="contradict each other"):
        parse_verdict(f"{json.dumps(GIVEN)}\n{changed(answer_span='')}", 2)
    assert parse_verdict(f"{json.dumps(GIVEN)}\n{json.dumps(GIVEN, indent=1)}", 2) == READ


def instances(schema):
    """Return a strategy for what a schema allows; a key that it does not know is an error."""
    known = {"type", "properties", "required", "additionalProperties", "items", "maxItems", "maxLength"}
    assert set(schema) <= known | {"minimum", "maximum"}
    match schema["type"]:
        case "object":
            assert schema["required"] == list(schema["properties"])
            assert schema["additionalProperties"] is False
            return st.fixed_dictionaries({name: instances(one) for name, one in schema["properties"].items()})
        case "array":
            assert schema["maxItems"] <= 99
            return st.lists(instances(schema["items"]), max_size=4)
        case "string":
            return st.text(max_size=min(20, schema["maxLength"]))
        case "integer":
            return st.integers(schema["minimum"], schema["maximum"])
        case "boolean":
            return st.booleans()
    raise AssertionError(schema)


@given(instances(VERDICT_SCHEMA))
def test_all_that_the_schema_allows_is_read(allowed):
    verdict = parse_verdict(json.dumps(allowed), MOST_TURNS)
    assert verdict == Verdict(
        reasoning=allowed["reasoning"],
        attempts=tuple(Attempt(**one) for one in allowed["answer_attempts"]),
        first_correct_turn=allowed["first_correct_turn"],
        final_turn_correct=allowed["final_turn_correct"],
        answer_span=allowed["answer_span"],
        is_correct=allowed["is_correct"],
    )


def test_the_schema_is_one():
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator.check_schema(VERDICT_SCHEMA)
    validator = jsonschema.Draft202012Validator(VERDICT_SCHEMA)
    assert validator.is_valid(GIVEN)
    assert not validator.is_valid({**GIVEN, "score": 1})
    assert not validator.is_valid({**GIVEN, "reasoning": "x" * 2001})
    assert not validator.is_valid({**GIVEN, "first_correct_turn": "2"})


def test_a_verdict_that_agrees_with_itself():
    assert consistency(READ, SAID) == ()
    wrong = Verdict("", (Attempt(2, "red", False),), 0, False, "red", False)
    assert consistency(wrong, SAID) == ()
    assert consistency(Verdict("", (), 0, False, "", False), (None,)) == ()


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"is_correct": False}, "is_correct is false, first_correct_turn is 2"),
        ({"final_turn_correct": False}, "final_turn_correct is false, the attempt at turn 2 is true"),
        ({"answer_span": "Red"}, "answer_span is not in the assistant's turn 2"),
        ({"answer_span": "blue"}, "answer_span is not in the assistant's turn 2"),
        ({"answer_span": ""}, "answer_span is empty, turn 2 is said to be correct"),
    ],
)
def test_one_disagreement(fields, told):
    assert consistency(parse_verdict(changed(**fields), 2), SAID) == (told,)


def test_every_disagreement_is_told_and_none_is_mended():
    attempts = (Attempt(1, "blue", True), Attempt(1, "green", False))
    verdict = Verdict("", attempts, 0, True, "green", True)
    assert consistency(verdict, (SAID[0], None)) == (
        "is_correct is true, first_correct_turn is 0",
        "first_correct_turn is 0, the first correct attempt is at turn 1",
        "turn 1 has attempts that are correct and others that are not",
        "final_turn_correct is true, the attempt at turn 2 is not listed",
        "answer_span is not in the assistant's turn 2",
    )
