"""Figure 5: the resolution curve."""

from typing import TYPE_CHECKING, Final

import numpy as np

from lvqa_eval.metrics.bear.prompting import Resolution, resolution
from lvqa_eval.reports.bear.downsampling import DEFINITION, factor_table, lacking, resolution_basis
from lvqa_eval.reports.bear.inputs import PageInputs
from lvqa_eval.reports.bear.page_rows import PAPER, told_columns
from lvqa_eval.reports.exhibit import Exhibit, Plot
from lvqa_eval.reports.layered.field_rows import field_name
from lvqa_eval.reports.plots.curves import draw_models
from lvqa_eval.reports.plots.legend import legend_above

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

NAME: Final = "bear-figure-5"
TITLE: Final = "Accuracy over resolution"


def exhibit(inputs: PageInputs) -> Exhibit:
    """Return Figure 5: what Table 4 has, as curves."""
    found = resolution(inputs.study, inputs.weights)
    if found is None:
        return Exhibit(NAME, "Figure 5", TITLE, PAPER, DEFINITION, missing=lacking(inputs))
    return Exhibit(
        name=NAME,
        label="Figure 5",
        title=TITLE,
        paper=PAPER,
        definition=DEFINITION,
        basis=resolution_basis(inputs, found),
        tables=(factor_table(NAME, "Accuracy by factor", found.levels),),
        plot=_plot(found),
    )


def _plot(found: Resolution) -> Plot:
    levels = found.levels

    def draw(figure: "Canvas") -> None:
        axes = figure.subplots()
        draw_models(axes, np.array(found.factors), levels, field_name(levels.models), apart=0.03)
        axes.set_xticks(found.factors, labels=levels.columns)
        axes.set_xlabel("width and height divided by")
        axes.set_ylabel("accuracy, %")
        axes.set_ylim(bottom=0)
        legend_above(axes, columns=2)

    named = f"{field_name(levels.models)}: {told_columns(levels)}"
    alt = f"Accuracy by what width and height are divided by. {named}."
    return Plot(draw, (5.0, 3.3), alt)
