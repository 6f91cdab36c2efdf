"""Table 1: what each delivery costs, and what a family of them retains."""

from lvqa_eval.metrics.delivery import FAMILIES, FULL, accuracy_table, cost_of_delivery, retained
from lvqa_eval.reports.exhibit import Exhibit
from lvqa_eval.reports.layered.field_rows import (
    ACCURACY,
    MEAN,
    PAIRED,
    PAPER,
    Beside,
    basis,
    in_paper_order,
    lacking_conditions,
    model_table,
    not_run,
    pick,
    reported_table,
)
from lvqa_eval.reports.numerals import PRINTED
from lvqa_eval.reports.reported import ReportedRow
from lvqa_eval.reports.reported import reported_table as printed_table
from lvqa_eval.reports.study.inputs import StudyInputs
from lvqa_eval.reports.table import Table

NAME = "table-1"
TITLE = "Cost of delivery"
_FAMILIES = "; ".join(f"{family}: {', '.join(held)}" for family, held in FAMILIES.items())
DEFINITION = (
    f"Accuracy under each condition less that under {FULL}, in points. {PAIRED}",
    f"{ACCURACY} The column {FULL} has the accuracy itself, over all of its conversations that count.",
    "Retained: the mean of a model's accuracies under the conditions of a family, each with the same weight, "
    f"in per cent of its own accuracy under {FULL}, each accuracy over all conversations that count there. "
    f"{FULL} is in no family. A model that lacks a condition of a family has no value there. "
    f"The families: {_FAMILIES}.",
    f"{MEAN} That of what is retained is the mean of the models' percentages.",
)


def exhibit(inputs: StudyInputs) -> Exhibit:
    """Return Table 1: accuracy less that of full by model and condition, and retained of full by family."""
    study, weights = inputs.study, inputs.weights
    others = [one for one in in_paper_order(study.conditions) if one != FULL]
    missing = lacking_conditions(inputs, (FULL,) if others else (FULL, *FAMILIES["scene in layers"]))
    if missing:
        return Exhibit(NAME, "Table 1", TITLE, PAPER, DEFINITION, missing=missing)
    reached = accuracy_table(study, weights, (FULL,))
    cost = pick(cost_of_delivery(study, weights), others)
    kept = retained(study, weights)
    return Exhibit(
        name=NAME,
        label="Table 1",
        title=TITLE,
        paper=PAPER,
        definition=DEFINITION,
        basis=(*basis(reached, FULL), *basis(cost, "Differences"), *basis(kept, "Retained")),
        tables=(
            model_table(NAME, f"Accuracy less that of {FULL}", reached, cost, notes=not_run(study)),
            model_table(f"{NAME}-retained", f"Retained of {FULL}, by family of conditions", kept),
        ),
        reported=_reported(inputs),
    )


def _reported(inputs: StudyInputs) -> Table:
    study = inputs.study
    printed = printed_table(PAPER, "deliveries").rows
    references = dict.fromkeys(row.keys["reference"] for row in printed)
    costs = {one: cost_of_delivery(study, inputs.weights, one) for one in references}
    pairs = []
    for row in printed:
        condition, reference = row.keys["condition"], row.keys["reference"]
        beside = Beside(_difference(row), row.figures["difference"])
        if study.held((condition, reference)) == (condition, reference):
            beside = beside._replace(measured=costs[reference].of_field(condition))
        pairs.append(beside)
    notes = [_interval(row) for row in printed if "low" in row.figures]
    return reported_table(f"{NAME}-reported", pairs, study.models, "Difference", notes)


def _difference(row: ReportedRow) -> str:
    return f"{row.keys['condition']} minus {row.keys['reference']}"


def _interval(row: ReportedRow) -> str:
    interval = PRINTED.points_interval(row.figures["low"].share, row.figures["high"].share)
    return f"The interval that the paper prints of {_difference(row)}: {interval}."
