"""Medians with their replicates under the draws of the cluster bootstrap."""

import numpy as np

from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.replicated import Counts, Replicated
from lvqa_eval.metrics.study import Mask


def median_replicate(values: Floats, planned: Mask, scene_of: Counts, weights: Floats) -> Replicated:
    """Return the median of `values` (cells, questions, runs) over all that are not NaN, with its replicates.

    `planned`, of the same shape, tells which of them should be there; `weights` are draws of scenes, (draws,
    scenes). Of an even number of values it is the mean of the two in the middle, in a draw too.
    """
    known = np.isfinite(values)
    valid = known.sum(axis=-1)
    of_cell = np.broadcast_to(scene_of[:, None], values.shape[1:])
    drawn = np.full((len(values), len(weights)), np.nan)
    value = np.full(len(values), np.nan)
    alone = np.ones(len(values), dtype=np.bool_)
    for row, (cells, held) in enumerate(zip(values, known, strict=True)):
        scenes = of_cell[held]
        value[row] = weighted_medians(cells[held], np.ones((1, len(scenes))))[0]
        drawn[row] = weighted_medians(cells[held], weights[:, scenes])
        alone[row] = len(np.unique(scenes)) < 2
    return Replicated(value, drawn, valid, planned.sum(axis=(1, 2)), alone, scene_of)


def weighted_medians(values: Floats, weights: Floats) -> Floats:
    """Return the median of `values` (n,) with each value as often as its weight says, (draws,).

    `weights` (draws, n) are whole numbers. NaN where a draw has no value.
    """
    if not len(values):
        return np.full(len(weights), np.nan)
    order = np.argsort(values, kind="stable")
    reached = weights[:, order].cumsum(axis=1)
    total = reached[:, -1]
    middle = [_at(values[order], reached, np.floor(place)) for place in ((total - 1) / 2, total / 2)]
    return np.where(total > 0, (middle[0] + middle[1]) / 2, np.nan)


def _at(ordered: Floats, reached: Floats, place: Floats) -> Floats:
    """Return the value at `place` (from 0) of each draw, whose values up to each one number `reached`."""
    index = (reached <= place[:, None]).sum(axis=1)
    return np.asarray(ordered[np.minimum(index, len(ordered) - 1)])
