"""Figure 5: which layers replies speak of, against the turn in which they arrived."""

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.citations import CITED_CONDITIONS, MOST_TURNS, Citations, citations
from lvqa_eval.metrics.figures import Figures
from lvqa_eval.reports.exhibit import Exhibit, Plot
from lvqa_eval.reports.layered.field_rows import (
    MEAN,
    PAPER,
    Beside,
    lacking_conditions,
    model_table,
    reported_table,
)
from lvqa_eval.reports.layered.figure_words import model_axis, told
from lvqa_eval.reports.plots.dots import Series, draw_dots
from lvqa_eval.reports.plots.heat import Scale, draw_heat, name_cells
from lvqa_eval.reports.plots.style import WIDTH
from lvqa_eval.reports.reported import reported_table as printed_table
from lvqa_eval.reports.study.inputs import StudyInputs
from lvqa_eval.reports.table import Head, Table, Value

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

NAME: Final = "figure-5"
TITLE: Final = "Citations of layers by turn"
DEFINITION: Final = (
    'A reply cites a layer when it says "layer N", "слой N" or the label of an image of the message that it '
    "answers; it cites a layer once, however often it names it. Rows are turns in which layers arrived, "
    f"columns turns in which they were cited, up to turn {MOST_TURNS}; the frames mark the turn of arrival. "
    f"Conditions: {' and '.join(CITED_CONDITIONS)}, conversations held to their end, all models together.",
    "Row share: of the citations of the layers that arrived in a turn, the share in each turn; a row sums to "
    "100 %. Before the frame a layer was cited ahead of its arrival.",
    "Hit rate: of the layers that arrived in a turn, the share that a reply cites, in the conversations that "
    "have both turns.",
    f"On arrival: of all citations of a model, the share in the turn in which the layer arrived. {MEAN}",
)
_ROWS: Final = {"of the first turn": 0, "of the sixth turn": 5}


def exhibit(inputs: StudyInputs) -> Exhibit:
    """Return Figure 5, of those of its conditions that were run."""
    study = inputs.study
    held = study.held(CITED_CONDITIONS)
    if missing := lacking_conditions(inputs, held or CITED_CONDITIONS):
        return Exhibit(NAME, "Figure 5", TITLE, PAPER, DEFINITION, missing=missing)
    found = _up_to_last_arrival(citations(study, inputs.readings.citations, inputs.weights))
    return Exhibit(
        NAME,
        "Figure 5",
        TITLE,
        PAPER,
        DEFINITION,
        basis=_basis(found, held),
        tables=(
            _grid(f"{NAME}-row-share", "Row share: citations by turn of arrival", found.row_share),
            _grid(f"{NAME}-hit-rate", "Hit rate: layers that replies cite", found.hit_rate),
            model_table(f"{NAME}-on-arrival", "Citations in the turn of arrival", found.on_arrival),
        ),
        plot=_plot(found) if found.pooled_on_arrival.n else None,
        reported=_reported(found),
    )


def _up_to_last_arrival(found: Citations) -> Citations:
    """Leave out the turns after the last in which a layer arrived: they are columns alone."""
    arrivals = int(np.isfinite(found.hit_rate.value).any(axis=1).sum())

    def rows(figures: Figures) -> Figures:
        return Figures(**{field.name: getattr(figures, field.name)[:arrivals] for field in fields(Figures)})

    return replace(found, row_share=rows(found.row_share), hit_rate=rows(found.hit_rate))


def _basis(found: Citations, held: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    pooled = found.pooled_on_arrival
    return (
        ("Conditions", ", ".join(held)),
        (
            "Citations",
            f"{pooled.n:,}; of {pooled.questions:,} questions and {pooled.scenes:,} scenes that have any",
        ),
        ("Chances to cite", f"{int(found.hit_rate.n.sum()):,} pairs of a layer and a reply"),
        ("Left out", f"{found.unresolved:,} citations of layers never sent and images not in the message"),
    )


def _grid(name: str, title: str, figures: Figures) -> Table:
    """Return figures by turn of arrival and turn of the reply."""
    arrivals, turns = figures.value.shape
    heads = (Head("Arrived in turn"), *(Head(f"turn {turn}, %", "share") for turn in range(1, turns + 1)))
    rows: list[tuple[Value, ...]] = [
        (str(arrival + 1), *(figures.at(arrival, turn) for turn in range(turns)))
        for arrival in range(arrivals)
    ]
    return Table(name, title, heads, tuple(rows))


def _plot(found: Citations) -> Plot:
    arrivals = len(found.row_share.value)
    rows, summary = model_axis(found.on_arrival.models)
    (column,) = found.on_arrival.columns
    # One model has a single figure on arrival, which the tables give.
    heights = [0.9 + 0.27 * arrivals, *([0.7 + 0.23 * len(rows)] if summary else [])]

    def draw(figure: "Canvas") -> None:
        parts = figure.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0]
        share, rate = parts[0].subplots(1, 2)
        _draw_grid(share, found.row_share.value, "Row share", "citations of a row, %")
        _draw_grid(rate, found.hit_rate.value, "Hit rate", "layers cited, %")
        share.set_ylabel("arrived in turn")
        if summary:
            axes = parts[1].subplots()
            draw_dots(axes, rows, [Series.of_column(column, found.on_arrival, column)], summary=summary)
            axes.set_title("On arrival")
            axes.set_xlabel("citations in the turn of arrival, %")

    return Plot(draw, (WIDTH, sum(heights)), _alt(found))


def _draw_grid(axes: "Axes", shares: Floats, title: str, label: str) -> None:
    arrivals, turns = shares.shape
    texts = [[f"{100 * value:.0f}" for value in row] for row in shares]
    most = float(np.nanmax(shares, initial=0.0))
    framed = [(turn, turn) for turn in range(arrivals) if np.isfinite(shares[turn, turn])]
    draw_heat(axes, 100 * shares, texts, Scale(0.0, 100 * most or 1.0, label), framed)
    name_cells(axes, [str(turn + 1) for turn in range(arrivals)], [str(turn + 1) for turn in range(turns)])
    axes.set_title(title)
    axes.set_xlabel("turn of the reply")


def _alt(found: Citations) -> str:
    arrived = [
        f"{turn + 1}: {told(found.row_share.at(turn, turn).value, 'share')} %"
        for turn in range(len(found.row_share.value))
        if np.isfinite(found.row_share.value[turn, turn])
    ]
    return (
        "Two grids, turn of arrival by turn of the reply. Of the citations of the layers of a turn, the "
        f"share in that turn is, by turn, {', '.join(arrived)}. Of all citations "
        f"{told(found.pooled_on_arrival, 'share')} % come in the turn of arrival."
    )


def _reported(found: Citations) -> Table:
    pairs = []
    for row in printed_table(PAPER, "citations").rows:
        layer, figure = row.keys["layer"], row.figures["share"]
        place = _ROWS.get(layer)
        ours: Value = found.pooled_on_arrival
        if place is not None:
            known = place < len(found.row_share.value)
            ours = found.row_share.at(place, place) if known else float("nan")
        pairs.append(Beside(f"layers {layer}" if place is not None else "all layers", figure, ours))
    note = "Measured here: all citations of all models together."
    return reported_table(f"{NAME}-reported", pairs, (), "Citations in the turn of arrival", [note])
