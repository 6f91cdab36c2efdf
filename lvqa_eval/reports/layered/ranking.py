"""Rankings of the models: by accuracy, as if all wrote equally long replies, and without each judge."""

import math
from collections.abc import Sequence

import numpy as np

from lvqa_eval.judging.panel import Panel
from lvqa_eval.metrics.accuracy import RANKED_FROM
from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.delivery import levels
from lvqa_eval.metrics.figures import FieldTable, field_table
from lvqa_eval.metrics.length_control import LengthControl, length_control
from lvqa_eval.metrics.rankings import kendall_tau, leave_one_judge_out, ranks
from lvqa_eval.metrics.replicated import columns_of
from lvqa_eval.metrics.study import Study
from lvqa_eval.reports.exhibit import Exhibit
from lvqa_eval.reports.layered.field_rows import ACCURACY, PAPER, basis, heads, in_paper_order, own_notes
from lvqa_eval.reports.study.inputs import StudyInputs
from lvqa_eval.reports.table import Head, Table, Value

NAME = "rankings"
TITLE = "Rankings"
DEFINITION = (
    "Models by the mean of their accuracies under the conditions that all of them have, each with the same "
    "weight. Ranks are of the figures alone, from 1 for the highest; equals share the better rank. Where "
    "intervals overlap the order may be chance.",
    ACCURACY,
    f"A model whose coverage over these conditions is below {RANKED_FROM * 100:.0f} % has no rank.",
    "At equal length: correct is regressed on log2(1 + characters of the final reply), of all-layers its "
    "Answer line alone, with one level for each model and condition; each model is then moved along the "
    "common slope to the mean length of all. Accuracy there is pooled over the conversations with a reply to "
    "measure.",
    "Without a judge: the consensus of the panel that never had that judge. Kendall's tau-b compares its "
    "order of the assistants with that of the whole panel; 1 is the same order.",
)


def exhibit(inputs: StudyInputs) -> Exhibit:
    """Return the rankings of the models over the conditions that all of them have."""
    study = inputs.study
    common = [one for one in in_paper_order(study.conditions) if study.complete([one]).all()]
    if missing := _missing(inputs, common):
        return Exhibit(NAME, "", TITLE, PAPER, DEFINITION, missing=missing)
    accuracy = levels(study, common, inputs.weights).mean(axis=1)
    reached = field_table("Accuracy", "share", study.models, ("accuracy",), columns_of([accuracy]))
    control = length_control(study, inputs.readings.characters, inputs.weights, common)
    panel = None if inputs.panel is None else _over(inputs.panel, common)
    notes = [*_left_out(study, common), *own_notes(reached), *_lacking(inputs, control)]
    return Exhibit(
        name=NAME,
        label="",
        title=TITLE,
        paper=PAPER,
        definition=DEFINITION,
        basis=(("Conditions", ", ".join(common)), *basis(reached), *(_panel_basis(panel) if panel else ())),
        tables=(
            _by_accuracy(reached, notes),
            *(_by_length(control) if np.isfinite(control.slope.value) else ()),
            *([_without_judges(panel)] if panel else []),
        ),
    )


def _missing(inputs: StudyInputs, common: Sequence[str]) -> str | None:
    models = inputs.study.models
    if len(models) < 2:
        return (
            f"One model, {models[0]}, is no ranking. Report the runs of several together: "
            f"lvqa report {' '.join(inputs.runs)} RUN"
        )
    if not common:
        return (
            f"There is no condition in which each of {', '.join(models)} has a conversation that counts. "
            "Make a run of each model with the same conditions: lvqa run --model NAME"
        )
    return None


def _left_out(study: Study, common: Sequence[str]) -> list[str]:
    others = [one for one in in_paper_order(study.conditions) if one not in common]
    return [f"Left out, since not every model has them: {', '.join(others)}."] if others else []


def _lacking(inputs: StudyInputs, control: LengthControl) -> list[str]:
    """Return a note for each ranking that cannot be made."""
    notes = []
    if not np.isfinite(control.slope.value):
        notes.append(
            "At equal length: not there, since no two replies that could be measured differ in length."
        )
    if inputs.panel is None:
        notes.append(
            "Without a judge: not there, since fewer than two judges have judged every run. "
            f"Judge with another: lvqa judge {' '.join(inputs.runs)} --judge NAME@URL"
        )
    return notes


def _by_accuracy(reached: FieldTable, notes: Sequence[str]) -> Table:
    values = _to_rank(reached, 0)
    places = ranks(values)
    rows = [
        (reached.models[row], reached.cells.at(row, 0), _rank(places[row]))
        for row in np.lexsort((-reached.cells.value[:, 0], places)).tolist()
    ]
    return Table(NAME, "By accuracy", (*heads(reached), Head("Rank", "count")), tuple(rows), tuple(notes))


def _by_length(control: LengthControl) -> tuple[Table, Table]:
    """Return accuracy as it is and at equal length with both ranks; then slope, and tau of the two orders."""
    table = control.table
    values = [_to_rank(table, column) for column in range(2)]
    before, after = map(ranks, values)
    rows = [
        (
            table.models[row],
            table.cells.at(row, 0),
            table.cells.at(row, 1),
            _rank(before[row]),
            _rank(after[row]),
        )
        for row in np.lexsort((-table.cells.value[:, 1], after)).tolist()
    ]
    tau = kendall_tau(*values)
    return (
        Table(
            f"{NAME}-length",
            "At equal length",
            (*heads(table), Head("Rank", "count"), Head("Rank at equal length", "count")),
            tuple(rows),
            own_notes(table),
        ),
        Table(
            f"{NAME}-slope",
            "What length has to do with accuracy and order",
            (
                Head("Slope, points for each doubling", "points"),
                Head("Kendall's tau of the two orders", "ratio"),
            ),
            ((control.slope, tau),),
        ),
    )


def _to_rank(table: FieldTable, column: int) -> Floats:
    """Return the figures of a column, NaN for a model whose coverage is too low for a rank."""
    figures = [table.cells.at(row, column) for row in range(len(table.models))]
    return np.array([one.value if one.coverage >= RANKED_FROM else np.nan for one in figures])


def _rank(place: float) -> int | float:
    return int(place) if math.isfinite(place) else math.nan


def _over(panel: Panel, conditions: Sequence[str]) -> Panel:
    """Return a panel on what makes accuracies under `conditions`."""
    counted = panel.counted
    return counted.only(np.array([key.condition in conditions for key in counted.keys], dtype=np.bool_))


def _panel_basis(panel: Panel) -> tuple[tuple[str, str], ...]:
    return (
        ("Panel", f"{', '.join(panel.judges)}; more than half of {panel.size} must have voted"),
        ("Conversations before the panel", f"{panel.votes.shape[1]:,}"),
    )


def _without_judges(panel: Panel) -> Table:
    found = leave_one_judge_out(panel.votes, panel.assistant_of, len(panel.assistants), panel.size)
    rows: list[tuple[Value, ...]] = [("nobody", math.nan, *map(_rank, ranks(found.full)))]
    for judge, tau, accuracies in zip(panel.judges, found.tau.tolist(), found.without, strict=True):
        rows.append((judge, tau, *map(_rank, ranks(accuracies))))
    return Table(
        f"{NAME}-judges",
        "Ranks of the assistants by consensus, without each judge",
        (
            Head("Judge left out"),
            Head("Kendall's tau to the whole panel", "ratio"),
            *(Head(f"{assistant}, rank", "count") for assistant in panel.assistants),
        ),
        tuple(rows),
        ("A judge's votes on its own model are counted.",),
    )
