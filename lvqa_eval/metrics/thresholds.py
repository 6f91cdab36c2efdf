"""Every threshold of a score at once: rates and balanced accuracy from one sort."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lvqa_eval.metrics.bootstrap import Floats


@dataclass(frozen=True)
class Sweep:
    """What each threshold does; a score at or above it is called positive. Arrays of one length.

    - `threshold`: infinity, which calls nothing positive, then every distinct score, the highest first. No
      threshold lies inside a block of equal scores, since none can part it.
    - `true_positive_rate`, `false_positive_rate`: NaN for a class that is not there.
    """

    threshold: Floats
    true_positive_rate: Floats
    false_positive_rate: Floats

    @property
    def balanced_accuracy(self) -> Floats:
        """Mean of the true positive and the true negative rate; NaN for one class."""
        return (self.true_positive_rate + 1.0 - self.false_positive_rate) / 2.0

    @property
    def cut(self) -> float:
        """Where to cut other scores: with the highest balanced accuracy here; NaN for one class.

        A cut lies halfway between two neighbouring scores, so it always parts these; of several equally good
        ones it is the one in the middle, the lower of two. Scores that are all equal are cut at their value.
        """
        balanced = self.balanced_accuracy
        if np.isnan(balanced).any():
            return np.nan
        if len(balanced) == 2:
            return float(self.threshold[1])
        parting = balanced[1:-1]
        # Two balanced accuracies that differ do so by far more than the last bits.
        tied = 1 + np.flatnonzero(parting >= parting.max() - 1e-12)
        upper, lower = self.threshold[tied[len(tied) // 2] :][:2]
        halfway = upper / 2 + lower / 2
        return float(halfway if lower < halfway <= upper else upper)

    @property
    def auroc(self) -> float:
        """The area under the curve through the points, straight between them; NaN for one class."""
        if np.isnan(self.balanced_accuracy).any():
            return np.nan
        return float(np.trapezoid(self.true_positive_rate, self.false_positive_rate))

    def true_positive_rate_at(self, false_positive_rate: float) -> float:
        """Return the highest true positive rate of a threshold with at most this false positive rate."""
        allowed = self.true_positive_rate[self.false_positive_rate <= false_positive_rate]
        return float(allowed.max()) if len(allowed) else np.nan


def sweep(scores: Sequence[float] | Floats, positive: Sequence[bool] | NDArray[np.bool_]) -> Sweep:
    """Return the sweep over `scores`; `positive` tells the class of each. ValueError for one not finite."""
    values, marks = np.asarray(scores, dtype=np.float64), np.asarray(positive, dtype=np.bool_)
    if not np.isfinite(values).all():
        strange = values[~np.isfinite(values)]
        raise ValueError(f"scores: found {strange[0]} ({len(strange)} such), allowed: finite numbers")
    order = np.argsort(-values, kind="stable")
    ordered, marked = values[order], marks[order]
    last = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True)) if len(ordered) else order
    true = np.append(0, np.cumsum(marked)[last])
    false = np.append(0, last + 1) - true
    with np.errstate(invalid="ignore"):  # nothing over nothing is NaN, as wanted
        return Sweep(np.append(np.inf, ordered[last]), true / true[-1], false / false[-1])


def balanced_accuracy_at(
    threshold: float, scores: Sequence[float] | Floats, positive: Sequence[bool] | NDArray[np.bool_]
) -> float:
    """Return the balanced accuracy of a threshold on other data, such as another fold; NaN for one class.

    Below one half where the threshold does not carry over: its direction is fixed.
    """
    called, marks = np.asarray(scores) >= threshold, np.asarray(positive, dtype=np.bool_)
    if marks.all() or not marks.any():
        return np.nan
    return float((called[marks].mean() + (~called[~marks]).mean()) / 2)
