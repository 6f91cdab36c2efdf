"""The words of questions and shards: which carry meaning, and which are forms of one word."""

import re
from dataclasses import dataclass

from lvqa_eval.judging.numbers import words_to_digits

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_OWNER = re.compile(r"['’]s$")
_NOT = re.compile(r"n['’]t\b")
_SHORTEST_STEM = 3
_LONGEST_ENDING = 3


@dataclass(frozen=True)
class WordLists:
    """What the checks of shards know of a language; all casefolded.

    `free` words may stand in any shard, `connectives` may not begin one, `benchmark` words may stand in none
    unless the question has them.
    """

    free: frozenset[str]
    connectives: frozenset[str]
    benchmark: frozenset[str]


def words(text: str) -> list[str]:
    """Return the words of `text` in order, casefolded; number words as digits, "n't" as "not", no "'s"."""
    # "one" is a pronoun more often than a number.
    spelled = words_to_digits(_NOT.sub(" not", text.casefold()), one=False)
    return [_OWNER.sub("", word) for word in _WORD.findall(spelled)]


def content_words(text: str, lists: WordLists) -> list[str]:
    """Return the words of `text` that carry meaning, in order, each once."""
    return list(dict.fromkeys(word for word in words(text) if word not in lists.free))


def missing_words(wanted: str, given: str, lists: WordLists) -> list[str]:
    """Return the content words of `wanted` of which `given` has no form."""
    there = words(given)
    return [word for word in content_words(wanted, lists) if not any(alike(word, other) for other in there)]


def alike(one: str, other: str) -> bool:
    """Tell whether two words look like forms of one: "run" and "running", "colour" and "color".

    A common beginning of three letters or more, at least half of the longer word, and endings of at most
    three letters; a letter that an ending doubles does not count. Numbers are alike only if equal.
    """
    if one == other:
        return True
    if not (one.isalpha() and other.isalpha()):
        return False
    common = next((i for i, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), None)
    common = min(len(one), len(other)) if common is None else common
    if common < _SHORTEST_STEM:
        return False
    endings = [_undoubled(word, common) for word in (one, other)]
    return all(len(ending) <= _LONGEST_ENDING and len(ending) <= common for ending in endings)


def _undoubled(word: str, stem: int) -> str:
    ending = word[stem:]
    return ending[1:] if len(ending) > 1 and ending[0] == word[stem - 1] else ending
