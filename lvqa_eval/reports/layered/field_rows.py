"""Models in rows, their mean below: what all tables of a layered study share."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lvqa_eval.benchmarks import LAYERED_VQA
from lvqa_eval.metrics.figures import FieldTable, Figure, Figures
from lvqa_eval.metrics.figures import Unit as Measure
from lvqa_eval.metrics.study import Study
from lvqa_eval.reports.numerals import PRINTED
from lvqa_eval.reports.reported import ReportedFigure, Unit
from lvqa_eval.reports.reported import reported_table as printed_table
from lvqa_eval.reports.study.inputs import StudyInputs
from lvqa_eval.reports.table import Head, Kind, Table, Value

PAPER: Final = "layered-vqa"

KINDS: Final[dict[Measure, Kind]] = {
    "share": "share",
    "difference": "points",
    "per cent": "per cent",
    "characters": "number",
    "words": "number",
}
SIGNS: Final[dict[Measure, str]] = {
    "share": "%",
    "difference": "points",
    "per cent": "%",
    "characters": "characters",
    "words": "words",
}
"""How each unit of a statistic prints, and what the head of its column says."""

_REPORTED: Final[dict[Unit, tuple[Kind, str]]] = {
    Unit.SHARE: ("share", "%"),
    Unit.DIFFERENCE: ("points", "points"),
    Unit.PER_CENT: ("per cent", "%"),
    Unit.COUNT: ("count", "number"),
    Unit.CHARACTERS: ("number", "characters"),
}

ACCURACY: Final = (
    "Accuracy: conversations whose final turn answers correctly, divided by those that count, over all "
    "questions and runs. A reply that is truncated, refused, empty or unparsable is wrong; errors of the "
    "serving, overflows of the context and missing verdicts do not count."
)
PAIRED: Final = (
    "A difference is paired: it is taken over the questions and runs whose conversations count on both sides."
)
MEAN: Final = "The mean over the models gives each of them the same weight."
"""Said in the definition of whatever has such figures."""


class Beside(NamedTuple):
    """What a paper prints of something, with ours of the same; NaN where we have none."""

    what: str
    reported: ReportedFigure
    measured: Value = math.nan


def in_paper_order(conditions: Sequence[str]) -> tuple[str, ...]:
    """Return conditions in the order of the paper's tables, any that it does not have last."""
    published = LAYERED_VQA.conditions
    known = [one for one in published if one in conditions]
    return (*known, *(one for one in conditions if one not in published))


def not_run(study: Study) -> tuple[str, ...]:
    """Return a note that names the paper's conditions that nobody ran; none where there is none."""
    left_out = [one for one in LAYERED_VQA.conditions if one not in study.conditions]
    return (f"Not run, so left out: {', '.join(left_out)}.",) if left_out else ()


def lacking_conditions(inputs: StudyInputs, needed: Sequence[str]) -> str | None:
    """Return what an exhibit says that cannot be without `needed`: those that no run has, and the command.

    None where every one of them is there.
    """
    absent = [one for one in needed if one not in inputs.study.conditions]
    if not absent:
        return None
    held = f"None of {', '.join(inputs.runs)} has {' and '.join(absent)}."
    return f"{held} Make a run of each model that does: lvqa run --model NAME --conditions {','.join(needed)}"


def pick(table: FieldTable, columns: Sequence[str]) -> FieldTable:
    """Return a statistic with `columns` alone, in their order."""
    places = [table.columns.index(column) for column in columns]

    def taken(figures: Figures) -> Figures:
        arrays = {field.name: getattr(figures, field.name)[..., places] for field in fields(Figures)}
        return Figures(**arrays)

    return replace(table, columns=tuple(columns), cells=taken(table.cells), field=taken(table.field))


def heads(*tables: FieldTable, first: str = "Model") -> tuple[Head, ...]:
    """Return the heads of `model_rows`: `first`, then each column with its unit."""
    columns = [
        Head(f"{column}, {SIGNS[table.unit]}", KINDS[table.unit])
        for table in tables
        for column in table.columns
    ]
    return (Head(first), *columns)


