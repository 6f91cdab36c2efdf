"""Questions that one run gets right and the other wrong, in all or most of their runs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.reports.compare.sides import Side
from lvqa_eval.runs.records import ConversationRecord, Key, Question
from lvqa_eval.statuses import Status


@dataclass(frozen=True)
class RunReply:
    """The last reply of one run: whether it counts and is right (None: does not count), and its words."""

    run: int
    correct: bool | None
    status: Status | None
    reply: str | None


@dataclass(frozen=True)
class Answers:
    """What one side gave to a question: how many of its valid runs are right, and every run's last reply."""

    right: int
    valid: int
    replies: tuple[RunReply, ...]

    @property
    def share(self) -> float:
        """Right runs by valid ones."""
        return self.right / self.valid

    @property
    def mostly_right(self) -> bool:
        """Whether more than half of the valid runs are right."""
        return 2 * self.right > self.valid

    @property
    def typical(self) -> RunReply:
        """The reply of the first run that decided as most runs did."""
        return next(one for one in self.replies if one.correct is self.mostly_right)


@dataclass(frozen=True)
class Flip:
    """One question under one condition that flipped. `condition` may be a baseline."""

    condition: str
    question: Question
    a: Answers
    b: Answers

    @property
    def gained(self) -> bool:
        """Whether B is the side that is right."""
        return self.b.mostly_right

    @property
    def change(self) -> float:
        """Share of right runs, B less A: from -1 to 1."""
        return self.b.share - self.a.share


def flips(a: Side, b: Side, names: tuple[str, ...], questions: Sequence[Question]) -> tuple[Flip, ...]:
    """Return what flipped, the largest change first, then by condition and question.

    A side decides a question by more than half of its valid runs; with half of them it decides nothing.
    """
    ids = tuple(question.question_id for question in questions)
    cells = [side.cells(names, ids) for side in (a, b)]
    decided = [_decided(of_side) for of_side in cells]
    places = np.argwhere(decided[0] * decided[1] < 0)
    found = [
        Flip(names[i], questions[j], *(_answers(side, names[i], ids[j]) for side in (a, b)))
        for i, j in places.tolist()
    ]
    # Stable: conditions and questions are in their order already.
    return tuple(sorted(found, key=lambda flip: -abs(flip.change)))


def _decided(scores: Floats) -> Floats:
    """Return 1 where most valid runs are right, -1 where most are wrong, else 0: (conditions, questions)."""
    return np.asarray(np.sign(np.nansum(scores - 0.5, axis=2)))


def _answers(side: Side, condition: str, question_id: str) -> Answers:
    replies = tuple(_replies(side, condition, question_id))
    counted = [one.correct for one in replies if one.correct is not None]
    return Answers(sum(counted), len(counted), replies)


def _replies(side: Side, condition: str, question_id: str) -> Iterator[RunReply]:
    scores = side.cells((condition,), (question_id,))[0, 0]
    for run, score in enumerate(scores.tolist(), start=1):
        conversation = side.conversations.get(Key(condition, question_id, run))
        yield RunReply(run, None if np.isnan(score) else bool(score), *_last(conversation))


def _last(conversation: ConversationRecord | None) -> tuple[Status | None, str | None]:
    if conversation is None:
        return None, None
    return conversation.status, conversation.turns[-1].reply if conversation.turns else None
