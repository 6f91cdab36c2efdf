"""What a panel says of judges and assistants, in the numbers that Figure 4 shows."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from lvqa_eval.judging.panel import Panel
from lvqa_eval.metrics.bootstrap import (
    Estimate,
    Floats,
    SceneSums,
    percentile_interval,
    replicates,
    scene_weights,
)
from lvqa_eval.metrics.judges import Spread, additive_fit, cross_matrix, cross_sums, self_preference


@dataclass(frozen=True, eq=False)
class Favour:
    """Self-preference of each model that judges itself and, last, their mean: raw and corrected."""

    models: tuple[str, ...]
    raw: tuple[Estimate, ...]
    corrected: tuple[Estimate, ...]


@dataclass(frozen=True, eq=False)
class Crossed:
    """Judges against assistants; X is the mean verdict of a judge on an assistant.

    - `own`: the cells (assistant, judge) of models that judge themselves; `favour` is None without any.
    - `residual` (assistants, judges): X less what the additive model expects.
    - `ability` of each assistant, `leniency` of each judge: the mean of X over the other side.
    """

    assistants: tuple[str, ...]
    judges: tuple[str, ...]
    own: tuple[tuple[int, int], ...]
    residual: Floats
    ability: tuple[Estimate, ...]
    leniency: tuple[Estimate, ...]
    favour: Favour | None

    @classmethod
    def of(cls, asked: Panel, draws: int, seed: int) -> Self:
        """Return the numbers of a panel on what judges were asked about."""
        sums = cross_sums(
            asked.votes, asked.assistant_of, len(asked.assistants), asked.scene_of, asked.scenes
        )
        weights = scene_weights(asked.scenes, draws, seed)
        matrix, drawn = cross_matrix(sums), replicates(sums, weights)
        places = np.flatnonzero(asked.own >= 0).tolist()
        return cls(
            assistants=asked.assistants,
            judges=_judge_names(asked),
            own=tuple((place, int(asked.own[place])) for place in places),
            residual=matrix - additive_fit(matrix).expected,
            ability=_means(matrix, drawn, sums, axis=1),
            leniency=_means(matrix, drawn, sums, axis=0),
            favour=_favour(asked, sums, weights) if places else None,
        )

    @property
    def models(self) -> tuple[str, ...]:
        """The assistants, then the judges that are none."""
        return tuple(dict.fromkeys((*self.assistants, *self.judges)))


def _judge_names(asked: Panel) -> tuple[str, ...]:
    """Return the names of the judges; of a model that is an assistant too, that of the assistant."""
    names = list(asked.judges)
    for assistant, judge in zip(asked.assistants, asked.own.tolist(), strict=True):
        if judge >= 0:
            names[judge] = assistant
    return tuple(names)


def _means(matrix: Floats, drawn: Floats, sums: SceneSums, axis: int) -> tuple[Estimate, ...]:
    """Return the mean of X over an axis, over the cells that have a verdict.

    A draw in which one of these cells has lost all of its verdicts is left out.
    """
    known = np.isfinite(matrix)
    held = known.sum(axis=axis)
    value = _over(np.where(known, matrix, 0.0).sum(axis=axis), held)
    replicated = _over(np.where(known[..., None], drawn, 0.0).sum(axis=axis), held[:, None])
    low, high = percentile_interval(replicated)
    counts = sums.counts.sum(axis=axis)
    scenes = np.count_nonzero(counts, axis=-1)
    spread = np.where(scenes < 2, np.nan, np.stack([low, high]))
    dropped = np.isnan(replicated).sum(axis=-1)
    return tuple(
        Estimate(
            value=float(value[place]),
            low=float(spread[0, place]),
            high=float(spread[1, place]),
            n=int(counts[place].sum()),
            scenes=int(scenes[place]),
            dropped=int(dropped[place]),
        )
        for place in range(len(value))
    )


def _favour(asked: Panel, sums: SceneSums, weights: Floats) -> Favour:
    found = self_preference(sums, asked.own, weights)
    cells = sums.counts[found.assistants, found.judges]
    counts = np.concatenate([cells, cells.sum(axis=0, keepdims=True)])

    def estimates(spread: Spread, mean: Spread) -> tuple[Estimate, ...]:
        parts = [np.append(getattr(spread, name), getattr(mean, name)) for name in ("value", "low", "high")]
        return tuple(
            Estimate(
                value=float(parts[0][place]),
                low=float(parts[1][place]),
                high=float(parts[2][place]),
                n=int(counts[place].sum()),
                scenes=int(np.count_nonzero(counts[place])),
                dropped=found.dropped,
            )
            for place in range(len(counts))
        )

    return Favour(
        tuple(asked.assistants[place] for place in found.assistants),
        estimates(found.raw, found.raw_mean),
        estimates(found.corrected, found.corrected_mean),
    )


def _over(sums: Floats, held: NDArray[np.intp]) -> Floats:
    with np.errstate(invalid="ignore"):  # nothing over nothing is NaN, as wanted
        return np.asarray(sums / held)
