"""The set of layers that a list in words and digits names: "1, 3-5 and background", "все", "L2"."""

import re

from lvqa_eval.judging.numbers import words_to_digits
from lvqa_eval.judging.text import clean
from lvqa_eval.loose_json import shown

MOST_LAYERS = 10_000
"""A list that names more is no answer, and is not written out."""

_NAME = r"(?:(?:the )?(?:layers?|слоями?|слоев|сло[ийяе])(?:[-_](?=\d)| ?#?)|l[-_]?|#)? ?"
_NUMBER = _NAME + r"(\d{1,9})(?!\d)"
# A minus with a space before it alone may as well be a sign: "1 -3".
_TO = r"(?:-{1,3} ?| -{1,3} | ?(?:~|\.{2,3}|\b(?:to|through|thru|до|по)\b) ?)"
_ITEM = re.compile(rf"(?:(?:from|с|от) )?{_NUMBER}(?:{_TO}{_NUMBER})?|(?:the )?background(?: layer)?\b|фон\b")
_BETWEEN = re.compile(r"(?:[ ,;&+]|\b(?:and|и)\b)+")
_ALL = re.compile(r"(?:all|every)(?: of)?(?: the)?(?: layers?| them)?|все(?: слои)?")
_NONE = re.compile(r"none(?: of (?:the layers|them))?|no layers?|nothing|нет(?: слоев)?|ни один|никакие|∅")
_EMPTY = re.compile(r"\[ ?\]|\( ?\)|\{ ?\}")

# What stands in brackets behind a number tells what it is, unless it turns round what was said.
_GLOSS = re.compile(r"(?<=\d) ?\((?!(?:and|plus|also|и|а)\b)(?P<words>[^()\d?]*)\)")
_DOUBT = re.compile(r"\b(?:not|no|none|or|but|except|maybe|all|не|нет|или|но|кроме|может|все)\b")
_MARKS = str.maketrans({**dict.fromkeys("[](){}", ";"), **dict.fromkeys("$\\\"'*", " ")})

_FAULTS = (
    (re.compile(r".*\b(?:not|but|except|or|не|но|кроме|или|none|all|нет|все)\b"), "a denial or a choice"),
    (re.compile(r"\W*-\d"), "a minus"),
    (re.compile(r"[./]\d"), "a fraction"),
)


class LayersError(ValueError):
    """A reply that names no clear set of layers; the message says why."""


def read_layers(text: str, layers: int) -> frozenset[int]:
    """Return the numbers of the layers that `text` names, as given; `layers` is the number in the scene.

    Layers count from 0, the background. Numbers that no layer has are kept. Lists may have commas,
    semicolons, "and", ranges, brackets, $…$, names such as L3, and English and Russian number words; a
    bracket behind a number that explains it ("2 (the dog)") is passed over. "All" and "none" stand alone.
    Raises LayersError for negative, fractional, reversed and contradictory sets, and for all else.
    """
    said = clean(text.replace("№", "#")).casefold().replace("ё", "е")
    said = said.lstrip(" :|*_").rstrip(" .,;:!|*_")
    if _EMPTY.fullmatch(said):
        return frozenset()
    bare = said.translate(_MARKS).strip(" ;")
    if _NONE.fullmatch(bare):
        return frozenset()
    if _ALL.fullmatch(bare):
        return frozenset(range(layers))
    said = words_to_digits(_GLOSS.sub(_without_gloss, said)).translate(_MARKS)
    return _listed(" ".join(said.split()).strip(" ;"))


def _without_gloss(gloss: re.Match[str]) -> str:
    return gloss[0] if _DOUBT.search(gloss["words"]) else ""


def _listed(said: str) -> frozenset[int]:
    numbers: set[int] = set()
    position, count = 0, 0
    while item := _ITEM.match(said, position):
        first = int(item[1] or 0)
        last = int(item[2] or first)
        if last < first:
            raise LayersError(f"layers: found the reversed range {shown(item[0])}")
        count += last - first + 1
        if count > MOST_LAYERS:
            raise LayersError(f"layers: found more than {MOST_LAYERS} numbers in {shown(said)}")
        numbers.update(range(first, last + 1))
        position = item.end()
        if position == len(said):
            return frozenset(numbers)
        between = _BETWEEN.match(said, position)
        if between is None:
            break
        position = between.end()
    rest = said[position:]
    fault = next((name for pattern, name in _FAULTS if pattern.match(rest)), "no layer numbers")
    raise LayersError(f"layers: found {fault} at {shown(rest)}, needed a list such as 1, 3")
