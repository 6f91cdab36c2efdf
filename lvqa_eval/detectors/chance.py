"""What scores without information reach on folds of a given size: how far from one half is noise."""

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist
from typing import Final, NamedTuple

from lvqa_eval.detectors.detections import FoldFigures

NEUTRAL: Final = 0.80
"""The part of scores without information that is in the neutral band, about .48 to .53 at 1,000 answers."""


class Counts(NamedTuple):
    """How many answers there are in a fold, and how many of them are incorrect."""

    n: int
    incorrect: int


class Span(NamedTuple):
    """From where to where a figure goes; NaN where no fold has both classes."""

    low: float
    high: float


Folds = Sequence[FoldFigures] | Sequence[Counts]


def auroc_span(folds: Folds, share: float = NEUTRAL) -> Span:
    """Return where the mean AUROC of the folds lies for `share` of all scores without information.

    On one fold with p positives and q negatives the variance is (p + q + 1) / (12 p q), that of the statistic
    of Mann and Whitney, without ties; folds and answers count as independent.
    """
    return _span([(p + q + 1) / (12 * p * q) for p, q in _classes(folds)], share)


def balanced_accuracy_span(folds: Folds, share: float = NEUTRAL) -> Span:
    """Return the same of balanced accuracy, of calls that are positive half of the time: the widest span."""
    return _span([(1 / p + 1 / q) / 16 for p, q in _classes(folds)], share)


def _classes(folds: Folds) -> list[tuple[int, int]]:
    counts = [(one.incorrect, one.n - one.incorrect) for one in folds]
    return [(p, q) for p, q in counts if p and q]


def _span(variances: Sequence[float], share: float) -> Span:
    if not variances:
        return Span(float("nan"), float("nan"))
    sd = sqrt(sum(variances)) / len(variances)
    half = NormalDist().inv_cdf((1 + share) / 2) * sd
    return Span(max(0.0, 0.5 - half), min(1.0, 0.5 + half))
