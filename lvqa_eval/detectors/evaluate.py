"""How well scores tell incorrect answers from correct ones (positive = incorrect)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lvqa_eval.metrics.bootstrap import DRAWS, percentile_interval, scene_weights

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Detection:
    """The quality of a detector's scores on one set of answers.

    - `auroc`, `average_precision`: NaN unless both classes are there. A score without information has an
      AUROC of one half; its average precision lies near the prevalence.
    - `low`, `high`: 95 % interval of the AUROC from the scene-cluster bootstrap; NaN unless each class comes
      from at least two scenes.
    - `prevalence`: share of incorrect answers among the `n` that have a score; `unscored` have none.
    - `dropped`: draws that had one class only; they are left out of the interval.
    """

    auroc: float
    low: float
    high: float
    average_precision: float
    prevalence: float
    n: int
    unscored: int
    dropped: int


def evaluate(
    scores: Sequence[float] | Floats,
    incorrect: Sequence[bool] | NDArray[np.bool_],
    scenes: Sequence[str],
    draws: int = DRAWS,
    seed: int = 0,
) -> Detection:
    """Return how well `scores` (higher: more likely incorrect) tell `incorrect`; all three are one an answer.

    NaN scores are left out and counted. Infinite scores rank first or last.
    """
    values = np.asarray(scores, dtype=np.float64)
    wrong = np.asarray(incorrect, dtype=np.bool_)
    scored = ~np.isnan(values)
    _, scene_of = np.unique(np.asarray(scenes, dtype=np.str_), return_inverse=True)
    count = int(scene_of.max()) + 1 if len(scene_of) else 0
    values, wrong, scene_of = values[scored], wrong[scored], scene_of[scored]
    auroc = average_precision = low = high = np.nan
    dropped = 0
    if wrong.any() and not wrong.all():
        auroc, average_precision = _ranking(values, wrong)
        low, high, dropped = _auroc_interval(values, wrong, scene_of, scene_weights(count, draws, seed))
    return Detection(
        auroc=auroc,
        low=low,
        high=high,
        average_precision=average_precision,
        prevalence=float(wrong.mean()) if len(wrong) else np.nan,
        n=len(wrong),
        unscored=int((~scored).sum()),
        dropped=dropped,
    )


def mean_of_defined(values: Iterable[float]) -> tuple[float, int, int]:
    """Return the mean of the values that are not NaN, how many those are, and how many there are in all."""
    every = list(values)
    defined = [value for value in every if not np.isnan(value)]
    return float(np.mean(defined)) if defined else np.nan, len(defined), len(every)


def _ranking(values: Floats, wrong: NDArray[np.bool_]) -> tuple[float, float]:
    from sklearn.metrics import average_precision_score, roc_auc_score

    finite = values[np.isfinite(values)]
    top, bottom = (finite.max() + 1, finite.min() - 1) if len(finite) else (1.0, -1.0)
    ranks = np.nan_to_num(values, posinf=top, neginf=bottom)  # scikit-learn takes no infinite scores
    return float(roc_auc_score(wrong, ranks)), float(average_precision_score(wrong, ranks))


def _auroc_interval(
    values: Floats, wrong: NDArray[np.bool_], scene_of: NDArray[np.intp], weights: Floats
) -> tuple[float, float, int]:
    """Return the interval's ends, and the draws left out.

    The AUROC is the share of (incorrect, correct) pairs in the right order, half a pair for a tie. Summed by
    the scenes of the two, a draw with weights w gives w' P w / ((w . incorrect) (w . correct)).
    """
    scenes = weights.shape[1]
    pairs = _pairs_in_order(values, wrong, scene_of, scenes)
    incorrect = np.bincount(scene_of[wrong], minlength=scenes)
    correct = np.bincount(scene_of[~wrong], minlength=scenes)
    all_pairs = (weights @ incorrect) * (weights @ correct)
    with np.errstate(invalid="ignore"):  # no pair in a draw is NaN, as wanted
        drawn = ((weights @ pairs) * weights).sum(axis=1) / all_pairs
    dropped = int(np.isnan(drawn).sum())
    if min(np.count_nonzero(incorrect), np.count_nonzero(correct)) < 2:
        return np.nan, np.nan, dropped
    low, high = percentile_interval(drawn)
    return float(low), float(high), dropped


def _pairs_in_order(
    values: Floats, wrong: NDArray[np.bool_], scene_of: NDArray[np.intp], scenes: int
) -> Floats:
    """Return the pairs in order, (scene of the incorrect answer, scene of the correct one)."""
    ordered = np.zeros((scenes, scenes))
    for scene in range(scenes):
        others = np.sort(values[~wrong & (scene_of == scene)])
        below = np.searchsorted(others, values[wrong], side="left")
        up_to = np.searchsorted(others, values[wrong], side="right")
        ordered[:, scene] = np.bincount(scene_of[wrong], (below + up_to) / 2, minlength=scenes)
    return ordered
