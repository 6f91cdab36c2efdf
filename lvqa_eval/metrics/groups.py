"""Losses by groups of questions: what they ask for, where their evidence lies, how deep their scene is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.delivery import FULL, paired
from lvqa_eval.metrics.figures import FieldTable, field_table
from lvqa_eval.metrics.replicated import Replicated, combined, replicate
from lvqa_eval.metrics.study import Mask, Study
from lvqa_eval.runs.records import Question

RELATIONAL: Final = ("spatial", "counting", "multi_hop")
"""The categories held relational: a choice, to be stated with every figure that rests on it."""

BACKGROUND = 0
"""The number of the background layer."""

Groups = Mapping[str, Mask]
"""Masks of questions, (questions,), by name."""


@dataclass(frozen=True)
class KindContrast:
    """What each condition changes for the two kinds of questions (Tables 3 and 8); columns are conditions.

    - `relational`: the categories held relational; all others are about a single object.
    - `single_change`, `relational_change`: accuracy less that of `full`, paired by question and run.
    - `excess`: D = (relational full - relational condition) - (single full - single condition), inside each
      draw; positive where relational questions lose more.
    """

    relational: tuple[str, ...]
    single_change: FieldTable
    relational_change: FieldTable
    excess: FieldTable


def by_category(study: Study) -> Groups:
    """Return the questions of each category, sorted by name."""
    found = np.array([question.category for question in study.questions])
    return {str(category): found == category for category in np.unique(found)}


def by_kind(study: Study, relational: Sequence[str] = RELATIONAL) -> Groups:
    """Return the questions about a single object and those that relate several."""
    found = np.isin([question.category for question in study.questions], relational)
    return {"single object": ~found, "relational": found}


def by_background(study: Study) -> Groups:
    """Return the questions by whether the background is in the gold set."""
    found = np.array([BACKGROUND in question.gold_layers for question in study.questions], dtype=np.bool_)
    return {"background in gold": found, "background not in gold": ~found}


def by_depth(study: Study) -> Groups:
    """Return the questions by the number of layers of their scene, ascending."""
    found = np.array([question.depth for question in study.questions])
    return {str(depth): found == depth for depth in np.unique(found)}


def level_by_group(study: Study[Question], condition: str, groups: Groups, weights: Floats) -> FieldTable:
    """Return the accuracy under `condition` of each group of questions; columns are the groups."""
    statistic = _in_groups(study, study.of([condition]), study.planned_of([condition]), groups, weights)
    return field_table(f"Accuracy under {condition}", "share", study.models, tuple(groups), statistic)


def change_by_group(
    study: Study[Question], condition: str, groups: Groups, weights: Floats, reference: str = FULL
) -> FieldTable:
    """Return the paired change from `reference` to `condition` in each group; columns are the groups.

    With `by_background` and oracle it is the second half of Table 2, with `by_depth` Table 7.
    """
    values, planned = paired(study, [condition], reference)
    statistic = _in_groups(study, values, planned, groups, weights)
    name = f"Accuracy under {condition} less that under {reference}"
    return field_table(name, "difference", study.models, tuple(groups), statistic)


def kind_contrast(
    study: Study,
    weights: Floats,
    conditions: Sequence[str] | None = None,
    relational: Sequence[str] = RELATIONAL,
    reference: str = FULL,
) -> KindContrast:
    """Return what `conditions` (all but `reference` by default) cost questions of either kind.

    Draws in which a kind has no valid pair are left out of D and counted.
    """
    columns = tuple(one for one in study.conditions if one != reference) if conditions is None else conditions
    values, planned = paired(study, columns, reference)
    single, related = (
        replicate(_where(asked, values), planned & asked[:, None], study.scene_of, weights)
        for asked in by_kind(study, relational).values()
    )
    excess = combined(lambda one, other: one - other, single, related)

    def table(name: str, statistic: Replicated) -> FieldTable:
        return field_table(name, "difference", study.models, columns, statistic)

    return KindContrast(
        relational=tuple(relational),
        single_change=table(f"Single object, less {reference}", single),
        relational_change=table(f"Relational, less {reference}", related),
        excess=table("Loss of relational questions beyond that of single-object ones", excess),
    )


def _in_groups(
    study: Study[Question], values: Floats, planned: Mask, groups: Groups, weights: Floats
) -> Replicated:
    """Statistics of (models, groups) from the values of one condition, (models, 1, questions, runs)."""
    asked = np.stack(list(groups.values()))
    return replicate(_where(asked, values), planned & asked[..., None], study.scene_of, weights)


def _where(asked: Mask, values: Floats) -> Floats:
    return np.where(asked[..., None], values, np.nan)
