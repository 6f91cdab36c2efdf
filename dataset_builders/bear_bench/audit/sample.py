"""Draw the pages that people audit: so many of every cell, each with one model's answer if there are runs."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lvqa_eval.judging.audit.sample import Candidate, Sample, draw
from lvqa_eval.metrics.bear.conditions import DEFAULT
from lvqa_eval.pages import CELLS, PageRow
from lvqa_eval.reports.choice import choose_judge
from lvqa_eval.runs.records import ConversationRecord, JudgementRecord, Key
from lvqa_eval.runs.store import RunStore
from lvqa_eval.statuses import JudgeStatus, Status

PER_CELL = 50
SEED = 0
NO_RUN = ""
"""The run of a page that is audited without an answer."""


@dataclass(frozen=True)
class Ruled:
    """A model's answer to a page and the judge's ruling on it."""

    conversation: ConversationRecord
    ruling: JudgementRecord


def ruled_answers(store: RunStore, judge: str | None) -> dict[Key, Ruled]:
    """Return the whole answers of a run to pages as they are, where the judge has ruled on them."""
    rulings = store.judgements(choose_judge(store, judge))
    return {
        key: Ruled(conversation, rulings[key])
        for key, conversation in store.conversations().items()
        if key.condition == DEFAULT
        and conversation.status is Status.OK
        and key in rulings
        and rulings[key].status is JudgeStatus.OK
    }


def draw_pages(
    rows: Sequence[PageRow], ruled: Mapping[str, Mapping[Key, Ruled]], per_cell: int, seed: int
) -> Sample:
    """Return `per_cell` pages of every cell that has any; `ruled` is what each run, by name, can show.

    With runs, each page is dealt to one of those that have an answer to it, by lot, so that no page is drawn
    twice; pages to which none has are not drawn. Without runs every page may be.
    """
    cells = {row.id: row.cell for row in rows}
    answers: dict[str, list[Candidate]] = {}
    for run, own in ruled.items():
        for key in own:
            answers.setdefault(key.question_id, []).append(Candidate(run, key))
    if not ruled:
        answers = {row.id: [Candidate(NO_RUN, Key(DEFAULT, row.id, 1))] for row in rows}
    candidates = [
        min(found, key=lambda one: _lot(seed, one)) for page, found in answers.items() if page in cells
    ]
    groups = [cell for cell in CELLS if cell in cells.values()]
    return draw(candidates, groups, lambda one: cells[one.key.question_id], per_cell * len(groups), seed)


def _lot(seed: int, one: Candidate) -> str:
    name = ":".join(map(str, (seed, "deal", one.run, *one.key)))
    return hashlib.sha256(name.encode()).hexdigest()
