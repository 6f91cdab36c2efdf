"""Accuracy by model and condition, with its spread over runs, its coverage and the outcomes behind it."""

import math
from collections.abc import Sequence

import numpy as np

from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.delivery import FULL, accuracy_table, cell_accuracy, run_spread
from lvqa_eval.metrics.figures import FieldTable, Figures
from lvqa_eval.metrics.groups import by_kind, level_by_group
from lvqa_eval.metrics.scores import OUTCOMES
from lvqa_eval.metrics.study import NOT_PLANNED, Study
from lvqa_eval.reports.conditions.outcomes import COUNTED_AS_WRONG, OUTCOME_COLUMNS, outcome_counts
from lvqa_eval.reports.exhibit import Exhibit
from lvqa_eval.reports.layered.field_rows import (
    ACCURACY,
    MEAN,
    PAPER,
    Beside,
    basis,
    field_name,
    in_paper_order,
    model_table,
    not_run,
    reported_table,
    summary,
)
from lvqa_eval.reports.reported import reported_table as printed_table
from lvqa_eval.reports.study.inputs import StudyInputs
from lvqa_eval.reports.table import Head, Table, Value
from lvqa_eval.statuses import Status

NAME = "accuracy"
TITLE = "Accuracy"


def exhibit(inputs: StudyInputs) -> Exhibit:
    """Return accuracy by model and condition, its mean and SD over runs, coverage, and outcomes by model."""
    study = inputs.study
    conditions = in_paper_order(study.conditions)
    reached = accuracy_table(study, inputs.weights, conditions)
    several = study.correct.shape[3] > 1
    one_run = () if several else ("One run: the spread over runs is not known.",)
    return Exhibit(
        name=NAME,
        label="",
        title=TITLE,
        paper=PAPER,
        definition=_definition(inputs, several),
        basis=basis(reached),
        tables=(
            model_table(NAME, "Accuracy by model and condition", reached, notes=(*not_run(study), *one_run)),
            *(_over_runs(study, reached) if several else ()),
            _coverage(study, reached),
            _outcomes(study),
        ),
        reported=_reported(inputs, reached),
    )


def _definition(inputs: StudyInputs, several: bool) -> tuple[str, ...]:
    over_runs = (
        "Over runs: the mean and the standard deviation (n - 1) of the accuracies of single runs. The last "
        "row is that of the mean over the models in each run, so its SD is no mean of the SDs above it; it "
        "has no figure for a condition that some model lacks in some run."
    )
    titles = [title.lower() for title in OUTCOME_COLUMNS]
    wrong, excluded = ", ".join(titles[:COUNTED_AS_WRONG]), ", ".join(titles[COUNTED_AS_WRONG:])
    return (
        ACCURACY,
        "Pooled: every conversation has the same weight, so a run of which more counts weighs more.",
        MEAN,
        *([over_runs] if several else []),
        "Coverage: conversations that count, divided by those planned, rounded down; 100.0 only where "
        "nothing is missing.",
        "Outcomes: shares of all planned conversations of a model, over its conditions. Judged: ended well "
        f"and has a verdict. Counted as wrong: {wrong}. Not counted: {excluded}.",
    )


def _over_runs(study: Study, reached: FieldTable) -> tuple[Table, Table]:
    """Return the tables of the mean and of the SD over runs."""
    cells = [[cell_accuracy(study, model, one) for one in reached.columns] for model in study.models]
    spread = run_spread(study)
    places = [study.conditions.index(one) for one in reached.columns]
    means = [[cell.run_mean for cell in row] for row in cells]
    sds = [[cell.run_sd for cell in row] for row in cells]
    runs = study.correct.shape[3]
    return (
        _plain(f"{NAME}-run-mean", f"Mean over {runs} runs", "%", reached, means, spread.mean[places]),
        # A standard deviation has no sign, so it prints as a share does.
        _plain(f"{NAME}-run-sd", f"SD over {runs} runs", "points", reached, sds, spread.sd[places]),
    )


