"""Length of the final reply against its correctness (Table 5)."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lvqa_eval.judging.grounding import grounded_answer
from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.commitment import FIFTHS
from lvqa_eval.metrics.controls import ALL_LAYERS
from lvqa_eval.metrics.figures import FieldTable, field_table
from lvqa_eval.metrics.replicated import replicate
from lvqa_eval.metrics.study import Mask, Study
from lvqa_eval.runs.records import ConversationRecord, QuestionRecord


@dataclass(frozen=True)
class Verbosity:
    """Accuracy by fifth of length, the shortest first; a model's fifths are its own.

    - `accuracy`: columns are the fifths, which are drawn up once and not anew in each draw.
    - `characters`: the mean length in each.
    - `without_reply`: conversations that count but have no reply to measure; they are in no fifth.
    """

    accuracy: FieldTable
    characters: FieldTable
    without_reply: int


def reply_characters(_: QuestionRecord, conversation: ConversationRecord) -> float:
    """Return the characters of the final reply, trimmed, for `Study.grid`; NaN where nothing was said.

    Of a reply under `all-layers` only what stands behind "Answer:" counts.
    """
    reply = conversation.turns[-1].reply if conversation.turns else None
    if reply is not None and conversation.condition == ALL_LAYERS:
        reply = grounded_answer(reply)
    said = (reply or "").strip()
    return float(len(said)) if said else np.nan


def is_multi_turn(_: QuestionRecord, conversation: ConversationRecord) -> float:
    """Return 1 for a conversation of several turns, 0 for one turn, for `Study.grid`."""
    return float(len(conversation.turns) > 1)


def verbosity(
    study: Study,
    characters: Floats,
    among: Mask,
    weights: Floats,
    conditions: Sequence[str] | None = None,
    seed: int = 0,
) -> Verbosity:
    """Return accuracy by length inside each model, over the conversations `among`.

    `characters` is read by `reply_characters`; `among`, shaped as it, chooses single- or multi-turn
    conversations by `is_multi_turn`. A model that lacks one of `conditions` (the study's by default) has no
    value. Equal lengths are ordered by `seed` and their own names, so that no order of theirs matters.
    """
    held = study.conditions if conditions is None else study.held(conditions)
    correct = study.pooled(np.where(among, study.correct, np.nan), held)
    length, lot = study.pooled(characters, held), study.pooled(lots(study, seed), held)
    measured = np.isfinite(correct) & np.isfinite(length)
    fifth = fifths(np.where(measured, length, np.nan), lot)
    inside = fifth[:, None] == np.arange(1, 6)[:, None, None]
    right, mean = (
        replicate(np.where(inside, cells[:, None], np.nan), inside, study.scene_of, weights)
        for cells in (correct, length)
    )
    return Verbosity(
        accuracy=field_table("Accuracy by length of the reply", "share", study.models, FIFTHS, right),
        characters=field_table("Length of the reply", "characters", study.models, FIFTHS, mean),
        without_reply=int((np.isfinite(correct) & ~measured).sum()),
    )


def fifths(values: Floats, ties: Floats) -> Floats:
    """Return the fifth, 1 for the least to 5, of each value inside its row of the first axis; NaN stays.

    Of N values the one of rank r (from 0) lies in fifth 1 + floor(5 r / N). Equals are ranked by `ties`.
    """
    found = np.full(values.shape, np.nan)
    for row, (cells, lot) in enumerate(zip(values, ties, strict=True)):
        where = np.isfinite(cells)
        order = np.lexsort((lot[where], cells[where]))
        fifth = np.empty(len(order))
        fifth[order] = 1 + 5 * np.arange(len(order)) // max(len(order), 1)
        found[row][where] = fifth
    return found


def lots(study: Study, seed: int) -> Floats:
    """Return a number from 0 to 1 for each conversation, by `seed` and its own names alone; as `correct`."""
    names = (study.models, study.conditions, [question.question_id for question in study.questions])
    axes = [*names, [str(run + 1) for run in range(study.correct.shape[3])]]
    mixed = np.zeros((), dtype=np.uint64)
    for axis, named in enumerate(axes):
        words = [hashlib.sha256(f"{seed}:{axis}:{name}".encode()).digest()[:8] for name in named]
        numbers = np.frombuffer(b"".join(words), dtype="<u8").astype(np.uint64)
        mixed = _scrambled(mixed[..., None] + numbers)
    return np.asarray(mixed >> np.uint64(11), dtype=np.float64) / 2.0**53


def _scrambled(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the numbers under a one-to-one map without a visible pattern (the last steps of SplitMix64)."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        numbers = (numbers ^ (numbers >> np.uint64(shift))) * np.uint64(factor)
    return numbers ^ (numbers >> np.uint64(31))
