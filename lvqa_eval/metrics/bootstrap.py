"""The scene-cluster bootstrap: questions of one scene are drawn together, and all cells in the same draw.

One draw gives each scene a weight, W ~ Multinomial(S, 1/S). A figure that is a sum over a count is replicated
from the sums of its scenes alone, (totals W') / (counts W'), so that thousands of draws of hundreds of cells
are two matrix products. Since every cell sees the same weights, differences are paired inside a draw.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

DRAWS = 2000
LEVEL = 0.95

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SceneSums:
    """What the scenes contribute to each cell: arrays (..., scenes) of sums and of how many were summed."""

    totals: Floats
    counts: Floats


@dataclass(frozen=True)
class Estimate:
    """A figure with its percentile interval.

    - `value`: sum over count of all scenes; NaN where nothing is valid.
    - `low`, `high`: the interval; NaN for data from fewer than two scenes, whose spread nothing can tell.
    - `n`: valid (question, run); `scenes`: scenes that have any.
    - `dropped`: draws that had no valid datum; they are left out of the interval.
    """

    value: float
    low: float
    high: float
    n: int
    scenes: int
    dropped: int


@dataclass(frozen=True)
class Estimates:
    """The fields of `Estimate` for many cells at once; all arrays have the shape of the cells."""

    value: Floats
    low: Floats
    high: Floats
    n: NDArray[np.intp]
    scenes: NDArray[np.intp]
    dropped: NDArray[np.intp]

    def at(self, *cell: int) -> Estimate:
        """Return the estimate of one cell; without an index, that of the only one."""
        return Estimate(
            value=float(self.value[cell]),
            low=float(self.low[cell]),
            high=float(self.high[cell]),
            n=int(self.n[cell]),
            scenes=int(self.scenes[cell]),
            dropped=int(self.dropped[cell]),
        )


def scene_weights(scenes: int, draws: int = DRAWS, seed: int = 0) -> Floats:
    """Return how often each scene is drawn, (draws, scenes): `scenes` draws with replacement in each row.

    Raises ValueError without a scene or without a draw.
    """
    if scenes < 1 or draws < 1:
        raise ValueError(f"bootstrap: found {scenes} scenes and {draws} draws, allowed: at least 1 of each")
    rng = np.random.Generator(np.random.PCG64(seed))
    drawn = rng.integers(scenes, size=(draws, scenes)) + np.arange(draws)[:, None] * scenes
    return np.bincount(drawn.ravel(), minlength=draws * scenes).reshape(draws, scenes).astype(np.float64)


def scene_sums(values: Floats, scene_of: NDArray[np.intp], scenes: int) -> SceneSums:
    """Sum `values` (..., questions, runs) over the runs and the questions of each scene; NaN is not valid.

    For a paired difference pass the difference of two cells: NaN in either leaves the pair out.
    """
    valid = np.isfinite(values)
    members = np.zeros((len(scene_of), scenes))
    members[np.arange(len(scene_of)), scene_of] = 1.0
    totals = np.where(valid, values, 0.0).sum(axis=-1)
    return SceneSums(totals @ members, valid.sum(axis=-1, dtype=np.float64) @ members)


def replicates(sums: SceneSums, weights: Floats) -> Floats:
    """Return the figure of each cell in each draw, (..., draws); NaN where a draw has no valid datum."""
    scenes = weights.shape[1]
    # One product for all cells, not one per leading axis.
    totals = sums.totals.reshape(-1, scenes) @ weights.T
    counts = sums.counts.reshape(-1, scenes) @ weights.T
    return _ratio(totals, counts).reshape(*sums.totals.shape[:-1], -1)


def bootstrap(sums: SceneSums, weights: Floats, level: float = LEVEL) -> Estimates:
    """Return each cell's figure with its percentile interval at `level`."""
    drawn = replicates(sums, weights)
    scenes = np.count_nonzero(sums.counts, axis=-1)
    low, high = percentile_interval(drawn, level)
    alone = scenes < 2
    return Estimates(
        value=_ratio(sums.totals.sum(axis=-1), sums.counts.sum(axis=-1)),
        low=np.where(alone, np.nan, low),
        high=np.where(alone, np.nan, high),
        n=np.asarray(sums.counts.sum(axis=-1), dtype=np.intp),
        scenes=np.asarray(scenes, dtype=np.intp),
        dropped=np.asarray(np.isnan(drawn).sum(axis=-1), dtype=np.intp),
    )


def percentile_interval(drawn: Floats, level: float = LEVEL) -> tuple[Floats, Floats]:
    """Return the two percentiles that hold `level` of the draws, NaN left out, over the last axis.

    Linear between order statistics, as `numpy.nanquantile`, which takes one cell at a time.
    """
    ordered = np.sort(drawn, axis=-1)  # NaN comes last
    defined = drawn.shape[-1] - np.isnan(drawn).sum(axis=-1, keepdims=True)
    tail = (1.0 - level) / 2.0
    return _order_statistic(ordered, defined, tail), _order_statistic(ordered, defined, 1.0 - tail)


def _order_statistic(ordered: Floats, defined: NDArray[np.intp], quantile: float) -> Floats:
    position = quantile * np.maximum(defined - 1, 0)
    below = np.floor(position).astype(np.intp)
    above = np.minimum(below + 1, np.maximum(defined - 1, 0))
    start = np.take_along_axis(ordered, below, axis=-1)
    step = np.take_along_axis(ordered, above, axis=-1) - start
    return np.asarray((start + (position - below) * step)[..., 0])


def _ratio(totals: Floats, counts: Floats) -> Floats:
    with np.errstate(invalid="ignore"):  # nothing over nothing is NaN, as wanted
        return np.asarray(totals / counts)
