"""Decide the language of a page from its text: English, Russian, or another.

Words that mix scripts are no evidence for any language (see `words.is_doubtful`).

A page is Cyrillic where at least a third of its Latin and Cyrillic letters are, for a Russian page may quote
twice as much in Latin letters, and OCR leaves a few Cyrillic letters on an English one; or where a tenth are
and the Latin words make no English text, as where names are listed.

- A Cyrillic page with any letter outside the Russian alphabet (і ї є ґ ў ј ң …), outside Roman numerals, is
  not Russian; nor is one with signs of OCR by a reader that lacks its letters: three in a hundred words with
  a Latin i, ! or ] between Cyrillic letters, or hardly a word in the shape of words; nor one with more
  function words that another Slavic language has and Russian has not than the other way round; nor a long
  one without ы, э and ё.
- A Latin page is English where a tenth of its words are English function words and no other language has as
  many; with fewer, which tables have, where nothing speaks for another language: no twentieth of function
  words, hardly a letter with a diacritic, and words in the shape of words.
- A page in letters of other scripts, or without words, is neither.
"""

import re
from collections import Counter
from collections.abc import Sequence

from dataset_builders.bear_bench.function_words import CYRILLIC, LATIN
from dataset_builders.bear_bench.records import Language
from dataset_builders.bear_bench.words import (
    RUSSIAN_LETTERS,
    is_doubtful,
    is_roman_number,
    looks_like_a_word,
    script,
    words,
)

CYRILLIC_SHARE = 1 / 3
SOME_CYRILLIC = 0.1
ENGLISH_WORDS = 0.1
FOREIGN_LETTERS = 0.02
ENGLISH_SHAPES = 0.8
RUSSIAN_SHAPES = 0.6
FOREIGN_WORDS = 0.05
BROKEN_LETTERS = 0.03
LONG_TEXT = 600
"""Letters, of words that differ, in which Russian is certain to have ы, э or ё: 2 % of its letters are."""

_BROKEN_LETTER = re.compile(r"(?<=[а-яё])[iï!|\]\[1](?=[а-яё])", re.IGNORECASE)


def language_of(text: str) -> Language:
    """Return the language of a text; for the rules see this module."""
    every = list(words(text))
    clean = [word for word in every if not is_doubtful(word) and any(map(str.isalpha, word))]
    scripts = Counter(script(letter) for word in clean for letter in word)
    latin, cyrillic = scripts["latin"], scripts["cyrillic"]
    if latin + cyrillic == 0 or scripts["other"] > latin + cyrillic:
        return "other"
    latin_words = [word for word in clean if _is_in(word, "latin")]
    least = CYRILLIC_SHARE if _is_english(latin_words) else SOME_CYRILLIC
    if cyrillic < least * (latin + cyrillic):
        return _latin(latin_words)
    return _cyrillic(text, every, [word for word in clean if _is_in(word, "cyrillic")])


def doubtful_words(text: str) -> tuple[str, ...]:
    """Return the words that are doubtful, sorted, none twice."""
    return tuple(sorted({word for word in words(text) if is_doubtful(word)}))


def _is_in(word: str, kind: str) -> bool:
    return any(script(letter) == kind for letter in word)


def _cyrillic(text: str, every: Sequence[str], clean: Sequence[str]) -> Language:
    if not _shaped(clean, RUSSIAN_SHAPES):
        return "other"
    letters = Counter(letter for word in clean if not is_roman_number(word) for letter in word.lower())
    if any(letter.isalpha() and letter not in RUSSIAN_LETTERS for letter in letters):
        return "other"
    if len(_BROKEN_LETTER.findall(text)) > BROKEN_LETTERS * len(clean):
        return "other"
    if any(_more_like(neighbour, every) for neighbour in CYRILLIC if neighbour != "ru"):
        return "other"
    different = sum(map(len, {word.lower() for word in clean}))
    long_without = different > LONG_TEXT and not (letters["ы"] or letters["э"] or letters["ё"])
    return "other" if long_without else "ru"


def _more_like(neighbour: str, clean: Sequence[str]) -> bool:
    russian, other = CYRILLIC["ru"], CYRILLIC[neighbour]
    hits = _hits(clean, {"russian alone": russian - other, "other alone": other - russian})
    return hits["other alone"] > hits["russian alone"]


def _latin(clean: Sequence[str]) -> Language:
    if _is_english(clean):
        return "en"
    hits = _hits(clean, LATIN)
    letters = Counter(letter for word in clean for letter in word.lower())
    foreign = sum(count for letter, count in letters.items() if letter > "\x7f")
    foreign_words = max(hits.values()) > max(hits["en"], FOREIGN_WORDS * len(clean))
    other = foreign_words or foreign > FOREIGN_LETTERS * letters.total()
    return "other" if other or not _shaped(clean, ENGLISH_SHAPES) else "en"


def _is_english(clean: Sequence[str]) -> bool:
    hits = _hits(clean, LATIN)
    english = hits.pop("en")
    return english >= ENGLISH_WORDS * len(clean) and english > max(hits.values())


def _shaped(clean: Sequence[str], share: float) -> bool:
    long = [word for word in clean if len(word) >= 4 and not any(map(str.isdigit, word))]
    return sum(map(looks_like_a_word, long)) >= share * len(long)


def _hits(clean: Sequence[str], lists: dict[str, frozenset[str]]) -> dict[str, int]:
    counted = Counter(word.lower().replace("’", "'") for word in clean)
    return {
        language: sum(count for word, count in counted.items() if word in listed)
        for language, listed in lists.items()
    }
