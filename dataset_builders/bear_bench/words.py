"""Words of a text and their letters: script, doubtful mixtures, shape."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

RUSSIAN_LETTERS = frozenset("абвгдеёжзийклмнопрстуфхцчшщъыьэюя")

# A Russian or Roman letter that stands for the other in a picture: OCR takes "USB" for "О5В".
_LOOK_LATIN = frozenset("АВЕКМНОРСТУХ")
_ROMAN = re.compile(r"[IVXLCDMІХСМ]+", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)*")
_VOWELS = frozenset("aeiouyаеёиоуыэюяіїє")


def words(text: str) -> Iterator[str]:
    """Yield the words: letters and digits, an apostrophe between letters; a hyphen parts words.

    A word that a line broke ("уче-", "ние") is one word.
    """
    joined = re.sub(r"(?<=[^\W\d_])[-\u00ad\u2010]\s*\n\s*(?=[^\W\d_])", "", text)
    for found in _WORD.finditer(unicodedata.normalize("NFC", joined)):
        yield found[0]


@lru_cache(maxsize=4096)
def script(letter: str) -> str:
    """Return "latin", "cyrillic", "other", or "" for what is no letter."""
    if not letter.isalpha():
        return ""
    name = unicodedata.name(letter, "")
    return next((kind for kind in ("latin", "cyrillic") if name.startswith(kind.upper())), "other")


def is_doubtful(word: str) -> bool:
    """Tell whether a word mixes Latin and Cyrillic, or is Cyrillic with digits where a Latin one fits.

    The second is a word with a digit between letters whose letters are all capitals that look Latin: "О5В".
    """
    scripts = {script(letter) for letter in word}
    if {"latin", "cyrillic"} <= scripts:
        return True
    letters = [letter for letter in word if letter.isalpha()]
    digit_inside = re.search(r"[^\W\d_]\d+[^\W\d_]", word) is not None
    return digit_inside and _LOOK_LATIN.issuperset(letters)


def is_roman_number(word: str) -> bool:
    """Tell whether a word is made of the letters of Roman numerals, Latin or their Cyrillic look-alikes."""
    return _ROMAN.fullmatch(word) is not None


def looks_like_a_word(word: str) -> bool:
    """Tell whether a word of four letters or more has a word's shape.

    It has no digit, capitals at its start alone or throughout, a vowel, and no five consonants in a row but
    where it is all capitals.
    """
    if not all(letter.isalpha() or letter in "'’" for letter in word):
        return False
    if word.isupper():
        return True
    if not word[1:].islower():
        return False
    runs = re.split(f"[{''.join(sorted(_VOWELS))}]", unicodedata.normalize("NFD", word.lower()))
    return len(runs) > 1 and max(map(len, runs)) <= 5


def characters(text: str) -> int:
    """Return the number of characters that are not white space."""
    return sum(not letter.isspace() for letter in text)
