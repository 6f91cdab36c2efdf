"""Table 7: losses by the number of layers of a scene."""

import math
from collections.abc import Mapping

from lvqa_eval.metrics.bootstrap import Estimate
from lvqa_eval.metrics.controls import ORACLE
from lvqa_eval.metrics.delivery import FULL, accuracy_table
from lvqa_eval.metrics.figures import FieldTable
from lvqa_eval.metrics.groups import by_depth, change_by_group, level_by_group
from lvqa_eval.reports.exhibit import Exhibit
from lvqa_eval.reports.layered.field_rows import (
    ACCURACY,
    MEAN,
    PAIRED,
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

NAME = "table-7"
TITLE = "Loss by number of layers"
LOSSES = ("concat-v", ORACLE)
DEFINITION = (
    f"Accuracy under {' and '.join(LOSSES)} less that under {FULL}, for the questions of scenes with so many "
    f"layers, the background among them. {PAIRED}",
    f"{ACCURACY} That of {FULL} is over all of its conversations that count. Scenes of different depth hold "
    "different questions, so what differs between rows need not come from the depth.",
    MEAN,
)


def exhibit(inputs: StudyInputs) -> Exhibit:
    """Return Table 7: losses of concat-v and oracle by number of layers, with the accuracy of full."""
    study, weights = inputs.study, inputs.weights
    held = study.held(LOSSES)
    if missing := lacking_conditions(inputs, (FULL, *(held or LOSSES))):
        return Exhibit(NAME, "Table 7", TITLE, PAPER, DEFINITION, missing=missing)
    groups = {f"{depth} layers": asked for depth, asked in by_depth(study).items()}
    reached = level_by_group(study, FULL, groups, weights)
    losses = {f"{one} minus {FULL}": change_by_group(study, one, groups, weights) for one in held}
    by_model = [
        model_table(f"{NAME}-{one}", f"{one} minus {FULL}, by number of layers and model", table)
        for one, table in zip(held, losses.values(), strict=True)
    ]
    return Exhibit(
        name=NAME,
        label="Table 7",
        title=TITLE,
        paper=PAPER,
        definition=DEFINITION,
        basis=tuple(pair for of, table in ((FULL, reached), *losses.items()) for pair in basis(table, of)),
        tables=(
            group_table(NAME, TITLE, study, groups, {FULL: reached, **losses}, first="Scenes with"),
            *(by_model if len(study.models) > 1 else []),
        ),
        reported=_reported(inputs, reached, losses),
    )


def _reported(inputs: StudyInputs, reached: FieldTable, losses: Mapping[str, FieldTable]) -> Table:
    printed = printed_table(PAPER, "depth")
    overall = accuracy_table(inputs.study, inputs.weights, (FULL,)).of_field(FULL)
    rows: list[tuple[Value, ...]] = []
    for row in printed.rows:
        layers = row.keys["layers"]
        group = "any number" if layers == "all" else f"{layers} layers"
        theirs = {name: figure.value for name, figure in row.figures.items()}
        rows.append(
            (
                group,
                theirs.get("difference", math.nan),
                *(_of(table, group) for table in losses.values()),
                theirs.get("full", math.nan),
                overall if layers == "all" else _of(reached, group),
            )
        )
    return Table(
        f"{NAME}-reported",
        f"Reported in {printed.source}, and measured here",
        (
            Head("Scenes with"),
            Head("Reported, points", "points", reported=True),
            *(Head(f"{one}, measured here, points", "points") for one in losses),
            Head(f"{FULL} reported, %", "share", reported=True),
            Head(f"{FULL}, measured here, %", "share"),
        ),
        tuple(rows),
        (field_note(reached.models), *printed.notes),
    )


def _of(table: FieldTable, group: str) -> float | Estimate:
    return table.of_field(group) if group in table.columns else math.nan
