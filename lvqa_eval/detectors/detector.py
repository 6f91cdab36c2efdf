"""What a detector is, and every detector by its name."""

from typing import Protocol

from lvqa_eval.extensions import Registry
from lvqa_eval.runs.records import ConversationRecord, QuestionRecord


class Detector(Protocol):
    """Tells how likely the final answer of a conversation is wrong, without its verdict.

    Others add theirs in the entry-point group `lvqa.detectors`: a class that is made without arguments.
    """

    @property
    def name(self) -> str:
        """The name under which the detector is registered and its scores are written."""

    def score(self, question: QuestionRecord, conversation: ConversationRecord) -> float:
        """Return a score, higher for an answer that is more likely incorrect; NaN for nothing to say.

        The reference answer in `question` is not for detectors to read.
        """


DETECTORS = Registry("lvqa.detectors", {"answer-length": "lvqa_eval.detectors.answer_length:AnswerLength"})
"""Every detector by its name: a class, or anything that makes one when called."""
