"""Uncertainty of an answer from its tokens: the formulas. Higher is more likely incorrect.

l is the natural log-probability of a token, H the entropy in nats of the distribution that it was drawn from.
What is not known is missing (NaN) and left out, never averaged in; where nothing is known the score is NaN.
"""

import math
from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lvqa_eval.errors import LvqaError
from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.simulation.logprobs import ROUNDING

LEAST: Final = -100.0
"""A log-probability so low stands for a missing one: -100, -9999, minus infinity. No drawn token has it."""

_EXCESS: Final = 1e-3
"""Probabilities that sum to this much more than 1 are of no one distribution."""


class VocabularyError(LvqaError, ValueError):
    """A vocabulary with fewer tokens than a distribution over it shows."""


def known(logprobs: Iterable[float | None]) -> Floats:
    """Return log-probabilities as an array of any shape, NaN for what stands for a missing one.

    Missing are None, NaN, infinities, `LEAST` or less, and more than `ROUNDING` above zero.
    """
    values = np.array(logprobs if isinstance(logprobs, np.ndarray) else list(logprobs), dtype=np.float64)
    with np.errstate(invalid="ignore"):
        missing = ~((values > LEAST) & (values <= ROUNDING))
    return np.where(missing, np.nan, np.minimum(values, 0.0))


def max_prob(logprobs: Floats) -> float:
    """Return -max exp(l)."""
    found = _present(known(logprobs))
    return -math.exp(found.max()) if found.size else math.nan


def mean_prob(logprobs: Floats) -> float:
    """Return -mean exp(l)."""
    found = _present(known(logprobs))
    return -float(np.exp(found).mean()) if found.size else math.nan


def log_likelihood(logprobs: Floats) -> float:
    """Return -mean l: the negative log-likelihood of the answer, by its length."""
    found = _present(known(logprobs))
    return -float(found.mean()) + 0.0 if found.size else math.nan


def log_likelihood_sum(logprobs: Floats) -> float:
    """Return -sum l; NaN where any l is missing, for a sum without it would count it as certain."""
    values = known(logprobs)
    return -float(values.sum()) + 0.0 if values.size else math.nan


def log_perplexity(logprobs: Floats) -> float:
    """Return the logarithm of the perplexity exp(-mean l): it ranks alike and does not overflow."""
    return log_likelihood(logprobs)


def weakest_token(logprobs: Floats) -> float:
    """Return -min l."""
    found = _present(known(logprobs))
    return -float(found.min()) + 0.0 if found.size else math.nan


def max_entropy(entropies: Floats) -> float:
    """Return max H."""
    found = _present(entropies)
    return float(found.max()) if found.size else math.nan


def mean_entropy(entropies: Floats) -> float:
    """Return mean H."""
    found = _present(entropies)
    return float(found.mean()) if found.size else math.nan


def entropy_bounds(
    top: Floats, vocabulary: int | None = None, ranked: NDArray[np.bool_] | None = None
) -> tuple[Floats, Floats]:
    """Return the least and the greatest entropy that distributions can have of which k entries are known.

    With t the mass that the k probabilities p leave, p_k the least of them and h = -sum p log p they are
    h - t log(min(t, p_k)) and h - t log t + t log(V - k): what is not listed lies in as few, and in as many,
    tokens as it can. Without a tail both are h.

    - `top`: log-probabilities of the k, (tokens, k); NaN where a token has fewer.
    - `vocabulary`: V; where it is not known and there is a tail, nothing bounds the entropy from above: inf.
    - `ranked`: whether the k of a token are the most likely of all, (tokens,); by default they are. Where
      not, another can have all of the tail, and the lower bound is h - t log t.

    Both are NaN for a token without entries, and where the p sum to more than 1. Raises VocabularyError where
    V is less than k.
    """
    values = known(top)
    listed = ~np.isnan(values)
    count = listed.sum(axis=-1)
    if vocabulary is not None and count.max(initial=0) > vocabulary:
        least = f"at least the {count.max()} that are listed at once"
        raise VocabularyError(f"vocabulary: found {vocabulary} tokens, allowed: {least}")
    p = np.where(listed, np.exp(values), 0.0)
    inside = -np.where(listed, p * values, 0.0).sum(axis=-1) + 0.0
    others = np.full(count.shape, math.inf) if vocabulary is None else vocabulary - count.astype(np.float64)
    left = np.where(others > 0, 1.0 - p.sum(axis=-1), 0.0)
    tail = np.maximum(left, 0.0)
    cap = np.where(listed, p, math.inf).min(axis=-1, initial=math.inf)
    if ranked is not None:
        cap = np.where(ranked, cap, math.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        lower = np.where(tail > 0, inside - tail * np.log(np.minimum(tail, cap)), inside)
        upper = np.where(tail > 0, inside + tail * (np.log(others) - np.log(tail)), inside)
    unknown = (count == 0) | (p.sum(axis=-1) > 1.0 + _EXCESS)
    # Rounded values can leave a tail that fits into the tokens left only just: the bounds then meet.
    lower = np.minimum(lower, upper)
    return np.where(unknown, np.nan, lower), np.where(unknown, np.nan, upper)


def _present(values: Floats) -> Floats:
    found: Floats = values[~np.isnan(values)]
    return found
