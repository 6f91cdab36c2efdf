"""From a run to the answers that detectors are set against: those that a judge has ruled on."""

import numpy as np

from lvqa_eval.detectors.answers import Answer, Answers
from lvqa_eval.errors import LvqaError
from lvqa_eval.judging.panel import assistant_model
from lvqa_eval.metrics.scores import OUTCOMES, Scores, score_conditions
from lvqa_eval.runs.questions import question_type
from lvqa_eval.runs.records import Key, Question
from lvqa_eval.runs.store import RunStore
from lvqa_eval.statuses import Status


class NoAnswersError(LvqaError, LookupError):
    """A run without answers for detectors: a condition that it has not, or nothing judged."""


def gather_answers(store: RunStore, judge: str, condition: str) -> Answers:
    """Return the answers of a run under one condition that `judge` has ruled on.

    What the model failed to answer is left out with what nobody ruled on: there is no answer to be wrong.
    Raises NoAnswersError for a condition that the run did not plan, and where no answer has a ruling.
    """
    conversations = store.conversations()
    scores: Scores[Question] = score_conditions(
        store, conversations, store.judgements(judge), question_type(store.identity.settings)
    )
    if condition not in scores.conditions:
        raise NoAnswersError(
            f"{store.folder}: condition: found {condition!r}, allowed: {', '.join(scores.conditions)}"
        )
    row = scores.conditions.index(condition)
    outcome = scores.outcome[row]
    items = [
        Answer(question, conversations[Key(condition, question.question_id, k + 1)], bool(correct == 0))
        for j, question in enumerate(scores.questions)
        for k, correct in enumerate(scores.correct[row, j])
        if OUTCOMES[outcome[j, k]] == Status.OK
    ]
    counts = np.bincount(outcome.ravel(), minlength=len(OUTCOMES)).tolist()
    left_out = {
        name: count for name, count in zip(OUTCOMES, counts, strict=True) if count and name != Status.OK
    }
    if not items:
        told = ", ".join(f"{count} {name}" for name, count in left_out.items())
        raise NoAnswersError(
            f"{store.folder}: no answer under {condition} has a verdict by {judge} ({told}); "
            f"judge them first: lvqa judge {store.folder} --judge {judge}"
        )
    return Answers(assistant_model(store), condition, judge, tuple(items), left_out)
