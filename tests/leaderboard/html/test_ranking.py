"""The ranking: tiers, order, what stands apart, and what is read out."""

import math
import random

import pytest

from leaderboard.board.records import Row
from leaderboard.html.columns import Sorted, edges, groups
from leaderboard.html.ranking import Ranking, ordered, ranking
from leaderboard.html.words import Words
from tests.support.board_records import BEAR_COLUMNS, DELIVERED, LAYERED_COLUMNS, entry, figure, layered_rows
from tests.support.parsed_html import parsed

EN, RU = Words("en"), Words("ru")


def shown(rows, sort=None, words=EN, columns=LAYERED_COLUMNS, **given):
    """Return the ranking of rows as parsed HTML."""
    table = Ranking(
        rows,
        DELIVERED,
        columns,
        sort or Sorted("delivered"),
        "ranking.title",
        "ranking.layered_source",
        **given,
    )
    return parsed(ranking(table, words))


def row(name, value, tier=None, shown="ranked", **given):
    """Return a row of one figure; None for one that lacks it."""
    figures = {} if value is None else {"delivered": figure(value)}
    return Row(entry(name, shown=shown, **given), figures, tier)


def names(table):
    """Return the names of the models in the order of the rows."""
    return [one.text for one in table.all(class_="lv-name")]


def test_figures_are_ordered_as_numbers():
    rows = [row(str(value), value) for value in (0.10, 0.095, 0.0061, 0.715)]
    order = [one.entry.model for one in ordered(rows, Sorted("delivered"))]
    assert order == ["0.715", "0.1", "0.095", "0.0061"]
    assert [one.entry.model for one in ordered(rows, Sorted("delivered", descending=False))] == order[::-1]


@pytest.mark.parametrize("descending", [True, False])
def test_a_missing_figure_stays_missing_and_is_last_in_both_directions(descending):
    rows = [row("four", 0.04), row("none", None), row("seven", 0.07), row("nan", math.nan)]
    order = [one.entry.model for one in ordered(rows, Sorted("delivered", descending))]
    assert order == (["seven", "four"] if descending else ["four", "seven"]) + ["none", "nan"]
    cells = shown(rows, Sorted("delivered", descending)).rows()
    assert {line[1].removesuffix("27 B · open · panel"): line[2] for line in cells[2:]} == {
        "seven": "7.04.0–10.0",
        "four": "4.01.0–7.0",
        "none": "–no figure",
        "nan": "–no figure",
    }


def test_only_ranked_rows_enter_the_order():
    rows = [
        row("low", 0.1, 2),
        row("partial", 0.9, shown="not ranked"),
        row("high", 0.2, 1),
        row("paper b", 0.3, shown="reported"),
        row("paper a", 0.8, shown="reported"),
    ]
    table = shown(rows)
    assert names(table) == ["high", "low", "partial", "paper b", "paper a"]
    assert [len(body.all(class_="lv-name")) for body in table.all("tbody")] == [2, 1, 2]
    titles = [one.one(class_="stay").one("b").text for one in table.all("tr", "sec")]
    assert titles == ["Not ranked", "As reported"]
    assert [one.text for one in table.all("td", "tier")] == ["1", "2", *["–no tier"] * 3]


def test_a_tier_has_its_number_once_down_its_rows():
    rows = [row(name, value, tier) for name, value, tier in (("a", 0.9, 1), ("b", 0.8, 1), ("c", 0.7, 2))]
    table = shown(rows)
    tiers = table.all("td", "tier")
    assert [(one.text, one.attributes.get("rowspan"), "on" in one.classes) for one in tiers] == [
        ("1", "2", True),
        ("2", None, True),
    ]
    lines = table.all("tbody")[0].all("tr")
    assert ["t0" in line.classes for line in lines] == [True, False, True]


def test_in_another_order_every_row_has_its_tier_and_none_is_joined():
    rows = [
        Row(entry(name), {"delivered": figure(value), "joint": figure(other)}, tier)
        for name, value, other, tier in (("a", 0.9, 0.1, 1), ("b", 0.8, 0.3, 1), ("c", 0.7, 0.2, 2))
    ]
    table = shown(rows, Sorted("joint"))
    assert names(table) == ["b", "c", "a"]
    tiers = table.all("td", "tier")
    assert [(one.text, "on" in one.classes, one.attributes.get("rowspan")) for one in tiers] == [
        ("1", False, None),
        ("2", False, None),
        ("1", False, None),
    ]
    assert table.all("tr", "t0") == []


