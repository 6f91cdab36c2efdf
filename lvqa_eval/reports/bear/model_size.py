"""Figure 3: accuracy by the size of a model, in either language."""

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from lvqa_eval.metrics.bear.conditions import DEFAULT
from lvqa_eval.metrics.bear.groups import by_language
from lvqa_eval.metrics.bear.model_size import ModelSize, model_size
from lvqa_eval.metrics.figures import FieldTable
from lvqa_eval.metrics.groups import level_by_group
from lvqa_eval.reports.bear.inputs import PageInputs
from lvqa_eval.reports.bear.page_rows import (
    ACCURACY,
    LANGUAGE_NAMES,
    PAPER,
    UNPROMPTED,
    basis,
    lacking_default,
    model_table,
    ours_of,
    outcomes,
    printed_share,
)
from lvqa_eval.reports.exhibit import Exhibit, Plot
from lvqa_eval.reports.layered.figure_words import told
from lvqa_eval.reports.plots.dots import Series
from lvqa_eval.reports.plots.legend import legend_above
from lvqa_eval.reports.plots.sizes import draw_sizes
from lvqa_eval.reports.reported import reported_table
from lvqa_eval.reports.table import Head, Table, Value

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

NAME: Final = "bear-figure-3"
TITLE: Final = "Accuracy by model size and language"
DEFINITION: Final = (
    f"{UNPROMPTED} {ACCURACY}",
    "Size: parameters in billions as the model's name states them, all of them and those that each token "
    "uses; 397B-A17B is 397 and 17. The figure stands over all of them. A name such as 8x7B states neither.",
)


def exhibit(inputs: PageInputs) -> Exhibit:
    """Return Figure 3; models whose name states no size stand apart."""
    if missing := lacking_default(inputs):
        return Exhibit(NAME, "Figure 3", TITLE, PAPER, DEFINITION, missing=missing)
    study = inputs.study
    table = level_by_group(study, DEFAULT, by_language(study.questions), inputs.weights)
    sizes = {model: model_size(model) for model in table.models}
    unstated = [model for model, size in sizes.items() if size.total is None]
    return Exhibit(
        name=NAME,
        label="Figure 3",
        title=TITLE,
        paper=PAPER,
        definition=DEFINITION,
        basis=(
            *basis(table),
            *outcomes(study, (DEFAULT,)),
            *((("Size not stated", ", ".join(unstated)),) if unstated else ()),
        ),
        tables=(_with_sizes(model_table(NAME, TITLE, table), sizes),),
        plot=_plot(table, sizes),
        reported=_reported(table),
    )


def _with_sizes(table: Table, sizes: dict[str, ModelSize]) -> Table:
    """Return a table of models, the smallest first, with their sizes behind their names."""
    body = table.rows[: len(table.rows) - table.summary]
    unknown = ModelSize(None, None)

    def place(row: tuple[Value, ...]) -> tuple[float, str]:
        return _or(sizes[str(row[0])].total, math.inf), str(row[0])

    rows = tuple(
        (row[0], *(_or(part, math.nan) for part in _parts(sizes.get(str(row[0]), unknown))), *row[1:])
        for row in (*sorted(body, key=place), *table.rows[len(body) :])
    )
    added = (Head("Parameters, billions", "number"), Head("Active, billions", "number"))
    heads = (table.heads[0], *added, *table.heads[1:])
    return Table(table.name, table.title, heads, rows, table.notes, table.summary)


def _parts(size: ModelSize) -> tuple[float | None, float | None]:
    return size.total, size.active


def _or(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else value


def _plot(table: FieldTable, sizes: dict[str, ModelSize]) -> Plot:
    billions = np.array([_or(sizes[model].total, math.nan) for model in table.models])
    series = [
        Series.of(LANGUAGE_NAMES.get(one, one), [table.at(model, one) for model in table.models])
        for one in table.columns
    ]

    def draw(figure: "Canvas") -> None:
        legend_above(*draw_sizes(figure, billions, series))

    def told_of(model: str) -> str:
        shares = (f"{one} {told(table.at(model, one), 'share')} %" for one in table.columns)
        return f"{model} {', '.join(shares)}"

    smallest_first = sorted(table.models, key=lambda one: (_or(sizes[one].total, math.inf), one))
    reached = "; ".join(map(told_of, smallest_first))
    alt = f"Accuracy with 95 % intervals over the number of parameters, by language. {reached}."
    return Plot(draw, (6.0, 3.4), alt)


def _reported(table: FieldTable) -> Table:
    printed = reported_table(PAPER, "accuracy")
    rows: list[tuple[Value, ...]] = []
    for row in printed.rows:
        model = ours_of(row, table.models)
        here = [table.at(model, one) if model else math.nan for one in table.columns]
        size = _or(model_size(row.keys["model"]).total, math.nan)
        rows.append((row.keys["model"], size, *(printed_share(row, one) for one in table.columns), *here))
    return Table(
        f"{NAME}-reported",
        f"Reported in {printed.source}, and measured here",
        (
            Head("Model"),
            Head("Parameters, billions", "number"),
            *(Head(f"{one} reported, %", "per cent", reported=True) for one in table.columns),
            *(Head(f"{one}, measured here, %", "share") for one in table.columns),
        ),
        tuple(rows),
    )
