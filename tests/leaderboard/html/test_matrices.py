"""Tints and the tables that have them: the number is printed, and the tint is that of its distance."""

import math

import pytest

from leaderboard.board.records import JudgeBoard, Matrix
from leaderboard.html.condition_matrix import Costs, condition_matrix
from leaderboard.html.detectors import detector_matrix
from leaderboard.html.judges import agreement_table, judge_matrix, judge_table
from leaderboard.html.matrix import HeatColumn
from leaderboard.html.share_matrix import Shares, share_matrix
from leaderboard.html.tints import chance_scale, chance_tint, difference_scale, difference_tint, tint_of
from leaderboard.html.words import Words
from tests.support.board_records import costs, detector_rows, figure, judge_board, reported_costs
from tests.support.parsed_html import parsed

EN, RU = Words("en"), Words("ru")


@pytest.mark.parametrize(
    ("points", "tint"),
    [
        (0, "z"),
        (2.4, "z"),
        (2.5, "1"),
        (7.4, "1"),
        (7.5, "2"),
        (14.9, "2"),
        (15, "3"),
        (24.9, "3"),
        (25, "4"),
        (60, "4"),
    ],
)
def test_a_difference_deepens_at_its_steps_on_both_sides(points, tint):
    for side, sign in (("p", 1), ("m", -1)):
        expected = "z" if tint == "z" else side + tint
        value = sign * points / 100
        assert tint_of(value) == expected
        assert difference_tint(figure(value, 0.0001 if points else 0.01)) == expected


def test_there_is_no_tint_where_the_interval_covers_zero_or_is_missing():
    assert difference_tint(figure(-0.2, low=-0.41, high=0.01)) == "z"
    assert difference_tint(figure(-0.2, low=-0.4, high=0.0)) == "z"
    assert difference_tint(figure(-0.2, low=-0.4, high=-0.001)) == "m3"
    printed = figure(-0.2, low=math.nan, high=math.nan)
    assert (difference_tint(printed), difference_tint(printed, printed=True)) == ("z", "m3")
    assert tint_of(math.nan) == "z"


@pytest.mark.parametrize(
    ("value", "tint"),
    [(0.43, "m2"), (0.44, "m1"), (0.474, "m1"), (0.475, "z"), (0.5, "z"), (0.529, "z"), (0.53, "p1"),
     (0.6, "p2"), (0.67, "p3"), (0.739, "p3"), (0.74, "p4")],
)  # fmt: skip
def test_a_measure_is_tinted_from_chance(value, tint):
    assert chance_tint(value) == tint
    assert chance_tint(value - 0.2, 0.3) == tint
    assert chance_tint(math.nan) == chance_tint(0.5, math.nan) == "z"


def test_scales_have_their_edges_between_the_tints():
    def labels(html):
        return [one.text for one in parsed(html).one(class_="lv-scale").children]

    assert labels(difference_scale(EN)) == ["−25", "−15", "−7.5", "−2.5", "+2.5", "+7.5", "+15", "+25", ""]
    assert labels(difference_scale(RU))[2] == "−7,5"
    assert labels(chance_scale(EN)) == [".44", ".475", ".53", ".60", ".67", ".74", ""]
    assert labels(chance_scale(EN, relative=True)) == ["−.06", "−.025", "+.03", "+.10", "+.17", "+.24", ""]
    assert [one.classes for one in parsed(difference_scale(EN)).all("i")] == [
        [name] for name in ("m4", "m3", "m2", "m1", "z", "p1", "p2", "p3", "p4")
    ]


def test_the_condition_matrix_has_families_glyphs_and_untinted_full():
    table = parsed(condition_matrix(Costs(costs(), reported_costs()), EN))
    families = [(one.text, one.attributes["colspan"]) for one in table.all("th", scope="colgroup")]
    assert families == [
        ("Reference", "1"),
        ("Question in pieces", "5"),
        ("Scene in layers", "4"),
        ("Evidence order", "2"),
        ("Both at once", "2"),
        ("Diagnostic", "2"),
    ]
    assert len(table.one("thead").all("svg", "lv-glyph")) == 16
    first = table.all("tbody")[0].all("tr")[0].all("td")
    assert (first[0].text, first[0].classes) == ("70.0", ["h", "abs", "gl"])
    assert len(first) == 16
    assert all(one.text[0] in "−+0" for one in first[1:])
    lacking = table.all("tbody")[0].all("tr")[8].all("td")[9]
    assert (lacking.text, "nr" in lacking.classes) == ("–no figure", True)


def test_the_row_of_a_paper_stands_apart_and_is_tinted_by_its_value():
    table = parsed(condition_matrix(Costs(costs(), reported_costs()), EN))
    paper = table.one("tr", "field")
    texts = [one.text for one in paper.all("td")]
    assert texts[:4] == ["60.0", "−4.0", "–no figure", "−14.0"]
    assert "m2" in paper.all("td")[3].classes


