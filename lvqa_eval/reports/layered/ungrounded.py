"""Table 6: right answers that came before their evidence."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from lvqa_eval.metrics.controls import QUESTION_ONLY, beyond_question
from lvqa_eval.metrics.delivery import accuracy_table
from lvqa_eval.metrics.ungrounded import (
    COLUMNS,
    LAYER_DELIVERIES,
    UNGROUNDED_CONDITIONS,
    Ungrounded,
    ungrounded,
)
from lvqa_eval.reports.exhibit import Exhibit
from lvqa_eval.reports.layered.field_rows import (
    ACCURACY,
    KINDS,
    MEAN,
    PAPER,
    SIGNS,
    Beside,
    basis,
    mean_of,
    model_table,
    own_notes,
    pick,
    reported_table,
)
from lvqa_eval.reports.layered.turn_by_turn import WHOLE, lacking_rulings, rulings_basis
from lvqa_eval.reports.numerals import PRINTED
from lvqa_eval.reports.reported import ReportedRow
from lvqa_eval.reports.reported import reported_table as printed_table
from lvqa_eval.reports.study.inputs import Rulings, StudyInputs
from lvqa_eval.reports.table import Head, Table, Value

NAME: Final = "table-6"
TITLE: Final = "Right answers that came before their evidence"
DEFINITION: Final = (
    f"{ACCURACY} Pooled over the conditions that deliver layers over several turns: "
    f"{', '.join(UNGROUNDED_CONDITIONS)}, as far as they were run. {WHOLE}",
    "Turn of complete evidence: the first turn by which all layers of some sufficient set have been shown, "
    "or the whole scene. Ungrounded: of the conversations with a right final turn, those whose first right "
    "answer, as a post-hoc judge lists them, came before that turn. Left out of this share, and counted as "
    "not located: conversations with a right final turn in which that judge finds no right answer, or has no "
    "valid ruling.",
    "Grounded accuracy: accuracy x (1 - ungrounded share).",
    f"An ungrounded answer may be a guess, or rest on the question or on a part of the evidence. {MEAN}",
)
_FAMILY_OF: Final = {
    "layers on a fixed schedule": "layers in stack order",
    "layer order manipulated": "layers in evidence order",
    "joint": "shards with layers",
}
"""The paper's names of families of conditions, and ours of those that we take them to be."""

_PRINTED: Final = {"share": "ungrounded", "accuracy": "accuracy", "grounded": "grounded accuracy"}


def exhibit(inputs: StudyInputs) -> Exhibit:
    """Return Table 6: accuracy, ungrounded share, grounded accuracy; pooled, by family, by condition."""
    missing = lacking_rulings(inputs, UNGROUNDED_CONDITIONS)
    if missing is not None or inputs.rulings is None:
        return Exhibit(NAME, "Table 6", TITLE, PAPER, DEFINITION, missing=missing)
    rulings, held = inputs.rulings, inputs.study.held(UNGROUNDED_CONDITIONS)
    pooled = _found(inputs, rulings, held)
    families = {
        family: _found(inputs, rulings, conditions)
        for family, conditions in LAYER_DELIVERIES.items()
        if inputs.study.held(conditions)
    }
    single = {condition: _found(inputs, rulings, (condition,)) for condition in held}
    title = f"By family of conditions, {mean_of(inputs.study.models)}"
    return Exhibit(
        name=NAME,
        label="Table 6",
        title=TITLE,
        paper=PAPER,
        definition=DEFINITION,
        basis=(
            *basis(pick(pooled.table, ("accuracy",)), "accuracy"),
            *basis(pick(pooled.table, ("ungrounded",)), "right answers"),
            ("Not located", f"{pooled.unlocated:,} right answers"),
            *rulings_basis(inputs, UNGROUNDED_CONDITIONS),
        ),
        tables=(
            model_table(
                NAME, "All conditions pooled, by model", pooled.table, notes=_without_baseline(inputs)
            ),
            _rows(f"{NAME}-families", title, "Conditions", {"all pooled": pooled, **families}),
            _rows(f"{NAME}-conditions", f"By condition, {mean_of(inputs.study.models)}", "Condition", single),
            *_beyond_question(inputs, held),
        ),
        reported=_reported(inputs, pooled, families),
    )


def _found(inputs: StudyInputs, rulings: Rulings, conditions: Sequence[str]) -> Ungrounded:
    first, evidence = rulings.first_correct_attempt, inputs.readings.evidence
    return ungrounded(inputs.study, first, evidence, inputs.weights, conditions)


