"""Every figure, drawn: nothing over anything else, nothing cut off, for few models and for all."""

from itertools import product

import pytest
from matplotlib.text import Text

from lvqa_eval.reports.layered import (
    attempts_figure,
    citations_figure,
    concentration_figure,
    judges_figure,
    recomposition_figure,
    reliability_figure,
)
from lvqa_eval.reports.plots.style import SMALLEST, WIDTH, render
from tests.support.figure_inputs import figure_inputs
from tests.support.legible import faults, laid_out, overlaps

FIGURES = {
    module.NAME: module
    for module in (
        judges_figure,
        citations_figure,
        attempts_figure,
        reliability_figure,
        concentration_figure,
        recomposition_figure,
    )
}
UNITS = ("%", "points", "characters", ", n", "turn", "number", "assistant", "judge")
PAGE = 9.2
"""Inches that a page of text has."""


@pytest.fixture(scope="module")
def inputs():
    return {models: figure_inputs(models) for models in (1, 3, 13)}


@pytest.mark.parametrize(("name", "models"), [*product(FIGURES, (1, 13)), ("figure-4", 3), ("figure-9", 3)])
def test_everything_can_be_read(name, models, inputs):
    plot = FIGURES[name].exhibit(inputs[models]).plot
    figure = laid_out(plot)
    assert overlaps(figure) == []
    assert min(text.get_fontsize() for text in figure.findobj(Text)) >= SMALLEST
    assert plot.size[0] <= WIDTH
    assert plot.size[1] <= PAGE
    labels = [label for axes in figure.axes for label in (axes.get_xlabel(), axes.get_ylabel()) if label]
    assert labels
    assert all(any(unit in label for unit in UNITS) for label in labels)


def test_twelve_turns_fit():
    assert faults(citations_figure.exhibit(figure_inputs(1, turns=12)).plot) == []


def test_the_same_inputs_make_the_same_bytes(inputs):
    again = figure_inputs(1)
    assert recomposition_figure.exhibit(again).tables == recomposition_figure.exhibit(inputs[1]).tables
    one, other = (render(recomposition_figure.exhibit(of).plot) for of in (inputs[1], again))
    assert one == other
