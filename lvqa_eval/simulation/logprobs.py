"""Token log-probabilities as servers send them, made whole: no NaN, no stand-in for minus infinity."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from lvqa_eval.runs.records import TokenLogprobs

MINUS_INFINITY = -9999.0
"""What vLLM and OpenAI write where JSON has no minus infinity."""

ROUNDING = 1e-6
"""A log-probability this little above zero is rounding; more is no log-probability."""

_DIGITS = 5

NO_VALUE = "no value"
NO_ALTERNATIVES = "no alternatives"
POSITIVE = "positive"
NOT_GIVEN = "not given"
"""Flags: a token without a finite value; one without alternatives; a value above zero (left out); figures
that were asked for and did not come."""


def parse_logprobs(choice: Mapping[str, Any]) -> TokenLogprobs | None:
    """Read the `logprobs` of one choice of a chat completion; None where it has none. Never raises.

    Values are rounded to five decimals. What is above zero is left out, and what is minus infinity under any
    name (-inf, NaN, null, -9999 or less) has no value; both are flagged.
    """
    given = choice.get("logprobs")
    content = given.get("content") if isinstance(given, dict) else None
    if not isinstance(content, list) or not all(isinstance(entry, dict) for entry in content):
        return None
    flags: dict[str, None] = {}
    tokens, values, tops, places = [], [], [], []
    for entry in content:
        token, value = str(entry.get("token", "")), _value(entry.get("logprob"), flags)
        if value is None:
            flags[NO_VALUE] = None
        ranked = _ranked(entry.get("top_logprobs"), flags)
        if not ranked:
            flags[NO_ALTERNATIVES] = None
        tokens.append(token)
        values.append(value)
        tops.append(tuple(one for one, _ in ranked))
        places.append(_place(token, value, ranked))
    return TokenLogprobs(tuple(tokens), tuple(values), tuple(tops), tuple(places), tuple(sorted(flags)))


def prompt_logprobs(payload: Mapping[str, Any]) -> list[float | None]:
    """Return the log-probability of every prompt token, as vLLM gives them with `prompt_logprobs`.

    The first token has none. A position may hold k entries or, where the token itself is not among the k most
    likely, k + 1: the token's own is found by its id. Raises ValueError where the two lists do not match.
    """
    positions, ids = payload.get("prompt_logprobs"), payload.get("prompt_token_ids")
    if not isinstance(positions, Sequence) or not isinstance(ids, Sequence) or len(positions) != len(ids):
        raise ValueError("prompt_logprobs: found no list as long as prompt_token_ids")
    flags: dict[str, None] = {}
    found: list[float | None] = []
    for position, token_id in zip(positions, ids, strict=True):
        entry = (position or {}).get(str(token_id))
        found.append(_value(entry.get("logprob"), flags) if isinstance(entry, dict) else None)
    return found


def _ranked(given: object, flags: dict[str, None]) -> list[tuple[float, str]]:
    """Return the alternatives that have a value, the most likely first."""
    entries = given if isinstance(given, list) else []
    values = (
        (_value(entry.get("logprob"), flags), str(entry.get("token", "")))
        for entry in entries
        if isinstance(entry, dict)
    )
    return sorted(((value, token) for value, token in values if value is not None), reverse=True)


def _place(token: str, value: float | None, ranked: list[tuple[float, str]]) -> int | None:
    # Two ids can be written alike (bytes that are no text), so the value must agree too.
    for place, (other, name) in enumerate(ranked):
        if name == token and other == value:
            return place
    return None


def _value(given: object, flags: dict[str, None]) -> float | None:
    if isinstance(given, bool) or not isinstance(given, int | float) or math.isnan(given):
        return None
    if given <= MINUS_INFINITY:
        return None
    if given > ROUNDING:
        flags[POSITIVE] = None
        return None
    return min(round(float(given), _DIGITS), 0.0)
