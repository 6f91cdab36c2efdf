"""By how much a detector is better than another, on the answers that both score, paired in every draw."""

from collections.abc import Iterator, Sequence

import numpy as np

from lvqa_eval.detectors.detections import Difference
from lvqa_eval.detectors.fold_metrics import MEASURES, FoldMetrics, Mask, over_folds
from lvqa_eval.detectors.protocol import Measured, interval, number
from lvqa_eval.metrics.bootstrap import Floats


def differences(found: Sequence[Measured], metrics: FoldMetrics, length: str) -> tuple[Difference, ...]:
    """Return what tells whether detectors are worth their cost.

    Every detector less `length`, the name of the one that only counts words; and every one that learns less
    the best one that does not, of whatever source, by its mean AUROC (the length, and what asks a judge,
    apart). That one is chosen on these answers, which favours it.
    """
    best = _best_unlearned(found, length)
    base = next((one for one in found if one.detection.detector == length), None)
    pairs = []
    for one in found:
        if base is not None and one is not base:
            pairs.append((one, base))
        if best is not None and one.fitted:
            pairs.append((one, best))
    return tuple(line for one, other in pairs for line in _differences(one, other, metrics))


def _best_unlearned(found: Sequence[Measured], length: str) -> Measured | None:
    ranked = [
        (one.detection.auroc.mean, one)
        for one in found
        if one.detection.auroc.mean is not None
        and not one.fitted
        and one.needs != "verdicts"
        and one.detection.detector != length
    ]
    return max(ranked, key=lambda pair: pair[0], default=(0.0, None))[1]


def _differences(one: Measured, other: Measured, metrics: FoldMetrics) -> Iterator[Difference]:
    """Yield the differences in what both are measured by."""
    common = one.scores.scored & other.scores.scored
    by_fold = metrics.measured(one.scores, common) - metrics.measured(other.scores, common)
    drawn = over_folds(_drawn(one, common, metrics) - _drawn(other, common, metrics))
    known = metrics.has_spread(common)
    for measure, value, draws in zip(MEASURES, over_folds(by_fold), drawn, strict=True):
        if np.isnan(value) and (one.scores.binary or other.scores.binary):
            continue
        yield Difference(
            detector=one.detection.detector,
            other=other.detection.detector,
            source=one.detection.source,
            other_source=other.detection.source,
            measure=measure,
            value=number(value),
            **dict(zip(("low", "high"), interval(draws, known), strict=True)),
        )


def _drawn(one: Measured, common: Mask, metrics: FoldMetrics) -> Floats:
    same = np.array_equal(common, one.scores.scored)
    return one.drawn if same else metrics.drawn(one.scores, common)
