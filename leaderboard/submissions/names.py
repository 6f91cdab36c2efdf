"""Names of models: which are allowed, and when two are one model or look as if they were.

A name has letters of one script (Latin or Cyrillic, without accents), digits, single spaces and the signs
. _ - + : ( ) with at most one / between an organisation and a model; each side begins with a letter or digit.
So it is no formula, no path, no markup, and reads one way.
"""

import re
from typing import Final

from leaderboard.submissions.faults import Fault
from leaderboard.submissions.plain_text import hidden, shown

LONGEST: Final = 96
ALLOWED: Final = (
    f"1 to {LONGEST} characters: letters of one script (Latin or Cyrillic), digits, single spaces, "
    ". _ - + : ( ), one / between organisation and model, a letter or digit first"
)

_PART: Final = r"[A-Za-zА-Яа-яЁё0-9](?:[A-Za-zА-Яа-яЁё0-9._+:()-]| (?! ))*"
_NAME: Final = re.compile(f"{_PART}(?:/{_PART})?")
_LATIN: Final = re.compile("[A-Za-z]")
_CYRILLIC: Final = re.compile("[А-Яа-яЁё]")

_SAME_LOOK: Final = dict(zip("АВЕКМНОРСТУХЗаеорсухьб", "ABEKMHOPCTYX3aeopcyxb6", strict=True))
"""Cyrillic letters that look like a Latin letter or a digit."""

_SKELETON: Final = str.maketrans({**_SAME_LOOK, "0": "o", "O": "o", "О": "o", "1": "l", "I": "l"})


def trimmed(name: str) -> str:
    """Return a name without the spaces around it."""
    return name.strip(" ")


def same_model(name: str) -> str:
    """Return what names of one model have in common: trimmed, without the case of letters."""
    return trimmed(name).casefold()


def name_fault(name: str, taken: tuple[str, ...] = ()) -> Fault | None:
    """Return why a model cannot be called `name` beside the models `taken`; None where it can."""
    return _misspelt(name) or _mistakable(trimmed(name), taken)


def _misspelt(name: str) -> Fault | None:
    own = trimmed(name)
    if not own or len(own) > LONGEST:
        return _fault(f"{len(own)} characters", ALLOWED)
    if (letter := hidden(own)) is not None:
        return _fault(f"the character {letter} that is not seen", ALLOWED)
    if not _NAME.fullmatch(own):
        return _fault(shown(name), ALLOWED)
    return None


def _mistakable(own: str, taken: tuple[str, ...]) -> Fault | None:
    if _LATIN.search(own) and (mixed := _CYRILLIC.search(own)):
        return _fault(f"Latin letters beside {shown(mixed[0])} (U+{ord(mixed[0]):04X}, Cyrillic)", ALLOWED)
    letters = _CYRILLIC.findall(own)
    if letters and all(letter in _SAME_LOOK for letter in letters):
        return _fault(f"{shown(own)}, whose Cyrillic letters all look Latin", "letters that tell the script")
    for other in taken:
        if same_model(other) != same_model(own) and _skeleton(other) == _skeleton(own):
            return _fault(f"{shown(own)}, which looks like {shown(other)}", "that name, or one that differs")
    return None


def _skeleton(name: str) -> str:
    return trimmed(name).translate(_SKELETON).casefold()


def _fault(found: str, allowed: str) -> Fault:
    return Fault("about.model", found, allowed)
