"""Accuracy of one condition, with what stands behind it: coverage, spread over runs, outcomes."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lvqa_eval.metrics.scores import OUTCOMES

RANKED_FROM = 0.99
"""The least coverage at which a figure may be ranked."""


@dataclass(frozen=True)
class Accuracy:
    """Accuracy of one condition.

    - `value`: correct / valid, pooled over (question, run); NaN where nothing is valid.
    - `strict`: correct / planned, so that what does not count is held wrong; NaN without a plan.
    - `valid`, `planned`: numbers of (question, run).
    - `by_run`: correct / valid of each run, NaN for a run without a valid conversation.
    - `counts`: how many planned conversations had each of `OUTCOMES`; they sum to `planned`.
    """

    value: float
    strict: float
    valid: int
    planned: int
    by_run: tuple[float, ...]
    counts: Mapping[str, int]

    @property
    def coverage(self) -> float:
        """Valid / planned; 0 where nothing was planned."""
        return self.valid / self.planned if self.planned else 0.0

    @property
    def ranked(self) -> bool:
        """Whether the coverage allows a place in a ranking."""
        return self.coverage >= RANKED_FROM

    @property
    def run_mean(self) -> float:
        """Mean of the runs' accuracies; NaN without any."""
        values = self._measured_runs()
        return float(np.mean(values)) if values else np.nan

    @property
    def run_sd(self) -> float:
        """Standard deviation of the runs' accuracies (n - 1); NaN for fewer than two runs."""
        values = self._measured_runs()
        return float(np.std(values, ddof=1)) if len(values) > 1 else np.nan

    def _measured_runs(self) -> list[float]:
        return [value for value in self.by_run if not np.isnan(value)]


def accuracy(correct: NDArray[np.float64], outcome: NDArray[np.int8]) -> Accuracy:
    """Return the accuracy of one condition from its slice of `Scores`: two arrays (questions, runs)."""
    valid = np.isfinite(correct)
    right = np.where(valid, correct, 0.0)
    counts = np.bincount(outcome.ravel(), minlength=len(OUTCOMES))
    return Accuracy(
        value=_ratio(right.sum(), valid.sum()),
        strict=_ratio(right.sum(), correct.size),
        valid=int(valid.sum()),
        planned=correct.size,
        by_run=tuple(map(_ratio, right.sum(axis=0), valid.sum(axis=0))),
        counts={name: int(count) for name, count in zip(OUTCOMES, counts, strict=True)},
    )


def _ratio(total: float, count: int) -> float:
    return float(total / count) if count else np.nan
