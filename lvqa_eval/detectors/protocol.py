"""The protocol of all detectors: fitted and cut on training folds, measured on the others."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from lvqa_eval.detectors.answers import Places
from lvqa_eval.detectors.detections import Detection, FoldFigures, Quality
from lvqa_eval.detectors.detector import Detector, Fitted, FoldScores, Need, Scored
from lvqa_eval.detectors.fold_metrics import (
    MEASURES,
    FoldMetrics,
    Mask,
    OutOfFold,
    over_folds,
    random_average_precision,
)
from lvqa_eval.detectors.folds import Folds
from lvqa_eval.errors import LvqaError
from lvqa_eval.metrics.bootstrap import Floats, percentile_interval
from lvqa_eval.metrics.thresholds import balanced_accuracy_at, sweep

RANDOM: Final = "random"
"""The row of a score without information: what it is expected to reach, not a drawn one."""

VERDICT_CUT: Final = 0.5
"""Between the verdicts 0, correct, and 1, incorrect."""


class DetectorError(LvqaError, ValueError):
    """A detector that does not keep to what `Detector` says."""


@dataclass(frozen=True, eq=False)
class Measured:
    """A detector under the protocol.

    `raw` (answers,): its scores out of fold as it gave them, infinite ones too. `drawn` (measures, folds,
    draws) on all that have a score. `needs`: what it reads. `fitted`: it learns.
    """

    detection: Detection
    needs: Need
    scores: OutOfFold
    raw: Floats
    drawn: Floats
    fitted: bool


def measure(
    detector: Detector, source: str, read: Scored | Fitted, folds: Folds, metrics: FoldMetrics
) -> Measured:
    """Return what `detector` reaches with what it has `read` of `source`.

    DetectorError for scores of another shape than the answers', or verdicts that are none.
    """
    who = f"detector {detector.name}"
    binary = isinstance(read, Scored) and read.binary
    scores, raw, chosen = _out_of_fold(who, read, folds, metrics.incorrect, binary)
    by_fold = metrics.measured(scores, scores.scored)
    drawn = metrics.drawn(scores, scores.scored)
    figures = _fold_figures(scores, by_fold, chosen, metrics)
    qualities = qualities_of(by_fold, drawn, metrics.has_spread(scores.scored))
    n = int(scores.scored.sum())
    detection = Detection(
        detector=detector.name,
        source=source,
        n=n,
        unscored=len(raw) - n,
        prevalence=float(metrics.incorrect[scores.scored].mean()) if n else None,
        **dict(zip(MEASURES, qualities, strict=True)),
        random_precision=_mean_random_precision(figures),
        folds=figures,
        binary=binary,
        bounds=_bounds(who, read, scores, by_fold, folds, metrics),
    )
    return Measured(detection, detector.needs, scores, raw, drawn, isinstance(read, Fitted))


def random_detection(folds: Folds, metrics: FoldMetrics) -> Detection:
    """Return what a score without information is expected to reach on the same folds."""
    figures = []
    for _, test in folds.parts():
        n, wrong = len(test), int(metrics.incorrect[test].sum())
        half, precision = (0.5, random_average_precision(n, wrong)) if 0 < wrong < n else (None, None)
        figures.append(FoldFigures(n, wrong, None, half, half, precision, precision))
    defined = sum(one.auroc is not None for one in figures)
    half = 0.5 if defined else None
    precision = _mean_random_precision(figures)
    return Detection(
        detector=RANDOM,
        source="answer",
        n=len(metrics.incorrect),
        unscored=0,
        prevalence=float(metrics.incorrect.mean()),
        balanced_accuracy=Quality(half, None, None, None, defined),
        auroc=Quality(half, None, None, None, defined),
        average_precision=Quality(precision, None, None, None, defined),
        random_precision=precision,
        folds=tuple(figures),
    )


def number(value: float) -> float | None:
    """Return a figure as records hold it: None where it is NaN."""
    return None if np.isnan(value) else float(value)


def interval(drawn: Floats, known: bool) -> tuple[float | None, float | None]:
    """Return the 95 % interval of draws (draws,); no ends unless its spread is `known` and a draw defined."""
    if not known or np.isnan(drawn).all():
        return None, None
    low, high = percentile_interval(drawn)
    return float(low), float(high)


def qualities_of(by_fold: Floats, drawn: Floats, known: bool) -> list[Quality]:
    """Return each measure over folds, from (measures, folds) and its draws (measures, folds, draws).

    No interval unless the spread is `known`.
    """
    means, draws = over_folds(by_fold), over_folds(drawn)
    found = []
    for of_folds, mean, of_draws in zip(by_fold, means, draws, strict=True):
        defined = of_folds[~np.isnan(of_folds)]
        found.append(
            Quality(
                number(mean),
                float(defined.std(ddof=1)) if len(defined) > 1 else None,
                *interval(of_draws, known),
                folds=len(defined),
                dropped=int(np.isnan(of_draws).sum()) if len(defined) else 0,
            )
        )
    return found


def _out_of_fold(
    who: str, read: Scored | Fitted, folds: Folds, incorrect: Mask, binary: bool
) -> tuple[OutOfFold, Floats, tuple[str, ...]]:
    raw, values = np.full(len(incorrect), np.nan), np.full(len(incorrect), np.nan)
    cuts, chosen = np.full(folds.count, np.nan), []
    for fold, (train, test) in enumerate(folds.parts()):
        found = _fold_scores(who, read, train, test, incorrect)
        raw[test] = found.test
        seen, values[test] = _finite(found.train, found.test)
        known = ~np.isnan(seen)
        cuts[fold] = VERDICT_CUT if binary else sweep(seen[known], incorrect[train][known]).cut
        chosen.append(found.chosen)
    if binary and not np.isin(raw[~np.isnan(raw)], (0.0, 1.0)).all():
        raise DetectorError(f"{who}: verdicts: found others, allowed: 0, 1, and NaN for none")
    return OutOfFold(values, cuts, binary), raw, tuple(chosen)


def _fold_scores(who: str, read: Scored | Fitted, train: Places, test: Places, incorrect: Mask) -> FoldScores:
    if isinstance(read, Scored):
        values = _checked(f"{who}: scores", read.values, len(incorrect))
        return FoldScores(values[train], values[test])
    if len(np.unique(incorrect[train])) < 2:
        return FoldScores(np.full(len(train), np.nan), np.full(len(test), np.nan), "one class to learn from")
    found = read.fold(train, test)
    return FoldScores(
        _checked(f"{who}: scores of the answers to train on", found.train, len(train)),
        _checked(f"{who}: scores of the other answers", found.test, len(test)),
        found.chosen,
    )


def _checked(what: str, scores: Floats, wanted: int) -> Floats:
    values = np.asarray(scores, dtype=np.float64)
    if values.shape != (wanted,):
        raise DetectorError(f"{what}: found the shape {values.shape}, needed {(wanted,)}, one an answer")
    return values


def _finite(train: Floats, test: Floats) -> tuple[Floats, Floats]:
    """Set infinite scores one beyond the finite ones that were trained on; NaN stays."""
    finite = train[np.isfinite(train)]
    top, bottom = (finite.max() + 1.0, finite.min() - 1.0) if len(finite) else (1.0, -1.0)
    return _within(train, bottom, top), _within(test, bottom, top)


def _within(values: Floats, bottom: float, top: float) -> Floats:
    return np.nan_to_num(values, nan=np.nan, neginf=bottom, posinf=top)


def _fold_figures(
    scores: OutOfFold, by_fold: Floats, chosen: tuple[str, ...], metrics: FoldMetrics
) -> tuple[FoldFigures, ...]:
    figures = []
    for fold, measures in enumerate(by_fold.T):
        here = scores.scored & (metrics.fold_of == fold)
        n, wrong = int(here.sum()), int(metrics.incorrect[here].sum())
        balanced, auroc, precision = map(number, measures)
        random = None if precision is None else random_average_precision(n, wrong)
        cut = number(scores.cuts[fold])
        figures.append(FoldFigures(n, wrong, cut, balanced, auroc, precision, random, chosen[fold]))
    return tuple(figures)


def _mean_random_precision(figures: Sequence[FoldFigures]) -> float | None:
    known = [one.random_precision for one in figures if one.random_precision is not None]
    return float(np.mean(known)) if known else None


def _bounds(
    who: str,
    read: Scored | Fitted,
    scores: OutOfFold,
    by_fold: Floats,
    folds: Folds,
    metrics: FoldMetrics,
) -> tuple[float, float] | None:
    """Return the bounds of a detection: of verdicts where some are missing, of entropies that are bounded."""
    if isinstance(read, Fitted):
        return None
    if scores.binary:
        return None if scores.scored.all() else _verdict_bounds(scores, folds, metrics)
    if read.upper is None:
        return None
    upper, _, _ = _out_of_fold(f"{who}: upper", Scored(read.upper), folds, metrics.incorrect, False)
    areas = over_folds(by_fold)[1], over_folds(metrics.measured(upper, upper.scored))[1]
    return None if np.isnan(areas).any() else (float(areas[0]), float(areas[1]))


def _verdict_bounds(scores: OutOfFold, folds: Folds, metrics: FoldMetrics) -> tuple[float, float] | None:
    found = []
    for filled in (metrics.incorrect, ~metrics.incorrect):
        verdicts = np.where(scores.scored, scores.values, filled)
        by_fold = [
            balanced_accuracy_at(VERDICT_CUT, verdicts[test], metrics.incorrect[test])
            for _, test in folds.parts()
        ]
        found.append(over_folds(np.array([by_fold]))[0])
    return None if np.isnan(found).any() else (float(found[0]), float(found[1]))
