"""The uncertainty scores as detectors: each reads the tokens of an answer, and nothing is fitted.

From the log-probabilities alone or from the entropies, whose lower bounds are the scores where a server gave
only the most likely tokens.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from lvqa_eval.detectors import token_scores
from lvqa_eval.detectors.answers import Answers
from lvqa_eval.detectors.detector import Need, Scored
from lvqa_eval.detectors.signals import Signals, TokenSignals
from lvqa_eval.metrics.bootstrap import Floats

Formula = Callable[[Floats], float]


@dataclass(frozen=True)
class LogprobScore:
    """A detector by a formula of the log-probabilities of an answer's tokens."""

    name: str
    formula: Formula
    needs: Need = "tokens"

    def read(self, answers: Answers, signals: Signals) -> Scored:
        """Return the score of each answer; NaN where it has no tokens, or none with a log-probability."""
        return Scored(_scores(self.formula, answers, signals, lambda tokens: tokens.logprobs))


@dataclass(frozen=True)
class EntropyScore:
    """A detector by a formula of the entropies at an answer's tokens."""

    name: str
    formula: Formula
    needs: Need = "tokens"

    def read(self, answers: Answers, signals: Signals) -> Scored:
        """Return the score of each answer; NaN where it has no tokens, or none with an entropy.

        `upper` is given where entropies are bounded on both sides, and None where they are exact, or where
        the size of the vocabulary is not known and nothing bounds them from above.
        """
        lower = _scores(self.formula, answers, signals, lambda tokens: tokens.entropies)
        upper = _scores(self.formula, answers, signals, lambda tokens: tokens.entropies_upper)
        bounded = not np.isinf(upper).any() and not np.array_equal(lower, upper, equal_nan=True)
        return Scored(lower, upper=upper if bounded else None)


MaxProb = partial(LogprobScore, "max_prob", token_scores.max_prob)
"""Minus the probability of the likeliest token."""

MeanProb = partial(LogprobScore, "mean_prob", token_scores.mean_prob)
"""Minus the mean probability of the tokens."""

LogLikelihood = partial(LogprobScore, "log_likelihood", token_scores.log_likelihood)
"""Minus the mean log-probability of the tokens: the log-likelihood of the answer by its length."""

LogLikelihoodSum = partial(LogprobScore, "log_likelihood_sum", token_scores.log_likelihood_sum)
"""Minus the log-likelihood of the whole answer, which grows with its length."""

MaxEntropy = partial(EntropyScore, "max_entropy", token_scores.max_entropy)
"""The greatest entropy at any token."""

MeanEntropy = partial(EntropyScore, "mean_entropy", token_scores.mean_entropy)
"""The mean entropy over the tokens."""

Perplexity = partial(LogprobScore, "perplexity", token_scores.log_perplexity)
"""The logarithm of the perplexity: the values of `log_likelihood` under a name that is used as often."""

WeakestToken = partial(LogprobScore, "weakest_token", token_scores.weakest_token)
"""Minus the log-probability of the least likely token."""


def _scores(
    formula: Formula, answers: Answers, signals: Signals, of: Callable[[TokenSignals], Floats]
) -> Floats:
    found = [
        np.nan if tokens is None else formula(of(tokens))
        for _, tokens in zip(answers.items, signals.tokens, strict=True)
    ]
    return np.array(found, dtype=np.float64)
