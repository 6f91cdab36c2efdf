"""The rows of the condition table: the published conditions in their order, any others, then baselines."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lvqa_eval.metrics.accuracy import Accuracy, accuracy
from lvqa_eval.metrics.bootstrap import Estimate, bootstrap, scene_sums
from lvqa_eval.metrics.scores import Scores


@dataclass(frozen=True)
class Measured:
    """What a run measured of one condition.

    `accuracy` stands for itself, `interval` is its interval; `difference` is the paired difference to the
    reference (`full`), None for the reference itself, where it was not run, and for a baseline.
    """

    accuracy: Accuracy
    interval: Estimate
    difference: Estimate | None


@dataclass(frozen=True)
class ConditionRow:
    """One condition, or a baseline beside them; `measured` is None where it was not run."""

    condition: str
    measured: Measured | None = None
    baseline: bool = False

    @property
    def label(self) -> str:
        """The name as a table without families shows it."""
        return f"{self.condition} (baseline)" if self.baseline else self.condition


def condition_rows(
    scores: Scores, weights: NDArray[np.float64], published: Sequence[str]
) -> tuple[ConditionRow, ...]:
    """Return a row for each of `published`, then for each other condition of the plan.

    Losses are taken against the first of `published`; `weights` are the draws of the bootstrap.
    """
    measured = dict(zip(scores.conditions, _measure(scores, weights, published[0]), strict=True))
    others = [condition for condition in scores.conditions if condition not in published]
    return tuple(ConditionRow(condition, measured.get(condition)) for condition in [*published, *others])


def baseline_rows(scores: Scores, weights: NDArray[np.float64]) -> tuple[ConditionRow, ...]:
    """Return a row for each baseline, under the same draws and without a difference to any other."""
    if not scores.conditions:
        return ()
    measured = _measure(scores, weights, None)
    return tuple(
        ConditionRow(name, figures, baseline=True)
        for name, figures in zip(scores.conditions, measured, strict=True)
    )


def _measure(scores: Scores, weights: NDArray[np.float64], reference: str | None) -> list[Measured]:
    scenes = len(scores.scenes)
    levels = bootstrap(scene_sums(scores.correct, scores.scene_of, scenes), weights)
    differences = None
    if reference in scores.conditions:
        paired = scores.correct - scores.of(reference)
        differences = bootstrap(scene_sums(paired, scores.scene_of, scenes), weights)
    return [
        Measured(
            accuracy(scores.correct[i], scores.outcome[i]),
            levels.at(i),
            differences.at(i) if differences is not None and condition != reference else None,
        )
        for i, condition in enumerate(scores.conditions)
    ]
