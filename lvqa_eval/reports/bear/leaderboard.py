"""Table 2: accuracy of each model, over all pages and in parts of them."""

import math
from typing import Final

from lvqa_eval.metrics.bear.conditions import DEFAULT
from lvqa_eval.metrics.bear.groups import by_cell, by_content, by_domain, by_language, overall
from lvqa_eval.metrics.figures import FieldTable
from lvqa_eval.metrics.groups import Groups, level_by_group
from lvqa_eval.metrics.study import Study
from lvqa_eval.reports.bear.inputs import PageInputs
from lvqa_eval.reports.bear.page_rows import (
    ACCURACY,
    PAPER,
    UNPROMPTED,
    basis,
    lacking_default,
    model_table,
    ours_of,
    outcomes,
    printed_share,
)
from lvqa_eval.reports.exhibit import Exhibit
from lvqa_eval.reports.layered.field_rows import MEAN
from lvqa_eval.reports.reported import reported_table
from lvqa_eval.reports.table import Head, Table, Value, is_low
from lvqa_eval.runs.records import PageRecord

NAME: Final = "bear-table-2"
TITLE: Final = "Accuracy by language, domain and content"
DEFINITION: Final = (
    f"{UNPROMPTED} {ACCURACY}",
    "A cell is a language and a domain. A page may hold several kinds of content, or none, so that those "
    "columns overlap. Columns without a page are left out.",
    "Models are in the order of their accuracy overall; those that miss too much to be ranked come last.",
    MEAN,
)


def exhibit(inputs: PageInputs) -> Exhibit:
    """Return Table 2, with everything that the paper prints of its own models."""
    if missing := lacking_default(inputs):
        return Exhibit(NAME, "Table 2", TITLE, PAPER, DEFINITION, missing=missing)
    study = _ranked(inputs)
    pages = study.questions

    def reached(groups: Groups) -> FieldTable:
        return level_by_group(study, DEFAULT, groups, inputs.weights)

    whole = reached({**overall(pages), **by_language(pages), **by_domain(pages)})
    tables = [model_table(NAME, "Accuracy by language and domain", whole)]
    tables.append(model_table(f"{NAME}-cells", "Accuracy by cell", reached(by_cell(pages))))
    if content := by_content(pages):
        tables.append(model_table(f"{NAME}-content", "Accuracy by content", reached(content)))
    return Exhibit(
        name=NAME,
        label="Table 2",
        title=TITLE,
        paper=PAPER,
        definition=DEFINITION,
        basis=(*basis(reached(overall(pages))), *outcomes(study, (DEFAULT,))),
        tables=tuple(tables),
        reported=_reported(whole),
    )


def _ranked(inputs: PageInputs) -> Study[PageRecord]:
    """Return the study with the best model first."""
    study = inputs.study
    table = level_by_group(study, DEFAULT, overall(study.questions), inputs.weights)
    reached = {model: table.at(model, "overall") for model in study.models}

    def place(model: str) -> tuple[bool, float, str]:
        value = reached[model].value
        behind = math.isnan(value) or is_low(reached[model])
        return behind, math.inf if math.isnan(value) else -value, model

    return study.only(sorted(study.models, key=place))


def _reported(ours: FieldTable) -> Table:
    printed = reported_table(PAPER, "accuracy")
    columns = [one for one, unit in printed.units.items() if unit == "per cent"]
    rows: list[tuple[Value, ...]] = []
    for row in printed.rows:
        model = ours_of(row, ours.models)
        here = ours.at(model, "overall") if model else math.nan
        rows.append((*row.keys.values(), *(printed_share(row, one) for one in columns), here))
    return Table(
        f"{NAME}-reported",
        f"Reported in {printed.source}, and measured here",
        (
            Head("Model"),
            Head("Weights"),
            *(Head(f"{one} reported, %", "per cent", reported=True) for one in columns),
            Head("overall, measured here, %", "share"),
        ),
        tuple(rows),
    )
