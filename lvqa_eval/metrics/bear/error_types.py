"""Of what kind wrong answers are, as people tagged them (Fig. 4)."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lvqa_eval.errors import LvqaError
from lvqa_eval.metrics.bear.conditions import DEFAULT
from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.figures import FieldTable, field_table
from lvqa_eval.metrics.replicated import replicate
from lvqa_eval.metrics.scores import OUTCOMES
from lvqa_eval.metrics.study import Mask, Study
from lvqa_eval.runs.records import Key, PageRecord
from lvqa_eval.statuses import Status

ERROR_TYPES: Final[Mapping[str, str]] = {
    "C1": "spatial",
    "C2": "counting",
    "C3": "reading",
    "C4": "chart values",
    "C5": "semantic or arithmetic",
}
"""The tags, and what each means."""

NONE_OF_THEM = "none"
"""The column of wrong answers that somebody looked at and gave no tag."""

ErrorTags = Mapping[str, Mapping[Key, Collection[str]]]
"""For each model the tags of its wrong answers that were looked at; several, or none, of `ERROR_TYPES`."""


class ErrorTagError(LvqaError, ValueError):
    """Tags that no error type has, or of models that the study does not have."""


@dataclass(frozen=True)
class ErrorTypes:
    """What kinds of errors a model makes, over its tagged wrong answers; columns are the types, and "none".

    - `counts` (models, columns): answers with that tag; `shares`: of the model's `tagged`. An answer may have
      several tags, so shares do not add up to 1.
    - `wrong` (models,): answers that the judge held wrong; without those that failed, which say nothing.
    - `not_wrong`: tagged answers that the judge does not hold wrong; they are left out.
    - `left_out`: models without a tagged answer; they are in no table.
    """

    counts: NDArray[np.intp]
    shares: FieldTable
    wrong: tuple[int, ...]
    tagged: tuple[int, ...]
    not_wrong: int
    left_out: tuple[str, ...]


def error_types(
    study: Study[PageRecord], tags: ErrorTags, weights: Floats, condition: str = DEFAULT
) -> ErrorTypes | None:
    """Return the types of the tagged wrong answers under `condition`; None where there is none.

    Raises ErrorTagError, naming each, for an unknown tag or model.
    """
    _check(study, tags)
    wrong = _wrong(study, condition)
    given = np.stack([_given(study, tags.get(model, {}), condition) for model in study.models])
    looked_at = np.isfinite(given).any(axis=-1)
    counted = looked_at & wrong
    kept = np.asarray(counted.any(axis=(1, 2)))
    if not kept.any():
        return None
    cells = np.moveaxis(np.where(counted[..., None], given, np.nan)[kept], -1, 1)
    models = [model for model, held in zip(study.models, kept.tolist(), strict=True) if held]
    asked = np.broadcast_to(counted[kept][:, None], cells.shape)
    statistic = replicate(cells, asked, study.scene_of, weights)
    return ErrorTypes(
        counts=np.nansum(cells, axis=(2, 3)).astype(np.intp),
        shares=field_table("Error types", "share", models, (*ERROR_TYPES, NONE_OF_THEM), statistic),
        wrong=tuple(wrong[kept].sum(axis=(1, 2)).tolist()),
        tagged=tuple(counted[kept].sum(axis=(1, 2)).tolist()),
        not_wrong=int((looked_at & ~wrong).sum()),
        left_out=tuple(model for model in study.models if model not in models),
    )


def _wrong(study: Study[PageRecord], condition: str) -> Mask:
    """Return which answers were judged wrong, (models, questions, runs)."""
    judged = study.pick(study.outcome.astype(np.float64), [condition])[:, 0] == OUTCOMES.index(Status.OK)
    return np.asarray(judged & (study.of([condition])[:, 0] == 0))


def _given(study: Study[PageRecord], tags: Mapping[Key, Collection[str]], condition: str) -> Floats:
    """Return 1 or 0 for each type and for none of them, (questions, runs, types); NaN where not looked at."""

    def read(_: PageRecord, found: Collection[str]) -> list[float]:
        return [*(float(one in found) for one in ERROR_TYPES), float(not found)]

    width = len(ERROR_TYPES) + 1
    if condition not in study.conditions:
        return np.full((*study.correct.shape[2:], width), np.nan)
    grid = study.grid(tags, read, width)
    return np.asarray(grid[study.conditions.index(condition)])


def _check(study: Study[PageRecord], tags: ErrorTags) -> None:
    if faults := list(_faults(study, tags)):
        raise ErrorTagError("error tags:\n  " + "\n  ".join(faults))


def _faults(study: Study[PageRecord], tags: ErrorTags) -> Iterator[str]:
    for model, of_model in tags.items():
        if model not in study.models:
            yield f"model: found {model!r}, allowed: {', '.join(study.models)}"
        for key, found in of_model.items():
            for tag in sorted(set(found) - set(ERROR_TYPES)):
                where = f"{model}, {key.condition}, question {key.question_id}, run {key.run}"
                yield f"{where}: found {tag!r}, allowed: {', '.join(ERROR_TYPES)}"
