"""The two runs of a comparison as read from their folders: plan, scores, records."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from lvqa_eval.reports.study.scored import read_scored
from lvqa_eval.runs.overview import named
from lvqa_eval.runs.questions import question_type
from lvqa_eval.runs.records import ConversationRecord, JudgementRecord, Key, Question
from lvqa_eval.runs.store import RunStore

Letter = Literal["A", "B"]


@dataclass(frozen=True)
class Side:
    """One run under one judge. `folder` is its name as the user wrote it.

    `correct` is 1, 0 or NaN over (conditions and baselines, questions, runs); `conditions` and `baselines`
    name its rows, `questions` its columns, sorted by id.
    """

    letter: Letter
    folder: str
    store: RunStore
    conditions: tuple[str, ...]
    baselines: tuple[str, ...]
    questions: tuple[Question, ...]
    correct: NDArray[np.float64]
    conversations: Mapping[Key, ConversationRecord]
    judgements: Mapping[Key, JudgementRecord]
    faults: tuple[str, ...]

    @property
    def settings(self) -> Mapping[str, Any]:
        """The run's identity."""
        return self.store.identity.settings

    @property
    def model(self) -> str:
        """The model's name."""
        return named(self.settings.get("model")) or "not named"

    @property
    def runs(self) -> int:
        """Runs of each question and condition."""
        return int(self.correct.shape[2])

    @property
    def names(self) -> tuple[str, ...]:
        """Conditions, then baselines."""
        return (*self.conditions, *self.baselines)

    def cells(self, names: tuple[str, ...], questions: tuple[str, ...]) -> NDArray[np.float64]:
        """Return `correct` of these conditions and question ids, (names, questions, runs)."""
        rows = [self.names.index(name) for name in names]
        column_of = {question.question_id: i for i, question in enumerate(self.questions)}
        return self.correct[rows][:, [column_of[question_id] for question_id in questions]]


def read_side(letter: Letter, store: RunStore, judge: str) -> Side:
    """Read a run under `judge`; raises ValueError for a run without a plan."""
    run = read_scored(store, judge, question_type(store.identity.settings))
    return Side(
        letter=letter,
        folder=str(store.folder),
        store=store,
        conditions=run.scores.conditions,
        baselines=run.baselines.conditions,
        questions=run.scores.questions,
        correct=np.concatenate([run.scores.correct, run.baselines.correct]),
        conversations=run.conversations,
        judgements=run.judgements,
        faults=tuple(f"{letter}: {fault}" for fault in run.faults),
    )
