"""Table 5: how long the final reply is, and how often it is right."""

from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from lvqa_eval.metrics.study import Mask
from lvqa_eval.metrics.verbosity import Verbosity, verbosity
from lvqa_eval.reports.exhibit import Exhibit
from lvqa_eval.reports.layered.field_rows import (
    ACCURACY,
    MEAN,
    PAPER,
    Beside,
    column_rows,
    coverage,
    in_paper_order,
    mean_of,
    model_table,
    own_notes,
    reported_table,
)
from lvqa_eval.reports.layered.turn_by_turn import WHOLE, by_fifth
from lvqa_eval.reports.reported import reported_table as printed_table
from lvqa_eval.reports.study.inputs import StudyInputs
from lvqa_eval.reports.table import Head, Table

NAME: Final = "table-5"
TITLE: Final = "Length of the reply and accuracy"
DEFINITION: Final = (
    "Accuracy by length of the final reply, in fifths, the shortest first. Length: characters of the final "
    "reply, trimmed, without thinking; under all-layers of what stands behind “Answer:” alone. (The caption "
    "of the paper's table speaks of the length of the evidence, its text of that of the response; this is "
    "that of the response.)",
    "The fifths are a model's own, once among its conversations of one turn and once among those of "
    "several: of N replies that of rank r, counted from 0, lies in fifth 1 + floor(5r/N). Equal lengths are "
    "ordered by lot, seeded. Fifths are drawn up once, not anew in each draw of the bootstrap.",
    f"{ACCURACY} In a fifth: of its conversations. Conversations that count but have no reply to measure are "
    "in no fifth, and are counted below.",
    f"All conditions of one turn are pooled, and so are all of several. {WHOLE} {MEAN}",
)


class _Panel(NamedTuple):
    """The conversations of one turn, or those of several; under `key` stand the paper's figures of them."""

    title: str
    key: str
    conditions: tuple[str, ...]
    found: Verbosity
    among: Mask


def exhibit(inputs: StudyInputs) -> Exhibit:
    """Return Table 5: accuracy and mean length by fifth of length, for one turn and for several."""
    panels = _panels(inputs)
    if not panels:
        runs = ", ".join(inputs.runs)
        missing = f"None of {runs} holds a conversation. The same command goes on: lvqa run --model NAME"
        return Exhibit(NAME, "Table 5", TITLE, PAPER, DEFINITION, missing=missing)
    return Exhibit(
        name=NAME,
        label="Table 5",
        title=TITLE,
        paper=PAPER,
        definition=DEFINITION,
        basis=tuple(pair for panel in panels for pair in _basis(inputs, panel)),
        tables=(
            _means(panels),
            *(map(_by_model, panels) if len(inputs.study.models) > 1 else ()),
        ),
        reported=_reported(panels, inputs.study.models),
    )


def _panels(inputs: StudyInputs) -> list[_Panel]:
    """Return both panels, without one that nobody has conversations for."""
    study, turns = inputs.study, inputs.readings.multi_turn
    several = {study.conditions[row] for row in np.flatnonzero((turns == 1).any(axis=(0, 2, 3)))}
    single = {study.conditions[row] for row in np.flatnonzero((turns == 0).any(axis=(0, 2, 3)))}
    return [
        _panel(inputs, title, key, in_paper_order(sorted(held)), turns == multi)
        for title, key, held, multi in (
            ("one turn", "single_turn", single - several, 0),
            ("several turns", "multi_turn", several, 1),
        )
        if held
    ]


def _panel(inputs: StudyInputs, title: str, key: str, conditions: tuple[str, ...], among: Mask) -> _Panel:
    characters = inputs.readings.characters
    found = verbosity(inputs.study, characters, among, inputs.weights, conditions, inputs.seed)
    found = replace(found, accuracy=by_fifth(found.accuracy), characters=by_fifth(found.characters))
    return _Panel(title, key, conditions, found, among)


def _basis(inputs: StudyInputs, panel: _Panel) -> tuple[tuple[str, str], ...]:
    study = inputs.study
    measured = panel.among & np.isfinite(inputs.readings.characters)
    counted = np.isfinite(study.pooled(np.where(measured, study.correct, np.nan), panel.conditions))
    planned = study.planned_together(panel.conditions)
    asked = counted.any(axis=(0, 2))
    share = coverage(counted.sum(axis=(1, 2)), planned.sum(axis=(1, 2)))
    n = f"n = {int(counted.sum()):,} of {int(planned.sum()):,} planned conversations; coverage {share}"
    where = f"questions: {int(asked.sum())}; scenes: {len(set(study.scene_of[asked].tolist()))}"
    return (
        (panel.title, f"{n}; {where}; without a reply to measure: {panel.found.without_reply:,}"),
        (f"Conditions of {panel.title}", ", ".join(panel.conditions)),
    )


def _means(panels: list[_Panel]) -> Table:
    tables = [table for panel in panels for table in (panel.found.accuracy, panel.found.characters)]
    heads = [
        head
        for panel in panels
        for head in (
            Head(f"{panel.title}: accuracy, %", "share"),
            Head(f"{panel.title}: mean length, characters", "number"),
        )
    ]
    return Table(
        NAME,
        f"Accuracy by length of the reply, {mean_of(tables[0].models)}",
        (Head("Length of the reply"), *heads),
        column_rows(*tables),
        tuple(
            f"{panel.title.capitalize()}: {note}"
            for panel in panels
            for note in own_notes(panel.found.accuracy, panel.found.characters, means=True)
        ),
    )


def _by_model(panel: _Panel) -> Table:
    title = f"Accuracy and mean length by model, {panel.title}"
    behind = panel.title.replace(" ", "-")
    return model_table(f"{NAME}-{behind}", title, panel.found.accuracy, panel.found.characters)


def _reported(panels: list[_Panel], models: tuple[str, ...]) -> Table:
    ours = {panel.key: panel for panel in panels}
    pairs = []
    for row in printed_table(PAPER, "verbosity").rows:
        column, panel = f"fifth {row.keys['fifth']}", ours.get(row.keys["delivery"])
        what = f"{row.keys['delivery'].replace('_', ' ')}, {column}"
        beside = Beside(what, row.figures["accuracy"])
        if panel is not None:
            beside = beside._replace(measured=panel.found.accuracy.of_field(column))
        pairs.append(beside)
    return reported_table(f"{NAME}-reported", pairs, models, "Length of the reply")
