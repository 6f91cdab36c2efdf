"""Table 2: the whole scene, the scene with all its layers, and the sufficient layers alone."""

import math

from lvqa_eval.metrics.controls import ALL_LAYERS, ORACLE, ControlContrast, control_contrast
from lvqa_eval.metrics.delivery import FULL
from lvqa_eval.metrics.figures import FieldTable
from lvqa_eval.metrics.groups import Groups, by_background, change_by_group, level_by_group
from lvqa_eval.reports.exhibit import Exhibit
from lvqa_eval.reports.layered.field_rows import (
    ACCURACY,
    MEAN,
    PAPER,
    basis,
    field_note,
    lacking_conditions,
    model_table,
)
from lvqa_eval.reports.layered.group_rows import group_table
from lvqa_eval.reports.reported import reported_table as printed_table
from lvqa_eval.reports.study.inputs import StudyInputs
from lvqa_eval.reports.table import Head, Table, Value

NAME = "table-2"
TITLE = "Whole scene, all layers, and the sufficient layers alone"
LOSS = f"{ORACLE} minus {FULL}"
DEFINITION = (
    f"Accuracy under {FULL} (the scene), {ALL_LAYERS} (the scene and every layer, with the request to name "
    f"the layers that the answer needs) and {ORACLE} (the first sufficient set of layers alone), over the "
    "questions and runs whose conversations count in all three. Differences of each two: over the same.",
    ACCURACY,
    f"By background: {LOSS}, over the questions and runs that count in these two, for the questions whose "
    "gold set has the background layer and for those whose has not.",
    f"The accuracy of {FULL} in a group of questions is over all of its conversations there that count.",
    MEAN,
)
_PRINTED = {"background in gold": "in_gold", "background not in gold": "not_in_gold"}


def exhibit(inputs: StudyInputs) -> Exhibit:
    """Return Table 2: full, all-layers and oracle, and the loss of oracle by background."""
    missing = lacking_conditions(inputs, (FULL, ALL_LAYERS, ORACLE))
    if missing:
        return Exhibit(NAME, "Table 2", TITLE, PAPER, DEFINITION, missing=missing)
    study, weights = inputs.study, inputs.weights
    contrast = control_contrast(study, weights)
    groups = by_background(study)
    reached = level_by_group(study, FULL, groups, weights)
    loss = change_by_group(study, ORACLE, groups, weights)
    split = group_table(
        f"{NAME}-background", "Loss by background", study, groups, {FULL: reached, LOSS: loss}
    )
    by_model = model_table(f"{NAME}-background-models", f"{LOSS} by background and model", loss)
    return Exhibit(
        name=NAME,
        label="Table 2",
        title=TITLE,
        paper=PAPER,
        definition=DEFINITION,
        basis=(*basis(contrast.levels, "First table"), *basis(loss, "By background")),
        tables=(
            model_table(NAME, TITLE, contrast.levels, contrast.differences),
            split,
            *([by_model] if len(study.models) > 1 else []),
        ),
        reported=_reported(contrast, loss, groups),
    )


def _reported(contrast: ControlContrast, loss: FieldTable, groups: Groups) -> Table:
    deliveries = printed_table(PAPER, "deliveries")
    rows: list[tuple[Value, ...]] = []
    for condition in (ALL_LAYERS, ORACLE):
        (row,) = deliveries.find(condition=condition, reference=FULL)
        ours = contrast.differences.of_field(f"{condition} minus {FULL}")
        rows.append((f"{condition} minus {FULL}", math.nan, math.nan, row.figures["difference"].value, ours))
    split = printed_table(PAPER, "oracle-background")
    for group, key in _PRINTED.items():
        (row,) = split.find(background=key)
        counts = (int(row.figures["questions"].value), int(groups[group].sum()))
        difference = row.figures["difference"].value
        rows.append((f"{LOSS}, {group}", *counts, difference, loss.of_field(group)))
    return Table(
        f"{NAME}-reported",
        f"Reported in {split.source}, and measured here",
        (
            Head("Difference"),
            Head("Reported questions", "count", reported=True),
            Head("Questions here", "count"),
            Head("Reported, points", "points", reported=True),
            Head("Measured here, points", "points"),
        ),
        tuple(rows),
        (field_note(loss.models),),
    )
