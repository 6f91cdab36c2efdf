"""Table 4: accuracy where the picture of a page is smaller."""

import math
from dataclasses import replace
from typing import Final

from lvqa_eval.metrics.bear.conditions import at_factor
from lvqa_eval.metrics.bear.prompting import Resolution, resolution
from lvqa_eval.metrics.figures import FieldTable
from lvqa_eval.reports.bear.commands import RUN_SMALLER
from lvqa_eval.reports.bear.inputs import PageInputs
from lvqa_eval.reports.bear.page_rows import (
    ACCURACY,
    PAPER,
    basis,
    left_out,
    model_table,
    ours_of,
    outcomes,
)
from lvqa_eval.reports.exhibit import Exhibit
from lvqa_eval.reports.layered.field_rows import MEAN
from lvqa_eval.reports.reported import reported_table
from lvqa_eval.reports.table import Head, Table, Value

NAME: Final = "bear-table-4"
TITLE: Final = "Accuracy at lower resolution"
DEFINITION: Final = (
    "Width and height of each page are divided by a factor, and the raw question is asked; at 1 the page is "
    f"as it is. {ACCURACY} Accuracy at a factor is over what counts there.",
    "A change is accuracy at a factor less that at 1, in points, over the pages and runs that count at both.",
    MEAN,
)


def exhibit(inputs: PageInputs) -> Exhibit:
    """Return Table 4, of the models that answered at two factors at least."""
    found = resolution(inputs.study, inputs.weights)
    if found is None:
        return Exhibit(NAME, "Table 4", TITLE, PAPER, DEFINITION, missing=lacking(inputs))
    return Exhibit(
        name=NAME,
        label="Table 4",
        title=TITLE,
        paper=PAPER,
        definition=DEFINITION,
        basis=resolution_basis(inputs, found),
        tables=(
            factor_table(NAME, "Accuracy by factor", found.levels),
            factor_table(f"{NAME}-changes", "Accuracy less that at factor 1", found.changes),
        ),
        reported=_reported(found),
    )


def lacking(inputs: PageInputs) -> str:
    """Return what an exhibit says where no model has answers to smaller pictures."""
    start = (
        f"No model of {', '.join(inputs.runs)} has answers to smaller pictures beside those to whole ones."
    )
    return f"{start} Make them: {RUN_SMALLER}"


def factor_table(name: str, title: str, table: FieldTable) -> Table:
    """Return a table of models whose columns are factors."""
    return model_table(name, title, replace(table, columns=tuple(f"factor {one}" for one in table.columns)))


def resolution_basis(inputs: PageInputs, found: Resolution) -> tuple[tuple[str, str], ...]:
    """Return what the resolution curve rests on."""
    conditions = [at_factor(one) for one in found.factors]
    counted = outcomes(inputs.study.only(found.levels.models), conditions)
    why = f"no answers at two factors ({RUN_SMALLER})"
    levels, changes = basis(found.levels, "Accuracy"), basis(found.changes, "Changes")
    return (*levels, *changes, *counted, *left_out(found.left_out, why))


def _reported(found: Resolution) -> Table:
    printed = reported_table(PAPER, "downsampling")
    rows: list[tuple[Value, ...]] = []
    for row in printed.rows:
        model, factor = ours_of(row, found.levels.models), row.keys["factor"]
        measured = model is not None and factor in found.levels.columns
        here: Value = found.levels.at(str(model), factor) if measured else math.nan
        rows.append((row.keys["model"], factor, row.figures["accuracy"].value, here))
    return Table(
        f"{NAME}-reported",
        f"Reported in {printed.source}, and measured here",
        (
            Head("Model"),
            Head("Factor"),
            Head("Reported, %", "per cent", reported=True),
            Head("Measured here, %", "share"),
        ),
        tuple(rows),
        printed.notes,
    )
