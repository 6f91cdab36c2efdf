"""The provisional score of a submission: its answers compared with the references by exact match."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from leaderboard.board.run_figures import RANKING, compute_figures
from lvqa_eval.metrics.figures import Figure
from lvqa_eval.runs.questions import benchmark_of
from lvqa_eval.runs.store import RunStore


@dataclass(frozen=True)
class Provisional:
    """What a run scores by exact match, in the board's own columns.

    - `figures`: by column, those that exist; `conditions`: the columns that are conditions of the run.
    - `ranking`: the column that models are ranked by, "" where the run lacks a part of it.
    - `score`: that figure; without it the mean over the conditions of the run, which has no interval.
    """

    figures: Mapping[str, Figure]
    conditions: tuple[str, ...]
    ranking: str
    score: Figure

    @property
    def coverage(self) -> float:
        """Conversations that count, of those planned."""
        return self.figures["coverage"].value


def provisional_score(run_folder: Path, needed: Sequence[str]) -> Provisional:
    """Return the score of a run that exact match has ruled on; `needed` are the conditions of a full run."""
    store = RunStore.open(run_folder)
    found = compute_figures(store, (), needed)
    conditions = tuple(name for name in found.coverage if name in found.figures)
    ranking = RANKING[benchmark_of(store.identity.settings)]
    if ranking in found.figures:
        return Provisional(found.figures, conditions, ranking, found.figures[ranking])
    return Provisional(found.figures, conditions, "", _mean(found.figures, conditions))


def _mean(figures: Mapping[str, Figure], conditions: Sequence[str]) -> Figure:
    values = [figures[name].value for name in conditions]
    value = sum(values) / len(values) if values else math.nan
    return replace(figures["coverage"], value=value, low=math.nan, high=math.nan)
