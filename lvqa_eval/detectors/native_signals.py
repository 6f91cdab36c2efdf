"""Signals that the answering model gave itself: the log-probabilities that its server sent with the reply."""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from lvqa_eval.detectors.answers import Answer, Answers
from lvqa_eval.detectors.reply_tokens import reply_places
from lvqa_eval.detectors.signals import TokenSignals
from lvqa_eval.detectors.token_scores import entropy_bounds, known
from lvqa_eval.runs.records import TokenLogprobs
from lvqa_eval.simulation.logprobs import POSITIVE

_SURE: Final = math.log(0.5)
"""A token with at least half of the probability is the most likely one."""


def native_tokens(answers: Answers, vocabulary: int | None = None) -> list[TokenSignals | None]:
    """Return the signals of the tokens of each final reply; None for a reply without, or without words.

    Thinking, special tokens and the end of sequence are left out; where the tokens do not spell the reply it
    has no signals. Entropies are bounds over the k most likely tokens, with one k for all answers: without
    the number of tokens in the model's `vocabulary` the upper ones are infinite wherever a tail is left.
    Raises VocabularyError for a vocabulary smaller than k.
    """
    replies = [_of_reply(answer) for answer in answers.items]
    k = _common([reply for reply in replies if reply])
    return [None if reply is None else _signals(reply, k, vocabulary) for reply in replies]


def _of_reply(answer: Answer) -> TokenLogprobs | None:
    """Return the log-probabilities of the tokens of the final reply alone."""
    given = answer.conversation.turns[-1].logprobs
    places = [] if given is None else reply_places(given.tokens, answer.reply)
    if given is None or not places:
        return None
    return TokenLogprobs(
        tokens=tuple(given.tokens[place] for place in places),
        logprobs=tuple(given.logprobs[place] for place in places),
        top=tuple(given.top[place] for place in places),
        chosen=tuple(given.chosen[place] for place in places),
        flags=given.flags,
    )


def _drawn_last(top: Sequence[float], place: int | None) -> bool:
    """Say whether the last of the alternatives is the drawn token, and may be listed for that alone.

    A server may add it to the k most likely, or put it in the place of the last of them, whatever its rank.
    """
    return place is not None and 0 < place == len(top) - 1


def _common(replies: Sequence[TokenLogprobs]) -> int:
    """Return the k that all tokens are compared at: how many are sure to be the most likely of all.

    Shorter lists are those that a server cut: what is missing from them has no probability.
    """
    lists = [pair for reply in replies for pair in zip(reply.top, reply.chosen, strict=True)]
    most = max((len(top) - _drawn_last(top, place) for top, place in lists), default=0)
    return most - any(len(top) == most and _drawn_last(top, place) for top, place in lists)


def _signals(reply: TokenLogprobs, k: int, vocabulary: int | None) -> TokenSignals:
    top = np.full((len(reply.tokens), k), np.nan)
    for row, (given, place) in enumerate(zip(reply.top, reply.chosen, strict=True)):
        likeliest = given[: min(len(given) - _drawn_last(given, place), k)]
        top[row, : len(likeliest)] = likeliest
    logprobs = known(reply.logprobs)
    ranked = [not _alone(given, place) for given, place in zip(reply.top, reply.chosen, strict=True)]
    lower, upper = entropy_bounds(top, vocabulary, np.array(ranked))
    if POSITIVE in reply.flags:
        # The drawn token had a value that was refused, and may have been the best: the others are no k best.
        refused = np.isnan(logprobs)
        lower, upper = np.where(refused, np.nan, lower), np.where(refused, np.nan, upper)
    return TokenSignals(logprobs, lower, upper)


def _alone(top: Sequence[float], place: int | None) -> bool:
    """Say whether the drawn token is all that is listed, and may be so for that alone."""
    return len(top) == 1 and place == 0 and top[0] < _SURE
