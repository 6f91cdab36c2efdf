"""A study: several models on the same questions, in one array, so that all of them share each draw."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from lvqa_eval.errors import LvqaError
from lvqa_eval.metrics.bootstrap import DRAWS, Floats, scene_weights
from lvqa_eval.metrics.scores import Asked_co, Scores, scene_clusters
from lvqa_eval.runs.records import Key, Question

Record = TypeVar("Record")
Mask = NDArray[np.bool_]

NOT_PLANNED = -1
"""The outcome of a conversation that the model's run did not plan."""


class StudyError(LvqaError, ValueError):
    """Runs that cannot be compared: they do not have the same questions."""


@dataclass(frozen=True, eq=False)
class Study(Generic[Asked_co]):
    """What several models made of the same questions; arrays (models, conditions, questions, runs).

    `correct` is 1 or 0, NaN where a conversation does not count; `outcome` indexes `scores.OUTCOMES` and is
    `NOT_PLANNED` where a model's run has no such condition or repetition. Questions are sorted by id.
    """

    models: tuple[str, ...]
    conditions: tuple[str, ...]
    questions: tuple[Asked_co, ...]
    correct: Floats
    outcome: NDArray[np.int8]

    @classmethod
    def join(cls, scores: Mapping[str, Scores[Asked_co]]) -> Self:
        """Return the study of the runs in `scores`, one a model, by the model's name.

        Conditions are in the order in which they first appear. Raises StudyError, which names every question
        that a run lacks and every field in which one differs, and for no run at all.
        """
        if not scores:
            raise StudyError("study: found no run, allowed: at least one")
        _check_same_questions(scores)
        runs = list(scores.values())
        conditions = tuple(dict.fromkeys(condition for one in runs for condition in one.conditions))
        shape = (
            len(runs),
            len(conditions),
            len(runs[0].questions),
            max(one.correct.shape[2] for one in runs),
        )
        correct = np.full(shape, np.nan)
        outcome = np.full(shape, NOT_PLANNED, dtype=np.int8)
        for row, one in enumerate(runs):
            for place, condition in enumerate(one.conditions):
                cell = (row, conditions.index(condition), slice(None), slice(one.correct.shape[2]))
                correct[cell] = one.correct[place]
                outcome[cell] = one.outcome[place]
        return cls(tuple(scores), conditions, runs[0].questions, correct, outcome)

    @cached_property
    def _clusters(self) -> tuple[tuple[str, ...], NDArray[np.intp]]:
        return scene_clusters(self.questions)

    @property
    def scenes(self) -> tuple[str, ...]:
        """The clusters of the bootstrap, sorted: pictures, of which cuts are one, or documents."""
        return self._clusters[0]

    @property
    def scene_of(self) -> NDArray[np.intp]:
        """For each question the index of its scene in `scenes`."""
        return self._clusters[1]

    @property
    def planned(self) -> Mask:
        """Which conversations the models' runs planned; shaped as `correct`."""
        return np.asarray(self.outcome != NOT_PLANNED)

    def weights(self, draws: int = DRAWS, seed: int = 0) -> Floats:
        """Return the draws of the bootstrap, (draws, scenes), for every statistic of this study."""
        return scene_weights(len(self.scenes), draws, seed)

    def of(self, conditions: Sequence[str]) -> Floats:
        """Return `correct` of the named conditions in their order; NaN for one that nobody ran."""
        return self.pick(self.correct, conditions)

    def planned_of(self, conditions: Sequence[str]) -> Mask:
        """Return `planned` of the named conditions in their order."""
        return np.asarray(self.pick(self.planned.astype(np.float64), conditions) == 1)

    def planned_in_all(self, conditions: Sequence[str]) -> Mask:
        """Return where every one of `conditions` was planned, with one condition in their place."""
        return np.asarray(self.planned_of(conditions).all(axis=1, keepdims=True))

    def pick(self, cells: Floats, conditions: Sequence[str]) -> Floats:
        """Return the named conditions of an array (models, conditions, ...); NaN for one that nobody ran."""
        rows = [self.conditions.index(one) if one in self.conditions else -1 for one in conditions]
        picked = np.asarray(cells[:, rows], dtype=np.float64)
        picked[:, [i for i, row in enumerate(rows) if row < 0]] = np.nan
        return picked

    def held(self, conditions: Sequence[str]) -> tuple[str, ...]:
        """Return those of `conditions` that the study has."""
        return tuple(one for one in conditions if one in self.conditions)

    def complete(self, conditions: Sequence[str]) -> Mask:
        """Tell for each model, (models,), whether every one of `conditions` has a valid conversation."""
        held = np.asarray(np.isfinite(self.of(conditions)).any(axis=(2, 3)))
        return np.asarray(held.all(axis=1))

    def pooled(self, cells: Floats, conditions: Sequence[str]) -> Floats:
        """Put the named conditions of (models, conditions, questions, runs) side by side as runs.

        The result is (models, questions, conditions x runs). It is NaN for a model that is not `complete`:
        what it lacks may be what is hard.
        """
        picked = np.moveaxis(self.pick(cells, conditions), 1, 2)
        models, questions = picked.shape[:2]
        whole = self.complete(conditions)[:, None, None]
        return np.where(whole, picked.reshape(models, questions, -1), np.nan)

    def planned_together(self, conditions: Sequence[str]) -> Mask:
        """Return `planned` of the named conditions, shaped as `pooled`."""
        picked = np.moveaxis(self.planned_of(conditions), 1, 2)
        return picked.reshape(*picked.shape[:2], -1)

    def only(self, models: Sequence[str]) -> "Study[Asked_co]":
        """Return the study of `models` alone, in their order, under the same draws."""
        rows = [self.models.index(model) for model in models]
        return replace(self, models=tuple(models), correct=self.correct[rows], outcome=self.outcome[rows])

    def common(self, conditions: Sequence[str], across_models: bool = False) -> "Study[Asked_co]":
        """Return the study with only those (question, run) that count in every one of `conditions`.

        The intersection is taken inside each model, with `across_models` over all of them too.
        """
        axes = (0, 1) if across_models else (1,)
        whole = np.isfinite(self.of(conditions)).all(axis=axes, keepdims=True)
        return replace(self, correct=np.where(whole, self.correct, np.nan))

    def grid(
        self,
        records: Mapping[Key, Record],
        read: Callable[[Asked_co, Record], float | Sequence[float]],
        width: int | None = None,
    ) -> Floats:
        """Return what `read` takes from each record of one model, (conditions, questions, runs).

        With `width` it reads up to so many numbers, and the array has them as a last axis. NaN where there is
        no record or no number. Records outside the study are passed over. Stack the models' in their order.
        """
        found = np.full(self.correct.shape[1:] if width is None else (*self.correct.shape[1:], width), np.nan)
        for cell, question, record in self._placed(records):
            if width is None:
                found[cell] = read(question, record)
            else:
                numbers = np.atleast_1d(read(question, record))[:width]
                found[cell][: len(numbers)] = numbers
        return found

    def _placed(
        self, records: Mapping[Key, Record]
    ) -> Iterator[tuple[tuple[int, int, int], Asked_co, Record]]:
        row = {condition: i for i, condition in enumerate(self.conditions)}
        column = {question.question_id: i for i, question in enumerate(self.questions)}
        for key, record in records.items():
            if key.condition in row and key.question_id in column and key.run <= self.correct.shape[3]:
                place = column[key.question_id]
                yield (row[key.condition], place, key.run - 1), self.questions[place], record


def _check_same_questions(scores: Mapping[str, Scores[Question]]) -> None:
    (first, ours), *others = scores.items()
    expected = {question.question_id: question for question in ours.questions}
    faults = []
    for model, one in others:
        found = {question.question_id: question for question in one.questions}
        for asked in sorted(expected.keys() | found.keys()):
            if asked not in found or asked not in expected:
                faults.append(f"{asked}: {model if asked in expected else first} does not have it")
            else:
                faults += _unequal(asked, first, expected[asked], model, found[asked])
    if faults:
        raise StudyError("study: the runs do not have the same questions:\n  " + "\n  ".join(faults))


def _unequal(asked: str, first: str, ours: Question, model: str, theirs: Question) -> Iterator[str]:
    here, there = vars(ours), vars(theirs)
    for name in dict.fromkeys([*here, *there]):
        one, other = here.get(name), there.get(name)
        # Runs made before the shards were kept have none.
        if one != other and not (name == "shards" and not (one and other)):
            yield f"{asked}: {name}: {first} has {one!r}, {model} has {other!r}"
