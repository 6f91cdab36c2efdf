"""Russian forms: nouns by case, adjectives and past tenses that agree, nouns after numerals.

Irregular forms stand in the word tables; only what is regular is derived here.
"""

from dataclasses import dataclass
from typing import Literal

Case = Literal["nom", "gen", "dat", "acc", "ins", "loc"]
CASES: tuple[Case, ...] = ("nom", "gen", "dat", "acc", "ins", "loc")

_VELAR_OR_SIBILANT = "гкхжчшщ"

_HARD = {
    "m": ("ый", "ого", "ому", "ый", "ым", "ом"),
    "f": ("ая", "ой", "ой", "ую", "ой", "ой"),
    "n": ("ое", "ого", "ому", "ое", "ым", "ом"),
    "p": ("ые", "ых", "ым", "ые", "ыми", "ых"),
}
_SOFT = {
    "m": ("ий", "его", "ему", "ий", "им", "ем"),
    "f": ("яя", "ей", "ей", "юю", "ей", "ей"),
    "n": ("ее", "его", "ему", "ее", "им", "ем"),
    "p": ("ие", "их", "им", "ие", "ими", "их"),
}


@dataclass(frozen=True)
class Noun:
    """A noun, or a fixed group of words, in its cases; `kind` is m, f, n, or p for a plural."""

    nom: str
    gen: str
    dat: str
    acc: str
    ins: str
    loc: str
    kind: str

    def __str__(self) -> str:
        return self.nom


@dataclass(frozen=True)
class Adjective:
    """An adjective by its masculine nominative, declined where it is used; for things, not for persons."""

    base: str

    def form(self, kind: str, case: str) -> str:
        """Return the form that agrees with a noun of that kind in that case."""
        stem, ending = self.base[:-2], self.base[-2:]
        index = CASES.index(_case(case))
        if ending == "ий" and stem[-1] not in _VELAR_OR_SIBILANT:
            return stem + _SOFT[kind][index]
        found = "ой" if kind == "m" and ending == "ой" and index in (0, 3) else _HARD[kind][index]
        if stem[-1] in _VELAR_OR_SIBILANT and found[0] == "ы":
            found = "и" + found[1:]
        if stem[-1] in "жчшщ" and found[0] == "о" and ending != "ой":
            found = "е" + found[1:]
        return stem + found


@dataclass(frozen=True)
class Past:
    """A past tense by its masculine, with the stem of the other forms where it differs."""

    masculine: str
    stem: str = ""

    def form(self, kind: str, _case: str = "nom") -> str:
        """Return the form that agrees with a subject of that kind."""
        if kind == "m":
            return self.masculine
        verb = self.masculine.removesuffix("ся")
        stem = self.stem or verb.removesuffix("л")
        reflexive = {"f": "сь", "n": "сь", "p": "сь"}[kind] if verb != self.masculine else ""
        return stem + {"f": "ла", "n": "ло", "p": "ли"}[kind] + reflexive


def counted(number: int, forms: str) -> str:
    """Return which of "день|дня|дней" stands after a whole number."""
    one, few, many = forms.split("|")
    if number % 100 in range(11, 15):
        return many
    return one if number % 10 == 1 else few if number % 10 in (2, 3, 4) else many


def _case(name: str) -> Case:
    for case in CASES:
        if case == name:
            return case
    raise ValueError(f"{name!r}: found no case of that name, allowed: {', '.join(CASES)}")