def _rows(name: str, title: str, first: str, found: Mapping[str, Ungrounded]) -> Table:
    tables = [one.table for one in found.values()]
    kind, sign = KINDS[tables[0].unit], SIGNS[tables[0].unit]
    rows: list[tuple[Value, ...]] = [
        (label, *(one.table.of_field(column) for column in COLUMNS), one.unlocated)
        for label, one in found.items()
    ]
    heads = (
        Head(first),
        *(Head(f"{column}, {sign}", kind) for column in COLUMNS),
        Head("Not located, number", "count"),
    )
    pooled = (
        f"{label}: {', '.join(one.conditions)}." for label, one in found.items() if len(one.conditions) > 1
    )
    return Table(name, title, heads, tuple(rows), (*pooled, *own_notes(*tables, means=True)))


def _without_baseline(inputs: StudyInputs) -> tuple[str, ...]:
    """Return a note on what is not known without the baseline that such claims rest on."""
    if inputs.baselines is not None and QUESTION_ONLY in inputs.baselines.conditions:
        return ()
    told = (
        f"Not every run has the baseline {QUESTION_ONLY}, so how much the words alone give away is not known"
    )
    return (f"{told}; add it to each run: lvqa run --model NAME --baseline {QUESTION_ONLY}",)


def _beyond_question(inputs: StudyInputs, held: Sequence[str]) -> Iterator[Table]:
    """Yield what the question alone reaches beside these conditions, where every run has that baseline."""
    study, baselines = inputs.study, inputs.baselines
    if baselines is None or QUESTION_ONLY not in baselines.conditions:
        return
    alone = accuracy_table(baselines, inputs.weights, (QUESTION_ONLY,))
    beyond = beyond_question(study, baselines, inputs.weights, held)
    share = alone.of_field(QUESTION_ONLY).value
    told = f"Without any picture {PRINTED.percent(share)} % are right ({mean_of(study.models)}): so much of "
    yield model_table(
        f"{NAME}-question-only",
        "Accuracy of the question alone, and what each condition reaches beyond it",
        alone,
        beyond,
        notes=(
            *(
                [f"{told}what is right needs no evidence, whenever it was said."]
                if np.isfinite(share)
                else []
            ),
            "Beyond it: accuracy less that of the question alone, paired by question and run.",
        ),
    )


def _reported(inputs: StudyInputs, pooled: Ungrounded, families: Mapping[str, Ungrounded]) -> Table:
    printed, pairs = printed_table(PAPER, "ungrounded"), []
    for row in printed.rows:
        over, ours = _ours(row, pooled, families)
        for column, figure in row.figures.items():
            what = f"{row.keys['passage']}, {over}: {_PRINTED[column]}"
            measured = ours.get(_PRINTED[column], np.nan)
            pairs.append(Beside(what, figure, measured))
    of_models = printed_table(PAPER, "ungrounded-models")
    for row in of_models.rows:
        same = [one for one in pooled.table.models if row in of_models.find(model=one)]
        for column, figure in row.figures.items():
            measured = pooled.table.at(same[0], _PRINTED[column]) if len(same) == 1 else np.nan
            pairs.append(Beside(f"{row.keys['model']}: {_PRINTED[column]}", figure, measured))
    notes = (*printed.notes, "Rows of a family or a model are of it alone.", _families_note())
    return reported_table(f"{NAME}-reported", pairs, inputs.study.models, "What", notes)


def _families_note() -> str:
    taken = (f"{theirs}: {', '.join(LAYER_DELIVERIES[ours])}" for theirs, ours in _FAMILY_OF.items())
    return f"Families of the paper, and the conditions that we take them to be: {'; '.join(taken)}."


def _ours(
    row: ReportedRow, pooled: Ungrounded, families: Mapping[str, Ungrounded]
) -> tuple[str, Mapping[str, Value]]:
    """Return what a printed row is of, and our figures of the same by column; none where there are none."""
    over = row.keys["over"]
    if over == "weakest model":
        accuracy = pooled.table.cells.value[:, 0]
        if len(accuracy) < 2 or np.isnan(accuracy).any():
            return over, {}
        weakest = pooled.table.models[int(accuracy.argmin())]
        return f"{over} (here {weakest})", {one: pooled.table.at(weakest, one) for one in COLUMNS}
    found = pooled if over == "all" else families.get(_FAMILY_OF.get(over, ""))
    return over, {} if found is None else {one: found.table.of_field(one) for one in COLUMNS}
