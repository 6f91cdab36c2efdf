"""Tables as files: no formula, no rounding, and back again as they were."""

import csv
import io
import json
import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.board.columns import LAYERED, columns_of
from leaderboard.board.downloads import (
    BOM,
    FORMULA,
    Download,
    Head,
    agreement_download,
    detectors_download,
    history_download,
    judges_download,
    matrix_download,
    ranking_download,
)
from leaderboard.html.words import texts
from tests.support.board_records import detector_rows, judge_board

EN = texts("en")


def table_of(*rows, heads=("a", "b")):
    """Return a table of these rows."""
    return Download("table", tuple(map(Head, heads)), tuple(rows))


def read(content):
    """Return the rows of a CSV file."""
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "\tx",
        "\rx",
        "\nx",
        "＝1",
        '=HYPERLINK("http://x","y")',
        "=cmd|' /C calc'!A0",
    ],
)
def test_text_that_begins_a_formula_has_an_apostrophe_before_it(text):
    assert read(table_of((text, 1.0)).csv())[1] == [f"'{text}", "1.0"]
    assert read(table_of((1.0, 2.0), heads=(text, "b")).csv())[0][0] == f"'{text}"


def test_numbers_stay_numbers_and_unrounded_and_what_is_absent_is_empty():
    rows = read(table_of((-0.1 + 0.3, -12), (math.nan, None), (1 / 3, 1e-7)).csv())
    assert rows[1:] == [["0.19999999999999998", "-12"], ["", ""], ["0.3333333333333333", "1e-07"]]
    assert float(rows[3][0]) == 1 / 3


def test_names_with_signs_of_the_format_stay_one_cell():
    hostile = ['a,"b"', "two\nlines", "semi;colon", "пайп | труба", "<img src=x>", "a-b", "x=1", "'quoted"]
    content = table_of(*((name, 1.0) for name in hostile)).csv()
    assert [row[0] for row in read(content)[1:]] == hostile
    assert content.decode().endswith("\r\n")


def test_a_mark_of_utf_8_on_request():
    plain, marked = table_of(("Взгляд", 1.0)).csv(), table_of(("Взгляд", 1.0)).csv(bom=True)
    assert marked == BOM.encode() + plain
    assert read(marked) == read(plain) == [["a", "b"], ["Взгляд", "1.0"]]


@given(st.text(max_size=12), st.floats(allow_nan=False, allow_infinity=False))
def test_every_text_and_number_comes_back_from_a_file(text, number):
    (row,) = read(table_of((text, number)).csv())[1:]
    assert row[0].removeprefix("'") == text.removeprefix("'")
    assert not row[0].startswith(FORMULA)
    assert float(row[1]) == number
    assert json.loads(table_of((text, number)).json())["rows"] == [{"a": text, "b": number}]


def test_a_ranking_says_what_it_is_of(assembled):
    board = assembled.layered
    table = ranking_download(board.rows, columns_of(board), EN, board.standing, assembled.state)
    told = json.loads(table.json())
    assert (told["state"], told["benchmark"], told["dataset_version"]) == (
        assembled.state,
        "layered-vqa",
        "1.0.0",
    )
    assert told["manifest_sha256"] == board.standing.manifest_sha256
    first, measured = told["rows"][0], board.rows[0]
    assert (first["tier"], first["model"], first["shown"]) == (1, measured.entry.model, "ranked")
    figure = measured.figures["delivered"]
    assert [first[f"delivered{part}"] for part in ("", "_low", "_high", "_n")] == [
        figure.value, figure.low, figure.high, figure.n,
    ]  # fmt: skip
    assert first["judges"] == "referee-a, referee-b, referee-c"
    heads = {one["name"]: one for one in told["columns"]}
    assert heads["delivered"]["title"] == "Delivered"
    assert "14 conditions" in heads["delivered_low"]["definition"]
    assert heads["unreliability"]["unit"] == "share"
    assert not any("_low" in name for name in heads if name.startswith(("parameters", "prompt_tokens")))
    last = told["rows"][-1]
    assert (last["tier"], last["shown"], last["delivered"], last["source"]) == (
        None,
        "reported",
        None,
        "arXiv 2609.38368",
    )
    lines = read(table.csv())
    assert len(lines) == 1 + len(board.rows)
    assert {len(line) for line in lines} == {len(table.heads)}
    assert float(lines[1][lines[0].index("delivered")]) == figure.value


def test_a_name_that_is_a_formula_does_nothing_in_a_ranking(assembled):
    row = assembled.layered.rows[0]
    named = replace(row, entry=replace(row.entry, model="=1+1", revision="@x", judges=("-j",)))
    table = ranking_download([named], LAYERED, EN, assembled.layered.standing, "s")
    heads, line = read(table.csv())
    assert [line[heads.index(one)] for one in ("model", "revision", "judges")] == ["'=1+1", "'@x", "'-j"]
    assert json.loads(table.json())["rows"][0]["model"] == "=1+1"


def test_the_other_tables(assembled):
    standing, state = assembled.layered.standing, assembled.state
    history = history_download(assembled.layered.history, assembled.layered.scores, standing, state)
    assert [row[1] for row in history.rows] == [one.model for one in assembled.layered.history]
    assert history.rows[0][history.heads.index(Head("newest"))] == "yes"
    detectors = detectors_download(detector_rows(), state)
    assert json.loads(detectors.json())["rows"][0]["reported"] in ("yes", "no")
    board = judge_board()
    matrix = matrix_download("crossed", board.crossed, "judge", standing, state)
    assert matrix.rows[0][1] == board.crossed.cells["polyp-72b", "polyp-72b"].value
    judges = json.loads(judges_download(board, state).json())["rows"]
    assert judges[2]["judge"] == "judge-a"
    assert judges[2]["self_preference"] is None
    assert judges[2]["leniency"] == board.leniency["judge-a"].value
    agreement = read(agreement_download(board, state).csv())
    assert agreement[1][:2] == ["judge-a", "people"]
    assert agreement[1][-1] == "0.87"
    for table in (history, detectors, matrix):
        assert {len(row) for row in table.rows} == {len(table.heads)}
        assert json.loads(table.json())["state"] == state
