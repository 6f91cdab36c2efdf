"""When a model first commits itself to an answer, by fifth of the conversation (Table 4)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.delivery import MULTI_TURN
from lvqa_eval.metrics.figures import FieldTable, field_table
from lvqa_eval.metrics.replicated import replicate
from lvqa_eval.metrics.study import Study

FIFTHS = ("1", "2", "3", "4", "5")

Binning = Literal["end of turn", "start of turn"]
"""Whether turn t of n lies where it ends, ceil(5t/n), or where it starts, 1 + floor(5(t - 1)/n).

By its end no turn of fewer than five lies in the first fifth; by its start the first turn always does.
"""


@dataclass(frozen=True)
class Commitment:
    """Conversations by the fifth in which the first attempt, right or wrong, came.

    - `share`: of the conversations that count and have an attempt, by model; columns are the fifths.
    - `accuracy`: of their final turns.
    - `modal`: for each model the fifth with the largest share, the first of equals; None without any.
    - Left out: `no_attempt`; `unruled`, without a valid ruling of the post-hoc judge; `failed`, ended by the
      model (truncated, refused, empty). What does not count at all is not among them.
    """

    binning: Binning
    conditions: tuple[str, ...]
    share: FieldTable
    accuracy: FieldTable
    modal: tuple[str | None, ...]
    no_attempt: int
    unruled: int
    failed: int


def fifth_of(turn: Floats, turns: Floats, binning: Binning) -> Floats:
    """Return the fifth, 1 to 5, of `turn` (from 1) in conversations of `turns` turns; NaN stays."""
    if binning == "end of turn":
        return np.asarray(np.ceil(5 * turn / turns))
    return np.asarray(1 + np.floor(5 * (turn - 1) / turns))


def commitment(
    study: Study,
    first_attempt: Floats,
    turns: Floats,
    weights: Floats,
    conditions: Sequence[str] = MULTI_TURN,
    binning: Binning = "end of turn",
) -> Commitment:
    """Return when models commit themselves, over those of `conditions` that were run.

    `first_attempt` and `turns` (models, conditions, questions, runs) are read by `attempts.first_attempt` and
    `attempts.turn_count`.
    """
    held = study.held(conditions)
    correct, attempt, length = (study.pooled(one, held) for one in (study.correct, first_attempt, turns))
    counts = np.isfinite(correct)
    ended = counts & np.isfinite(length)
    committed = ended & (attempt > 0)
    fifth = fifth_of(np.where(committed, attempt, np.nan), length, binning)
    inside = np.stack([fifth == number for number in range(1, 6)], axis=1)
    share = np.where(committed[:, None], inside, np.nan)
    final = np.where(inside, correct[:, None], np.nan)
    shares = replicate(share, study.planned_together(held)[:, None], study.scene_of, weights)
    finals = replicate(final, inside, study.scene_of, weights)
    return Commitment(
        binning=binning,
        conditions=held,
        share=field_table("First commitment", "share", study.models, FIFTHS, shares),
        accuracy=field_table("Accuracy by first commitment", "share", study.models, FIFTHS, finals),
        modal=tuple(None if np.isnan(row).any() else FIFTHS[int(row.argmax())] for row in shares.value),
        no_attempt=int((ended & (attempt == 0)).sum()),
        unruled=int((ended & np.isnan(attempt)).sum()),
        failed=int((counts & np.isnan(length)).sum()),
    )
