"""A detector: a final reply that hedges is more likely wrong."""

import math

from lvqa_eval.runs.records import ConversationRecord, QuestionRecord

HEDGES = ("maybe", "perhaps", "not sure", "might", "unclear", "possibly")


class Hedging:
    """Counts hedging words in the final reply."""

    name = "hedging"

    def score(self, question: QuestionRecord, conversation: ConversationRecord) -> float:
        """Return the number of hedges; NaN where there is no reply."""
        reply = conversation.turns[-1].reply
        if not reply:
            return math.nan
        return float(sum(reply.lower().count(hedge) for hedge in HEDGES))
