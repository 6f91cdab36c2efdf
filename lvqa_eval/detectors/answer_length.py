"""The length of the answer: no detector by intent, but one that every other has to beat."""

import math

from lvqa_eval.runs.records import ConversationRecord, QuestionRecord


class AnswerLength:
    """Scores the final reply by its number of words: scores that follow the length tell no more than this."""

    name = "answer-length"

    def score(self, question: QuestionRecord, conversation: ConversationRecord) -> float:
        """Return the number of words of the final reply; NaN where there is no word."""
        reply = conversation.turns[-1].reply if conversation.turns else None
        words = (reply or "").split()
        return float(len(words)) if words else math.nan