def _plain(
    name: str,
    title: str,
    sign: str,
    reached: FieldTable,
    rows: Sequence[Sequence[float]],
    field: Floats,
) -> Table:
    named: list[tuple[Value, ...]] = [
        (model, *map(float, row)) for model, row in zip(reached.models, rows, strict=True)
    ]
    if summary(reached):
        named.append((field_name(reached.models), *map(float, field)))
    return Table(
        name,
        title,
        (Head("Model"), *(Head(f"{one}, {sign}", "share") for one in reached.columns)),
        tuple(named),
        summary=summary(reached),
    )


def _coverage(study: Study, reached: FieldTable) -> Table:
    """Return the coverage of each cell, of each model over all conditions, and of all models."""
    rows: list[tuple[Value, ...]] = [
        (model, *_shares(reached.cells, row)) for row, model in enumerate(reached.models)
    ]
    if summary(reached):
        rows.append((f"All {len(reached.models)} models", *_shares(reached.field)))
    return Table(
        f"{NAME}-coverage",
        "Coverage: conversations that count, of those planned",
        (Head("Model"), *(Head(f"{one}, %", "coverage") for one in (*reached.columns, "all conditions"))),
        tuple(rows),
        not_run(study),
        summary(reached),
    )


def _shares(figures: Figures, *row: int) -> list[float]:
    """Return valid / planned of each column, then of all; NaN where nothing was planned."""
    counts = [*zip(figures.n[row], figures.planned[row], strict=True)]
    total = (figures.n[row].sum(), figures.planned[row].sum())
    return [float(valid / planned) if planned else math.nan for valid, planned in (*counts, total)]


def _outcomes(study: Study) -> Table:
    """Return what became of each model's planned conversations, over all of its conditions."""
    rows: list[tuple[Value, ...]] = []
    for model, outcome in zip(study.models, study.outcome, strict=True):
        found = np.bincount(outcome[outcome != NOT_PLANNED], minlength=len(OUTCOMES)).tolist()
        counts = dict(zip(OUTCOMES, found, strict=True))
        planned = sum(found)
        shares = [count / planned for count in (counts[Status.OK.value], *outcome_counts(counts))]
        rows.append((model, planned, *shares))
    if len(rows) > 1:
        means = np.array([row[2:] for row in rows], dtype=np.float64).mean(axis=0)
        rows.append((field_name(study.models), math.nan, *means.tolist()))
    heads = [Head(f"{title}, %", "share") for title in ("Judged", *OUTCOME_COLUMNS)]
    return Table(
        f"{NAME}-outcomes",
        "Outcomes of planned conversations, all conditions together",
        (Head("Model"), Head("Planned", "count"), *heads),
        tuple(rows),
        summary=int(len(study.models) > 1),
    )


def _reported(inputs: StudyInputs, reached: FieldTable) -> Table:
    """Return the accuracies that the paper prints as means over its models, with ours beside them."""
    related = {"relational": by_kind(inputs.study, inputs.relational)["relational"]}
    pairs = []
    for row in printed_table(PAPER, "accuracy").rows:
        condition, asked = row.keys["condition"], row.keys["questions"]
        ours: Value = math.nan
        if condition in reached.columns:
            whole = asked == "all"
            level = reached if whole else level_by_group(inputs.study, condition, related, inputs.weights)
            ours = level.of_field(condition if whole else asked)
        pairs.append(Beside(f"{condition}, {asked} questions", row.figures["accuracy"], ours))
    (row,) = printed_table(PAPER, "depth").find(layers="all")
    ours = reached.of_field(FULL) if FULL in reached.columns else math.nan
    pairs.append(Beside(f"{FULL}, all questions", row.figures["full"], ours))
    relational = f"Relational questions: those of {', '.join(inputs.relational)}."
    return reported_table(f"{NAME}-reported", pairs, reached.models, "Accuracy", (relational,))
