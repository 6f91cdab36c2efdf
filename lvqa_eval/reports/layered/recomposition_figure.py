"""Figure 9: what taking a stream apart costs, and what putting it together again gives back."""

from typing import TYPE_CHECKING, Final

from lvqa_eval.metrics.delivery import FULL
from lvqa_eval.metrics.figures import FieldTable
from lvqa_eval.metrics.recomposition import STEPS, STREAMS, recomposition
from lvqa_eval.reports.exhibit import Exhibit, Plot
from lvqa_eval.reports.layered.field_rows import (
    ACCURACY,
    MEAN,
    PAPER,
    Beside,
    basis,
    field_name,
    lacking_conditions,
    model_table,
    reported_table,
)
from lvqa_eval.reports.layered.figure_words import model_axis, told
from lvqa_eval.reports.plots.dots import Series, draw_dots
from lvqa_eval.reports.plots.legend import legend_above
from lvqa_eval.reports.plots.style import WIDTH
from lvqa_eval.reports.reported import reported_table as printed_table
from lvqa_eval.reports.study.inputs import StudyInputs
from lvqa_eval.reports.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

NAME: Final = "figure-9"
TITLE: Final = "Recomposition"
DEFINITION: Final = (
    "Changes of accuracy, in points, for each stream. Fragmenting: the stream in pieces less the stream "
    "whole. Restoring: in pieces with a last turn that puts them together, less in pieces without it. "
    "Overshoot: with that last turn less whole, which is the sum of the two; it is positive where "
    "recomposing does better than never taking apart.",
    *(
        f"{name.capitalize()} stream: whole is {stream.whole}, in pieces {stream.sharded}, put together "
        f"{stream.recap}."
        for name, stream in STREAMS.items()
    ),
    "All three changes of a stream are taken over the same questions and runs: those whose conversations "
    "count in all three of its conditions.",
    f"{ACCURACY} {MEAN}",
)
# As the file of printed figures names them.
_PRINTED_STEPS: Final = dict(zip(STEPS, ("fragment", "restore", "overshoot"), strict=True))


def exhibit(inputs: StudyInputs) -> Exhibit:
    """Return Figure 9, of the streams whose three conditions were run."""
    tables = {
        name: recomposition(inputs.study, stream, inputs.weights)
        for name, stream in STREAMS.items()
        if inputs.study.held(stream) == stream
    }
    if not tables:
        needed = (FULL, *(one for stream in STREAMS.values() for one in (stream.sharded, stream.recap)))
        missing = lacking_conditions(inputs, needed)
        return Exhibit(NAME, "Figure 9", TITLE, PAPER, DEFINITION, missing=missing)
    return Exhibit(
        NAME,
        "Figure 9",
        TITLE,
        PAPER,
        DEFINITION,
        basis=_basis(inputs, tables),
        tables=tuple(_table(name, table) for name, table in tables.items()),
        plot=_plot(tables),
        reported=_reported(tables),
    )


def _basis(inputs: StudyInputs, tables: dict[str, FieldTable]) -> tuple[tuple[str, str], ...]:
    pairs = [pair for name, table in tables.items() for pair in basis(table, f"{name} stream")]
    for name, stream in STREAMS.items():
        if name not in tables:
            absent = ", ".join(one for one in stream if one not in inputs.study.conditions)
            pairs.append(("Left out", f"the {name} stream, since nobody ran {absent}"))
    return tuple(pairs)


def _table(stream: str, table: FieldTable) -> Table:
    return model_table(f"figure-9-{stream}", f"Changes of accuracy, {stream} stream", table)


def _plot(tables: dict[str, FieldTable]) -> Plot:
    models = next(iter(tables.values())).models
    rows, summary = model_axis(models)

    def draw(figure: "Canvas") -> None:
        panels = figure.subplots(1, len(tables), sharey=True, sharex=True, squeeze=False)[0]
        for axes, (name, table) in zip(panels, tables.items(), strict=True):
            series = [Series.of_column(step.capitalize(), table, step) for step in STEPS]
            draw_dots(axes, rows, series, summary=summary)
            axes.set_title(f"{name.capitalize()} stream")
            axes.set_xlabel("change of accuracy, points")
        legend_above(*panels)

    return Plot(draw, (WIDTH, 1.2 + 0.36 * len(rows)), _alt(tables))


def _alt(tables: dict[str, FieldTable]) -> str:
    parts = [
        f"{name} stream: " + ", ".join(f"{step} {told(table.of_field(step), 'points')}" for step in STEPS)
        for name, table in tables.items()
    ]
    models = next(iter(tables.values())).models
    return f"Changes of accuracy in points, with 95 % intervals. {field_name(models)}. {'. '.join(parts)}."


def _reported(tables: dict[str, FieldTable]) -> Table:
    pairs = []
    for name in STREAMS:
        (row,) = printed_table(PAPER, "recomposition").find(stream=name)
        for step, printed in _PRINTED_STEPS.items():
            what = f"{name} stream, {step}"
            figure = row.figures[printed]
            pairs.append(
                Beside(what, figure, tables[name].of_field(step)) if name in tables else Beside(what, figure)
            )
    models = next(iter(tables.values())).models
    return reported_table("figure-9-reported", pairs, models, first="Change of accuracy")