def model_rows(*tables: FieldTable) -> tuple[tuple[Value, ...], ...]:
    """Return a row for each model: its name, then its figures in the columns of all `tables`, side by side.

    The mean over the models comes last; one model has none. `summary` counts it.
    """
    models = tables[0].models
    rows: list[tuple[Value, ...]] = [
        (model, *(table.at(model, column) for table in tables for column in table.columns))
        for model in models
    ]
    if summary(tables[0]):
        means = (table.of_field(column) for table in tables for column in table.columns)
        rows.append((field_name(models), *means))
    return tuple(rows)


def column_rows(*tables: FieldTable) -> tuple[tuple[Value, ...], ...]:
    """Return a row for each column, which all `tables` share: the mean over the models of each of them."""
    return tuple((column, *(table.of_field(column) for table in tables)) for column in tables[0].columns)


def summary(table: FieldTable) -> int:
    """Return how many of `model_rows` sum up those above: one, none for a single model."""
    return int(len(table.models) > 1)


def field_name(models: Sequence[str]) -> str:
    """Return what the mean over `models` is called; the name of a single one."""
    return f"Mean of {len(models)} models" if len(models) > 1 else models[0]


def mean_of(models: Sequence[str]) -> str:
    """Return in words what a figure over all `models` is, to stand in a title or a sentence."""
    return f"mean of {len(models)} models" if len(models) > 1 else f"{models[0]} alone"


def model_table(name: str, title: str, *tables: FieldTable, notes: Sequence[str] = ()) -> Table:
    """Return statistics side by side as one table of models, with `notes` and those that they need."""
    told = (*notes, *own_notes(*tables))
    return Table(name, title, heads(*tables), model_rows(*tables), told, summary(tables[0]))


def own_notes(*tables: FieldTable, means: bool = False) -> tuple[str, ...]:
    """Return each note once that follows from the figures themselves: those of the three functions below.

    With `means` they are on the means over the models alone, for a table that shows nothing else.
    """
    of_each = ((*lacking_notes(one), *dropped_notes(one, means), *alone_notes(one, means)) for one in tables)
    return tuple(dict.fromkeys(note for notes in of_each for note in notes))


