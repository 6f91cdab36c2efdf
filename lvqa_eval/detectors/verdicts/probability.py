"""How likely a judge held a response incorrect: from the token at which its two words part."""

import math
import re
from typing import Any, Final

from lvqa_eval.detectors.token_scores import known
from lvqa_eval.detectors.verdicts.ruling import Ruling

_LETTERS: Final = re.compile(r"[^A-Za-z]*([A-Za-z]+)(.*)", re.DOTALL)
_WORDS: Final = {"incorrect": True, "correct": False}


def incorrect_probability(logprobs: Any, reply: str, ruling: Ruling) -> float | None:
    """Return P(INCORRECT) / (P(INCORRECT) + P(CORRECT)) where the judge chose between them, or None.

    `logprobs` is that of the choice as the server sent it. The words part at their first letter, so the token
    that holds it decides, and every alternative to it counts for the word that it begins: whole in any case;
    in part ("IN", " COR") in the case of the word that was chosen, and with two letters or more unless the
    tokens are shorter, since "I" may begin anything. A word that is not among the alternatives counts as 0.

    None where the token is not found, has no log-probability, or comes without alternatives.
    """
    content = logprobs.get("content") if isinstance(logprobs, dict) else None
    if not isinstance(content, list) or not all(isinstance(entry, dict) for entry in content):
        return None
    found = _deciding(content, reply, ruling)
    if found is None:
        return None
    entry, begun = found
    listed = entry.get("top_logprobs")
    others = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    alternatives = {_pair(one) for one in (*others, entry)}
    if len(alternatives) < 2:
        return None
    word = reply[ruling.start : ruling.end]
    mass = {True: 0.0, False: 0.0}
    for token, value in sorted(alternatives):
        kind = ruling.incorrect if (token, value) == _pair(entry) else _kind(token, word, min(2, begun))
        if kind is not None:
            mass[kind] += math.exp(value)
    # Without the chosen token's own figure nothing can be said of the share of the other word.
    return mass[True] / sum(mass.values()) if mass[ruling.incorrect] > 0.0 else None


def _deciding(content: list[dict[str, Any]], reply: str, ruling: Ruling) -> tuple[dict[str, Any], int] | None:
    """Return the token that holds the first letter of the verdict, and how many of its letters it holds.

    Looked for from the end: thinking may hold the same words, and tokens that are half a letter are not
    written as the reply has them.
    """
    tokens = [str(entry.get("token", "")) for entry in content]
    rest = reply[ruling.start :]
    place = "".join(tokens).rfind(rest)
    if place < 0:
        return None
    for entry, token in zip(content, tokens, strict=True):
        if place < len(token):
            return entry, min(len(token) - place, ruling.end - ruling.start)
        place -= len(token)
    return None


def _pair(entry: dict[str, Any]) -> tuple[str, float]:
    """Return a token with its log-probability, minus infinity where the server gave none."""
    given = entry.get("logprob")
    plain = isinstance(given, int | float) and not isinstance(given, bool)
    value = float(known([given if plain else None])[0])
    return str(entry.get("token", "")), -math.inf if math.isnan(value) else value


def _kind(token: str, chosen: str, least: int) -> bool | None:
    """Return which word a token begins, None for neither; in part, in the case of the `chosen` word."""
    found = _LETTERS.fullmatch(token)
    if found is None:
        return None
    letters, rest = found.groups()
    if letters.casefold() in _WORDS:
        return _WORDS[letters.casefold()]
    if rest or len(letters) < least:
        return None
    return next(
        (kind for word, kind in _WORDS.items() if _in_case_of(chosen, word).startswith(letters)), None
    )


def _in_case_of(chosen: str, word: str) -> str:
    if chosen.isupper():
        return word.upper()
    return word.capitalize() if chosen[0].isupper() else word
