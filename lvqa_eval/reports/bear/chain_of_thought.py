"""Table 3: what a prompt that asks for steps gains."""

import math
from typing import Final

from lvqa_eval.metrics.bear.conditions import COT, DEFAULT
from lvqa_eval.metrics.bear.prompting import GAIN, PromptGain, cot_gain
from lvqa_eval.metrics.figures import FieldTable
from lvqa_eval.reports.bear.commands import RUN_COT
from lvqa_eval.reports.bear.inputs import PageInputs
from lvqa_eval.reports.bear.page_rows import (
    ACCURACY,
    PAPER,
    basis,
    left_out,
    model_table,
    ours_of,
    outcomes,
    printed_share,
)
from lvqa_eval.reports.exhibit import Exhibit
from lvqa_eval.reports.layered.field_rows import MEAN
from lvqa_eval.reports.reported import reported_table
from lvqa_eval.reports.table import Head, Table, Value

NAME: Final = "bear-table-3"
TITLE: Final = "Gain of a prompt that asks for steps"
DEFINITION: Final = (
    f"{DEFAULT}: the page and the raw question alone. {COT}: the same with a system prompt that asks to take "
    "from the page what is needed, to solve step by step, and to give a final answer. "
    f"{GAIN}: accuracy with {COT} less that with {DEFAULT}, in points.",
    f"{ACCURACY} All three are over the same pages and runs: those that count with both prompts.",
    MEAN,
)


def exhibit(inputs: PageInputs) -> Exhibit:
    """Return Table 3, of the models that answered with both prompts."""
    found = cot_gain(inputs.study, inputs.weights)
    if found is None:
        missing = f"No model of {', '.join(inputs.runs)} has answers with both prompts. Make them: {RUN_COT}"
        return Exhibit(NAME, "Table 3", TITLE, PAPER, DEFINITION, missing=missing)
    return Exhibit(
        name=NAME,
        label="Table 3",
        title=TITLE,
        paper=PAPER,
        definition=DEFINITION,
        basis=(
            *basis(found.gain),
            *outcomes(inputs.study.only(found.gain.models), (DEFAULT, COT)),
            *left_out(found.left_out, f"no answers with both prompts ({RUN_COT})"),
        ),
        tables=(model_table(NAME, TITLE, found.levels, found.gain),),
        reported=_reported(found),
    )


def _reported(found: PromptGain) -> Table:
    printed = reported_table(PAPER, "chain-of-thought")
    rows: list[tuple[Value, ...]] = [
        (
            row.keys["model"],
            *(printed_share(row, one) for one in (DEFAULT, COT)),
            *_measured(found.levels, ours_of(row, found.levels.models)),
        )
        for row in printed.rows
    ]
    return Table(
        f"{NAME}-reported",
        f"Reported in {printed.source}, and measured here",
        (
            Head("Model"),
            *(Head(f"{one} reported, %", "per cent", reported=True) for one in (DEFAULT, COT)),
            *(Head(f"{one}, measured here, %", "share") for one in (DEFAULT, COT)),
        ),
        tuple(rows),
    )


def _measured(levels: FieldTable, model: str | None) -> tuple[Value, Value]:
    if model is None:
        return math.nan, math.nan
    return levels.at(model, DEFAULT), levels.at(model, COT)
