"""What a run will do, before it does anything: which conversations, in which order, and what they need."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lvqa_eval.baselines import baseline_rows
from lvqa_eval.benchmarks import Benchmark
from lvqa_eval.dataset import Dataset, DatasetError, Row
from lvqa_eval.runs.records import Key, QuestionRecord
from lvqa_eval.tokens import PromptTokens


@dataclass(frozen=True)
class Work:
    """One conversation to hold."""

    row: Row
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

    rows: dict[str, list[Row]]
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

    def questions(self) -> list[QuestionRecord]:
        """Return what judging and statistics need of every question, in the dataset's order."""
        first: dict[str, Row] = {}
        for rows in self.rows.values():
            for row in rows:
                first.setdefault(row.question_id, row)
        return [_question(row) for row in first.values()]

    def work(self) -> Iterator[Work]:
        """Yield every conversation, by scene, so that its pictures stay in the server's caches."""
        everything = [Work(row, run) for rows in self.rows.values() for row in rows for run in self._runs()]
        # Sorting is stable: inside a question the conditions keep the benchmark's order.
        yield from sorted(everything, key=lambda one: (one.row.scene_id, one.row.question_id))

    def images_needed(self) -> dict[str, int]:
        """Return for each condition the most pictures that one prompt holds (the history holds them all)."""
        return {name: max(row.images_sent for row in rows) for name, rows in self.rows.items()}

    def tokens_needed(self, count: PromptTokens, max_tokens: int) -> dict[str, int]:
        """Return for each condition a cautious count of the tokens of its longest last prompt.

        The history holds every picture and, at worst, a reply of `max_tokens` to each turn but the last.
        """

        def of(row: Row) -> int:
            return count.of_turns(row)[-1] + max_tokens * (len(row.turns) - 1)

        return {name: max(map(of, rows)) for name, rows in self.rows.items()}

    def without(self, condition: str) -> "Plan":
        """Return the plan with one condition left out."""
        return replace(self, rows={name: rows for name, rows in self.rows.items() if name != condition})

    def _runs(self) -> range:
        return range(1, self.runs + 1)


def make_plan(
    benchmark: Benchmark,
    dataset: Dataset,
    conditions: Sequence[str] | None,
    runs: int,
    limit: int | None = None,
    baselines: Sequence[str] = (),
) -> Plan:
    """Return the plan for the named conditions, or for all that the dataset has, and for `baselines`.

    `limit` takes the first so many questions of the dataset. Raises DatasetError for unknown conditions and
    for none, UnknownExtensionError for an unknown baseline.
    """
    known = [name for name in benchmark.conditions if name in dataset.conditions]
    known += [name for name in dataset.conditions if name not in known]
    unknown = [name for name in conditions or [] if name not in known]
    if unknown or (conditions is not None and not conditions):
        found = [repr(name) for name in unknown] or ["none"]
        raise DatasetError([f"conditions: found {name}, allowed: {', '.join(known)}" for name in found])
    chosen = [name for name in known if conditions is None or name in conditions]
    rows = {name: dataset.rows(name)[:limit] for name in chosen}
    beside = {name: baseline_rows(dataset, name)[:limit] for name in baselines}
    return Plan(rows | beside, runs, tuple(beside))


def _question(row: Row) -> QuestionRecord:
    return QuestionRecord(
        question_id=row.question_id,
        scene_id=row.scene_id,
        depth=row.depth,
        category=row.category,
        question=row.question,
        answer=row.answer,
        answer_description=row.answer_description,
        gold_layers=row.gold_layers,
        minimal_sets=row.minimal_sets,
        dependencies=tuple((pair.before, pair.after) for pair in row.dependencies),
        distractors=row.distractors,
        shards=tuple(shard.text for shard in row.shards),
    )
