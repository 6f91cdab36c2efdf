"""Figure 7: what models can do, and whether they do it every time."""

from typing import TYPE_CHECKING, Final

from lvqa_eval.metrics.figures import FieldTable
from lvqa_eval.metrics.reliability import BASELINES, Reliability, reliability, reliability_changes
from lvqa_eval.reports.exhibit import Exhibit, Plot
from lvqa_eval.reports.layered.field_rows import (
    MEAN,
    PAPER,
    Beside,
    basis,
    column_rows,
    field_name,
    in_paper_order,
    model_table,
    own_notes,
    reported_table,
)
from lvqa_eval.reports.layered.figure_words import side_by_side, told
from lvqa_eval.reports.plots.dots import Series, draw_dots
from lvqa_eval.reports.plots.legend import legend_above
from lvqa_eval.reports.plots.names import short_names
from lvqa_eval.reports.reported import ReportedFigure
from lvqa_eval.reports.reported import reported_table as printed_table
from lvqa_eval.reports.study.inputs import StudyInputs
from lvqa_eval.reports.table import Head, Kind, Table, Value

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

NAME: Final = "figure-7"
TITLE: Final = "Aptitude and unreliability"
MEASURES: Final = ("accuracy", "aptitude", "unreliability")
DEFINITION: Final = (
    "Of the questions whose runs all count. Accuracy: the mean over the runs. Aptitude: the share of "
    "questions answered rightly in at least one run. Unreliability: the share decided both ways, rightly in "
    "one run and wrongly in another. Right in every run is aptitude less unreliability. Aptitude and "
    "unreliability grow with the number of runs: compare them at the same number.",
    "Changes are paired: over the questions whose runs all count on both sides. Each stream in pieces stands "
    "against both baselines: full, where both streams are whole, and the same pieces in one turn.",
    MEAN,
)
_UNTOLD: Final = (
    "The paper does not name the baseline of a figure, so it stands beside each that may be meant."
)


def exhibit(inputs: StudyInputs) -> Exhibit:
    """Return Figure 7, of all conditions that were run."""
    study = inputs.study
    if study.correct.shape[3] < 2:
        missing = (
            f"{', '.join(inputs.runs)}: one run of each condition, which does not tell how often an answer "
            "changes. Make runs of each model with several: lvqa run --model NAME --runs 3"
        )
        return Exhibit(NAME, "Figure 7", TITLE, PAPER, DEFINITION, missing=missing)
    found = reliability(study, inputs.weights, in_paper_order(study.conditions))
    pairs = tuple(pair for pair in BASELINES if study.held(pair) == pair)
    changes = reliability_changes(study, inputs.weights, pairs)
    return Exhibit(
        NAME,
        "Figure 7",
        TITLE,
        PAPER,
        DEFINITION,
        basis=(*basis(found.accuracy, "levels"), *(basis(changes.accuracy, "changes") if pairs else ())),
        tables=_tables(found, changes),
        plot=_plot(found, changes),
        reported=_reported(inputs, found, changes),
    )


def _tables(found: Reliability, changes: Reliability) -> tuple[Table, ...]:
    tables = [_field_table(f"{NAME}-conditions", "By condition", "Condition", found, "%", "share")]
    if changes.accuracy.columns:
        tables.append(_field_table(f"{NAME}-changes", "Changes", "Difference", changes, "points", "points"))
    if len(found.accuracy.models) > 1:
        tables += [
            model_table(f"{NAME}-{measure}{behind}", f"{measure.capitalize()}{title} by model", table)
            for of, behind, title in ((found, "", ""), (changes, "-changes", ", changes"))
            for measure in MEASURES
            if (table := getattr(of, measure)).columns
        ]
    return tuple(tables)


def _field_table(name: str, title: str, first: str, of: Reliability, sign: str, kind: Kind) -> Table:
    parts = [getattr(of, measure) for measure in MEASURES]
    heads = (Head(first), *(Head(f"{measure.capitalize()}, {sign}", kind) for measure in MEASURES))
    title = f"{title}: {field_name(parts[0].models)}"
    return Table(name, title, heads, column_rows(*parts), own_notes(*parts, means=True))


def _plot(found: Reliability, changes: Reliability) -> Plot:
    columns = [of.accuracy.columns for of in (found, changes) if of.accuracy.columns]
    rows = [len(names) for names in columns]

    def draw(figure: "Canvas") -> None:
        panels = figure.subplots(len(rows), 1, squeeze=False, height_ratios=[count + 1 for count in rows])
        labels = ("share of the questions, %", "change, points")
        for axes, of, label in zip(panels[:, 0], (found, changes), labels, strict=False):
            draw_dots(axes, of.accuracy.columns, [_series(getattr(of, one), one) for one in MEASURES])
            axes.set_xlabel(label)
        panels[0, 0].set_title(field_name(short_names(found.accuracy.models)))
        legend_above(panels[0, 0])

    return Plot(draw, (6.0, 1.3 + 0.6 * len(rows) + 0.27 * sum(rows)), _alt(found, changes))


def _series(table: FieldTable, measure: str) -> Series:
    return Series.of(measure.capitalize(), [table.of_field(column) for column in table.columns])


def _alt(found: Reliability, changes: Reliability) -> str:
    levels = [
        f"{column} {told(found.unreliability.of_field(column), 'share')} %"
        for column in found.unreliability.columns
    ]
    differences = [
        f"{column}: accuracy {told(changes.accuracy.of_field(column), 'points')}, unreliability "
        f"{told(changes.unreliability.of_field(column), 'points')} points"
        for column in changes.accuracy.columns
    ]
    text = f"{field_name(found.accuracy.models)}. Questions decided both ways: {', '.join(levels)}."
    return f"{text} Changes, with 95 % intervals: {'; '.join(differences)}." if differences else text


def _reported(inputs: StudyInputs, found: Reliability, changes: Reliability) -> Table:
    printed = {row.keys["stream"]: row.figures for row in printed_table(PAPER, "unreliability").rows}
    question, layers = printed["question"], printed["layers"]

    def level(condition: str, figure: ReportedFigure) -> Beside:
        known = condition in found.unreliability.columns
        ours: Value = found.unreliability.of_field(condition) if known else float("nan")
        return Beside(f"unreliability, {condition}", figure, ours)

    def change(measure: str, column: str, figure: ReportedFigure) -> Beside:
        table = getattr(changes, measure)
        ours: Value = table.of_field(column) if column in table.columns else float("nan")
        return Beside(f"{measure}, {column}", figure, ours)

    shares = [level("full", question["whole"]), level("concat-q", question["whole"])]
    shares.append(level("sharded-q", question["in_pieces"]))
    columns = [f"{one} minus {other}" for one, other in BASELINES]
    points = [change("accuracy", one, question["accuracy"]) for one in columns[:2]]
    points += [change("accuracy", one, layers["accuracy"]) for one in columns[2:]]
    points += [change("unreliability", one, layers["added"]) for one in columns[2:]]
    models = inputs.study.models
    return side_by_side(
        reported_table(f"{NAME}-reported", shares, models, "Figure", [_UNTOLD]),
        reported_table(f"{NAME}-reported", points, models, "Figure"),
    )
