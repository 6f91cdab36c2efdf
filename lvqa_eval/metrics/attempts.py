"""When a model answered, and when rightly: readings of a post-hoc judge's rulings, for `Study.grid`.

A post-hoc judge lists one attempt for every turn that holds an answer. Of such judges one is named, whose
records are passed; those of a judge of the final turn alone list fewer.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.delivery import MULTI_TURN
from lvqa_eval.metrics.figures import FieldTable, Figures, Unit, field_table
from lvqa_eval.metrics.replicated import Replicated, replicate
from lvqa_eval.metrics.study import Study
from lvqa_eval.runs.records import Attempt, ConversationRecord, JudgementRecord, QuestionRecord
from lvqa_eval.statuses import JudgeStatus, Status

MOST_ATTEMPTS = 12
"""So many attempts of a conversation are told apart by their number; later ones are left out."""


@dataclass(frozen=True)
class AttemptProfile:
    """Answers by their number in the conversation (Fig. 6): the first, the second and so on.

    - `characters`, `correct`: by model, columns "1", "2" and so on; `pooled_characters`, `pooled_correct`:
      all conversations of all models together, (numbers,), since few models come to the late numbers.
    - `conditions`: those pooled; `conversations`: how many have an attempt, of `planned`.
    """

    characters: FieldTable
    correct: FieldTable
    pooled_characters: Figures
    pooled_correct: Figures
    conditions: tuple[str, ...]
    conversations: int
    planned: int


def first_attempt(_: QuestionRecord, judgement: JudgementRecord) -> float:
    """Return the turn of the first attempt, right or wrong; 0 for no attempt, NaN without a valid ruling."""
    if judgement.status is not JudgeStatus.OK:
        return np.nan
    return float(min((attempt.turn for attempt in judgement.attempts), default=0))


def first_correct_attempt(_: QuestionRecord, judgement: JudgementRecord) -> float:
    """Return the turn of the first right attempt; 0 for none, NaN without a valid ruling.

    Where the judge lists no right attempt, what it says of the first right turn counts.
    """
    if judgement.status is not JudgeStatus.OK:
        return np.nan
    right = [attempt.turn for attempt in judgement.attempts if attempt.correct]
    return float(min(right, default=judgement.first_correct_turn or 0))


def turn_count(_: QuestionRecord, conversation: ConversationRecord) -> float:
    """Return the number of turns of a conversation that was held to its end; NaN for another."""
    return float(len(conversation.turns)) if conversation.status is Status.OK else np.nan


def attempt_characters(_: QuestionRecord, judgement: JudgementRecord) -> Sequence[float]:
    """Return the characters of each attempt's answer, by turn."""
    return [float(len(attempt.answer.strip())) for attempt in _by_turn(judgement)]


def attempt_verdicts(_: QuestionRecord, judgement: JudgementRecord) -> Sequence[float]:
    """Return for each attempt, by turn, 1 if it is right, else 0."""
    return [float(attempt.correct) for attempt in _by_turn(judgement)]


def attempt_profile(
    study: Study,
    characters: Floats,
    verdicts: Floats,
    weights: Floats,
    conditions: Sequence[str] = MULTI_TURN,
) -> AttemptProfile:
    """Return length and correctness by the number of the attempt, over those of `conditions` that were run.

    `characters` and `verdicts` (models, conditions, questions, runs, numbers) are read by
    `attempt_characters` and `attempt_verdicts`.
    """
    held = study.held(conditions)
    numbers = [str(number + 1) for number in range(characters.shape[-1])]
    lengths, right = (
        np.stack([study.pooled(cells[..., number], held) for number in range(len(numbers))], axis=1)
        for cells in (characters, verdicts)
    )

    def table(name: str, unit: Unit, cells: Floats) -> FieldTable:
        return field_table(name, unit, study.models, numbers, _mean(study, cells, weights))

    def together(cells: Floats) -> Figures:
        # All models side by side, as if they were more runs.
        by_number = np.moveaxis(cells, 0, 2).reshape(len(numbers), len(study.questions), -1)
        return _mean(study, by_number, weights).figures()

    return AttemptProfile(
        characters=table("Characters of an answer, by attempt", "characters", lengths),
        correct=table("Answers that are right, by attempt", "share", right),
        pooled_characters=together(lengths),
        pooled_correct=together(right),
        conditions=held,
        conversations=int(np.isfinite(right[:, :1]).sum()),
        planned=int(study.planned_of(held).sum()),
    )


def _mean(study: Study, cells: Floats, weights: Floats) -> Replicated:
    # Only conversations that come to a number have an answer there.
    return replicate(cells, np.isfinite(cells), study.scene_of, weights)


def _by_turn(judgement: JudgementRecord) -> list[Attempt]:
    return sorted(judgement.attempts, key=lambda attempt: attempt.turn)
