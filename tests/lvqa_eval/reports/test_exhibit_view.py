import math

import pytest

from lvqa_eval.reports.exhibit_view import Cell, exhibit_view, tint
from lvqa_eval.reports.table import Head
from tests.support.made_reports import exhibits, figure

POINTS = Head("Change, points", "points")


@pytest.mark.parametrize(
    ("value", "half", "expected"),
    [
        (-0.02, 0.01, ""),
        (-0.025, 0.01, "below-1"),
        (0.075, 0.01, "above-2"),
        (-0.15, 0.01, "below-3"),
        (0.25, 0.01, "above-4"),
        (0.25, 0.3, ""),
        (0.25, math.nan, ""),
        (math.nan, 0.1, ""),
    ],
)
def test_the_tint_tells_how_far_from_zero_and_nothing_where_zero_is_inside(value, half, expected):
    assert tint(figure(value, half), POINTS) == expected


def test_only_differences_have_a_tint():
    assert tint(figure(0.5), Head("Accuracy", "share")) == ""
    assert tint(0.5, POINTS) == ""
    assert tint("words", POINTS) == ""


def test_cells_have_their_interval_below_and_a_difference_clear_of_zero_is_bold():
    cost, small = exhibit_view(exhibits()[0], "").tables
    assert cost.body[0][5] == Cell("−20.0", "[−22.0, −18.0]", True, "below-3", clear=True)
    assert cost.body[0][1] == Cell("0.0", "[−2.0, +2.0]", True)
    assert cost.summary[0][0] == Cell("Mean of 2 models")
    assert small.body[0] == (
        Cell("full"),
        Cell("50.0*", "[48.0, 52.0]", True),
        Cell("–", "", True),
        Cell("a figure that is not defined, in words"),
    )
    assert small.notes == ("* Coverage below 99 % of what was planned: not to be ranked.",)


def test_heads_have_their_unit_below():
    cost, small = exhibit_view(exhibits()[0], "").tables
    assert [(head.title, head.unit, head.is_number) for head in cost.heads[:2]] == [
        ("Model", "", False),
        ("full", "points", True),
    ]
    assert (small.heads[3].title, small.heads[3].unit) == ("Why", "")


def test_what_a_paper_prints_is_marked_and_last():
    view = exhibit_view(exhibits()[0], "")
    assert view.reported.anchor == "table-table-1-reported"
    assert [cell.reported for cell in view.reported.body[0]] == [False, True, False]
    assert view.reported.links[0] == ("CSV", "tables/table-1-reported.csv")
    assert len(view.tables) == 2


def test_a_figure_has_its_size_and_files():
    view = exhibit_view(exhibits()[1], "<svg></svg>")
    assert view.size == (576, 288)
    assert view.links == (("SVG", "figures/figure-2.svg"), ("PNG", "figures/figure-2.png"))


def test_what_is_lacking_is_told_apart_from_its_command():
    assert exhibit_view(exhibits()[2], "").needs == (
        "No judge has ruled turn by turn. Let one do so: ",
        "lvqa judge one other --judge NAME@URL",
    )


def test_the_parts_of_a_figure_have_names_of_their_own():
    svg = '<svg><path id="a"/><use xlink:href="#a"/><g clip-path="url(#b)"/></svg>'
    assert exhibit_view(exhibits()[1], svg).svg == (
        '<svg><path id="figure-2-a"/><use xlink:href="#figure-2-a"/><g clip-path="url(#figure-2-b)"/></svg>'
    )
