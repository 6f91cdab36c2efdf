"""A detector: a final reply that hedges is more likely wrong."""

from typing import Final

import numpy as np

from lvqa_eval.detectors.answers import Answers
from lvqa_eval.detectors.detector import Scored
from lvqa_eval.detectors.signals import Signals

HEDGES = ("maybe", "perhaps", "not sure", "might", "unclear", "possibly")


class Hedging:
    """Counts hedging words in the final reply."""

    name: Final = "hedging"
    needs: Final = "answer"

    def read(self, answers: Answers, signals: Signals) -> Scored:
        """Return the number of hedges in each answer; NaN where there is no reply."""
        return Scored(np.array([_hedges(answer.reply) for answer in answers.items]))


def _hedges(reply: str) -> float:
    return float(sum(reply.lower().count(hedge) for hedge in HEDGES)) if reply.strip() else np.nan
