"""Numbers in answers: digits with group and decimal marks, and words from zero to ninety-nine.

All functions take text as `lvqa_eval.judging.text.clean` leaves it: one kind of space, dash and digit.
Numbers are compared exactly; nothing here knows a tolerance, so a year is right only to the year.
"""

import re
from decimal import Decimal
from typing import Literal

Language = Literal["en", "ru"]

_DIGITS = "|".join(
    (
        r"[1-9][0-9]{0,2}(?:[ '][0-9]{3})+(?:[.,][0-9]+)?",  # 1 234 567,8
        r"[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?",  # 1,234,567.8
        r"[1-9][0-9]{0,2}(?:\.[0-9]{3}){2,}(?:,[0-9]+)?",  # 1.234.567,8
        r"[1-9][0-9]{0,2}\.[0-9]{3},[0-9]+",  # 1.234,5
        r"(?:0|[1-9][0-9]*)(?:[.,][0-9]+)?",  # 1234.5 and 1234,5
    )
)
_SIGNED = rf"(?P<sign>[+-])?[$€£¥₽]?(?P<digits>{_DIGITS}|[.,][0-9]+)"

# What stands alone: no part of a word, a date, a time, a ratio, a range, a power or a list like 1,2,3.
_STANDALONE = rf"(?<![\w/:.,^'-])(?<![0-9] - ){_SIGNED}(?![\w/:^]|[.,'][0-9]|-\w| - [0-9])"
_TOKEN = re.compile(_STANDALONE)
_NUMBER_ALONE = re.compile(rf"[\W_]*?{_SIGNED}[\W_]*")
_LONE_COMMA = re.compile(r"[1-9][0-9]{0,2},[0-9]{3}")

_SPELLINGS = {
    0: "zero ноль нуль",
    1: "one один одна одно",
    2: "two два две",
    3: "three три",
    4: "four четыре",
    5: "five пять",
    6: "six шесть",
    7: "seven семь",
    8: "eight восемь",
    9: "nine девять",
    10: "ten десять",
    11: "eleven одиннадцать",
    12: "twelve двенадцать",
    13: "thirteen тринадцать",
    14: "fourteen четырнадцать",
    15: "fifteen пятнадцать",
    16: "sixteen шестнадцать",
    17: "seventeen семнадцать",
    18: "eighteen восемнадцать",
    19: "nineteen девятнадцать",
    20: "twenty двадцать",
    30: "thirty тридцать",
    40: "forty сорок",
    50: "fifty пятьдесят",
    60: "sixty шестьдесят",
    70: "seventy семьдесят",
    80: "eighty восемьдесят",
    90: "ninety девяносто",
}
_WORDS = {word: value for value, words in _SPELLINGS.items() for word in words.split()}
_TENS = [word for word, value in _WORDS.items() if value >= 20]
_WORD = re.compile(rf"(?<!\w)(?:({'|'.join(_TENS)})[ -])?({'|'.join(_WORDS)})(?!\w)")

_SCALE = re.compile(
    r"\b(?:hundred|thousand|million|billion|trillion|dozen)s?\b"
    r"|\b(?:сто|ста|двести|триста|четыреста|пятьсот|шестьсот|семьсот|восемьсот|девятьсот)\b"
    r"|\b(?:тысяч|миллион|миллиард|триллион|дюжин)\w*|\b(?:тыс|млн|млрд|трлн)\b"
)
_BEFORE_WHAT_IS_DENIED = re.compile(r"(?:\bnot|n't|\bnever|\bне|\bни)\s*$")
_BEFORE_A_LABEL = re.compile(
    r"(?:\b(?:v|ver|version|section|sec|chapter|верси\w|раздел\w*|пункт\w*|п|глав\w)\.?|§)\s*$"
)
_NEAR = 20
"""How far before a number, in characters, a denial or a label is looked for."""


def read_number(text: str, language: Language | None = None) -> Decimal | None:
    """Return the number that `text` is, with nothing round it but marks such as %, $ or a full stop.

    One comma before exactly three digits ("1,234") is a group mark, in Russian a decimal mark. Whole numbers
    with leading zeros, versions, dates, fractions and section numbers are text: None.
    """
    text = words_to_digits(text)
    match = None if "§" in text else _NUMBER_ALONE.fullmatch(text)
    return None if match is None else _value(match, language)


def last_number(text: str, language: Language | None = None) -> Decimal | None:
    """Return the last number that casefolded `text` states, or None.

    Numbers that are denied ("not 3") or that name a section or version do not count, "one" only where it is
    the only number; with words like "thousand" in the text no number is read at all.
    """
    if _SCALE.search(text):
        return None
    number = _last(words_to_digits(text, one=False), language)
    return _last(words_to_digits(text), language) if number is None else number


def canonical_numbers(text: str, language: Language | None = None) -> str:
    """Return `text` with each number in plain digits and a decimal point; zeros at its end stay.

    "1 234,50 m" gives "1234.50 m". The zeros stay since "section 1.10" is not "section 1.1".
    """
    return _TOKEN.sub(
        lambda match: match[0].replace(match["digits"], _plain(match["digits"], language)), text
    )


def words_to_digits(text: str, one: bool = True) -> str:
    """Return casefolded `text` with English and Russian number words as digits; 1 only if `one`."""

    def digits(match: re.Match[str]) -> str:
        tens, value = match[1], _WORDS[match[2]]
        if value == 1 and not one and not tens:
            return match[0]
        if tens and 1 <= value <= 9:
            return str(_WORDS[tens] + value)
        return f"{_WORDS[tens]} {value}" if tens else str(value)

    return _WORD.sub(digits, text)


def is_denied(text: str, start: int) -> bool:
    """Tell whether what begins at `start` of casefolded `text` follows a "not" or "не"."""
    return _BEFORE_WHAT_IS_DENIED.search(text, max(0, start - _NEAR), start) is not None


def _is_labelled(text: str, start: int) -> bool:
    return _BEFORE_A_LABEL.search(text, max(0, start - _NEAR), start) is not None


def _last(text: str, language: Language | None) -> Decimal | None:
    stated = [
        match
        for match in _TOKEN.finditer(text)
        if not is_denied(text, match.start()) and not _is_labelled(text, match.start())
    ]
    return _value(stated[-1], language) if stated else None


def _value(match: re.Match[str], language: Language | None) -> Decimal:
    return Decimal((match["sign"] or "") + _plain(match["digits"], language))


def _plain(digits: str, language: Language | None) -> str:
    """Return `digits` without group marks and with a point as the decimal mark."""
    spaced = " " in digits or "'" in digits
    digits = digits.replace(" ", "").replace("'", "")
    marks = [mark for mark in digits if mark in ",."]
    if not marks:
        return digits
    if len(set(marks)) == 2:
        group = marks[0]
        return digits.replace(group, "").replace(marks[-1], ".")
    lone_group = language != "ru" and not spaced and _LONE_COMMA.fullmatch(digits)
    if len(marks) > 1 or lone_group:
        return digits.replace(marks[0], "")
    return digits.replace(",", ".")
