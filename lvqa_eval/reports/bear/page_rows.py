"""What all tables over pages share: their words, rows of models and of groups, and the paper's side."""

import math
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lvqa_eval.metrics.bear.conditions import DEFAULT
from lvqa_eval.metrics.bear.groups import Pages
from lvqa_eval.metrics.figures import FieldTable
from lvqa_eval.metrics.groups import Groups
from lvqa_eval.metrics.scores import OUTCOMES
from lvqa_eval.metrics.study import Study
from lvqa_eval.reports.bear.commands import RUN
from lvqa_eval.reports.bear.inputs import PageInputs
from lvqa_eval.reports.layered.field_rows import (
    KINDS,
    SIGNS,
    coverage,
    dropped_notes,
    heads,
    lacking_notes,
    mean_of,
    model_rows,
    summary,
)
from lvqa_eval.reports.layered.figure_words import told
from lvqa_eval.reports.reported import ReportedRow
from lvqa_eval.reports.reported.papers import model_key
from lvqa_eval.reports.table import Head, Table, Value
from lvqa_eval.runs.records import PageRecord
from lvqa_eval.statuses import MODEL_FAILED, Status

PAPER: Final = "bear-bench"

LANGUAGE_NAMES: Final[Mapping[str, str]] = {"ru": "Russian", "en": "English"}

_FAILED = ", ".join(sorted(status.value for status in MODEL_FAILED))
ACCURACY: Final = (
    "Accuracy: answers that the judge holds right, divided by those that count, over all pages and runs. An "
    f"answer that failed ({_FAILED}) is wrong; errors of the serving, overflows of the context and missing "
    "verdicts do not count."
)
UNPROMPTED: Final = "The page and the raw question alone, without a system prompt, at full size (default)."
"""Said in the definition of whatever has such figures."""


def lacking_default(inputs: PageInputs) -> str | None:
    """Return what an exhibit of the default condition says where no run has it; None where one does."""
    if DEFAULT in inputs.study.conditions:
        return None
    return f"None of {', '.join(inputs.runs)} has the condition {DEFAULT}. Make a run that does: {RUN}"


def model_table(name: str, title: str, *tables: FieldTable, notes: Sequence[str] = ()) -> Table:
    """Return statistics side by side as one table of models, with `notes` and those that they need."""
    own = dict.fromkeys(note for table in tables for note in _own_notes(table))
    return Table(name, title, heads(*tables), model_rows(*tables), (*notes, *own), summary(tables[0]))


def group_table(
    name: str, title: str, pages: Pages, groups: Groups, figures: Mapping[str, FieldTable], first: str
) -> Table:
    """Return the means over the models by group of pages: a row a group, with its size.

    `figures` holds, by the head of their column, statistics whose columns are the groups.
    """
    models = next(iter(figures.values())).models
    titles = [Head(f"{head}, {SIGNS[table.unit]}", KINDS[table.unit]) for head, table in figures.items()]
    rows: list[tuple[Value, ...]] = [
        (
            group,
            int(asked.sum()),
            len({pages[place].source_document for place in np.flatnonzero(asked)}),
            *(table.of_field(group) for table in figures.values()),
        )
        for group, asked in groups.items()
    ]
    return Table(
        name,
        f"{title}, {mean_of(models)}",
        (Head(first), Head("Pages", "count"), Head("Source documents", "count"), *titles),
        tuple(rows),
        tuple(note for table in figures.values() for note in lacking_notes(table)),
    )


def basis(table: FieldTable, of: str = "") -> tuple[tuple[str, str], ...]:
    """Return what a table rests on: n, coverage, pages and source documents.

    Coverage is valid / planned over all cells, with the lowest cell where they differ. With `of` all of it is
    in one entry of that label, for an exhibit of several tables.
    """
    valid, planned = table.cells.n, table.cells.planned
    what = "pairs of conversations" if table.unit == "difference" else "conversations"
    each = " in each column" if len(table.columns) > 1 else ""
    pairs = (
        ("n", f"{int(valid.sum()):,} of {int(planned.sum()):,} planned {what}"),
        ("Coverage", coverage(valid, planned)),
        ("Pages", f"{_span(table.field.questions)}{each}"),
        ("Source documents", f"{_span(table.field.scenes)}{each}"),
    )
    if not of:
        return pairs
    return ((of, "; ".join(f"{label.lower()}: {text}" for label, text in pairs)),)


def outcomes(study: Study[PageRecord], conditions: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return which conversations of the named conditions do not count and why, and which failed."""
    rows = [study.conditions.index(one) for one in study.held(conditions)]
    found = study.outcome[:, rows]
    counts = {name: int((found == code).sum()) for code, name in enumerate(OUTCOMES)}
    failed = {status.value for status in MODEL_FAILED}
    wrong = _counted({name: count for name, count in counts.items() if name in failed})
    absent = {name: n for name, n in counts.items() if name not in failed and name != Status.OK}
    pairs = (("Do not count", _counted(absent)), ("Wrong without a verdict", wrong))
    return tuple((label, text) for label, text in pairs if text)


def left_out(models: Sequence[str], why: str) -> tuple[tuple[str, str], ...]:
    """Return the line of a basis that names models without something; nothing where there are none."""
    return (("Left out", f"{', '.join(models)}: {why}"),) if models else ()


def printed_share(row: ReportedRow, column: str) -> float:
    """Return a printed percentage as it stands, NaN where the paper has none."""
    return row.figures[column].value if column in row.figures else math.nan


def ours_of(row: ReportedRow, models: Sequence[str]) -> str | None:
    """Return which of `models` a printed row is of, None where it is of another."""
    return next((one for one in models if model_key(one) == model_key(row.keys["model"])), None)


def told_columns(table: FieldTable) -> str:
    """Return the mean over the models of each column, as the description of a figure says it."""
    return ", ".join(f"{one} {told(table.of_field(one), 'share')} %" for one in table.columns)


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counts.items() if count)


def _own_notes(table: FieldTable) -> tuple[str, ...]:
    return (*lacking_notes(table), *dropped_notes(table), *alone_notes(table))


def alone_notes(table: FieldTable) -> tuple[str, ...]:
    """Return a note that names the columns of which some model's figure has no interval."""
    known, spread = np.isfinite(table.cells.value), np.isfinite(table.cells.low)
    alone = [
        one for one, held in zip(table.columns, (known & ~spread).any(axis=0).tolist(), strict=True) if held
    ]
    told = "from one source document, so without an interval"
    return (f"{table.name}: {told}: {', '.join(alone)}.",) if alone else ()


def _span(counts: NDArray[np.intp]) -> str:
    least, most = int(counts.min(initial=counts.max(initial=0))), int(counts.max(initial=0))
    return f"{most:,}" if least == most else f"{least:,} to {most:,}"
