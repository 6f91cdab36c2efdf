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

_ONE_THREAD = 2**18
"""Products of so many terms OpenBLAS does in one thread; on busy cores its others cost more than they do."""


@dataclass(frozen=True)
class SceneSums:
    """What the scenes contribute to each cell: arrays (..., scenes) of sums and of how many were summed."""

    totals: Floats
    counts: Floats

    @property
    def value(self) -> Floats:
        """Sum over count of all scenes for each cell; NaN where nothing is valid."""
        return _ratio(self.totals.sum(axis=-1), self.counts.sum(axis=-1))


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
    totals, counts = np.where(valid, values, 0.0).sum(axis=-1), valid.sum(axis=-1, dtype=np.float64)
    return SceneSums(by_scene(totals, scene_of, scenes), by_scene(counts, scene_of, scenes))


def by_scene(values: Floats | NDArray[np.integer], scene_of: NDArray[np.intp], scenes: int) -> Floats:
    """Add up `values` (..., questions) over the questions of each scene: (..., scenes)."""
    order = np.argsort(scene_of, kind="stable")
    first = np.flatnonzero(np.diff(scene_of[order], prepend=-1))
    sums = np.zeros((*values.shape[:-1], scenes))
    # No product of matrices: BLAS would start its threads for very little.
    if len(first):
        sums[..., scene_of[order][first]] = np.add.reduceat(values[..., order], first, axis=-1)
    return sums


def replicates(sums: SceneSums, weights: Floats) -> Floats:
    """Return the figure of each cell in each draw, (..., draws); NaN where a draw has no valid datum."""
    return _ratio(drawn_sums(sums.totals, weights), drawn_sums(sums.counts, weights))


def drawn_sums(sums: Floats, weights: Floats) -> Floats:
    """Return what each draw adds up to, (..., draws), from the sums of the scenes, (..., scenes).

    The same bytes whatever the number of threads.
    """
    # One product for all cells, not one per leading axis.
    cells = sums.reshape(-1, weights.shape[1])
    drawn = np.empty((len(cells), len(weights)))
    block = max(1, _ONE_THREAD // max(1, cells.size))
    for start in range(0, len(weights), block):
        part = slice(start, start + block)
        np.matmul(cells, weights[part].T, out=drawn[:, part])
    return drawn.reshape(*sums.shape[:-1], len(weights))


def bootstrap(sums: SceneSums, weights: Floats, level: float = LEVEL) -> Estimates:
    """Return each cell's figure with its percentile interval at `level`."""
    drawn = replicates(sums, weights)
    scenes = np.count_nonzero(sums.counts, axis=-1)
    low, high = percentile_interval(drawn, level)
    alone = scenes < 2
    return Estimates(
        value=sums.value,
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
