"""What is read of the conversations and rulings of one run, and of several one behind the other."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import partial
from typing import Final

import numpy as np

from lvqa_eval.metrics.attempts import (
    MOST_ATTEMPTS,
    attempt_characters,
    attempt_verdicts,
    first_attempt,
    first_correct_attempt,
    turn_count,
)
from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.citations import count_citations
from lvqa_eval.metrics.controls import ALL_LAYERS
from lvqa_eval.metrics.grounding import MEASURES, read_measures
from lvqa_eval.metrics.study import Study
from lvqa_eval.metrics.ungrounded import evidence_turn
from lvqa_eval.metrics.verbosity import is_multi_turn, reply_characters
from lvqa_eval.reports.study.inputs import Readings, Rulings
from lvqa_eval.runs.records import ConversationRecord, JudgementRecord, Key, QuestionRecord

Conversations = Mapping[Key, ConversationRecord]

_READ: Final[Mapping[str, Callable[[QuestionRecord, ConversationRecord], float]]] = {
    "evidence": evidence_turn,
    "turns": turn_count,
    "characters": reply_characters,
    "multi_turn": is_multi_turn,
}


def read_conversations(study: Study, conversations: Conversations) -> Readings:
    """Return the readings of one model's conversations, on the conditions and questions of `study`."""
    grids = {name: study.grid(conversations, read)[None] for name, read in _READ.items()}
    return Readings(
        **grids,
        measures=_measures(study, conversations, alternatives=False),
        best_measures=_measures(study, conversations, alternatives=True),
        citations=(count_citations(study, conversations),),
    )


def read_rulings(study: Study, judgements: Mapping[Key, JudgementRecord]) -> Rulings:
    """Return the rulings of a post-hoc judge on one model's conversations, as `read_conversations`."""
    return Rulings(
        first_attempt=study.grid(judgements, first_attempt)[None],
        first_correct_attempt=study.grid(judgements, first_correct_attempt)[None],
        attempt_characters=study.grid(judgements, attempt_characters, MOST_ATTEMPTS)[None],
        attempt_verdicts=study.grid(judgements, attempt_verdicts, MOST_ATTEMPTS)[None],
    )


def join_readings(parts: Sequence[Readings]) -> Readings:
    """Return the readings of several models in the order of `parts`."""
    citations = tuple(counts for part in parts for counts in part.citations)
    names = (field.name for field in fields(Readings) if field.name != "citations")
    return Readings(**{name: _stacked(parts, name) for name in names}, citations=citations)


def join_rulings(parts: Sequence[Rulings]) -> Rulings:
    """Return the rulings on several models in the order of `parts`."""
    return Rulings(**{field.name: _stacked(parts, field.name) for field in fields(Rulings)})


def _measures(study: Study, conversations: Conversations, alternatives: bool) -> Floats:
    """Return the measures of grounding, (1, questions, runs, measures); NaN without all-layers."""
    if ALL_LAYERS not in study.conditions:
        return np.full((1, *study.correct.shape[2:], len(MEASURES)), np.nan)
    held = {key: record for key, record in conversations.items() if key.condition == ALL_LAYERS}
    grid = study.grid(held, partial(read_measures, alternatives=alternatives), len(MEASURES))
    return np.asarray(grid[[study.conditions.index(ALL_LAYERS)]])


def _stacked(parts: Sequence[Readings | Rulings], name: str) -> Floats:
    return np.concatenate([getattr(part, name) for part in parts])
