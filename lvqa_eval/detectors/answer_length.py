"""The length of the answer: no detector by intent, but one that every other has to beat."""

from typing import Final

import numpy as np

from lvqa_eval.detectors.answers import Answers
from lvqa_eval.detectors.detector import Scored
from lvqa_eval.detectors.signals import Signals


class AnswerLength:
    """Scores the final reply by its number of words: scores that follow the length tell no more than this."""

    name: Final = "answer-length"
    needs: Final = "answer"

    def read(self, answers: Answers, signals: Signals) -> Scored:
        """Return the number of words of each final reply; NaN where there is no word."""
        return Scored(np.where(answers.words > 0, answers.words, np.nan))
