"""One run under one judge, as read from its folder: records, scores, and what is wrong with the files."""

from collections.abc import Mapping
from dataclasses import dataclass

from lvqa_eval.metrics.scores import Scores, score_baselines, score_run
from lvqa_eval.reports.cautions import disagreeing, unread
from lvqa_eval.runs.records import ConversationRecord, JudgementRecord, Key
from lvqa_eval.runs.store import RunStore


@dataclass(frozen=True, eq=False)
class ScoredRun:
    """What a run holds, and its scores under one judge; `faults` says in sentences what its files lack."""

    conversations: Mapping[Key, ConversationRecord]
    judgements: Mapping[Key, JudgementRecord]
    scores: Scores
    baselines: Scores
    faults: tuple[str, ...]


def read_scored(store: RunStore, judge: str) -> ScoredRun:
    """Read a run under `judge`; raises ValueError for a run without a plan."""
    conversations, judgements = store.read_conversations(), store.read_judgements(judge)
    records = (conversations.records, judgements.records)
    return ScoredRun(
        *records,
        scores=score_run(store, *records),
        baselines=score_baselines(store, *records),
        faults=(
            *unread([*conversations.problems, *judgements.problems]),
            *disagreeing([*conversations.conflicts, *judgements.conflicts]),
        ),
    )
