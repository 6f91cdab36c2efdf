"""Signals of single tokens, from the log-probabilities that a server gave with its reply.

What a server did not give is missing (NaN), never zero.
"""

import math
from collections.abc import Sequence

from lvqa_eval.runs.records import TokenLogprobs


def entropy(logprobs: Sequence[float]) -> float:
    """Return -sum p log p in nats over natural log-probabilities; minus infinity adds nothing.

    NaN where there are none.
    """
    if not logprobs:
        return math.nan
    return -sum(math.exp(value) * value for value in logprobs if value != -math.inf) + 0.0


def entropies(logprobs: TokenLogprobs) -> list[float]:
    """Return the entropy of each token over its k most likely alternatives, with one k for all tokens.

    A server may add the token itself to the k; where it did, its list is longer than others, or the token is
    the least likely of its list. NaN where a token has no alternatives.
    """
    lengths = [
        _without_the_token(top, place) for top, place in zip(logprobs.top, logprobs.chosen, strict=True)
    ]
    k = min((length for length in lengths if length), default=0)
    return [entropy(top[:k]) for top in logprobs.top]


def _without_the_token(top: Sequence[float], place: int | None) -> int:
    added = place is not None and place > 0 and place == len(top) - 1
    return len(top) - added
