"""Detectors on terse and on long answers of the same model, apart: what of a figure is the length's doing."""

from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np

from lvqa_eval.detectors.fold_metrics import MEASURES, FoldMetrics, Mask, OutOfFold, over_folds
from lvqa_eval.metrics.bootstrap import Estimate, Floats, percentile_interval

TERSE: Final = 10
"""Words up to which an answer is terse wherever one cut holds for all models [choice]: names and numbers
are under it, sentences above."""


class Sides(NamedTuple):
    """One measure on terse and on long answers, and on long ones less on terse ones, paired in each draw."""

    terse: Estimate
    long: Estimate
    difference: Estimate


def length_conditioned(metrics: FoldMetrics, scores: OutOfFold, is_long: Mask) -> Mapping[str, Sides]:
    """Return each of `MEASURES` of a detector on both sides of a cut, `is_long` (answers,).

    Each is the mean over the folds that have both classes on that side; folds, fits and cuts are those of all
    answers. NaN where no fold has, and no interval where a class comes from one document alone.
    """
    sides = [scores.scored & side for side in (~is_long, is_long)]
    values = [over_folds(metrics.measured(scores, side)[..., None])[:, 0] for side in sides]
    drawn = [over_folds(metrics.drawn(scores, side)) for side in sides]
    spread = [metrics.has_spread(side) for side in sides]
    (terse, long), (terse_drawn, long_drawn) = values, drawn
    return {
        measure: Sides(
            _estimate(metrics, terse[row], terse_drawn[row], sides[0], spread[0]),
            _estimate(metrics, long[row], long_drawn[row], sides[1], spread[1]),
            _estimate(
                metrics,
                long[row] - terse[row],
                long_drawn[row] - terse_drawn[row],
                scores.scored,
                all(spread),
            ),
        )
        for row, measure in enumerate(MEASURES)
    }


def _estimate(metrics: FoldMetrics, value: float, drawn: Floats, side: Mask, spread: bool) -> Estimate:
    low = high = np.nan
    if spread and np.isfinite(value):
        low, high = map(float, percentile_interval(drawn))
    return Estimate(
        value=float(value),
        low=low,
        high=high,
        n=int(side.sum()),
        scenes=len(np.unique(metrics.cluster_of[side])),
        dropped=int(np.isnan(drawn).sum()),
    )
