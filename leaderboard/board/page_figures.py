"""The figures of one run over pages, all of them from `lvqa_eval.metrics`."""

from collections.abc import Mapping
from typing import Final

from leaderboard.board.measured import Measured, add_outcomes, in_groups
from lvqa_eval.metrics.bear.answer_length import MEDIAN, answer_length, answer_words
from lvqa_eval.metrics.bear.conditions import DEFAULT
from lvqa_eval.metrics.bear.groups import (
    Pages,
    by_cell,
    by_content,
    by_domain,
    by_language,
    by_steps,
    overall,
)
from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.delivery import levels, paired
from lvqa_eval.metrics.groups import Groups
from lvqa_eval.metrics.replicated import combined, replicate
from lvqa_eval.metrics.study import Study
from lvqa_eval.runs.records import ConversationRecord, Key, PageRecord

OVERALL: Final = "overall"
STEPS: Final = {"under 3": "steps_under_3", "6+": "steps_6", "not stated": "steps_not_stated"}


def page_groups(pages: Pages) -> Groups:
    """Return the parts of the pages by the column of their figures."""
    steps = {STEPS.get(name, f"steps_{name}"): asked for name, asked in by_steps(pages).items()}
    cells = {"-".join(reversed(name.split("-"))): asked for name, asked in by_cell(pages).items()}
    whole = {**overall(pages), **by_language(pages), **by_domain(pages)}
    return {**whole, **cells, **by_content(pages), **steps}


def page_figures(
    study: Study[PageRecord], conversations: Mapping[Key, ConversationRecord] | None, weights: Floats
) -> Measured:
    """Return the figures of a study of one model; what it lacks the conversations for is left out.

    Parts are of the default condition. The gap is English less Russian. Without `conversations` there is
    nothing of the length of answers.
    """
    measured = Measured()
    add_outcomes(measured, study)
    others = [one for one in study.conditions if one != DEFAULT]
    measured.add(study.conditions, levels(study, study.conditions, weights), kept=())
    if DEFAULT not in study.conditions:
        return measured
    groups = page_groups(study.questions)
    reached = in_groups(study.of([DEFAULT]), study.planned_of([DEFAULT]), groups, study, weights)
    measured.add(list(groups), reached)
    measured.counts.update({name: int(asked.sum()) for name, asked in groups.items()})
    if {"en", "ru"} <= groups.keys():
        both = (
            in_groups(study.of([DEFAULT]), study.planned_of([DEFAULT]), {name: groups[name]}, study, weights)
            for name in ("en", "ru")
        )
        measured.add(["gap"], combined(lambda english, russian: english - russian, *both))
    changes = replicate(*paired(study, others, DEFAULT), study.scene_of, weights)
    measured.add([f"delta_{one}" for one in others], changes)
    if conversations is not None:
        words = study.grid(conversations, answer_words)[None]
        measured.add_table({MEDIAN: "words"}, answer_length(study, words, weights).words)
    return measured
