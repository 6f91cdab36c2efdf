"""Figure 7: accuracy by the number of steps, inside each language and each domain."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from lvqa_eval.metrics.bear.conditions import DEFAULT
from lvqa_eval.metrics.bear.groups import STEPS, Pages, by_domain, by_language, by_steps, inside
from lvqa_eval.metrics.figures import FieldTable
from lvqa_eval.metrics.groups import Groups, level_by_group
from lvqa_eval.reports.bear.inputs import PageInputs
from lvqa_eval.reports.bear.page_rows import (
    ACCURACY,
    LANGUAGE_NAMES,
    PAPER,
    UNPROMPTED,
    basis,
    lacking_default,
    model_table,
    outcomes,
    told_columns,
)
from lvqa_eval.reports.bear.steps import BINS, joined_bins, step_axis
from lvqa_eval.reports.exhibit import Exhibit, Plot
from lvqa_eval.reports.layered.field_rows import MEAN, field_name, mean_of
from lvqa_eval.reports.plots.curves import draw_curves
from lvqa_eval.reports.plots.dots import Series
from lvqa_eval.reports.plots.legend import legend_above
from lvqa_eval.reports.plots.style import WIDTH
from lvqa_eval.reports.table import Head, Table, Value

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

NAME: Final = "bear-figure-7"
TITLE: Final = "Accuracy by reasoning steps, language and domain"
DEFINITION: Final = (f"{UNPROMPTED} {ACCURACY}", BINS, MEAN)

Bins = Mapping[str, Groups]
"""For each language, or each domain, its pages by number of steps."""
Curves = Mapping[str, FieldTable]
"""For each language, or each domain, the accuracy in its bins."""


def exhibit(inputs: PageInputs) -> Exhibit:
    """Return Figure 7: the mean over the models in each language, and in each domain."""
    if missing := lacking_default(inputs):
        return Exhibit(NAME, "Figure 7", TITLE, PAPER, DEFINITION, missing=missing)
    pages = inputs.study.questions
    bins = by_steps(pages)
    panels = {
        "Language": _curves(inputs, inside(by_language(pages), bins)),
        "Domain": _curves(inputs, inside(by_domain(pages), bins)),
    }
    curves = {name: table for panel in panels.values() for name, table in panel.items()}
    return Exhibit(
        name=NAME,
        label="Figure 7",
        title=TITLE,
        paper=PAPER,
        definition=DEFINITION,
        basis=(
            *(line for name, table in curves.items() for line in basis(table, name)),
            *outcomes(inputs.study, (DEFAULT,)),
        ),
        tables=_tables(pages, curves),
        plot=_plot(panels),
    )


def _curves(inputs: PageInputs, panel: Bins) -> Curves:
    return {name: level_by_group(inputs.study, DEFAULT, bins, inputs.weights) for name, bins in panel.items()}


def _tables(pages: Pages, curves: Curves) -> tuple[Table, ...]:
    models = next(iter(curves.values())).models
    bins = inside({**by_language(pages), **by_domain(pages)}, by_steps(pages))
    rows: list[tuple[Value, ...]] = [
        (name, steps, int(mask.sum()), curves[name].of_field(steps))
        for name, groups in bins.items()
        for steps, mask in groups.items()
    ]
    heads = (Head("Pages of"), Head("Steps"), Head("Pages", "count"), Head("Accuracy, %", "share"))
    tables = [Table(NAME, f"{TITLE}, {mean_of(models)}", heads, tuple(rows))]
    if len(models) > 1:
        tables += [
            model_table(f"{NAME}-{name}", f"Accuracy by reasoning steps and model: {name}", table)
            for name, table in curves.items()
        ]
    return tuple(tables)


def _plot(panels: Mapping[str, Curves]) -> Plot:
    models = next(iter(panels["Language"].values())).models

    def draw(figure: "Canvas") -> None:
        grid = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        first_mark = 0
        for axes, (title, curves) in zip(grid, panels.items(), strict=True):
            names = [one for one in STEPS if any(one in table.columns for table in curves.values())]
            places = step_axis(axes, names)
            series = [_series(name, table, names) for name, table in curves.items()]
            draw_curves(axes, places, series, apart=0.12, joined=joined_bins(names), first_mark=first_mark)
            axes.set_title(title)
            first_mark += len(series)
        grid[0].set_ylabel("accuracy, %")
        legend_above(*grid)

    return Plot(draw, (WIDTH, 3.2), _alt(panels, models))


def _series(name: str, table: FieldTable, bins: Sequence[str]) -> Series:
    """Return the mean over the models in each of `bins`; NaN in those without a page."""
    places = [table.columns.index(one) if one in table.columns else -1 for one in bins]
    absent = np.array(places) < 0
    figures = (table.field.value, table.field.low, table.field.high)
    parts = (np.where(absent, math.nan, figure[places]) for figure in figures)
    return Series(LANGUAGE_NAMES.get(name, name.capitalize()), *parts)


def _alt(panels: Mapping[str, Curves], models: Sequence[str]) -> str:
    told_of = [f"{name}: {told_columns(table)}" for one in panels.values() for name, table in one.items()]
    return f"Accuracy by steps, with 95 % intervals. {field_name(models)}. {'; '.join(told_of)}."