def lacking_notes(table: FieldTable) -> tuple[str, ...]:
    """Return a note for each set of models without a value, naming the columns; they have no mean."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for column in table.columns:
        if lacking := table.lacking(column):
            groups.setdefault(lacking, []).append(column)
    effect = ", so there is no mean over the models" if summary(table) else ""
    notes = []
    for models, columns in groups.items():
        whole = models == table.models and len(models) > 1
        start = "No model has a value" if whole else f"No value of {', '.join(models)}"
        notes.append(f"{start} in {', '.join(columns)}{'' if whole else effect}.")
    return tuple(notes)


def dropped_notes(table: FieldTable, means: bool = False) -> tuple[str, ...]:
    """Return a note on the draws in which some figure is not defined: how many, by column."""
    counts: dict[str, list[int]] = {}
    for _, column, figure in _figures(table, means):
        counts.setdefault(column, []).append(figure.dropped)
    found = [f"{column} ({_span(np.array(dropped))})" for column, dropped in counts.items() if any(dropped)]
    start = f"{table.name}: draws with nothing to divide by, which are left out of the interval"
    return (f"{start}: {', '.join(found)}.",) if found else ()


def alone_notes(table: FieldTable, means: bool = False) -> tuple[str, ...]:
    """Return a note that names the figures without an interval, since one scene tells nothing of a spread."""
    shown = list(_figures(table, means))
    found = [f"{name}{column}" for name, column, figure in shown if not math.isfinite(figure.low)]
    named = f": {', '.join(found)}" if len(found) < len(shown) else ""
    return (f"{table.name}: from one scene, so without an interval{named}.",) if found else ()


def basis(table: FieldTable, of: str = "") -> tuple[tuple[str, str], ...]:
    """Return what a table rests on, as an exhibit's `basis` has it: n, coverage, questions and scenes.

    Coverage is valid / planned over all cells, with the lowest cell where they differ. With `of` all of it is
    in one entry of that label, for an exhibit of several tables.
    """
    valid, planned = table.cells.n, table.cells.planned
    what = "pairs of conversations" if table.unit == "difference" else "conversations"
    each = " in each column" if len(table.columns) > 1 else ""
    pairs = (
        ("n", f"{int(valid.sum()):,} of {int(planned.sum()):,} planned {what}"),
        ("Coverage", coverage(valid, planned)),
        ("Questions", f"{_span(table.field.questions)}{each}"),
        ("Scenes", f"{_span(table.field.scenes)}{each}"),
    )
    if not of:
        return pairs
    n, covered, questions, scenes = (text for _, text in pairs)
    return ((of, f"n = {n}; coverage {covered}; questions: {questions}; scenes: {scenes}"),)


def coverage(valid: NDArray[np.intp], planned: NDArray[np.intp]) -> str:
    """Return valid / planned of arrays of one shape as text, with the lowest cell where they differ."""
    whole = f"{PRINTED.coverage(int(valid.sum()), int(planned.sum()))} %"
    cells = [(int(n), int(of)) for n, of in zip(valid.ravel(), planned.ravel(), strict=True) if of]
    if len({PRINTED.coverage(*cell) for cell in cells}) < 2:
        return whole
    lowest = min(cells, key=lambda cell: cell[0] / cell[1])
    return f"{whole} ({PRINTED.coverage(*lowest)} % in the cell with the least)"


def reported_table(
    name: str, pairs: Sequence[Beside], models: Sequence[str], first: str = "", notes: Sequence[str] = ()
) -> Table:
    """Return the paper's figures with ours beside them, in columns of their own.

    All `pairs` have one unit; `models` are those that ours are the mean of, none where the figures are of
    single models. `first` is the head of what they are of. Raises ValueError for several units.
    """
    units = {pair.reported.unit for pair in pairs}
    if len(units) != 1:
        raise ValueError(f"{name}: found {', '.join(sorted(units)) or 'no unit'}, allowed: one")
    kind, sign = _REPORTED[units.pop()]
    source = pairs[0].reported.source
    return Table(
        name,
        f"Reported in {source}, and measured here",
        (Head(first), Head(f"Reported, {sign}", kind, reported=True), Head(f"Measured here, {sign}", kind)),
        tuple((pair.what, _as(pair.reported, kind), pair.measured) for pair in pairs),
        (*([field_note(models)] if models else []), *notes),
    )


def field_note(models: Sequence[str]) -> str:
    """Return what the two sides of a table with reported figures are means of."""
    (row,) = printed_table(PAPER, "composition").find(of="assistants")
    theirs = f"mean of the paper's {row.figures['number'].value:.0f} assistants"
    return f"Reported: {theirs}. Measured here: {mean_of(models)}."


def _as(figure: ReportedFigure, kind: Kind) -> int | float:
    return int(figure.value) if kind == "count" else figure.value


def _figures(table: FieldTable, means: bool) -> Iterator[tuple[str, str, Figure]]:
    """Yield the figures that are defined, after their model, as a word, and their column; the means last."""
    rows: list[tuple[str, Callable[[str], Figure]]] = []
    if not means:
        rows += [(f"{model} ", partial(table.at, model)) for model in table.models]
    if means or summary(table):
        rows.append(("" if means else "mean ", table.of_field))
    for name, figure_of in rows:
        for column in table.columns:
            if math.isfinite((figure := figure_of(column)).value):
                yield name, column, figure


def _span(counts: NDArray[np.intp]) -> str:
    """Return the number that all have, or from where to where theirs go."""
    least, most = int(counts.min(initial=counts.max(initial=0))), int(counts.max(initial=0))
    return f"{most:,}" if least == most else f"{least:,} to {most:,}"
