"""Baselines: what a model reaches without what the conditions deliver; schedules outside the published ones.

Their rows are made here from those of a condition, so that any dataset folder has them.
"""

from collections.abc import Callable
from dataclasses import dataclass

from lvqa_eval.dataset import DatasetError, Turn
from lvqa_eval.extensions import Registry
from lvqa_eval.prompts import Prompt, load_prompt
from lvqa_eval.scheduled import ScheduledDataset, ScheduledRow

BASELINES = Registry("lvqa.baselines", {"question-only": "lvqa_eval.baselines:QUESTION_ONLY"})
"""Every baseline by its name, the built-in ones first."""


@dataclass(frozen=True)
class Baseline:
    """One baseline.

    - `source`: the condition of whose rows its own are made, None for the first of the benchmark.
    - `turns`: what a row of `source` becomes.
    - `contract`: loads its system prompt.
    """

    source: str | None
    turns: Callable[[ScheduledRow], tuple[Turn, ...]]
    contract: Callable[[], Prompt]


def baseline_rows(dataset: ScheduledDataset, name: str, first: str) -> list[ScheduledRow]:
    """Return the rows of the baseline `name`, in the dataset's order; their condition is that name.

    `first` is the benchmark's first condition. Raises UnknownExtensionError for an unknown name, DatasetError
    where the folder lacks the source or has a condition of that name.
    """
    baseline: Baseline = BASELINES.get(name)
    told = f"{dataset.folder}: baseline {name}:"
    if name in dataset.conditions:
        raise DatasetError([f"{told} the folder has a condition of that name"])
    source = baseline.source or first
    if source not in dataset.conditions:
        raise DatasetError([f"{told} needs the rows of {source!r}, which the folder does not have"])
    return [row.delivered(name, baseline.turns(row)) for row in dataset.rows(source)]


def _without_pictures(row: ScheduledRow) -> tuple[Turn, ...]:
    bare = {"layers": (), "composite": False}
    return tuple(turn.model_copy(update=bare) for turn in row.turns)


QUESTION_ONLY = Baseline(None, _without_pictures, lambda: load_prompt("question_only"))
"""The question alone, in the words of the first condition: what the words and what is usual give away."""
