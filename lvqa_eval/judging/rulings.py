"""Yes or no from a judge's JSON: exactly one ruling, in the judge's own words, or an error that says why.

Nothing has a default: what is missing, cut off, half true or contradicted is no ruling.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from lvqa_eval.judging.quotation import in_sentence, is_quotation
from lvqa_eval.loose_json import Placed, placed_objects, shown, truth
from lvqa_eval.simulation.replies import split_thinking

MOST_OBJECTS = 16
"""A reply with more is no verdict, and is not looked at further."""

_BRACE = re.compile(r"[{}]")

Read = TypeVar("Read")


class VerdictError(ValueError):
    """A reply without one clear verdict; the message is fit for the `error` of a record."""


def ruling(value: object) -> bool:
    """Return what a value rules: true or false, 1 or 0, or one of the words true, false, yes, no, да, нет.

    Words are trimmed and casefolded. Raises VerdictError for everything else, NaN included.
    """
    ruled = truth(value)
    if ruled is None:
        raise VerdictError(f"found {shown(value)}, allowed: true or false")
    return ruled


def parse_ruling(text: str, field: str = "correct") -> bool:
    """Return the ruling under `field` of the one JSON object in a judge's reply; see `parse_agreed`.

    Raises VerdictError where there is none, or where there are different ones.
    """
    return parse_agreed(text, (field,), lambda found: ruling_in(found, field))


def ruling_in(found: Mapping[str, object], field: str) -> bool:
    """Return the ruling under `field`; raises VerdictError, naming the field, where there is none."""
    value = field_of(found, field)
    try:
        return ruling(value)
    except VerdictError as error:
        raise VerdictError(f"{field}: {error}") from None


def field_of(found: Mapping[str, object], field: str) -> object:
    """Return the value under `field`; raises VerdictError where it is missing."""
    if field not in found:
        raise VerdictError(f"{field}: the field is missing")
    return found[field]


def parse_agreed(text: str, fields: Sequence[str], read: Callable[[Mapping[str, object]], Read]) -> Read:
    """Return what `read` makes of the JSON objects in a judge's reply, if it makes the same of all.

    Thinking is dropped, and so are objects in quote marks or block quotes: they are another's. An object
    that stands in the middle of a sentence makes no verdict, but contradicts one, if it has any of `fields`.
    Raises VerdictError where no object is left, where they differ, where a broken one follows (the whole one
    before it may be a part of it), and whatever `read` raises.
    """
    answer, placed = _answer_and_objects(text)
    if len(placed) > MOST_OBJECTS:
        raise VerdictError(f"found {len(placed)} JSON objects, needed one")
    if placed and _BRACE.search(answer, placed[-1].end):
        raise VerdictError("found a broken JSON object, or braces, after the last whole one")
    own = [one for one in placed if not is_quotation(answer, one.start, one.end)]
    alone = [one for one in own if not in_sentence(answer, one.start, one.end)]
    if not alone:
        where = " that stands alone" if placed else ""
        raise VerdictError(f"found no JSON object{where}, needed one with {', '.join(fields)}")
    stated = [one for one in own if one not in alone and any(field in one.value for field in fields)]
    first, *others = [read(one.value) for one in (*alone, *stated)]
    if any(other != first for other in others):
        raise VerdictError("found JSON objects that contradict each other, needed one")
    return first


def without_thinking(text: str) -> str:
    """Return a reply without its thinking; raises VerdictError where nothing is left or a block is open.

    A reply that is one JSON object from end to end has none: such marks in it are words that it quotes.
    """
    if (whole := _whole_object(text)) is not None:
        return whole[0]
    answer, thinking, closed = split_thinking(text)
    if not closed:
        raise VerdictError("found a thinking block without an end")
    if not answer:
        raise VerdictError("found only thinking" if thinking else "found an empty reply")
    return answer


def _answer_and_objects(text: str) -> tuple[str, list[Placed]]:
    """Return a reply without its thinking, and its objects; what is one object is parsed once."""
    if (whole := _whole_object(text)) is not None:
        return whole
    answer = without_thinking(text)
    return answer, placed_objects(answer)


def _whole_object(text: str) -> tuple[str, list[Placed]] | None:
    """Return a reply that is one object from end to end, and the object; None for any other."""
    stripped = text.strip()
    match placed_objects(stripped) if stripped.startswith("{") else []:
        case [Placed(0, end, _)] as placed if end == len(stripped):
            return stripped, placed
    return None
