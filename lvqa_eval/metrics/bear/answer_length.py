"""How long answers are, and how many were cut off before they ended (Table 5)."""

from dataclasses import dataclass

import numpy as np

from lvqa_eval.metrics.bear.conditions import DEFAULT
from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.figures import FieldTable, field_table
from lvqa_eval.metrics.medians import median_replicate
from lvqa_eval.metrics.replicated import columns_of, replicate
from lvqa_eval.metrics.scores import MISSING, OUTCOMES
from lvqa_eval.metrics.study import NOT_PLANNED, Study
from lvqa_eval.runs.records import ConversationRecord, PageRecord, Question, TurnRecord
from lvqa_eval.statuses import EXCLUDED, Status

MEDIAN, TRUNCATED = "median", "truncated"

_NO_REPLY = [NOT_PLANNED, *(OUTCOMES.index(name) for name in (*EXCLUDED, MISSING))]


@dataclass(frozen=True)
class AnswerLength:
    """Length under one condition, by model.

    - `words`: column "median", over replies with any word. `truncated`: column "truncated", the share of
      replies that the limit of tokens cut off, over all that the model gave.
    - `without_words`: replies of each model, (models,), that have no word to count.
    """

    words: FieldTable
    truncated: FieldTable
    without_words: tuple[int, ...]


def answer_words(_: Question, conversation: ConversationRecord) -> float:
    """Return the words of the answer without thinking, for `Study.grid`: what white space separates.

    Of an answer that was cut off what there is of it. NaN where nothing was said, and for a refusal, which is
    no answer.
    """
    turn = _answered(conversation)
    return _count(turn.reply) if turn else np.nan


def words_with_thinking(_: Question, conversation: ConversationRecord) -> float:
    """Return the words of thinking and answer, as `answer_words` does those of the answer."""
    turn = _answered(conversation)
    return _count(f"{turn.thinking or ''} {turn.reply or ''}") if turn else np.nan


def answer_length(
    study: Study[PageRecord], words: Floats, weights: Floats, condition: str = DEFAULT
) -> AnswerLength:
    """Return the length of answers under `condition`.

    `words` (models, conditions, questions, runs) is read by `answer_words` or `words_with_thinking`. Whether
    an answer is right, or was judged at all, does not matter.
    """
    planned = study.planned_of([condition])[:, 0]
    outcome = study.pick(study.outcome.astype(np.float64), [condition])[:, 0]
    replied = planned & ~np.isin(outcome, _NO_REPLY)
    lengths = np.where(replied, study.pick(words, [condition])[:, 0], np.nan)
    cut = np.where(replied, outcome == OUTCOMES.index(Status.TRUNCATED), np.nan)
    median = median_replicate(lengths, planned, study.scene_of, weights)
    share = replicate(cut[:, None], planned[:, None], study.scene_of, weights)
    return AnswerLength(
        words=field_table("Median length", "words", study.models, (MEDIAN,), columns_of([median])),
        truncated=field_table("Truncated", "share", study.models, (TRUNCATED,), share),
        without_words=tuple((replied & ~np.isfinite(lengths)).sum(axis=(1, 2)).tolist()),
    )


def _answered(conversation: ConversationRecord) -> TurnRecord | None:
    answered = conversation.status in (Status.OK, Status.TRUNCATED)
    return conversation.turns[-1] if answered and conversation.turns else None


def _count(text: str | None) -> float:
    return float(len((text or "").split())) or np.nan
