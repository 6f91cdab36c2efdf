"""A model asked whether an answer is right: it sees pictures, question and answer, and not the reference."""

from typing import Final

import numpy as np

from lvqa_eval.detectors.answers import Answers
from lvqa_eval.detectors.detector import Scored
from lvqa_eval.detectors.signals import Signals
from lvqa_eval.metrics.bootstrap import Floats


class ModelAsJudge:
    """Its verdict: 1 for INCORRECT, 0 for CORRECT, which has no ranking."""

    name: Final = "model_as_judge"
    needs: Final = "verdicts"

    def read(self, answers: Answers, signals: Signals) -> Scored:
        """Return the verdicts; NaN for what could not be read as one."""
        return Scored(_or_none(signals.verdicts, answers), binary=True)


class ModelAsJudgeProb:
    """How likely it held INCORRECT where it chose between its two words, which ranks the answers."""

    name: Final = "model_as_judge_prob"
    needs: Final = "verdicts"

    def read(self, answers: Answers, signals: Signals) -> Scored:
        """Return the probabilities; NaN where the judge's server gave none."""
        return Scored(_or_none(signals.verdict_scores, answers))


def _or_none(values: Floats | None, answers: Answers) -> Floats:
    return np.full(len(answers), np.nan) if values is None else values
