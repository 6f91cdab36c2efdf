"""Text from outside: how it is shown in an answer, and which characters have no place in a name or a note."""

import json
import unicodedata
from typing import Any, Final

BIDI: Final = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""They change the order in which what follows is shown."""


def shown(value: Any, limit: int = 60) -> str:
    """Return a value as JSON on one line, cut to `limit` characters, what cannot be seen as \\uXXXX."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=True)
    except (TypeError, ValueError, RecursionError):
        text = type(value).__name__
    text = text if len(text) <= limit else text[: limit - 1] + "…"
    return "".join(letter if visible(letter) else f"\\u{ord(letter):04x}" for letter in text)


def visible(letter: str) -> bool:
    """Say whether a character is seen, or is a plain space: no control, bidi, surrogate or line end."""
    return letter == " " or unicodedata.category(letter)[0] not in "CZ"


def hidden(text: str, allowed: str = "") -> str | None:
    """Return the name (U+XXXX) of the first character that cannot be seen and is not `allowed`, or None."""
    if text.isascii() and text.isprintable():
        return None
    for letter in text:
        if letter not in allowed and not visible(letter):
            what = " (changes the direction of text)" if letter in BIDI else ""
            return f"U+{ord(letter):04X}{what}"
    return None
