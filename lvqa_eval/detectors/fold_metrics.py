"""The measures of a detector on each fold, of all answers and in every draw of the bootstrap.

A draw gives each document a weight, and with it its answers; folds, fits and cuts stay as they are. A fold
without both classes, or a draw of it without, has no measure and is NaN. A document that is drawn twice puts
its answers on the same places twice: drawn average precisions lie a little above that of all answers, by .01
of 1,000 answers.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lvqa_eval.detectors.answers import Places
from lvqa_eval.metrics.bootstrap import Floats, by_scene, drawn_sums

MEASURES: Final = ("balanced_accuracy", "auroc", "average_precision")
"""What a detector is measured by; the first axis of every array of measures."""

Mask = NDArray[np.bool_]

_AT_ONCE = 2**21
"""So many weights of answers are summed up at once: 16 MiB."""


@dataclass(frozen=True, eq=False)
class OutOfFold:
    """The scores of a detector, each from what was fitted on other folds; finite, or NaN for none.

    - `values` (answers,): comparable inside a fold alone. `cuts` (folds,): at or above one an answer is
      called incorrect; NaN where the answers to train on have none.
    - `binary`: verdicts, which have no ranking.
    """

    values: Floats
    cuts: Floats
    binary: bool = False

    @property
    def scored(self) -> Mask:
        """Which answers have a score."""
        return ~np.isnan(self.values)


@dataclass(frozen=True, eq=False)
class FoldMetrics:
    """What all detectors are measured on: the classes, documents and folds of answers, and the draws.

    `incorrect`, `cluster_of` and `fold_of` are (answers,), `weights` (draws, documents).
    """

    incorrect: Mask
    cluster_of: Places
    fold_of: Places
    weights: Floats

    @property
    def folds(self) -> int:
        """The number of folds."""
        return int(self.fold_of.max()) + 1

    def measured(self, scores: OutOfFold, among: Mask) -> Floats:
        """Return the measures on the answers `among`, all of which have a score: (measures, folds)."""
        return np.asarray(self._measures(scores, among, np.ones((1, self.weights.shape[1])))[..., 0])

    def drawn(self, scores: OutOfFold, among: Mask) -> Floats:
        """Return the same in every draw: (measures, folds, draws)."""
        return self._measures(scores, among, self.weights)

    def has_spread(self, among: Mask) -> bool:
        """Say whether both classes come from two documents or more: else no draw tells their spread."""
        return all(
            len(np.unique(self.cluster_of[among & (self.incorrect == kind)])) > 1 for kind in (True, False)
        )

    def _measures(self, scores: OutOfFold, among: Mask, weights: Floats) -> Floats:
        found = np.full((len(MEASURES), self.folds, len(weights)), np.nan)
        for fold in range(self.folds):
            here = among & (self.fold_of == fold)
            wrong, clusters = self.incorrect[here], self.cluster_of[here]
            if wrong.all() or not wrong.any():
                continue
            values = scores.values[here]
            if not np.isnan(scores.cuts[fold]):
                found[0, fold] = balanced_accuracies(values >= scores.cuts[fold], wrong, clusters, weights)
            if not scores.binary:
                found[1:, fold] = rankings(values, wrong, clusters, weights)
        return found


def balanced_accuracies(called: Mask, incorrect: Mask, cluster_of: Places, weights: Floats) -> Floats:
    """Return the balanced accuracy of calls in each draw, (draws,); NaN where a class is missing."""
    kinds = np.stack([called & incorrect, incorrect, ~called & ~incorrect, ~incorrect]).astype(np.float64)
    true, wrong, false, right = drawn_sums(by_scene(kinds, cluster_of, weights.shape[1]), weights)
    with np.errstate(invalid="ignore"):  # nothing over nothing is NaN, as wanted
        return np.asarray((true / wrong + false / right) / 2)


def rankings(values: Floats, incorrect: Mask, cluster_of: Places, weights: Floats) -> Floats:
    """Return AUROC and average precision in each draw, (2, draws); NaN where a class is missing.

    One sort serves all draws: what stands at or above each distinct score is a cumulative sum of weights.
    Equal scores are one step of the curve. Incorrect answers are the positive class.
    """
    order = np.argsort(-values, kind="stable")
    last = np.flatnonzero(np.append(np.diff(values[order]) != 0, True))
    found = np.empty((2, len(weights)))
    block = max(1, _AT_ONCE // max(1, len(values)))
    for start in range(0, len(weights), block):
        # Answers come first, so that draws are summed side by side.
        weight = weights[start : start + block].T[cluster_of[order]]
        wrong = np.cumsum(weight * incorrect[order, None], axis=0)[last]
        every = np.cumsum(weight, axis=0)[last]
        found[:, start : start + block] = _areas(wrong, every - wrong)
    return found


def _areas(wrong: Floats, right: Floats) -> Floats:
    """Return both areas from the weights at or above each score, (scores, draws)."""
    steps = np.diff(wrong, axis=0, prepend=0.0)
    ranked = (np.diff(right, axis=0, prepend=0.0) * (wrong - steps / 2)).sum(axis=0)
    every = wrong + right
    with np.errstate(invalid="ignore", divide="ignore"):  # nothing over nothing is NaN, as wanted
        precise = (steps * wrong / np.where(every == 0, 1.0, every)).sum(axis=0)
        defined = (wrong[-1] > 0) & (right[-1] > 0)
        areas = np.stack([ranked / (wrong[-1] * right[-1]), precise / wrong[-1]])
    return np.where(defined, areas, np.nan)


def over_folds(measures: Floats) -> Floats:
    """Return the mean over the folds that have a measure, from (measures, folds, ...); NaN where none has."""
    defined = ~np.isnan(measures)
    with np.errstate(invalid="ignore"):  # nothing over nothing is NaN, as wanted
        return np.asarray(np.where(defined, measures, 0.0).sum(axis=1) / defined.sum(axis=1))


def random_average_precision(n: int, incorrect: int) -> float:
    """Return the expected average precision of a score without information; NaN without an incorrect answer.

    With m of n answers incorrect, in random order, an incorrect one at place k has before it (k - 1) q others
    on average, q = (m - 1) / (n - 1). The mean of (1 + (k - 1) q) / k over all places is q + (1 - q) H_n / n,
    where H_n = 1 + 1/2 + ... + 1/n: above the share of incorrect answers, the more so the fewer answers.
    """
    if not incorrect:
        return float("nan")
    others = (incorrect - 1) / (n - 1) if n > 1 else 0.0
    harmonic = float((1.0 / np.arange(1, n + 1)).sum())
    return others + (1.0 - others) * harmonic / n