def test_the_order_is_read_out_at_its_column_alone():
    for sort, state in ((Sorted("joint"), "descending"), (Sorted("ungrounded", False), "ascending")):
        heads = shown(layered_rows(), sort).all("th", scope="col")
        found = [
            (one.one("button").text, one.attributes["aria-sort"])
            for one in heads
            if "aria-sort" in one.attributes
        ]
        assert found == [({"joint": "Joint", "ungrounded": "Ungrounded"}[sort.column], state)]


def test_every_cell_stands_below_its_head_whatever_the_rows():
    draw = random.Random(0)
    for rows in (layered_rows(), draw.sample(layered_rows(), 5), []):
        table = shown(rows)
        width = 4 + len(LAYERED_COLUMNS)
        taken = 0
        for line in table.all("tbody"):
            for one in line.all("tr"):
                cells = [cell for cell in one.children if cell.tag in ("td", "th")]
                spans = sum(int(cell.attributes.get("colspan", 1)) for cell in cells)
                carried = 1 if taken > 0 else 0
                assert spans + carried == width
                taken -= carried
                tall = [int(cell.attributes["rowspan"]) - 1 for cell in cells if "rowspan" in cell.attributes]
                taken += sum(tall)
        upper, lower = (line.children for line in table.one("thead").all("tr"))
        assert sum(int(cell.attributes.get("colspan", 1)) for cell in upper) == width
        assert len(lower) == 4


def test_heads_have_scopes_definitions_and_a_caption():
    table = shown(layered_rows())
    assert table.one("caption").text == "Ranking"
    region = table.one(role="region")
    assert (region.attributes["tabindex"], region.attributes["aria-label"]) == ("0", "Ranking")
    assert {one.attributes["scope"] for one in table.one("thead").all("th")} == {"col", "colgroup"}
    assert len(table.all("th", scope="row")) == len(layered_rows())
    buttons = table.all("button")
    cards = {one.attributes["id"] for one in table.all(class_="lv-def")}
    assert {one.attributes["popovertarget"] for one in buttons} == cards
    assert len(buttons) == len(cards) == 8


def test_figures_have_their_intervals_below_and_what_is_absent_is_a_dash():
    table = shown(layered_rows())
    first = table.all("tbody")[0].all("tr")[0].children
    assert first[2].text == "67.564.8–70.2"
    assert [one.text for one in first[4:6]] == ["80.5±3.5", "91.6±3.5"]
    paper = table.all("tbody")[2].all("tr")[1].children
    assert [one.text for one in paper[2:5]] == ["–no figure", "", "60.0"]
    assert paper[1].text == "Mean of 13 assistantssize n/a · arXiv 2609.38368"
    partial = table.all("tbody")[1].all("tr")[1].children[1]
    assert partial.text.endswith("partial: 9 conditions, 3 runs")


def test_a_board_without_rows_says_so():
    table = shown([])
    assert table.one("td", "none").text == "No ranked model fits the filters."
    assert shown([], words=RU).one("td", "none").text == "Под фильтры не подходит ни одна модель с рангом."


def test_russian_writes_numbers_its_own_way():
    first = shown(layered_rows(), words=RU).all("tbody")[0].all("tr")[0].children
    assert first[2].text == "67,564,8–70,2"
    assert "размер н/д · закрытая · судьи таблицы" in first[1].text


def test_columns_stand_in_groups_with_a_line_before_each():
    found = [(name, [one.key for one in run]) for name, run in groups(BEAR_COLUMNS)]
    assert [(name, len(run)) for name, run in found] == [
        ("group.language", 3),
        ("group.domain", 2),
        ("group.cell", 4),
        ("", 1),
    ]
    assert edges(BEAR_COLUMNS) == {"business", "business-en", "words"}
    assert edges(LAYERED_COLUMNS) == {"retained_question", "joint"}


def test_what_stands_below_a_title_is_that_of_its_column():
    heads = shown([], columns=BEAR_COLUMNS, under={"ru": "n 618"}).one("thead").all("th")
    assert [
        one.children[0] if isinstance(one.children[0], str) else "" for one in heads if "n 618" in one.text
    ] == ["RU"]
