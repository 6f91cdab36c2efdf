"""Whether an answer says what the reference says, by their text alone."""

import re
import unicodedata
from decimal import Decimal
from itertools import zip_longest

from lvqa_eval.judging.numbers import Language, is_denied, last_number, read_number
from lvqa_eval.judging.text import clean, normalise, readings

RULES = 2
"""Version of the rules of this package; part of the identity of every judge that uses them."""

# Runs of marks are bounded: a model that repeats one mark without end must not take the judge's time.
_MARKS = r"(?:[^\w\n]|_){0,20}"
_KIND = r"(?:(?:the|my|final|correct|short|итоговый|окончательный|краткий)[ \t]{1,3}){0,3}"
_LABEL = re.compile(
    rf"(?im)(?:^{_MARKS}|(?<=[\s*_(/])){_KIND}(?:answer|ответ)[ \t*_]*[:：][*_]*"
    rf"|^{_MARKS}{_KIND}(?:answer|ответ)[ \t*_]+[-–—][ \t]"
)
_SENTENCE = re.compile(
    rf"(?im)(?:^|(?<=[.!?]\s)){_MARKS}(?:(?:so|thus|hence|therefore),? )?"
    r"(?:the|my) (?:final |correct )?answer is:? "
)
_BOXED = re.compile(r"\\boxed\s*(?=\{)")
_LABELLED_LINE = re.compile(rf"{_MARKS}\w+[*_]*\s*[:：]")
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)")

_OPTION = re.compile(r"[A-ZА-ЯЁ]")
# A single capital is an option, not a word: "A dog", "I think", "В тексте" begin sentences.
_STATED_OPTION = re.compile(r"(?<![\w'-])(?![AIАВИКОСУЯ] [^\W\dA-ZА-ЯЁ])[A-ZА-ЯЁ](?![\w'-])")


def same_answer(reference: str, answer: str, language: Language | None = None) -> bool:
    """Tell whether `answer` says what `reference` says.

    Both are compared as `normalise` spells them, or as numbers where both are. An answer that declares itself
    ("Answer: …", "Ответ: …", "The answer is …") is judged by its last declaration alone. A sentence round the
    answer is accepted only where the reference is a number, or a capital letter that names an option: the
    last one that is stated and not denied counts, unless the sentence is a question.
    `language` settles "1,234": 1234, in Russian 1.234.
    """
    declared = declared_answer(answer)
    if declared is None:
        return any(
            _same(ours, theirs, language) for ours in readings(reference) for theirs in readings(answer)
        )
    return _same_text(reference, answer, language) or any(
        _same(ours, theirs, language) for ours in readings(reference) for theirs in readings(declared)
    )


def labelled_answer(text: str) -> str | None:
    """Return what stands behind the last "Answer:" or "Ответ:" that has something behind it, or None."""
    found = _labelled(text)
    return found[-1][1] if found else None


def declared_answer(text: str) -> str | None:
    """Return the last answer that `text` declares: by label, by "the answer is", or boxed; None without."""
    found = _labelled(text) + _in_sentences(text) + _boxed(text)
    return max(found)[1] if found else None


def _labelled(text: str) -> list[tuple[int, str]]:
    labels = list(_LABEL.finditer(text))
    found = []
    for label, after in zip_longest(labels, labels[1:]):
        line, _, rest = text[label.end() : after.start() if after else None].partition("\n")
        following = rest.lstrip().partition("\n")[0]
        if not line.strip(" \t\r*_") and not _LABELLED_LINE.match(following):
            line = following
        if line.strip(" \t\r*_"):
            found.append((label.start(), line.strip()))
    return found


def _in_sentences(text: str) -> list[tuple[int, str]]:
    found = []
    for match in _SENTENCE.finditer(text):
        line = text[match.end() :].partition("\n")[0]
        end = _SENTENCE_END.search(line)
        found.append((match.start(), line[: end.start()] if end else line))
    return found


def _boxed(text: str) -> list[tuple[int, str]]:
    found = []
    for match in _BOXED.finditer(text):
        inside = re.match(r"\{((?:[^{}]|\{[^{}]*\})*)\}", text[match.end() :])
        if inside:
            found.append((match.start(), inside[1]))
    return found


def _same(reference: str, answer: str, language: Language | None) -> bool:
    if _same_text(reference, answer, language):
        return True
    if not _units_agree(reference, answer):
        return False
    number = read_number(clean(reference).casefold(), language)
    if number is not None:
        return _number_in(answer, language) == number
    option = reference.strip()
    return _OPTION.fullmatch(option) is not None and _option_in(answer) == option


def _same_text(reference: str, answer: str, language: Language | None) -> bool:
    if not answer.strip() or not _units_agree(reference, answer):
        return False
    return normalise(reference, language) == normalise(answer, language)


def _number_in(answer: str, language: Language | None) -> Decimal | None:
    text = clean(answer).casefold()
    number = read_number(text, language)
    if number is None and not is_question(answer):
        number = last_number(text, language)
    return number


def _option_in(answer: str) -> str | None:
    if is_question(answer):
        return None
    text = clean(answer)
    stated = [m[0] for m in _STATED_OPTION.finditer(text) if not is_denied(text.casefold(), m.start())]
    return stated[-1] if stated else None


def is_question(text: str) -> bool:
    """Tell whether `text` ends by asking something."""
    return text.rstrip(" \t\r\n*_`\"'»”)").endswith(("?", "？"))


def _units_agree(reference: str, answer: str) -> bool:
    """Tell whether both texts have a sign of currency, percent or degree in common, if both have any."""
    ours, theirs = _units(reference), _units(answer)
    return not (ours and theirs) or bool(ours & theirs)


def _units(text: str) -> set[str]:
    return {mark for mark in clean(text) if mark in "%‰°" or unicodedata.category(mark) == "Sc"}
