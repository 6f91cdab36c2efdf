"""What can be chosen on the page of examples: questions, conditions and models of one benchmark."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Self

from leaderboard.html.words import Words
from leaderboard.store.folder import Submission
from leaderboard.submissions.standing import BenchmarkStanding
from lvqa_eval.dataset import Dataset
from lvqa_eval.prompts import Prompt
from lvqa_eval.runs.records import Question
from lvqa_eval.scheduled import ScheduledRow

_SHORT: Final = 16
"""Digits of a submission's id that name it in links, as the history prints it."""


@dataclass(frozen=True, eq=False)
class Choices:
    """One benchmark of a board, with at least one run.

    `questions` by id and `scenes`, each with the ids of its questions, in the order of the dataset; `models`
    by the short name of a submission, in the order in which they are offered. `runs`: the most repetitions
    that a run has.
    """

    standing: BenchmarkStanding
    conditions: tuple[str, ...]
    questions: Mapping[str, Question]
    scenes: Mapping[str, tuple[str, ...]]
    models: Mapping[str, Submission]
    runs: int

    @classmethod
    def of(cls, standing: BenchmarkStanding, submissions: Iterable[Submission]) -> Self:
        """Return the choices among `submissions`, which are of this benchmark and this dataset."""
        models = {short(one.id): one for one in submissions}
        held = {name for one in models.values() for name in one.receipt.conditions}
        known = [one for one in standing.benchmark.conditions if one in standing.dataset.conditions]
        rows = standing.schedule(standing.conditions[0]).values()
        questions = {row.question_id: row.record() for row in rows}
        scenes: dict[str, tuple[str, ...]] = {}
        for name, one in questions.items():
            scenes[one.scene_id] = (*scenes.get(one.scene_id, ()), name)
        return cls(
            standing,
            tuple(one for one in known if one in held) or standing.conditions,
            questions,
            scenes,
            models,
            max(one.receipt.runs for one in models.values()),
        )

    @property
    def layered(self) -> bool:
        """Whether questions are about scenes in layers, not about pages."""
        return isinstance(self.standing.dataset, Dataset)

    @cached_property
    def captions(self) -> Mapping[str, Sequence[str]]:
        """What is on the layers of each scene, as far as the dataset says; empty for pages."""
        dataset = self.standing.dataset
        return (
            {one.scene_id: one.captions for one in dataset.scenes()} if isinstance(dataset, Dataset) else {}
        )

    @cached_property
    def _prompts(self) -> Mapping[str, Prompt]:
        return self.standing.benchmark.prompts()

    def label(self, position: int, layer: int | None) -> str:
        """Return the words above a picture, by its position in the message (from 1); empty for none."""
        names = self.standing.benchmark.labels
        return self._prompts[names[layer is None]].fill(position=position, layer=layer) if names else ""

    def contract(self, row: ScheduledRow) -> Prompt | None:
        """Return the system prompt of a row's conversation, None for none."""
        name = self.standing.benchmark.contract(row)
        return None if name is None else self._prompts[name]

    def row(self, condition: str, question: str) -> ScheduledRow:
        """Return how a question is asked under a condition."""
        return self.standing.schedule(condition)[question]

    def turns(self, condition: str, question: str) -> int:
        """Return in how many turns a question is asked under a condition."""
        return len(self.row(condition, question).turns)

    def model(self, name: str) -> str | None:
        """Return the short name of a submission that is called by it or by its whole id, None for no such."""
        found = self.models.get(short(name))
        return short(name) if found is not None and name in (found.id, short(found.id)) else None

    def title(self, name: str, words: Words) -> str:
        """Return what a submission is called: its model, with the version where a later one stands."""
        one = self.models[name]
        model = one.receipt.about.model
        return model if one.newest else f"{model}, {words('standing.version', version=str(one.version))}"


def short(name: str) -> str:
    """Return the short name of a submission."""
    return name[:_SHORT]
