"""Figure 4: of what kind wrong answers are."""

from typing import TYPE_CHECKING, Final

import numpy as np

from lvqa_eval.metrics.bear.error_types import ERROR_TYPES, NONE_OF_THEM, ErrorTypes, error_types
from lvqa_eval.metrics.figures import FieldTable
from lvqa_eval.reports.bear.commands import TAG_ERRORS
from lvqa_eval.reports.bear.inputs import PageInputs
from lvqa_eval.reports.bear.page_rows import PAPER, UNPROMPTED, left_out, model_table
from lvqa_eval.reports.exhibit import Exhibit, Plot
from lvqa_eval.reports.layered.field_rows import MEAN, field_name
from lvqa_eval.reports.layered.figure_words import told
from lvqa_eval.reports.plots.curves import NAMED
from lvqa_eval.reports.plots.dots import Series, draw_dots
from lvqa_eval.reports.plots.legend import legend_above
from lvqa_eval.reports.plots.names import short_names
from lvqa_eval.reports.plots.palette import LIGHT
from lvqa_eval.reports.table import Head, Table, Value

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

NAME: Final = "bear-figure-4"
TITLE: Final = "Types of errors"
_TYPES: Final = ", ".join(f"{tag} {words}" for tag, words in ERROR_TYPES.items())
DEFINITION: Final = (
    f"{UNPROMPTED} People looked at answers that the judge holds wrong, and tagged each with the errors in "
    f"it: {_TYPES}. An answer may have several tags, so that shares do not add up to 100 %; {NONE_OF_THEM}: "
    "looked at, and no tag fits.",
    "Shares are of a model's tagged wrong answers. An answer that failed, such as one cut off, counts "
    "neither as wrong nor as tagged here: it says nothing of the page.",
    MEAN,
)


def exhibit(inputs: PageInputs) -> Exhibit:
    """Return Figure 4, of the models with tagged answers."""
    found = error_types(inputs.study, inputs.tags or {}, inputs.weights)
    if found is None:
        missing = f"No wrong answer of {', '.join(inputs.runs)} has a tag. People give them in: {TAG_ERRORS}"
        return Exhibit(NAME, "Figure 4", TITLE, PAPER, DEFINITION, missing=missing)
    return Exhibit(
        name=NAME,
        label="Figure 4",
        title=TITLE,
        paper=PAPER,
        definition=DEFINITION,
        basis=_basis(found),
        tables=(model_table(NAME, "Share of tagged wrong answers", found.shares), _counts(found)),
        plot=_plot(found.shares),
    )


def _basis(found: ErrorTypes) -> tuple[tuple[str, str], ...]:
    looked = f"{sum(found.tagged):,} of {sum(found.wrong):,} wrong answers"
    unlike = (("Tagged, but not wrong", f"{found.not_wrong:,}"),) if found.not_wrong else ()
    return (("Tagged", looked), *unlike, *left_out(found.left_out, "no tagged answer"))


def _counts(found: ErrorTypes) -> Table:
    heads = ("Model", "Wrong", "Tagged", *found.shares.columns)
    per_model = zip(found.shares.models, found.wrong, found.tagged, found.counts.tolist(), strict=True)
    rows: list[tuple[Value, ...]] = [
        (model, wrong, tagged, *map(int, counts)) for model, wrong, tagged, counts in per_model
    ]
    kinds = (Head("Model"), *(Head(title, "count") for title in heads[1:]))
    return Table(f"{NAME}-counts", "Number of tagged wrong answers", kinds, tuple(rows))


def _plot(table: FieldTable) -> Plot:
    rows = [f"{one} {ERROR_TYPES.get(one, 'of them')}" for one in table.columns]
    named = len(table.models) <= NAMED

    def draw(figure: "Canvas") -> None:
        axes = figure.subplots()
        if named:
            draw_dots(axes, rows, _by_model(table))
        else:
            _draw_behind(axes, table)
            mean = [table.of_field(one) for one in table.columns]
            draw_dots(axes, rows, [Series.of(field_name(table.models), mean)])
        axes.set_xlim(left=0)
        axes.set_xlabel("share of tagged wrong answers, %")
        legend_above(axes, columns=2)

    height = 1.2 + (0.2 + 0.16 * (len(table.models) if named else 1)) * len(rows)
    return Plot(draw, (5.5, height), _alt(table))


def _by_model(table: FieldTable) -> list[Series]:
    return [
        Series.of(name, [table.at(model, one) for one in table.columns])
        for name, model in zip(short_names(table.models), table.models, strict=True)
    ]


def _draw_behind(axes: "Axes", table: FieldTable) -> None:
    """Draw each model as a grey point."""
    places = np.broadcast_to(np.arange(len(table.columns)), table.cells.value.shape)
    axes.plot(100 * table.cells.value.ravel(), places.ravel(), "o", color=LIGHT, label="single models")


def _alt(table: FieldTable) -> str:
    shares = ", ".join(
        f"{one} {ERROR_TYPES.get(one, 'of them')} {told(table.of_field(one), 'share')} %"
        for one in table.columns
    )
    return f"Share of tagged wrong answers with each type of error. {field_name(table.models)}: {shares}."