def test_a_paper_and_a_submission_may_have_one_name():
    measured = Matrix(("same",), ("full", "oracle"), {("same", "oracle"): figure(-0.3, 0.02)})
    printed = Matrix(
        ("same",), ("full", "oracle"), {("same", "oracle"): figure(-0.1, low=math.nan, high=math.nan)}
    )
    table = parsed(condition_matrix(Costs(measured, printed), EN))
    assert [one.text for one in table.all("td", "h") if "−" in one.text] == ["−30.0", "−10.0"]


def test_detectors_stand_by_the_length_of_answers_and_by_kind():
    table = parsed(detector_matrix(detector_rows(), "balanced_accuracy", EN))
    assert [one.text for one in table.all(class_="stay")] == [
        "Terse, median up to 10 words",
        "Sentences, median up to 300 words",
        "Long, median over 300 words",
    ]
    kinds = [(one.text, one.attributes["colspan"]) for one in table.all("th", scope="colgroup")]
    assert kinds == [
        ("One token", "1"),
        ("Mean of tokens", "3"),
        ("Sum and length", "1"),
        ("Picture", "1"),
        ("Trained", "1"),
        ("Verdicts", "1"),
        ("Chance", "1"),
    ]
    names = [one.text for one in table.all(class_="lv-name")]
    assert names == ["Gemini 3.1 Pro", "lumen/scene-reader", "polyp-12b", "orrery-27b"]
    line = table.all("tr")[4].children
    assert [one.text for one in line[1:4]] == ["3", "24.9", "proxy/reader-8b"]
    assert len(line) == 4 + 9


def test_detectors_that_need_no_signals_join_the_first_line_of_a_model():
    native = detector_rows()[16:24]
    other = [one for one in detector_rows()[:8] if one.detector == "max_prob"]
    moved = [type(one)(**{**vars(one), "model": native[0].model, "words": native[0].words}) for one in other]
    table = parsed(detector_matrix([*native, *moved], "balanced_accuracy", EN))
    lines = [row for row in table.all("tr") if row.all(class_="lv-name")]
    assert [line.children[3].text for line in lines] == ["native", "proxy/reader-8b"]
    given = [[cell.text != "–no figure" for cell in line.children[4:]] for line in lines]
    assert [sum(cells) for cells in given] == [9, 2]


def test_average_precision_is_tinted_from_the_row_and_verdicts_have_none():
    table = parsed(detector_matrix(detector_rows(), "average_precision", EN))
    line = next(row for row in table.all("tr") if "orrery-27b" in row.text)
    assert [one.text for one in line.children[-2:]] == ["–no figure", ".40"]
    value = float(line.children[4].children[0])
    assert chance_tint(value, 0.402) in line.children[4].classes


def test_judges_are_tinted_from_the_mean_of_all_on_the_same_assistant():
    crossed = Matrix(
        ("a", "b"),
        ("a", "x"),
        {
            ("a", "a"): figure(0.6),
            ("b", "a"): figure(0.4),
            ("a", "x"): figure(0.51),
            ("b", "x"): figure(0.49),
        },
    )
    cells = parsed(judge_matrix(crossed, EN)).all("td", "h")
    assert [(one.text, one.classes[1]) for one in cells] == [
        ("60.0itself", "p2"),
        ("51.0", "z"),
        ("40.0", "m2"),
        ("49.0", "z"),
    ]


def test_leniency_self_preference_and_agreement_have_their_intervals():
    board = JudgeBoard(
        None,
        {"a": figure(0.02, 0.01), "b": figure(-0.02, 0.03)},
        {"a": figure(0.04, 0.01)},
        (("a", "people", figure(0.94, 0.02, n=400), 0.874),),
    )
    rows = parsed(judge_table(board, EN)).one("tbody").rows()
    assert rows == [
        ["a", "+2.0[+1.0, +3.0]", "", "+4.0[+3.0, +5.0]", ""],
        ["b", "−2.0[−5.0, +1.0]", "", "–no figure", ""],
    ]
    marks = parsed(judge_table(board, EN)).all("circle")
    assert [one.classes for one in marks] == [[], [], ["hollow"]]
    assert parsed(agreement_table(board, EN)).one("tbody").rows() == [
        ["a", "people", "94.092.0–96.0", ".87", "400"]
    ]
    assert len(parsed(judge_table(judge_board(), RU)).one("tbody").rows()) == 3


def test_shares_may_be_compared_with_any_share():
    matrix = Matrix(("m",), ("en", "ru"), {("m", "en"): figure(0.7), ("m", "ru"): figure(0.5)})
    shares = Shares(
        matrix,
        [HeatColumn("en", "EN"), HeatColumn("ru", "RU")],
        str,
        "Model",
        lambda _row, _column: 0.6,
        "Cells",
        "points from overall",
        "source",
    )
    table = parsed(share_matrix(shares, EN))
    assert [(one.text, one.classes) for one in table.all("td", "h")] == [
        ("70.0", ["h", "p2", "gl"]),
        ("50.0", ["h", "m2"]),
    ]
