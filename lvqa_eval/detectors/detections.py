"""What detectors reached on the answers of one model under one condition: the record that reports read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class FoldFigures:
    """One fold: a part of the answers, scored by what was fitted and cut on the others.

    Areas and `balanced_accuracy` are None where the fold has one class only, or the scores have no ranking.
    `chosen` says what a fitted detector chose. `random_precision` is the expected average precision of a
    score without information on this fold.
    """

    n: int
    incorrect: int
    threshold: float | None
    balanced_accuracy: float | None
    auroc: float | None
    average_precision: float | None
    random_precision: float | None
    chosen: str = ""


@dataclass(frozen=True)
class Quality:
    """One measure of a detector: mean and standard deviation (ddof 1) over the folds that have it.

    `low` and `high`: 95 % interval of the mean, from the bootstrap of documents; None without one. `folds`:
    how many folds have the measure. `dropped`: draws left out of the interval.
    """

    mean: float | None
    sd: float | None
    low: float | None
    high: float | None
    folds: int
    dropped: int = 0


@dataclass(frozen=True)
class Detection:
    """One detector reading one source of signals: `source` is "native", a proxy's name, or "answer".

    `n` answers have a score, `unscored` have none and are left out. `binary`: verdicts, without a ranking.
    `bounds`: for verdicts, where some are missing, the balanced accuracy if all of these were right, and if
    all were wrong; for bounded entropies the AUROC of the lower bounds, which is `auroc`, and of the upper.
    """

    detector: str
    source: str
    n: int
    unscored: int
    prevalence: float | None
    balanced_accuracy: Quality
    auroc: Quality
    average_precision: Quality
    random_precision: float | None
    folds: tuple[FoldFigures, ...]
    binary: bool = False
    bounds: tuple[float, float] | None = None


@dataclass(frozen=True)
class Difference:
    """One measure of a detector less that of another on the same answers, paired in each draw."""

    detector: str
    other: str
    source: str
    other_source: str
    measure: str
    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class TargetDetections:
    """All detections on one model's answers under one condition; `detections/<condition>.json` of its run.

    `settings`: folds, seeds, draws, level, versions, and of each source what made its signals. `words`: the
    quartiles of the length of answers in words. `left_out`: planned conversations without an answer and
    verdict, by outcome.
    """

    model: str
    condition: str
    judge: str
    benchmark: str
    answers: int
    incorrect: int
    documents: int
    words: tuple[float, float, float]
    left_out: Mapping[str, int]
    settings: Mapping[str, Any]
    detections: tuple[Detection, ...]
    differences: tuple[Difference, ...] = ()
