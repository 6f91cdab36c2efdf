"""What each model reached under each condition, and what became of its conversations."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lvqa_eval.metrics.bear.conditions import CONDITIONS, DEFAULT
from lvqa_eval.metrics.bear.groups import by_cell, by_domain, by_language, overall
from lvqa_eval.metrics.delivery import accuracy_table, paired
from lvqa_eval.metrics.figures import FieldTable, Figure, field_table
from lvqa_eval.metrics.groups import level_by_group
from lvqa_eval.metrics.replicated import replicate
from lvqa_eval.metrics.scores import MISSING, OUTCOMES
from lvqa_eval.metrics.study import Mask, Study
from lvqa_eval.reports.bear.inputs import PageInputs
from lvqa_eval.reports.bear.page_rows import ACCURACY, PAPER, alone_notes
from lvqa_eval.reports.conditions.outcomes import OUTCOME_COLUMNS, outcome_counts
from lvqa_eval.reports.exhibit import Exhibit
from lvqa_eval.reports.table import Head, Table, Value
from lvqa_eval.runs.records import PageRecord
from lvqa_eval.statuses import EXCLUDED, Status

NAME: Final = "bear-overview"
TITLE: Final = "Accuracy and outcomes"
DEFINITION: Final = (
    ACCURACY,
    f"Less {DEFAULT}: accuracy less that of {DEFAULT}, in points, over the pages and runs that count under "
    "both.",
    "n: answers that count; coverage: n divided by what was planned. Truncated: replies that the limit of "
    "tokens cut off, thinking included, divided by all that the model gave; they are wrong. A baseline is "
    "what is reached without the page, and is in no difference.",
    "Outcomes: what became of each planned conversation. Right and wrong are by verdict; truncated, refused, "
    "empty and unparsable are wrong too; the others do not count.",
)

Counts = Mapping[str, int]


def exhibit(inputs: PageInputs) -> Exhibit:
    """Return accuracy and outcomes by model and condition; of a single model also by part of the set."""
    parts = [_parts(inputs)] if len(inputs.study.models) == 1 else []
    planned = int(inputs.study.planned.sum())
    return Exhibit(
        name=NAME,
        label="",
        title=TITLE,
        paper=PAPER,
        definition=DEFINITION,
        basis=(
            ("Planned", f"{planned:,} conversations"),
            ("Pages", f"{len(inputs.study.questions):,}"),
            ("Source documents", f"{len(inputs.study.scenes):,}"),
        ),
        tables=(_by_condition(inputs), _outcomes(inputs), *parts),
    )


def _parts(inputs: PageInputs) -> Table:
    """Return the accuracy of the only model by language, domain and cell, under the first condition."""
    study, condition = inputs.study, _conditions(inputs.study)[0]
    pages = study.questions
    groups = {**overall(pages), **by_language(pages), **by_domain(pages), **by_cell(pages)}
    table = level_by_group(study, condition, groups, inputs.weights)
    place = study.conditions.index(condition)
    rows: list[tuple[Value, ...]] = []
    for name, asked in groups.items():
        documents = len({pages[one].source_document for one in np.flatnonzero(asked)})
        figure = table.at(study.models[0], name)
        counts = _counts(study.outcome[0, place][asked])
        rows.append((name, int(asked.sum()), documents, *_measured(figure), _cut(counts)))
    heads = (Head("Part"), Head("Pages", "count"), Head("Source documents", "count"), *_MEASURED, _CUT)
    notes = alone_notes(replace(table, name="Accuracy"))
    return Table(f"{NAME}-parts", f"{study.models[0]}, {condition}", heads, tuple(rows), notes)


def _by_condition(inputs: PageInputs) -> Table:
    study = inputs.study
    levels, changes = accuracy_table(study, inputs.weights), _changes(inputs)
    rows: list[tuple[Value, ...]] = []
    for model, condition, counts in _rows(study):
        change: Value = changes.at(model, condition) if condition in changes.columns else math.nan
        figure = levels.at(model, condition)
        rows.append((model, condition, figure, change, *_measured(figure)[1:], _cut(counts)))
    if inputs.baselines is not None:
        beside = accuracy_table(inputs.baselines, inputs.weights)
        for model, name, counts in _rows(inputs.baselines):
            figure = beside.at(model, name)
            rows.append((model, f"{name} (baseline)", figure, math.nan, *_measured(figure)[1:], _cut(counts)))
    change_head = Head(f"Less {DEFAULT}, points", "points")
    heads = (Head("Model"), Head("Condition"), _MEASURED[0], change_head, *_MEASURED[1:], _CUT)
    return Table(f"{NAME}-conditions", "Accuracy by condition", heads, tuple(rows))


def _outcomes(inputs: PageInputs) -> Table:
    counted = ("Planned", "Right", "Wrong", *OUTCOME_COLUMNS)
    heads = (Head("Model"), Head("Condition"), *(Head(name, "count") for name in counted))
    studies = [(inputs.study, ""), *([(inputs.baselines, " (baseline)")] if inputs.baselines else [])]
    rows: list[tuple[Value, ...]] = []
    for study, mark in studies:
        for model, condition, counts in _rows(study):
            row, column = study.models.index(model), study.conditions.index(condition)
            ruled = study.correct[row, column][_held(study, row, column)]
            right = int(np.nansum(ruled))
            wrong = counts[Status.OK] - right
            rest = outcome_counts(counts)
            rows.append((model, condition + mark, sum(counts.values()), right, wrong, *rest))
    return Table(f"{NAME}-outcomes", "Outcomes of conversations", heads, tuple(rows))


_MEASURED: Final = (Head("Accuracy, %", "share"), Head("n", "count"), Head("Coverage, %", "coverage"))
_CUT: Final = Head("Truncated, %", "share")


def _measured(figure: Figure) -> tuple[Value, ...]:
    return figure, figure.n, figure.coverage


def _conditions(study: Study[PageRecord]) -> tuple[str, ...]:
    """Return the conditions of a study in the order of the tables, others last."""
    known = [one for one in CONDITIONS if one in study.conditions]
    return (*known, *(one for one in study.conditions if one not in known))


def _changes(inputs: PageInputs) -> FieldTable:
    study = inputs.study
    others = [one for one in study.conditions if one != DEFAULT] if DEFAULT in study.conditions else []
    values, planned = paired(study, others, DEFAULT)
    statistic = replicate(values, planned, study.scene_of, inputs.weights)
    return field_table(f"Less {DEFAULT}", "difference", study.models, others, statistic)


def _rows(study: Study[PageRecord]) -> Iterator[tuple[str, str, Counts]]:
    """Yield each model and condition that it planned, with the number of conversations by outcome."""
    for row, model in enumerate(study.models):
        for condition in _conditions(study):
            column = study.conditions.index(condition)
            if (held := _held(study, row, column)).any():
                yield model, condition, _counts(study.outcome[row, column][held])


def _held(study: Study[PageRecord], row: int, column: int) -> Mask:
    return np.asarray(study.planned[row, column])


def _counts(outcome: NDArray[np.int8]) -> Counts:
    return {name: int((outcome == code).sum()) for code, name in enumerate(OUTCOMES)}


def _cut(counts: Counts) -> float:
    """Return the share of the replies that the limit of tokens cut off, NaN without any reply."""
    replies = sum(counts.values()) - sum(counts[name] for name in (*EXCLUDED, MISSING))
    return counts[Status.TRUNCATED] / replies if replies else math.nan
