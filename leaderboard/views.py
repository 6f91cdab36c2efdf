"""Views of a page as links hold them: what is searched, filtered and ordered. Junk in a link falls back."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Protocol
from urllib.parse import urlencode

from leaderboard.board.records import Board
from leaderboard.html.words import LANGUAGES, Words
from lvqa_eval.errors import LvqaError

LANGUAGE: Final = "lang"
"""The field that every page has: the language of its words."""

Value = str | bool | int | tuple[str, ...]
Values = Mapping[str, Value]
Allowed = Sequence[str] | Callable[[Board, Values], Sequence[str]]
"""What a field may be; where it depends on the board, or on fields before it, what says so."""


class JunkError(LvqaError, ValueError):
    """A value that a field of a view does not take."""

    def __init__(self, field: str, found: str, allowed: str) -> None:
        super().__init__(f"{field}: found {found[:80]!r}, allowed: {allowed}")


class Field(Protocol):
    """One part of a view, by its name in the link."""

    @property
    def name(self) -> str:
        """Its name in the link."""

    def default(self, board: Board, values: Values) -> Value:
        """Return what stands where the link says nothing."""

    def read(self, text: str, board: Board, values: Values) -> Value:
        """Return the value that `text` stands for; JunkError for none."""

    def write(self, value: Value) -> str:
        """Return how a link writes a value."""


@dataclass(frozen=True)
class Text:
    """What somebody types, cut off at `most` letters."""

    name: str
    most: int = 80

    def default(self, board: Board, values: Values) -> str:
        """Return the empty text."""
        return ""

    def read(self, text: str, board: Board, values: Values) -> str:
        """Return the text; there is no junk."""
        return text[: self.most]

    def write(self, value: Value) -> str:
        """Return it as it is."""
        return str(value)


@dataclass(frozen=True)
class Choice:
    """One of several names, the first unless `usual` is given; empty where there is none."""

    name: str
    allowed: Allowed
    usual: str | None = None

    def default(self, board: Board, values: Values) -> str:
        """Return the usual name."""
        names = _names(self.allowed, board, values)
        usual = self.usual
        return usual if usual is not None and usual in names else next(iter(names), "")

    def read(self, text: str, board: Board, values: Values) -> str:
        """Return the name that `text` is, whatever the case of its letters."""
        return _one(self.name, text, _names(self.allowed, board, values))

    def write(self, value: Value) -> str:
        """Return the name."""
        return str(value)


@dataclass(frozen=True)
class Choices:
    """Any of several names, all of them by default; in a link with commas between them."""

    name: str
    allowed: Allowed

    def default(self, board: Board, values: Values) -> tuple[str, ...]:
        """Return all names."""
        return tuple(_names(self.allowed, board, values))

    def read(self, text: str, board: Board, values: Values) -> tuple[str, ...]:
        """Return the names in the order in which they are known."""
        names = _names(self.allowed, board, values)
        chosen = {_one(self.name, part, names) for part in text.split(",") if part}
        return tuple(name for name in names if name in chosen)

    def write(self, value: Value) -> str:
        """Return the names, commas between them."""
        return ",".join(value) if isinstance(value, tuple) else str(value)


@dataclass(frozen=True)
class Flag:
    """Yes or no, as 1 and 0."""

    name: str
    usual: bool = False

    def default(self, board: Board, values: Values) -> bool:
        """Return what is usual."""
        return self.usual

    def read(self, text: str, board: Board, values: Values) -> bool:
        """Return whether `text` is 1."""
        return _one(self.name, text, ("0", "1")) == "1"

    def write(self, value: Value) -> str:
        """Return 1 or 0."""
        return "1" if value else "0"


@dataclass(frozen=True)
class Whole:
    """A whole number from 1 to a greatest one, which may depend on the fields before; 1 by default."""

    name: str
    most: Callable[[Board, Values], int]

    def default(self, board: Board, values: Values) -> int:
        """Return 1."""
        return 1

    def read(self, text: str, board: Board, values: Values) -> int:
        """Return the number."""
        most = self.most(board, values)
        if not (text.isascii() and text.isdecimal() and len(text) < 10) or not 1 <= int(text) <= most:
            raise JunkError(self.name, text, f"1 to {most}")
        return int(text)

    def write(self, value: Value) -> str:
        """Return its digits."""
        return str(value)


@dataclass(frozen=True, eq=False)
class View:
    """One view of a page: the board, the words of its language, and a value for each field."""

    page: str
    board: Board
    words: Words
    fields: Sequence[Field]
    values: Values

    def text(self, name: str) -> str:
        """Return the value of a Text or a Choice."""
        return str(self.values[name])

    def names(self, name: str) -> tuple[str, ...]:
        """Return the value of Choices."""
        value = self.values[name]
        return value if isinstance(value, tuple) else (str(value),)

    def flag(self, name: str) -> bool:
        """Return the value of a Flag."""
        return bool(self.values[name])

    def whole(self, name: str) -> int:
        """Return the value of a Whole."""
        value = self.values[name]
        return value if isinstance(value, int) else 1

    @cached_property
    def key(self) -> tuple[Any, ...]:
        """What tells it from other views of the same board."""
        return (self.page, self.words.language, *self.values.items())

    @property
    def link(self) -> str:
        """The query of a link that restores it, of the language and what is not as usual."""
        told = {LANGUAGE: self.words.language}
        before: dict[str, Value] = {}
        for field in self.fields:
            value = self.values[field.name]
            if value != field.default(self.board, before):
                told[field.name] = field.write(value)
            before[field.name] = value
        return "?" + urlencode(told, errors="replace")


def read_view(
    page: str, fields: Sequence[Field], board: Board, told: Mapping[str, str], *, strict: bool = False
) -> View:
    """Return the view of a page that a link tells of, by the names of fields.

    What is missing or junk is as usual; where it is `strict` junk raises JunkError.
    """
    language = told.get(LANGUAGE, LANGUAGES[0])
    if strict:
        _one(LANGUAGE, language, LANGUAGES)
    values: dict[str, Value] = {}
    for field in fields:
        try:
            text = told.get(field.name)
            value = field.default(board, values) if text is None else field.read(text, board, values)
        except JunkError:
            if strict:
                raise
            value = field.default(board, values)
        values[field.name] = value
    return View(page, board, Words(language), tuple(fields), values)


def _names(allowed: Allowed, board: Board, values: Values) -> Sequence[str]:
    return allowed(board, values) if callable(allowed) else allowed


def _one(field: str, text: str, names: Sequence[str]) -> str:
    if text in names:
        return text
    found = next((name for name in names if name.casefold() == text.casefold()), None)
    if found is None:
        raise JunkError(field, text, ", ".join(names[:20]) or "nothing")
    return found
