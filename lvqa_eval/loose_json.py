"""JSON as models write it: in a fence or in prose, with single quotes or a comma too many.

Nothing is guessed: what is broken in another way is left out, what can be read in two ways is refused.
"""

import json
import math
import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

DEEPEST = 32
"""Objects and lists inside each other; what is nested deeper is not read."""

_LONGEST_INTEGER = 100  # digits; Python refuses to read very long ones at all
_SPACE = re.compile(r"\s*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"' r"|'(?:[^'\\]|\\.)*+'", re.DOTALL)
_STRING_OR_MARK = re.compile(_STRING.pattern + r"|[{}\"']", re.DOTALL)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?", re.ASCII)
_WORD = re.compile(r"-?[A-Za-z]+")
_WHOLE = re.compile(r"-?\d{1,9}(?:\.0{1,9})?", re.ASCII)
_WORDS: Final[dict[str, object]] = {
    **{"true": True, "false": False, "null": None},
    **{"True": True, "False": False, "None": None},  # as Python shows them
    **{"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")},
}
_ESCAPE = re.compile(r'\\(?:u[0-9a-fA-F]{4}|.)|"', re.DOTALL)
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_KNOWN_ESCAPES = frozenset('"\\/bfnrt')


class Ambiguous:
    """Stands in the place of a value whose key came twice with different values."""

    def __repr__(self) -> str:
        return "two different values"


AMBIGUOUS: Final = Ambiguous()


class NoObjectError(ValueError):
    """A text with no object of the wanted kind, or with different ones."""


def one_object(text: str, fields: Sequence[str]) -> dict[str, object]:
    """Return the one object in `text` that has any of `fields`; the same object twice is one.

    Raises NoObjectError where there is none, or where there are different ones.
    """
    found = [one for one in read_objects(text) if any(field in one for field in fields)]
    # By their text: 1, 1.0 and true are equal in Python and not the same here.
    distinct = {repr(sorted(one.items())): one for one in found}
    if len(distinct) != 1:
        number = f"{len(distinct)} different JSON objects" if distinct else "no JSON object"
        raise NoObjectError(f"found {number} with {' or '.join(fields)}, needed one")
    return found[0]


def read_objects(text: str) -> list[dict[str, object]]:
    """Return every object in `text` that stands in no other, in order; never raises."""
    return [one.value for one in placed_objects(text)]


class Placed(NamedTuple):
    """An object and where it stands: `text[start:end]`."""

    start: int
    end: int
    value: dict[str, object]


def placed_objects(text: str) -> list[Placed]:
    """Return what `read_objects` returns, each object with its place.

    Behind one that is broken the search goes on where its braces are closed. Where they are not, or a quote
    is not, everything belongs to it: no part of a broken object is taken for a whole one.
    """
    if (whole_text := _strict_object(text)) is not None:
        return [whole_text]
    found: list[Placed] = []
    position = 0
    while (start := text.find("{", position)) >= 0:
        reader = _Reader(text, start)
        try:
            value = reader.mapping(1)
            position = reader.position
            found.append(Placed(start, position, value))
        except _Broken:
            position = reader.end_of_broken()
    return found


def _strict_object(text: str) -> Placed | None:
    """Return the object that a text is from end to end, where it is strict JSON: the same, much faster.

    None where it is not, and where the tolerant reader would read it in another way: half a surrogate pair
    is no text, and what may be nested too deeply is not read.
    """
    bare = text.strip()
    if not bare.startswith("{") or bare.count("{") + bare.count("[") > DEEPEST:
        return None
    if "\\u" in bare and _SURROGATE_ESCAPE.search(bare):
        return None
    try:
        bare.encode()  # raises ValueError for half a surrogate pair
        value = _STRICT.decode(bare)
    except ValueError:
        return None
    start = text.index("{")
    return Placed(start, start + len(bare), value)


def truth(value: object) -> bool | None:
    """Return what a value says as yes or no: true, 1, "yes", "да" and their opposites; None for all else."""
    if isinstance(value, str):
        return {
            **dict.fromkeys(("true", "yes", "да"), True),
            **dict.fromkeys(("false", "no", "нет"), False),
        }.get(value.strip().casefold())
    if isinstance(value, bool | int | float) and value in (0, 1):
        return bool(value)
    return None


def whole(value: object) -> int | None:
    """Return the whole number that a value is: 3, 2.0, "3" and "-1" are ones; true, 2.5 and lists are not."""
    if isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
        return int(float(value))
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and math.isfinite(value) and value.is_integer():
        return int(value)
    return None


def shown(value: object, limit: int = 60) -> str:
    """Return a value as an error names it, cut to `limit` characters."""
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"


class _Broken(Exception):  # noqa: N818 - never leaves this module
    """The text goes on in a way that is no JSON, however loosely read."""


class _Reader:
    """Reads one value from `position` on; where it breaks, `position` stays."""

    def __init__(self, text: str, position: int) -> None:
        self._text = text
        self._open = 0
        self.position = position

    def end_of_broken(self) -> int:
        """Return where the braces that are open at a break are closed; the end of the text where nowhere."""
        for found in _STRING_OR_MARK.finditer(self._text, self.position):
            if found[0] in ("'", '"'):  # a quote that nothing closes
                break
            self._open += {"{": 1, "}": -1}.get(found[0], 0)
            if self._open == 0:
                return found.end()
        return len(self._text)

    def mapping(self, depth: int) -> dict[str, object]:
        pairs: list[tuple[str, object]] = []
        self._expect("{")
        self._open += 1
        while not self._passes("}"):
            key = self._string()
            self._expect(":")
            pairs.append((key, self._value(depth)))
            self._comma_or("}")
        self._open -= 1
        return _merged(pairs)

    def _items(self, depth: int) -> list[object]:
        items: list[object] = []
        self._expect("[")
        while not self._passes("]"):
            items.append(self._value(depth))
            self._comma_or("]")
        return items

    def _value(self, depth: int) -> object:
        first = self._next()
        if first and first in "{[":
            if depth == DEEPEST:
                self.position = len(self._text)
                raise _Broken
            return self.mapping(depth + 1) if first == "{" else self._items(depth + 1)
        if first and first in "\"'":
            return self._string()
        if number := _NUMBER.match(self._text, self.position):
            self.position = number.end()
            return _number(number[0])
        word = _WORD.match(self._text, self.position)
        if word is None or word[0] not in _WORDS:
            raise _Broken
        self.position = word.end()
        return _WORDS[word[0]]

    def _string(self) -> str:
        self._next()
        string = _STRING.match(self._text, self.position)
        if string is None:
            raise _Broken
        self.position = string.end()
        return _unquoted(string[0])

    def _next(self) -> str:
        """Step over space and return the next character, nothing at the end."""
        space = _SPACE.match(self._text, self.position)
        self.position = space.end() if space else self.position
        return self._text[self.position : self.position + 1]

    def _passes(self, mark: str) -> bool:
        passed = self._next() == mark
        self.position += passed
        return passed

    def _expect(self, mark: str) -> None:
        if not self._passes(mark):
            raise _Broken

    def _comma_or(self, closing: str) -> None:
        if not self._passes(",") and self._next() != closing:
            raise _Broken


def _merged(pairs: Iterable[tuple[str, object]]) -> dict[str, object]:
    merged: dict[str, object] = {}
    for key, value in pairs:
        same = key not in merged or repr(merged[key]) == repr(value)
        merged[key] = value if same else AMBIGUOUS
    return merged


def _number(token: str) -> int | float:
    if token.removeprefix("-").isdecimal() and len(token) <= _LONGEST_INTEGER:
        return int(token)
    return float(token)


def _unquoted(token: str) -> str:
    """Return what a quoted string says; a backslash before a letter that it does not belong to is itself."""

    def mended(found: re.Match[str]) -> str:
        escape = found[0]
        if escape in ('"', "\\'"):
            return '\\"' if escape == '"' else "'"
        known = escape[1] in _KNOWN_ESCAPES or len(escape) == 6
        return escape if known else "\\" + escape

    text: str = json.loads(f'"{_ESCAPE.sub(mended, token[1:-1])}"', strict=False)
    # Half a surrogate pair, which an escape can spell, is no text.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


_STRICT = json.JSONDecoder(object_pairs_hook=_merged, parse_int=_number, parse_float=_number)
