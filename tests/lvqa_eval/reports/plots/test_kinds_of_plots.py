import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from lvqa_eval.metrics.bootstrap import Estimate
from lvqa_eval.reports.plots.dots import Series, draw_dots
from lvqa_eval.reports.plots.heat import Scale, differences, draw_heat, name_cells
from lvqa_eval.reports.plots.legend import legend_above
from lvqa_eval.reports.plots.lines import draw_band, draw_behind, draw_line
from lvqa_eval.reports.plots.names import short_names
from lvqa_eval.reports.plots.palette import INK, MARKS

NAN = np.nan


def figure(value, low=NAN, high=NAN):
    return Estimate(value, low, high, 10, 5, 0)


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["Qwen/Qwen3-VL-4B", "org/other"], ("Qwen3-VL-4B", "other")),
        (["one/same", "two/same", "two/else"], ("one/same", "two/same", "else")),
        (["plain", "runs/deep/plain2", "folder/"], ("plain", "plain2", "folder/")),
    ],
)
def test_organisations_are_dropped_where_the_name_stays_unique(names, short):
    assert short_names(names) == short


def test_dots_stand_at_their_figures_with_their_intervals():
    axes = Figure().subplots()
    series = [
        Series.of("one", [figure(0.1, 0.05, 0.3), figure(NAN), figure(-0.2)]),
        Series.of("other", [figure(0.2, 0.1, 0.3)] * 3),
    ]
    draw_dots(axes, ["a", "b", "mean"], series, summary=1)
    first, second = axes.lines[:2]
    assert first.get_xdata().tolist() == pytest.approx([10, NAN, -20], nan_ok=True)
    assert first.get_ydata().tolist() == pytest.approx([-0.14, 0.86, 1.86])
    assert second.get_ydata().tolist() == pytest.approx([0.14, 1.14, 2.14])
    whiskers = axes.collections[0].get_segments()
    assert [segment.tolist() for segment in whiskers] == [[[5.0, -0.14], [30.0, -0.14]]]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b", "mean"]
    assert axes.get_ylim() == (2.5, -0.5)
    lines = [line.get_xydata().tolist() for line in axes.lines]
    assert [[0.0, 0.0], [0.0, 1.0]] in lines  # at zero
    assert [[0.0, 1.5], [1.0, 1.5]] in lines  # above the mean


def test_an_interval_that_does_not_hold_its_value_stays_where_it_is():
    axes = Figure().subplots()
    draw_dots(axes, ["a"], [Series.of("one", [figure(0.5, 0.6, 0.7)])])
    assert axes.collections[0].get_segments()[0][:, 0].tolist() == pytest.approx([60, 70])


def test_an_axis_on_one_side_of_zero_has_no_line_there():
    axes = Figure().subplots()
    draw_dots(axes, ["a"], [Series.of("one", [figure(0.5, 0.4, 0.6)])])
    assert [[0.0, 0.0], [0.0, 1.0]] not in [line.get_xydata().tolist() for line in axes.lines]


def test_heat_maps_have_numbers_frames_and_dashes():
    drawn = Figure()
    axes = drawn.subplots()
    values = np.array([[4.0, -4.0], [0.0, NAN]])
    draw_heat(axes, values, [["+4", "-4"], ["0", "nan"]], differences(values, "points"), [(0, 1)])
    name_cells(axes, ["r1", "r2"], ["c1", "c2"], upright=True)
    texts = {text.get_position(): (text.get_text(), to_hex(text.get_color())) for text in axes.texts}
    assert texts[0.5, 0.5] == ("+4", "#ffffff")
    assert texts[0.5, 1.5] == ("0", INK.lower())
    assert texts[1.5, 1.5][0] == "–"
    (frame,) = axes.patches
    assert (frame.get_xy(), frame.get_width(), frame.get_height()) == ((1, 0), 1, 1)
    assert axes.get_ylim() == (2, 0)
    assert {label.get_rotation() for label in axes.get_xticklabels()} == {90}
    assert drawn.axes[1].get_ylabel() == "points"
    assert axes.collections[0].get_clim() == (-4, 4)


def test_scales_of_differences_are_symmetric_and_do_not_magnify_nothing():
    assert differences(np.array([[-3.0, 2.0], [NAN, 0.0]]), "") == Scale(-3, 3, "")
    assert differences(np.array([[1e-14]]), "") == Scale(-1, 1, "")
    assert differences(np.array([[NAN]]), "") == Scale(-1, 1, "")


def test_bands_leave_out_what_is_not_known():
    axes = Figure().subplots()
    x = np.arange(4.0)
    draw_band(axes, x, np.array([0, 1, NAN, 1]), np.array([2, 3, NAN, 3]), mark=1)
    points = np.concatenate([path.vertices for path in axes.collections[0].get_paths()])
    assert 2.0 not in points[:, 0]
    assert points[:, 1].max() == 3
    draw_line(axes, x, x, "all", mark=1)
    draw_behind(axes, x, np.array([x, -x]), "each")
    assert axes.lines[0].get_color() == MARKS[1].colour
    assert axes.get_legend_handles_labels()[1] == ["all", "each"]


def test_a_legend_names_each_series_once():
    drawn = Figure()
    panels = drawn.subplots(1, 2)
    for axes in panels:
        axes.plot([0, 1], [0, 1], label="same")
    panels[1].plot([0, 1], [1, 0], label="other")
    legend_above(*panels)
    (legend,) = drawn.legends
    assert [text.get_text() for text in legend.get_texts()] == ["same", "other"]
    empty = Figure()
    legend_above(empty.subplots())
    assert empty.legends == []
