"""Table 8: the excess loss of relational questions, model by model."""

from dataclasses import replace

from lvqa_eval.metrics.controls import ORACLE
from lvqa_eval.metrics.delivery import FULL
from lvqa_eval.metrics.figures import FieldTable
from lvqa_eval.reports.exhibit import Exhibit
from lvqa_eval.reports.layered.field_rows import PAPER, model_table, not_run, pick
from lvqa_eval.reports.layered.kinds import contrast_of, definition, kinds_basis, lacking
from lvqa_eval.reports.study.inputs import StudyInputs

NAME = "table-8"
TITLE = "Relational questions against questions about a single object, by model"
SHOWN = ("concat-v", ORACLE)
"""The conditions whose two changes are shown by model; of all others the excess is."""


def exhibit(inputs: StudyInputs) -> Exhibit:
    """Return Table 8: excess D by model and condition, and both changes of concat-v and oracle."""
    missing = lacking(inputs)
    if missing:
        return Exhibit(NAME, "Table 8", TITLE, PAPER, definition(inputs), missing=missing)
    contrast = contrast_of(inputs)
    held = inputs.study.held(SHOWN)
    changes = (
        _named(pick(table, [condition]), kind)
        for condition in held
        for kind, table in (
            ("single object", contrast.single_change),
            ("relational", contrast.relational_change),
        )
    )
    title = f"Change from {FULL} under {' and '.join(held)}, by kind of question"
    return Exhibit(
        name=NAME,
        label="Table 8",
        title=TITLE,
        paper=PAPER,
        definition=definition(inputs),
        basis=kinds_basis(inputs, contrast),
        tables=(
            model_table(NAME, "Excess D by condition", contrast.excess, notes=not_run(inputs.study)),
            *([model_table(f"{NAME}-changes", title, *changes)] if held else []),
        ),
    )


def _named(table: FieldTable, kind: str) -> FieldTable:
    """Return a table whose columns say of which kind of question they are."""
    return replace(table, columns=tuple(f"{column}, {kind}" for column in table.columns))
