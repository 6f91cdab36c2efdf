"""What a board takes: for each benchmark the dataset, and what a full run of it is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Self

from lvqa_eval.baselines import baseline_rows
from lvqa_eval.benchmarks import Benchmark, find_benchmark
from lvqa_eval.dataset_folder import open_manifest
from lvqa_eval.plan import Plan
from lvqa_eval.scheduled import ScheduledDataset, ScheduledRow

Schedule = Mapping[str, ScheduledRow]
"""The rows of one condition by question."""


@dataclass(frozen=True)
class BenchmarkStanding:
    """One benchmark of a board.

    `conditions` and `runs` are those of a full run. `harness`: the versions of LVQA whose runs are taken.
    """

    benchmark: Benchmark
    dataset: ScheduledDataset
    conditions: tuple[str, ...]
    runs: int
    harness: tuple[str, ...] = field(default_factory=lambda: (version("lvqa"),))
    _schedules: dict[str, Schedule] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, name: str, revision: str | None = None) -> Self:
        """Open the dataset `name` (a folder, or ORG/NAME on the Hub) with its benchmark's full run.

        Raises DatasetError, UnknownBenchmarkError.
        """
        benchmark = find_benchmark(open_manifest(name, revision).kind)
        dataset = benchmark.open(name, revision)
        usual = benchmark.usual or benchmark.conditions
        conditions = tuple(one for one in usual if one in dataset.conditions)
        return cls(benchmark, dataset, conditions, benchmark.runs)

    def schedule(self, condition: str) -> Schedule:
        """Return the rows of a condition, or of a baseline, by question; read from the dataset once.

        Raises DatasetError for a condition that the dataset does not have.
        """
        if condition not in self._schedules:
            rows: Sequence[ScheduledRow]
            if condition in self.dataset.conditions:
                rows = self.dataset.rows(condition)
            else:
                rows = baseline_rows(self.dataset, condition, self.benchmark.conditions[0])
            self._schedules[condition] = {row.question_id: row for row in rows}
        return self._schedules[condition]

    def plan(
        self, conditions: Sequence[str], runs: int, baselines: Sequence[str], split: Mapping[str, str]
    ) -> Plan:
        """Return what a run with these settings holds, in the order of the benchmark."""
        known = [*self.benchmark.conditions, *self.dataset.conditions]
        ordered = [one for one in dict.fromkeys(known) if one in conditions]
        rows = {name: self._part(name, split) for name in (*ordered, *baselines)}
        return Plan(rows, runs, tuple(baselines))

    def _part(self, condition: str, split: Mapping[str, str]) -> list[ScheduledRow]:
        rows = list(self.schedule(condition).values())
        if not split:
            return rows
        return [row for row in rows if all(getattr(row.record(), name) == split[name] for name in split)]


@dataclass(frozen=True)
class BoardStanding:
    """What a board takes, by benchmark; `models` are the names that stand on it."""

    benchmarks: Mapping[str, BenchmarkStanding]
    models: tuple[str, ...] = ()

    @classmethod
    def of(cls, *datasets: str) -> Self:
        """Return the standing of a board of these datasets (folders, or ORG/NAME on the Hub), still empty."""
        opened = [BenchmarkStanding.of(name) for name in datasets]
        return cls({one.benchmark.name: one for one in opened})
