"""What a run will do, before it does anything: which conversations, in which order, and what they need."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from lvqa_eval.baselines import baseline_rows
from lvqa_eval.benchmarks import Benchmark
from lvqa_eval.dataset_folder import DatasetError
from lvqa_eval.runs.records import Key, Question
from lvqa_eval.scheduled import ScheduledDataset, ScheduledRow
from lvqa_eval.tokens import PromptTokens

Rows = Sequence[ScheduledRow]


@dataclass(frozen=True)
class Work:
    """One conversation to hold."""

    row: ScheduledRow
    run: int

    @property
    def key(self) -> Key:
        """The conversation's name in its run."""
        return Key(self.row.condition, self.row.question_id, self.run)


@dataclass(frozen=True)
class Plan:
    """Every conversation of a run.

    `rows` by condition, in the order of the benchmark, then by baseline; `baselines` names the latter.
    """

    rows: Mapping[str, Rows]
    runs: int
    baselines: tuple[str, ...] = ()

    @property
    def conditions(self) -> list[str]:
        """The names of the conditions that will run, without the baselines."""
        return [name for name in self.rows if name not in self.baselines]

    @property
    def size(self) -> int:
        """Number of conversations."""
        return self.runs * sum(map(len, self.rows.values()))

    def questions(self) -> list[Question]:
        """Return what judging and statistics need of every question, in the dataset's order."""
        first: dict[str, ScheduledRow] = {}
        for rows in self.rows.values():
            for row in rows:
                first.setdefault(row.question_id, row)
        return [row.record() for row in first.values()]

    def work(self) -> Iterator[Work]:
        """Yield every conversation, by scene, so that its pictures stay in the server's caches.

        Scenes come in the dataset's order, in which their pictures are read.
        """
        everything = [Work(row, run) for rows in self.rows.values() for row in rows for run in self._runs()]
        scenes = dict.fromkeys(one.row.scene_id for one in everything)
        place = {scene: number for number, scene in enumerate(scenes)}
        # Sorting is stable: inside a question the conditions keep the benchmark's order.
        yield from sorted(everything, key=lambda one: (place[one.row.scene_id], one.row.question_id))

    def images_needed(self) -> dict[str, int]:
        """Return for each condition the most pictures that one prompt holds (the history holds them all)."""
        return {name: max(row.images_sent for row in rows) for name, rows in self.rows.items()}

    def tokens_needed(self, count: PromptTokens, max_tokens: int) -> dict[str, int]:
        """Return for each condition a cautious count of the tokens of its longest last prompt.

        The history holds every picture and, at worst, a reply of `max_tokens` to each turn but the last.
        """

        def of(row: ScheduledRow) -> int:
            return count.of_turns(row)[-1] + max_tokens * (len(row.turns) - 1)

        return {name: max(map(of, rows)) for name, rows in self.rows.items()}

    def without(self, condition: str) -> "Plan":
        """Return the plan with one condition left out."""
        return replace(self, rows={name: rows for name, rows in self.rows.items() if name != condition})

    def _runs(self) -> range:
        return range(1, self.runs + 1)


def make_plan(
    benchmark: Benchmark,
    dataset: ScheduledDataset,
    conditions: Sequence[str] | None,
    runs: int,
    limit: int | None = None,
    baselines: Sequence[str] = (),
    split: Mapping[str, str] | None = None,
) -> Plan:
    """Return the plan for the named conditions, or for the usual ones, and for `baselines`.

    `split` takes the questions whose fields have these values, `limit` the first so many of them. Raises
    DatasetError for unknown conditions, for none, for an unknown or empty split; UnknownExtensionError for an
    unknown baseline.
    """
    known = [name for name in benchmark.conditions if name in dataset.conditions]
    known += [name for name in dataset.conditions if name not in known]
    unknown = [name for name in conditions or [] if name not in known]
    if unknown or (conditions is not None and not conditions):
        found = [repr(name) for name in unknown] or ["none"]
        raise DatasetError([f"conditions: found {name}, allowed: {', '.join(known)}" for name in found])
    wanted = benchmark.usual if conditions is None else conditions
    chosen = [name for name in known if wanted is None or name in wanted]
    kept = _Split(benchmark, split or {})
    rows = {name: kept.of(dataset.rows(name))[:limit] for name in chosen}
    first = benchmark.conditions[0]
    beside = {name: kept.of(baseline_rows(dataset, name, first))[:limit] for name in baselines}
    return Plan(rows | beside, runs, tuple(beside))


class _Split:
    """A part of the questions, by the values of fields; raises DatasetError for one that there cannot be."""

    def __init__(self, benchmark: Benchmark, values: Mapping[str, str]) -> None:
        found = []
        for name, value in values.items():
            allowed = benchmark.splits.get(name)
            if allowed is None:
                found.append(f"{name}: found {value!r}, but {benchmark.name} has no splits by {name}")
            elif value not in allowed:
                found.append(f"{name}: found {value!r}, allowed: {', '.join(allowed)}")
        if found:
            raise DatasetError(found)
        self._values = values

    def of(self, rows: Rows) -> Rows:
        """Return the rows of the part."""
        if not self._values:
            return rows
        kept = [row for row in rows if self._has(row.record())]
        if not kept:
            told = ", ".join(f"{name} {value}" for name, value in self._values.items())
            raise DatasetError([f"split: found no question of {told}"])
        return kept

    def _has(self, question: Question) -> bool:
        return all(getattr(question, name) == value for name, value in self._values.items())
