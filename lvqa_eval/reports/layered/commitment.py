"""Table 4: when models first commit themselves to an answer, and how often they are right in the end."""

from dataclasses import replace
from typing import Final

import numpy as np

from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.commitment import Binning, Commitment, commitment
from lvqa_eval.metrics.delivery import MULTI_TURN
from lvqa_eval.reports.exhibit import Exhibit
from lvqa_eval.reports.layered.field_rows import (
    MEAN,
    PAPER,
    basis,
    field_note,
    model_table,
    pick,
    summary,
)
from lvqa_eval.reports.layered.turn_by_turn import (
    FIFTH_COLUMNS,
    WHOLE,
    by_fifth,
    lacking_rulings,
    rulings_basis,
)
from lvqa_eval.reports.reported import reported_table as printed_table
from lvqa_eval.reports.study.inputs import StudyInputs
from lvqa_eval.reports.table import Head, Table, Value

NAME: Final = "table-4"
TITLE: Final = "First commitment"
BINNINGS: Final[dict[Binning, str]] = {
    "end of turn": (
        "By the end of turn: turn t of n lies in fifth ceil(5t/n). No turn of fewer than five lies in the "
        "first fifth. This fits the passage of the paper that finds the second fifth to be the most frequent "
        "one of ten of eleven models."
    ),
    "start of turn": (
        "By the start of turn: turn t of n lies in fifth 1 + floor(5(t - 1)/n). The first turn always lies "
        "in the first fifth. This fits the passage that finds the first fifth to be the most frequent one of "
        "all models."
    ),
}
"""What each way to tell a fifth does, the default first."""

DEFINITION: Final = (
    "First commitment: the first turn that holds an answer, right or wrong, as a post-hoc judge lists them, "
    "by the fifth of its conversation. Share: of the conversations of several turns that count, were held to "
    "their end and hold an answer, those with the first one in a fifth; the five add up to 100 %.",
    "Left out, and counted below: conversations without an answer, those without a valid ruling of the "
    "post-hoc judge, and those whose last reply failed. They lower the coverage of the shares.",
    "Accuracy in a fifth: conversations with their first answer there whose final turn answers correctly, "
    "divided by all with their first answer there.",
    *BINNINGS.values(),
    f"All conditions of several turns are pooled. {WHOLE}",
    f"Most frequent: the fifth with the largest share, the first of equals. {MEAN}",
)


def exhibit(inputs: StudyInputs) -> Exhibit:
    """Return Table 4: share and accuracy by fifth of the first commitment, for both ways to tell a fifth."""
    missing = lacking_rulings(inputs, MULTI_TURN)
    if missing is not None or inputs.rulings is None:
        return Exhibit(NAME, "Table 4", TITLE, PAPER, DEFINITION, missing=missing)
    first = inputs.rulings.first_attempt
    found = {one: _commitment(inputs, first, one) for one in BINNINGS}
    default = next(iter(found.values()))
    return Exhibit(
        name=NAME,
        label="Table 4",
        title=TITLE,
        paper=PAPER,
        definition=DEFINITION,
        basis=(
            *basis(pick(default.share, FIFTH_COLUMNS[:1])),
            ("Left out", _left_out(default)),
            *rulings_basis(inputs, MULTI_TURN),
        ),
        tables=tuple(table for one in found.values() for table in _tables(one)),
        reported=_reported(found, inputs.study.models),
    )


def _commitment(inputs: StudyInputs, first: Floats, binning: Binning) -> Commitment:
    """Return the first commitments of a study, with columns that say that they are fifths."""
    found = commitment(
        inputs.study, first, inputs.readings.turns, inputs.weights, MULTI_TURN, binning=binning
    )
    return replace(found, share=by_fifth(found.share), accuracy=by_fifth(found.accuracy))


def _tables(found: Commitment) -> tuple[Table, Table]:
    behind = "" if found.binning == "end of turn" else "-start"
    shares = model_table(f"{NAME}{behind}", f"First commitment, by the {found.binning}", found.share)
    modal = [f"fifth {one}" if one is not None else "" for one in found.modal]
    if summary(found.share):
        mean = found.share.field.value
        modal.append("" if np.isnan(mean).any() else FIFTH_COLUMNS[int(mean.argmax())])
    rows = tuple((*row, most) for row, most in zip(shares.rows, modal, strict=True))
    title = f"Accuracy by first commitment, by the {found.binning}"
    return (
        replace(shares, heads=(*shares.heads, Head("Most frequent")), rows=rows),
        model_table(f"{NAME}{behind}-accuracy", title, found.accuracy),
    )


def _left_out(found: Commitment) -> str:
    return (
        f"{found.no_attempt:,} without an answer, {found.unruled:,} without a valid ruling, "
        f"{found.failed:,} that the model failed"
    )


def _reported(found: dict[Binning, Commitment], models: tuple[str, ...]) -> Table:
    printed = printed_table(PAPER, "first-commitment")
    rows: list[tuple[Value, ...]] = []
    for row, column in zip(printed.rows, FIFTH_COLUMNS, strict=True):
        ours = [table.of_field(column) for one in found.values() for table in (one.accuracy, one.share)]
        rows.append((column, row.figures["value"].value, *ours))
    heads = [Head(f"{what} here, {one}, %", "share") for one in found for what in ("Accuracy", "Share")]
    return Table(
        f"{NAME}-reported",
        f"Reported in {printed.source}, and measured here",
        (Head("First commitment in"), Head("Reported, %", "share", reported=True), *heads),
        tuple(rows),
        (
            field_note(models),
            *printed.notes,
            "What the printed figures are shares of does not stand beside them; accuracy comes closest.",
        ),
    )
