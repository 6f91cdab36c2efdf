"""Table 3: what deliveries cost questions about a single object and questions that relate several."""

import math

import numpy as np

from lvqa_eval.metrics.delivery import FULL
from lvqa_eval.metrics.groups import KindContrast, by_kind, kind_contrast
from lvqa_eval.reports.exhibit import Exhibit
from lvqa_eval.reports.layered.field_rows import (
    MEAN,
    PAIRED,
    PAPER,
    Beside,
    basis,
    column_rows,
    in_paper_order,
    lacking_conditions,
    mean_of,
    not_run,
    own_notes,
    reported_table,
)
from lvqa_eval.reports.reported import reported_table as printed_table
from lvqa_eval.reports.study.inputs import StudyInputs
from lvqa_eval.reports.table import Head, Table

NAME = "table-3"
TITLE = "Relational questions against questions about a single object"


def exhibit(inputs: StudyInputs) -> Exhibit:
    """Return Table 3: a row a condition, with both changes and the excess, mean over the models."""
    missing = lacking(inputs)
    if missing:
        return Exhibit(NAME, "Table 3", TITLE, PAPER, definition(inputs), missing=missing)
    contrast = contrast_of(inputs)
    parts = (contrast.single_change, contrast.relational_change, contrast.excess)
    models = inputs.study.models
    return Exhibit(
        name=NAME,
        label="Table 3",
        title=TITLE,
        paper=PAPER,
        definition=definition(inputs),
        basis=kinds_basis(inputs, contrast),
        tables=(
            Table(
                NAME,
                f"Change from {FULL} by kind of question, {mean_of(models)}",
                (
                    Head("Condition"),
                    Head("Single object, points", "points"),
                    Head("Relational, points", "points"),
                    Head("Excess D, points", "points"),
                ),
                column_rows(*parts),
                (*not_run(inputs.study), *own_notes(*parts, means=True)),
            ),
        ),
        reported=_reported(contrast),
    )


def lacking(inputs: StudyInputs) -> str | None:
    """Return what the contrast of the two kinds lacks, None where it can be made."""
    study = inputs.study
    others = len(study.conditions) > study.conditions.count(FULL)
    if missing := lacking_conditions(inputs, (FULL,) if others else (FULL, "concat-v", "oracle")):
        return missing
    empty = [kind for kind, asked in by_kind(study, inputs.relational).items() if not asked.any()]
    if not empty:
        return None
    categories = ", ".join(sorted({question.category for question in study.questions}))
    return (
        f"No question is {empty[0]}: found the categories {categories}; held relational are "
        f"{', '.join(inputs.relational)}. It takes runs on a dataset that has both."
    )


def contrast_of(inputs: StudyInputs) -> KindContrast:
    """Return the contrast of the two kinds for all conditions but full, in the order of the paper."""
    conditions = [one for one in in_paper_order(inputs.study.conditions) if one != FULL]
    return kind_contrast(inputs.study, inputs.weights, conditions, inputs.relational)


def definition(inputs: StudyInputs) -> tuple[str, ...]:
    """Return what the contrast is, and which categories are relational here."""
    found = {question.category for question in inputs.study.questions}
    single = ", ".join(sorted(found - set(inputs.relational))) or "none here"
    return (
        f"Relational questions are those of the categories {', '.join(inputs.relational)}, a choice; "
        f"questions about a single object are all others: {single}.",
        f"Change: accuracy under a condition less that under {FULL}, for questions of one kind. {PAIRED}",
        f"Excess D: (relational {FULL} - relational condition) - (single {FULL} - single condition), taken "
        "inside each draw; positive where relational questions lose more. A draw in which a kind has no "
        "pair that counts is left out of the interval and counted below.",
        MEAN,
    )


def kinds_basis(inputs: StudyInputs, contrast: KindContrast) -> tuple[tuple[str, str], ...]:
    """Return how many questions of either kind there are, then what D rests on."""
    study = inputs.study
    sizes = (
        f"{int(asked.sum())} {kind} in {len(set(study.scene_of[asked].tolist()))} scenes"
        for kind, asked in by_kind(study, inputs.relational).items()
    )
    excess = contrast.excess.field
    dropped = int(excess.dropped[np.isfinite(excess.value)].max(initial=0))
    return (
        ("Kinds", "; ".join(sizes)),
        *basis(contrast.excess),
        ("Draws left out of D", f"{dropped:,} of {inputs.draws:,}, in the condition with most"),
    )


def _reported(contrast: KindContrast) -> Table:
    changes = {"single_object": contrast.single_change, "relational": contrast.relational_change}
    pairs = []
    for row in printed_table(PAPER, "relational").rows:
        condition, kind = row.keys["condition"], row.keys["kind"]
        table = changes[kind]
        ours = table.of_field(condition) if condition in table.columns else math.nan
        what = f"{condition} minus {FULL}, {kind.replace('_', ' ')}"
        pairs.append(Beside(what, row.figures["difference"], ours))
    return reported_table(f"{NAME}-reported", pairs, contrast.excess.models, "Difference")
