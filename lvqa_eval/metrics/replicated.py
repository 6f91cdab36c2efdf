"""Statistics with their replicates: what is combined from several stays paired inside each draw."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lvqa_eval.metrics.bootstrap import (
    LEVEL,
    Floats,
    SceneSums,
    by_scene,
    percentile_interval,
    replicates,
)
from lvqa_eval.metrics.figures import Figures

Counts = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Replicated:
    """A statistic for many cells, under draws that all cells share.

    - `value` (*cells); `drawn` (*cells, draws), NaN where a draw has an empty denominator.
    - `valid` (*cells, questions): the conversations of each question that went in; `planned` (*cells).
    - `alone` (*cells): something in it comes from fewer than two scenes, so its spread cannot be told.
    - `scene_of` (questions,): the scene of each question.
    """

    value: Floats
    drawn: Floats
    valid: Counts
    planned: Counts
    alone: NDArray[np.bool_]
    scene_of: Counts

    @property
    def _scenes(self) -> int:
        return int(self.scene_of.max()) + 1 if len(self.scene_of) else 0

    def mean(self, axis: int = 0) -> "Replicated":
        """Return the mean over an axis of the cells, NaN where any of them is: no mean over what is there."""
        return Replicated(
            self.value.mean(axis=axis),
            self.drawn.mean(axis=axis),
            self.valid.sum(axis=axis),
            self.planned.sum(axis=axis),
            np.asarray(self.alone.any(axis=axis)),
            self.scene_of,
        )

    def figures(self, level: float = LEVEL) -> Figures:
        """Return each cell's figure with its percentile interval at `level`."""
        low, high = percentile_interval(self.drawn, level)
        unknown = self.alone | np.isnan(self.value)
        return Figures(
            value=self.value,
            low=np.where(unknown, np.nan, low),
            high=np.where(unknown, np.nan, high),
            n=self.valid.sum(axis=-1),
            scenes=np.count_nonzero(by_scene(self.valid, self.scene_of, self._scenes), axis=-1),
            dropped=np.isnan(self.drawn).sum(axis=-1),
            questions=np.count_nonzero(self.valid, axis=-1),
            planned=self.planned,
        )


def replicate(
    values: Floats,
    planned: NDArray[np.bool_],
    scene_of: Counts,
    weights: Floats,
    valid: Counts | None = None,
) -> Replicated:
    """Return the mean of `values` (*cells, questions, runs) over all that are not NaN, with its replicates.

    `planned`, of the same shape, tells which of them should be there. `weights` are draws of scenes, (draws,
    scenes). `valid` (*cells, questions) is needed where a value stands for several conversations.
    """
    known = np.isfinite(values)
    counts = known.sum(axis=-1)
    totals = np.where(known, values, 0.0).sum(axis=-1)
    asked = np.broadcast_to(planned, (*values.shape[:-1], planned.shape[-1])).sum(axis=(-2, -1))
    return replicate_sums(totals, counts, asked, scene_of, weights, counts if valid is None else valid)


def replicate_sums(
    totals: Floats | Counts,
    counts: Floats | Counts,
    planned: Counts,
    scene_of: Counts,
    weights: Floats,
    valid: Counts,
) -> Replicated:
    """Return sum over count, with replicates, from what each question adds to both, (*cells, questions)."""
    scenes = weights.shape[1]
    sums = SceneSums(by_scene(totals, scene_of, scenes), by_scene(counts, scene_of, scenes))
    return Replicated(
        value=sums.value,
        drawn=replicates(sums, weights),
        valid=np.broadcast_to(valid, totals.shape),
        planned=np.broadcast_to(planned, totals.shape[:-1]),
        alone=np.count_nonzero(sums.counts, axis=-1) < 2,
        scene_of=scene_of,
    )


def combined(function: Callable[..., Floats], *parts: Replicated, same: bool = False) -> Replicated:
    """Return a statistic made of others: `function` of their values, and of their replicates in each draw.

    The conversations of the parts are added up; with `same` the parts are about those of the first.
    """
    counted = parts[:1] if same else parts
    value = np.asarray(function(*(part.value for part in parts)))
    drawn = np.asarray(function(*(part.drawn for part in parts)))
    return Replicated(
        value=value,
        drawn=drawn,
        valid=np.sum(np.broadcast_arrays(*(part.valid for part in counted)), axis=0),
        planned=np.sum(np.broadcast_arrays(*(part.planned for part in counted)), axis=0),
        alone=np.any(np.broadcast_arrays(*(part.alone for part in counted)), axis=0),
        scene_of=parts[0].scene_of,
    )


def columns_of(parts: Sequence[Replicated]) -> Replicated:
    """Return statistics by model, cells (models,) each, as the columns of one, cells (models, columns)."""
    return Replicated(
        value=np.stack([part.value for part in parts], axis=1),
        drawn=np.stack([part.drawn for part in parts], axis=1),
        valid=np.stack([part.valid for part in parts], axis=1),
        planned=np.stack([part.planned for part in parts], axis=1),
        alone=np.stack([part.alone for part in parts], axis=1),
        scene_of=parts[0].scene_of,
    )


def ratio(one: Floats, other: Floats) -> Floats:
    """Return one / other, NaN where `other` is 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(other == 0, np.nan, one / other)
