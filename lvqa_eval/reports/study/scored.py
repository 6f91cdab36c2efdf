"""One run under one judge, as read from its folder: records, scores, and what is wrong with the files."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic

from lvqa_eval.metrics.scores import Asked, Asked_co, Scores, score_baselines, score_conditions
from lvqa_eval.reports.cautions import disagreeing, unread
from lvqa_eval.runs.records import ConversationRecord, JudgementRecord, Key
from lvqa_eval.runs.store import RunStore


@dataclass(frozen=True, eq=False)
class ScoredRun(Generic[Asked_co]):
    """What a run holds, and its scores under one judge; `faults` says in sentences what its files lack."""

    conversations: Mapping[Key, ConversationRecord]
    judgements: Mapping[Key, JudgementRecord]
    scores: Scores[Asked_co]
    baselines: Scores[Asked_co]
    faults: tuple[str, ...]


def read_scored(store: RunStore, judge: str, kind: type[Asked]) -> ScoredRun[Asked]:
    """Read a run under `judge`, whose questions have records of `kind`; ValueError for one without a plan."""
    conversations, judgements = store.read_conversations(), store.read_judgements(judge)
    records = (conversations.records, judgements.records)
    return ScoredRun(
        *records,
        scores=score_conditions(store, *records, kind),
        baselines=score_baselines(store, *records, kind),
        faults=(
            *unread([*conversations.problems, *judgements.problems]),
            *disagreeing([*conversations.conflicts, *judgements.conflicts]),
        ),
    )
