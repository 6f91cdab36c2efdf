"""The verdict in a judge's reply: the word CORRECT or INCORRECT, where it rules and is not merely said."""

import re
from typing import Final, NamedTuple

from lvqa_eval.judging.rulings import VerdictError

_WORD: Final = re.compile(r"(?<![^\W_])(?<!-)(in)?correct(?!-?[^\W_])", re.IGNORECASE)
_OTHER_WORD: Final = re.compile(r"[^\W_]+")
_SENTENCE_END: Final = re.compile(r"[.!?;\n]")
_NEGATED: Final = re.compile(
    r"(?:\b(?:not|never|neither|nor|hardly|cannot)|n['’]t)\b(?:\W+[^\W_]+){0,2}\W*\Z", re.IGNORECASE
)
_ENDS: Final = re.compile(r"[*_`\"'”’»)\]}]*[ \t]*(?:\Z|[\n\r.,:;!<(\[—–-]|(?:because|since|as)\b)")
_QUESTION: Final = re.compile(r"[^.!\n]*\?")

_LEAD: Final = re.compile(
    r"the|this|that|its?|is|was|my|i|final|last|overall|given|boxed|text|so|thus|therefore|hence|and|conclude"
    r"|rule|answer|response|reply|assistant|model|s|verdict|ruling|judge?ment|conclusion|result|label",
    re.IGNORECASE,
)
"""Words that may stand before the verdict in its sentence: "So the response is CORRECT" rules."""


class Ruling(NamedTuple):
    """What was ruled, and where the word stands in the reply."""

    incorrect: bool
    start: int
    end: int


def parse_verdict_word(text: str) -> Ruling:
    """Return the verdict in a judge's reply without its thinking: the first of its words that rules.

    The words count in any case. One rules that ends a sentence or begins its reason, with nothing before it
    in the sentence but a label ("Verdict:", "So the response is"): one in a question, a quoted line, or with
    a condition says nothing. Raises VerdictError where none rules, where both words stand in the reply,
    wherever that is, and for a word behind a "not": a judge that says "not correct" did not keep to its two
    words, and nothing is guessed.
    """
    found = list(_WORD.finditer(text))
    if not found:
        raise VerdictError("found neither CORRECT nor INCORRECT, needed one of them")
    if len({bool(one[1]) for one in found}) > 1:
        raise VerdictError("found both CORRECT and INCORRECT, needed one of them")
    if any(_NEGATED.search(_before(text, one.start())) for one in found):
        raise VerdictError(f"found {found[0][0]} behind a 'not', needed CORRECT or INCORRECT alone")
    for one in found:
        if _rules(text, one.start(), one.end()):
            return Ruling(bool(one[1]), one.start(), one.end())
    raise VerdictError(f"found {found[0][0]} only among other words, needed it alone")


def _rules(text: str, start: int, end: int) -> bool:
    line = text[text.rfind("\n", 0, start) + 1 : start]
    if line.lstrip().startswith(">"):  # a quoted line
        return False
    if not _ENDS.match(text, end) or _QUESTION.match(text, end):
        return False
    words = _OTHER_WORD.findall(_before(text, start))
    return all(map(_LEAD.fullmatch, words))


def _before(text: str, start: int) -> str:
    """Return what stands before a place in its sentence."""
    begin = 0
    for end in _SENTENCE_END.finditer(text, 0, start):
        begin = end.end()
    return text[begin:start]
