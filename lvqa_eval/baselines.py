"""Baselines: what a model reaches without what the conditions deliver; schedules outside the published ones.

Their rows are made here from those of a condition, so that any dataset folder has them.
"""

from collections.abc import Callable
from dataclasses import dataclass

from lvqa_eval.dataset import Dataset, DatasetError, Row, Turn
from lvqa_eval.extensions import Registry
from lvqa_eval.prompts import Prompt, load_prompt

BASELINES = Registry("lvqa.baselines", {"question-only": "lvqa_eval.baselines:QUESTION_ONLY"})
"""Every baseline by its name, the built-in ones first."""


@dataclass(frozen=True)
class Baseline:
    """One baseline.

    - `source`: the condition of whose rows its own are made.
    - `turns`: what a row of `source` becomes.
    - `contract`: loads its system prompt.
    """

    source: str
    turns: Callable[[Row], tuple[Turn, ...]]
    contract: Callable[[], Prompt]


def baseline_rows(dataset: Dataset, name: str) -> list[Row]:
    """Return the rows of the baseline `name`, in the dataset's order; their condition is that name.

    Raises UnknownExtensionError for an unknown name, DatasetError where the folder lacks the source or has a
    condition of that name.
    """
    baseline: Baseline = BASELINES.get(name)
    told = f"{dataset.folder}: baseline {name}:"
    if name in dataset.conditions:
        raise DatasetError([f"{told} the folder has a condition of that name"])
    if baseline.source not in dataset.conditions:
        raise DatasetError([f"{told} needs the rows of {baseline.source!r}, which the folder does not have"])
    return [
        row.model_copy(
            update={
                "condition": name,
                "turns": baseline.turns(row),
                "misalignment": None,
                "conflicts": None,
            }
        )
        for row in dataset.rows(baseline.source)
    ]


def _without_pictures(row: Row) -> tuple[Turn, ...]:
    bare = {"layers": (), "composite": False}
    return tuple(turn.model_copy(update=bare) for turn in row.turns)


QUESTION_ONLY = Baseline("full", _without_pictures, lambda: load_prompt("question_only"))
"""The question alone, in the words of `full`: what the words and what is usual give away."""
