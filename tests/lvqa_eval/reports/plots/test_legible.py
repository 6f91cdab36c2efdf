"""The check of figures finds what it is for."""

import pytest
from matplotlib.figure import Figure

from lvqa_eval.reports.exhibit import Plot
from tests.support.legible import faults, overlaps


def figure_with(*texts):
    figure = Figure(figsize=(4, 2))
    for x, y, text in texts:
        figure.text(x, y, text)
    figure.draw_without_rendering()
    return figure


def test_texts_that_lie_over_each_other():
    assert overlaps(figure_with((0.1, 0.5, "one word"), (0.15, 0.5, "another"))) == [
        "'one word' over 'another'"
    ]
    assert overlaps(figure_with((0.1, 0.5, "one word"), (0.6, 0.5, "another"))) == []


@pytest.mark.parametrize("place", [(0.9, 0.5), (-0.05, 0.5), (0.1, 0.97), (0.1, -0.03)])
def test_text_that_is_cut_off(place):
    assert overlaps(figure_with((*place, "a long word"))) == ["cut off: 'a long word'"]


def test_what_is_not_drawn_lies_over_nothing():
    figure = figure_with((0.1, 0.5, "one"), (0.1, 0.5, "two"), (0.1, 0.5, " "))
    figure.texts[0].set_visible(False)
    axes = figure.add_axes((0.2, 0.2, 0.6, 0.2))
    axes.set_xticks([0.5, 0.501, 7])
    axes.set_xlim(0.5005, 0.6)
    axes.set_yticks([])
    figure.draw_without_rendering()
    assert overlaps(figure) == []


def test_a_legend_over_a_panel_and_small_text():
    def draw(figure):
        axes = figure.subplots()
        axes.plot([0, 1], [0, 1], label="a line")
        axes.legend(fontsize=6)

    assert faults(Plot(draw, (4.0, 3.0), "")) == ["legend over a panel", "too small: 'a line'"]
