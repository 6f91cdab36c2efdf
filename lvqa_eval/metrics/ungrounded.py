"""Right answers that came before their evidence (Table 6)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.figures import FieldTable, field_table
from lvqa_eval.metrics.replicated import columns_of, combined, replicate
from lvqa_eval.metrics.study import Study
from lvqa_eval.metrics.timing import complete_evidence_turn
from lvqa_eval.runs.records import ConversationRecord, QuestionRecord

LAYER_DELIVERIES: Final[Mapping[str, tuple[str, ...]]] = {
    "layers in stack order": ("sharded-v", "recap-v", "snowball-v"),
    "layers in evidence order": ("evidence-first", "evidence-last"),
    "shards with layers": ("aligned-vq", "misaligned-vq"),
}
"""The conditions in which the evidence comes over several turns."""

UNGROUNDED_CONDITIONS: Final = tuple(
    condition for family in LAYER_DELIVERIES.values() for condition in family
)


@dataclass(frozen=True)
class Ungrounded:
    """Right answers and their evidence, pooled over `conditions`.

    - `table`: columns `COLUMNS`. Accuracy is of the final turn. Ungrounded is the share of the final-correct
      conversations whose first right attempt came before the turn of complete evidence. Grounded accuracy is
      accuracy x (1 - ungrounded).
    - `unlocated`: final-correct conversations in which the post-hoc judge finds no right attempt, or has no
      valid ruling; they are left out of the share.
    """

    conditions: tuple[str, ...]
    table: FieldTable
    unlocated: int


COLUMNS = ("accuracy", "ungrounded", "grounded accuracy")


def evidence_turn(question: QuestionRecord, conversation: ConversationRecord) -> float:
    """Return the turn of complete evidence of a conversation, for `Study.grid`; NaN where there is none."""
    turn = complete_evidence_turn(question.minimal_sets, conversation.turns)
    return np.nan if turn is None else float(turn)


def ungrounded(
    study: Study,
    first_correct: Floats,
    evidence: Floats,
    weights: Floats,
    conditions: Sequence[str] = UNGROUNDED_CONDITIONS,
) -> Ungrounded:
    """Return how much of the accuracy came before the evidence, over those of `conditions` that were run.

    `first_correct` and `evidence` (models, conditions, questions, runs) are read by
    `attempts.first_correct_attempt` and `evidence_turn`. Pass one condition alone for its own row.
    """
    held = study.held(conditions)
    correct, first, complete = (study.pooled(one, held) for one in (study.correct, first_correct, evidence))
    right = correct == 1
    located = right & (first > 0) & np.isfinite(complete)
    early = np.where(located, first < complete, np.nan)
    accuracy = replicate(correct, study.planned_together(held), study.scene_of, weights)
    share = replicate(early, right, study.scene_of, weights)
    grounded = combined(_grounded, accuracy, share, same=True)
    name = "Right answers and their evidence"
    statistic = columns_of([accuracy, share, grounded])
    return Ungrounded(
        conditions=held,
        table=field_table(name, "share", study.models, COLUMNS, statistic),
        unlocated=int((right & ~located).sum()),
    )


def _grounded(accuracy: Floats, share: Floats) -> Floats:
    # Where nothing is right, there is no share and nothing that could be ungrounded.
    return np.where(accuracy == 0, 0.0, accuracy * (1 - share))
