"""What a prompt that asks for steps changes (Table 3), and what a smaller picture does (Table 4)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lvqa_eval.metrics.bear.conditions import COT, DEFAULT, FACTORS, at_factor
from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.delivery import accuracy_table, paired
from lvqa_eval.metrics.figures import FieldTable, field_table
from lvqa_eval.metrics.replicated import replicate
from lvqa_eval.metrics.study import Study
from lvqa_eval.runs.records import PageRecord

GAIN = "gain"


@dataclass(frozen=True)
class PromptGain:
    """Accuracy with either prompt over the same (page, run), and the difference; columns as named.

    - `levels`: "default" and "cot", over what counts with both. `gain`: "gain", cot less default, paired.
    - `left_out`: models that lack one of the two; they are in neither table.
    """

    levels: FieldTable
    gain: FieldTable
    left_out: tuple[str, ...]


@dataclass(frozen=True)
class Resolution:
    """Accuracy where width and height are divided by a factor; columns are the factors, such as "1.5".

    - `levels`: over what counts at that factor; the first is 1. `changes`: less that at 1, paired.
    - `left_out`: models that have nothing at factor 1, or nothing at any other; they are in neither table.
    """

    factors: tuple[float, ...]
    levels: FieldTable
    changes: FieldTable
    left_out: tuple[str, ...]


def cot_gain(study: Study[PageRecord], weights: Floats) -> PromptGain | None:
    """Return what asking for steps gains; None where no model has valid answers with both prompts."""
    kept = _having(study, (COT,))
    if not kept.models:
        return None
    return PromptGain(
        levels=accuracy_table(kept.common((DEFAULT, COT)), weights, (DEFAULT, COT)),
        gain=replace(_changes(kept, (COT,), weights, f"{COT} less {DEFAULT}"), columns=(GAIN,)),
        left_out=_left_out(study, kept),
    )


def resolution(study: Study[PageRecord], weights: Floats) -> Resolution | None:
    """Return the resolution curve, at the factors that any model has; None where no model has two."""
    held = tuple(one for one in FACTORS if at_factor(one) in study.conditions)
    smaller = tuple(at_factor(one) for one in held if one != 1)
    kept = _having(study, smaller)
    if not kept.models:
        return None
    names = tuple(f"{one:g}" for one in held)
    levels = accuracy_table(kept, weights, (DEFAULT, *smaller))
    return Resolution(
        factors=held,
        levels=replace(levels, columns=names),
        changes=replace(_changes(kept, smaller, weights, "Accuracy less that at 1"), columns=names[1:]),
        left_out=_left_out(study, kept),
    )


def _changes(study: Study[PageRecord], conditions: Sequence[str], weights: Floats, name: str) -> FieldTable:
    values, planned = paired(study, conditions, DEFAULT)
    statistic = replicate(values, planned, study.scene_of, weights)
    return field_table(name, "difference", study.models, conditions, statistic)


def _having(study: Study[PageRecord], conditions: Sequence[str]) -> Study[PageRecord]:
    """Return the study of the models that have a pair of valid answers, default and one of `conditions`."""
    pairs = paired(study, conditions, DEFAULT)[0]
    held = np.asarray(np.isfinite(pairs).any(axis=(1, 2, 3)))
    return study.only([model for model, whole in zip(study.models, held, strict=True) if whole])


def _left_out(study: Study[PageRecord], kept: Study[PageRecord]) -> tuple[str, ...]:
    return tuple(model for model in study.models if model not in kept.models)
