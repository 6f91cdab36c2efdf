"""Figure 6: accuracy by the number of steps that a question takes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from lvqa_eval.metrics.bear.conditions import DEFAULT
from lvqa_eval.metrics.bear.groups import by_steps
from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.figures import FieldTable
from lvqa_eval.metrics.groups import Groups, level_by_group
from lvqa_eval.reports.bear.inputs import PageInputs
from lvqa_eval.reports.bear.page_rows import (
    ACCURACY,
    PAPER,
    UNPROMPTED,
    basis,
    group_table,
    lacking_default,
    model_table,
    outcomes,
)
from lvqa_eval.reports.exhibit import Exhibit, Plot
from lvqa_eval.reports.layered.field_rows import MEAN, field_name
from lvqa_eval.reports.layered.figure_words import told
from lvqa_eval.reports.plots.curves import draw_models
from lvqa_eval.reports.plots.legend import legend_above

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

NAME: Final = "bear-figure-6"
TITLE: Final = "Accuracy by reasoning steps"
BINS: Final = (
    "Steps: how many a question takes, as the person who wrote it stated. Bins: 3, 4, 5, 6 or more, and not "
    "stated; under 3 where there are any. Questions of different length are about different pages, so what "
    "differs between bins need not come from the steps."
)
DEFINITION: Final = (f"{UNPROMPTED} {ACCURACY}", BINS, MEAN)


def exhibit(inputs: PageInputs) -> Exhibit:
    """Return Figure 6: each model's accuracy by bin of steps."""
    if missing := lacking_default(inputs):
        return Exhibit(NAME, "Figure 6", TITLE, PAPER, DEFINITION, missing=missing)
    study = inputs.study
    groups = by_steps(study.questions)
    table = level_by_group(study, DEFAULT, groups, inputs.weights)
    tables = [group_table(NAME, TITLE, study.questions, groups, {"Accuracy": table}, "Steps")]
    if len(study.models) > 1:
        tables.append(model_table(f"{NAME}-models", f"{TITLE} and model", table))
    return Exhibit(
        name=NAME,
        label="Figure 6",
        title=TITLE,
        paper=PAPER,
        definition=DEFINITION,
        basis=(*basis(table), *outcomes(study, (DEFAULT,))),
        tables=tuple(tables),
        plot=_plot(table, groups),
    )


def step_axis(axes: "Axes", names: Sequence[str]) -> Floats:
    """Name the bins on the axis and return their places; "not stated" stands apart from the numbers."""
    counted = joined_bins(names)
    places = np.arange(len(names)) + 0.4 * (np.arange(len(names)) >= counted)
    axes.set_xticks(places, labels=[name.replace(" ", "\n") for name in names])
    axes.set_xlabel("reasoning steps")
    axes.set_ylim(0, 100)
    return places


def joined_bins(names: Sequence[str]) -> int:
    """Return how many of the bins, the first ones, are numbers, which a line may join."""
    return sum(name != "not stated" for name in names)


def _plot(table: FieldTable, groups: Groups) -> Plot:
    def draw(figure: "Canvas") -> None:
        axes = figure.subplots()
        places = step_axis(axes, table.columns)
        joined = joined_bins(table.columns)
        draw_models(axes, places, table, field_name(table.models), apart=0.09, joined=joined)
        axes.set_ylabel("accuracy, %")
        legend_above(axes, columns=2)

    reached = ", ".join(
        f"{one} ({int(asked.sum()):,} pages) {told(table.of_field(one), 'share')} %"
        for one, asked in groups.items()
    )
    return Plot(draw, (5.0, 3.3), f"Accuracy by steps. {field_name(table.models)}: {reached}.")
