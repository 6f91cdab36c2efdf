"""What is drawn: glyphs, bars on a shared axis, and line figures, each mark where its value is."""

import math
from itertools import pairwise

import pytest

from leaderboard.html.figures import (
    Line,
    LineFigure,
    Mark,
    depth_figure,
    line_figure,
    resolution_figure,
    restoring_figure,
)
from leaderboard.html.glyph import delivery_glyph
from leaderboard.html.interval import axis_head, bar, share_axis
from leaderboard.html.strip import Stat, strip
from leaderboard.html.words import Words
from lvqa_eval.reports.axes import Axis, difference_axis
from lvqa_eval.reports.deliveries import DELIVERIES
from lvqa_eval.reports.glyphs import glyph
from tests.support.board_records import depth_lines, figure, resolution_lines, strip_stats
from tests.support.parsed_html import parsed

EN, RU = Words("en"), Words("ru")
PERCENT = Axis(0.0, 1.0, (0.0, 0.5, 1.0), width=120, margin=10)


@pytest.mark.parametrize("condition", list(DELIVERIES))
def test_a_glyph_has_the_bars_of_its_condition(condition):
    svg = parsed(delivery_glyph(condition)).one("svg")
    expected = glyph(condition)
    assert len(svg.all("rect")) == len(expected.bars)
    assert {one.classes[0] for one in svg.all("rect")} == {one.kind for one in expected.bars}
    assert len(svg.all("line", "k")) == len(expected.links)
    assert svg.attributes["aria-hidden"] == "true"


def test_a_condition_that_others_added_has_no_glyph():
    assert delivery_glyph("mine") is None
    assert len(parsed(delivery_glyph("evidence-first")).all("rect", "evidence")) == 2
    hollow = parsed(delivery_glyph("evidence-first")).all("rect", "other")[0].attributes
    assert (hollow["width"], hollow["height"]) == ("6", "7")


def test_a_bar_is_as_long_as_its_interval():
    svg = parsed(bar(figure(0.5, low=0.25, high=0.75), PERCENT)).one("svg")
    line = svg.one("line", "w").attributes
    assert (line["x1"], line["x2"], svg.one("circle").attributes["cx"]) == ("35", "85", "60")
    assert [one.attributes["x1"] for one in svg.all("line", "t")] == ["10", "60", "110"]


def test_the_mark_of_a_difference_is_hollow_where_its_interval_covers_zero():
    axis = difference_axis([figure(0.05, 0.04), figure(0.01, 0.03)])
    clear, unclear = (
        parsed(bar(figure(value, half), axis, signed=True)) for value, half in ((0.05, 0.04), (0.01, 0.03))
    )
    assert (clear.one("circle").classes, unclear.one("circle").classes) == ([], ["hollow"])
    assert len(clear.all("line", "zero")) == 1


def test_what_has_no_figure_or_no_interval_has_no_mark_or_no_line():
    assert parsed(bar(None, PERCENT)).all("circle") == []
    alone = parsed(bar(figure(0.5, low=math.nan, high=math.nan), PERCENT))
    assert (len(alone.all("circle")), alone.all("line", "w")) == (1, [])


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ((0.254, 0.675), (0.2, 0.3, 0.4, 0.5, 0.6, 0.7)),
        ((0.5,), (0.49, 0.5, 0.51)),
        ((0.12, 0.68), (0.0, 0.2, 0.4, 0.6, 0.8)),
        ((0.01, 0.99), (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)),
        ((), (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)),
    ],
)
def test_the_axis_holds_all_figures_with_a_few_round_ticks(values, ticks):
    axis = share_axis(figure(value, 0.005) for value in values)
    assert axis.ticks == ticks
    assert [one.text for one in parsed(axis_head(axis, EN)).all("text")] == [
        f"{tick * 100:.0f}" for tick in axis.ticks
    ]


def test_a_signed_axis_writes_a_real_minus():
    head = parsed(axis_head(difference_axis([figure(0.1, 0.05)]), EN))
    assert [one.text for one in head.all("text")] == ["−20", "−10", "0", "10", "20"]


