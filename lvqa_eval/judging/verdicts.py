"""The full verdict of a judge model: every attempt to answer, the first right one, the final one.

The contract stands here twice, as the JSON schema that servers hold replies to, and as the reader.
"""

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from lvqa_eval.judging.rulings import VerdictError, field_of, parse_agreed, ruling_in
from lvqa_eval.loose_json import shown, whole
from lvqa_eval.runs.records import Attempt

MOST_TURNS = 99
"""No conversation is longer; it bounds numbers and lists in the schema."""

_NEVER = -1
"""What some judges write for "no turn" instead of 0."""

# Reasoning comes first, so that it shapes the verdict; sizes are bounded, so that no reply is without end,
# and one on twenty turns fits into 2,048 tokens.
VERDICT_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "reasoning": {"type": "string", "maxLength": 1000},
        "answer_attempts": {
            "type": "array",
            "maxItems": MOST_TURNS,
            "items": {
                "type": "object",
                "properties": {
                    "turn": {"type": "integer", "minimum": 1, "maximum": MOST_TURNS},
                    "answer": {"type": "string", "maxLength": 200},
                    "correct": {"type": "boolean"},
                },
                "required": ["turn", "answer", "correct"],
                "additionalProperties": False,
            },
        },
        "first_correct_turn": {"type": "integer", "minimum": 0, "maximum": MOST_TURNS},
        "final_turn_correct": {"type": "boolean"},
        "answer_span": {"type": "string", "maxLength": 300},
        "is_correct": {"type": "boolean"},
    },
    "required": [
        "reasoning",
        "answer_attempts",
        "first_correct_turn",
        "final_turn_correct",
        "answer_span",
        "is_correct",
    ],
    "additionalProperties": False,
}
"""What `parse_verdict` reads, for servers with structured output."""


def verdict_schema(turns: int) -> dict[str, Any]:
    """Return `VERDICT_SCHEMA` for a conversation of `turns` turns: no other turn, and no more attempts."""
    schema: dict[str, Any] = copy.deepcopy(dict(VERDICT_SCHEMA))
    attempts = schema["properties"]["answer_attempts"]
    attempts["maxItems"] = turns
    attempts["items"]["properties"]["turn"]["maximum"] = turns
    schema["properties"]["first_correct_turn"]["maximum"] = turns
    return schema


@dataclass(frozen=True)
class Verdict:
    """A judge's verdict on one conversation, as it was given; `consistency` says where it disagrees.

    Turns are those of the assistant, from 1; `first_correct_turn` is 0 where no attempt is right.
    """

    reasoning: str
    attempts: tuple[Attempt, ...]
    first_correct_turn: int
    final_turn_correct: bool
    answer_span: str
    is_correct: bool


def parse_verdict(text: str, turns: int) -> Verdict:
    """Read the one verdict in a judge's reply on a conversation of `turns` turns; see `parse_agreed`.

    Turns may be written 3, 3.0 or "3"; a first correct turn of -1 is 0; a span of null is empty. Raises
    VerdictError where there is no verdict, or different ones, or where a field is missing or impossible.
    """
    fields = tuple(VERDICT_SCHEMA["required"])
    return parse_agreed(text, fields, lambda found: _verdict(found, turns))


def consistency(verdict: Verdict, replies: Sequence[str | None]) -> tuple[str, ...]:
    """Say in words where a verdict disagrees with itself or with the assistant's `replies`, one a turn.

    Nothing is mended. Where no turn is right, the span is looked for in the final one.
    """
    return (*_disagreements(verdict, len(replies)), *_foreign_span(verdict, replies))


def _verdict(found: Mapping[str, object], turns: int) -> Verdict:
    first = _whole(found, "first_correct_turn")
    return Verdict(
        reasoning=_text(found, "reasoning"),
        attempts=_attempts(found, turns),
        first_correct_turn=_within(0 if first == _NEVER else first, "first_correct_turn", 0, turns),
        final_turn_correct=ruling_in(found, "final_turn_correct"),
        answer_span="" if field_of(found, "answer_span") is None else _text(found, "answer_span"),
        is_correct=ruling_in(found, "is_correct"),
    )


def _attempts(found: Mapping[str, object], turns: int) -> tuple[Attempt, ...]:
    listed = field_of(found, "answer_attempts")
    if not isinstance(listed, list):
        raise VerdictError(f"answer_attempts: found {shown(listed)}, needed a list")
    attempts = []
    for number, one in enumerate(listed, start=1):
        try:
            attempts.append(_attempt(one, turns))
        except VerdictError as error:
            raise VerdictError(f"answer_attempts, entry {number}: {error}") from None
    return tuple(attempts)


def _attempt(one: object, turns: int) -> Attempt:
    if not isinstance(one, dict):
        raise VerdictError(f"found {shown(one)}, needed an object")
    turn = _within(_whole(one, "turn"), "turn", 1, turns)
    return Attempt(turn, _text(one, "answer"), ruling_in(one, "correct"))


def _text(found: Mapping[str, object], field: str) -> str:
    value = field_of(found, field)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)  # an answer that is a number is often written without quotes
    if not isinstance(value, str):
        raise VerdictError(f"{field}: found {shown(value)}, needed text")
    return value


def _whole(found: Mapping[str, object], field: str) -> int:
    number = whole(value := field_of(found, field))
    if number is None:
        raise VerdictError(f"{field}: found {shown(value)}, needed a whole number")
    return number


def _within(number: int, field: str, lowest: int, highest: int) -> int:
    if not lowest <= number <= highest:
        raise VerdictError(f"{field}: found {shown(number)}, allowed: {lowest} to {highest}")
    return number


def _disagreements(verdict: Verdict, turns: int) -> Iterator[str]:
    first = verdict.first_correct_turn
    if verdict.is_correct != (first > 0):
        yield f"is_correct is {_word(verdict.is_correct)}, first_correct_turn is {first}"
    listed = min((one.turn for one in verdict.attempts if one.correct), default=0)
    if listed != first:
        yield f"first_correct_turn is {first}, the first correct attempt is at turn {listed}"
    by_turn: dict[int, set[bool]] = {}
    for one in verdict.attempts:
        by_turn.setdefault(one.turn, set()).add(one.correct)
    for turn in sorted(by_turn):
        if len(by_turn[turn]) > 1:
            yield f"turn {turn} has attempts that are correct and others that are not"
    if verdict.final_turn_correct not in by_turn.get(turns, {False}):
        said = "not listed" if turns not in by_turn else _word(not verdict.final_turn_correct)
        final = _word(verdict.final_turn_correct)
        yield f"final_turn_correct is {final}, the attempt at turn {turns} is {said}"


def _foreign_span(verdict: Verdict, replies: Sequence[str | None]) -> Iterator[str]:
    turn = verdict.first_correct_turn or len(replies)
    if verdict.first_correct_turn and not verdict.answer_span:
        yield f"answer_span is empty, turn {turn} is said to be correct"
    elif verdict.answer_span not in (replies[turn - 1] or ""):
        yield f"answer_span is not in the assistant's turn {turn}"


def _word(ruled: bool) -> str:
    return "true" if ruled else "false"
