"""What tables share that rest on a judge's rulings turn by turn, or have fifths for columns."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from lvqa_eval.judging.commands import post_hoc_command
from lvqa_eval.metrics.commitment import FIFTHS
from lvqa_eval.metrics.figures import FieldTable
from lvqa_eval.reports.header import judge_label
from lvqa_eval.reports.study.inputs import StudyInputs

FIFTH_COLUMNS: Final = tuple(f"fifth {number}" for number in FIFTHS)

WHOLE: Final = "A model that lacks one of these conditions has no value: what it lacks may be what is hard."
"""Said in the definition of figures that are pooled over conditions."""


def lacking_rulings(inputs: StudyInputs, conditions: Sequence[str]) -> str | None:
    """Return what an exhibit says without any of `conditions` or without rulings; None where both are."""
    if not inputs.study.held(conditions):
        held = f"None of {', '.join(inputs.runs)} has any of {', '.join(conditions)}."
        chosen = ",".join(conditions)
        return f"{held} Make a run of each model that does: lvqa run --model NAME --conditions {chosen}"
    if inputs.rulings is None:
        return f"No judge has ruled turn by turn on every run. Let one do so: {post_hoc_command(inputs.runs)}"
    return None


def rulings_basis(inputs: StudyInputs, conditions: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return who ruled, and which of `conditions` are pooled and which were not run, for a basis."""
    absent = [one for one in conditions if one not in inputs.study.conditions]
    left_out = f" (not run: {', '.join(absent)})" if absent else ""
    return (
        ("Post-hoc judge", judge_label(str(inputs.post_hoc))),
        ("Conditions", f"{', '.join(inputs.study.held(conditions))}{left_out}"),
    )


def by_fifth(table: FieldTable) -> FieldTable:
    """Return a statistic by fifth with columns that say so: `FIFTH_COLUMNS`."""
    return replace(table, columns=FIFTH_COLUMNS)