def test_a_figure_is_drawn_twice_and_tells_its_values():
    part = parsed(depth_figure(depth_lines(), (2, 3, 4, 5, 6), (42, 78, 84, 60, 36), EN))
    drawings = part.all("svg")
    assert [(one.classes, one.attributes["width"]) for one in drawings] == [
        (["lv-w"], "556"),
        (["lv-n"], "326"),
    ]
    assert drawings[0].attributes["role"] == "img"
    assert drawings[0].attributes["aria-label"] == (
        "Cost by number of layers. oracle: 2: −4.0, 3: −8.0, 4: −12.0, 5: −16.0, 6: −20.0. "
        "concat-v: 2: −5.0, 3: −12.0, 4: −18.0, 5: −24.0, 6: −26.9."
    )
    texts = [one.text for one in drawings[0].all("text")]
    assert [text for text in texts if text in ("2", "6", "42", "36", "n", "layers")] == [
        "2",
        "6",
        "42",
        "36",
        "layers",
        "n",
    ]
    assert "concat-v −26.9" in texts


def test_marks_stand_at_their_values_and_reported_ones_are_ringed():
    shape = LineFigure(
        "t", "l", "difference", ("a", "b"), (Line("x", (Mark(0.0), Mark(-0.1, reported=True))),)
    )
    svg = parsed(line_figure(shape, EN)).all("svg")[0]
    ticks = {
        one.text: float(one.attributes["y"]) - 4
        for one in svg.all("text")
        if one.attributes.get("text-anchor") == "end"
    }
    first, second = svg.all("circle", "lv-mark")
    assert (float(first.attributes["cy"]), float(second.attributes["cy"])) == (ticks["0"], ticks["−10"])
    (ring,) = svg.all("circle", "lv-ring")
    assert (ring.attributes["cx"], ring.attributes["cy"]) == (
        second.attributes["cx"],
        second.attributes["cy"],
    )


def test_names_at_the_ends_of_lines_stand_apart():
    lines = tuple(Line(f"model {at}", (Mark(0.5), Mark(0.5 + at / 1000))) for at in range(5))
    svg = parsed(line_figure(LineFigure("t", "l", "share", ("a", "b"), lines), EN)).all("svg")[0]
    places = sorted(float(one.attributes["y"]) for one in svg.all("text") if one.text.startswith("model"))
    assert len(places) == 5
    assert min(after - before for before, after in pairwise(places)) >= 13.9


def test_lines_with_gaps_and_without_marks_are_drawn():
    gap = LineFigure(
        "t", "l", "share", ("a", "b"), (Line("x", (None, Mark(0.4))), Line("empty", (None, None)))
    )
    svg = parsed(line_figure(gap, EN)).all("svg")[0]
    assert len(svg.all("circle", "lv-mark")) == 1
    assert [one.text for one in svg.all("text") if one.text.startswith(("x", "empty"))] == ["x 40.0"]


def test_what_is_taken_apart_and_restored_begins_at_nothing():
    part = parsed(restoring_figure((Mark(-0.141), Mark(0.068)), (Mark(-0.285), Mark(0.059)), RU))
    told = part.all("svg")[0].attributes["aria-label"]
    assert told.endswith(
        "вопрос: целиком: 0,0, по частям: −14,1, собрано: +6,8. "
        "сцена: целиком: 0,0, по частям: −28,5, собрано: +5,9."
    )
    small = parsed(resolution_figure(resolution_lines(), (1, 1.5, 2, 3, 4), RU)).all("svg")[1]
    assert [one.text for one in small.all("text", "b")][:3] == ["1×", "1,5×", "2×"]


def test_the_strip_has_figure_unit_interval_and_source():
    parts = parsed(strip(strip_stats(), EN)).one("dl").children
    assert [one.one("dd", "v").text for one in parts] == [
        "60.0\N{NO-BREAK SPACE}%",
        "−4.1\N{NO-BREAK SPACE}points",
        "−18.7\N{NO-BREAK SPACE}points",
        "+34.3\N{NO-BREAK SPACE}points",
        "9.0\N{NO-BREAK SPACE}%",
    ]
    assert parts[0].one(class_="sub").text == "full, mean of 9 models"
    assert parts[3].one(class_="sub").text == "[+31.4, +37.2] · recap-v − sharded-v"
    assert parts[4].one(class_="sub").text == "[7.9, 10.1] · all-layers, joint; accuracy alone 58.7"
    assert parsed(strip([Stat("scene", None, "difference")], EN)).one("dd", "v").text == "–"
