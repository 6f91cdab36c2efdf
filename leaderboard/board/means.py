"""The field: the mean over the models of a table, in each draw."""

import math
from collections.abc import Mapping

import numpy as np

from leaderboard.board.run_figures import RunFigures
from lvqa_eval.metrics.bootstrap import Floats, percentile_interval
from lvqa_eval.metrics.figures import Figure


class Means:
    """Means over runs, which are added one after the other; of each, only sums stay."""

    def __init__(self) -> None:
        self._runs: list[Mapping[str, Figure]] = []
        self._drawn: dict[str, Floats] = {}
        self._times: dict[str, int] = {}

    def add(self, run: RunFigures) -> None:
        """Take the figures and draws of a run."""
        self._runs.append(run.figures)
        for key, row in zip(run.columns, run.drawn, strict=True):
            self._drawn[key] = self._drawn[key] + row if key in self._drawn else row.astype(np.float64)
            self._times[key] = self._times.get(key, 0) + 1

    def figures(self) -> dict[str, Figure]:
        """Return the mean of each figure that all runs have; none for no run.

        A column whose draws are kept of every run has the interval of the mean in each draw.
        """
        first = self._runs[0] if self._runs else {}
        columns = [key for key in first if all(key in figures for figures in self._runs)]
        return {key: self._mean(key) for key in columns}

    def _mean(self, key: str) -> Figure:
        figures = [run[key] for run in self._runs]
        low = high = math.nan
        dropped = 0
        known = all(math.isfinite(one.low) for one in figures)
        if known and self._times.get(key) == len(figures):
            drawn = self._drawn[key] / len(figures)
            low, high = map(float, percentile_interval(drawn))
            dropped = int(np.isnan(drawn).sum())
        return Figure(
            value=math.fsum(one.value for one in figures) / len(figures),
            low=low,
            high=high,
            n=sum(one.n for one in figures),
            scenes=max(one.scenes for one in figures),
            dropped=dropped,
            questions=max(one.questions for one in figures),
            planned=sum(one.planned for one in figures),
        )
