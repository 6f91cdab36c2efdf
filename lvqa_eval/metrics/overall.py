"""One value over several tasks, which is there only where every task is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Overall:
    """The mean of the scores of the tasks in `over`, each with the same weight.

    NaN where `missing` has any: a mean over what is there looks comparable and is not.
    """

    value: float
    over: tuple[str, ...]
    missing: tuple[str, ...]


def overall(scores: Mapping[str, float], tasks: Sequence[str]) -> Overall:
    """Return the mean over all of `tasks`; without a value where one has no score, or NaN. None over none."""
    missing = tuple(task for task in tasks if np.isnan(scores.get(task, np.nan)))
    over = tuple(task for task in tasks if task not in missing)
    whole = bool(over) and not missing
    return Overall(float(np.mean([scores[task] for task in over])) if whole else np.nan, over, missing)


def overall_in_common(rows: Mapping[str, Mapping[str, float]], tasks: Sequence[str]) -> dict[str, Overall]:
    """Return for each row, by its name, the mean over those of `tasks` that all rows have.

    `over` is the same for all and must be shown with the values; `missing` is empty. NaN where no task is
    common.
    """
    held = {name: overall(scores, tasks).over for name, scores in rows.items()}
    common = tuple(task for task in tasks if all(task in over for over in held.values()))
    return {name: overall(scores, common) for name, scores in rows.items()}
