"""The answers that detectors are set against: those of one run under one condition that have a verdict."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.runs.records import ConversationRecord, Key, Question

Places = NDArray[np.intp]
"""Places in a list of answers."""


@dataclass(frozen=True)
class Answer:
    """The final answer of one conversation that ended well, and whether its judge found it incorrect."""

    question: Question
    conversation: ConversationRecord
    incorrect: bool

    @property
    def key(self) -> Key:
        """The conversation's name in its run."""
        return self.conversation.key

    @property
    def reply(self) -> str:
        """The words of the final reply, without thinking."""
        return self.conversation.turns[-1].reply or ""


@dataclass(frozen=True, eq=False)
class Answers:
    """The judged answers of one model under one condition, sorted by question and repetition.

    `model` is the name that reports use, `judge` whose verdicts. `left_out` counts, by outcome, the planned
    conversations that are no answer with a verdict: a detector is not asked about them.
    """

    model: str
    condition: str
    judge: str
    items: tuple[Answer, ...]
    left_out: Mapping[str, int]

    def __len__(self) -> int:
        return len(self.items)

    @cached_property
    def incorrect(self) -> NDArray[np.bool_]:
        """For each answer whether it is incorrect: the positive class."""
        return np.array([answer.incorrect for answer in self.items], dtype=np.bool_)

    @cached_property
    def clusters(self) -> tuple[str, ...]:
        """The documents or pictures asked about, sorted."""
        return tuple(sorted({answer.question.cluster for answer in self.items}))

    @cached_property
    def cluster_of(self) -> Places:
        """For each answer the place of its document in `clusters`; folds never part those of one."""
        place = {cluster: i for i, cluster in enumerate(self.clusters)}
        return np.array([place[answer.question.cluster] for answer in self.items], dtype=np.intp)

    @cached_property
    def words(self) -> Floats:
        """For each answer its length in words."""
        return np.array([len(answer.reply.split()) for answer in self.items], dtype=np.float64)
