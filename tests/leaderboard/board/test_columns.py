"""Columns: their texts, and order as numbers with what is missing last."""

import csv
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.board.columns import (
    BEAR,
    ENTRY_CELLS,
    LAYERED,
    cell,
    column,
    columns_of,
    sorted_rows,
)
from leaderboard.board.records import Entry, Row
from leaderboard.html.words import Words
from lvqa_eval.reports.deliveries import DELIVERIES
from tests.support.board_records import entry, figure

SUBMISSIONS = Path(__file__).resolve().parents[2] / "cases" / "leaderboard" / "submissions.csv"


def rows_of(key, *values):
    """Return a row for each value, None for one that lacks the column; named by their place."""
    return [
        Row(Entry(str(place), str(place), "panel", "ranked"), {} if one is None else {key: figure(one)})
        for place, one in enumerate(values)
    ]


def order(rows, key, descending=None):
    """Return the places of rows in the order of a column."""
    return [int(row.entry.id) for row in sorted_rows(rows, key, descending)]


@pytest.mark.parametrize("columns", [LAYERED, BEAR], ids=["layered", "bear"])
@pytest.mark.parametrize("language", ["en", "ru"])
def test_every_column_has_a_title_and_a_definition_in_both_languages(columns, language):
    words = Words(language)
    for one in columns:
        assert words(one.title)
        assert words(f"term.{one.definition}.meaning")
        assert not one.group or words(one.group)
    assert len({one.key for one in columns}) == len(columns)
    titles = [(one.group, words(one.title)) for one in columns]
    assert len(set(titles)) == len(titles)


def test_the_big_table_has_a_column_for_all_that_is_measured():
    keys = {one.key for one in LAYERED}
    assert len(LAYERED) >= 60
    assert {*DELIVERIES, "delivered", "retained_both", "joint", "unreliability", "prompt_tokens"} <= keys
    assert {f"delta_{one}" for one in DELIVERIES if one != "full"} <= keys
    assert {"overall", "en", "ru", "gap", "science-ru", "handwriting", "cot", "downsample-4"} <= {
        one.key for one in BEAR
    }


def test_no_term_opens_twice_among_the_columns():
    for columns in (LAYERED, BEAR):
        opened = [one.term for one in columns if one.term]
        assert len(set(opened)) == len(opened)
        assert set(opened) == {one.definition for one in columns}


def test_numbers_are_ordered_as_numbers():
    rows = rows_of("delivered", 10.0, 9.5, 0.61, 71.5)
    assert order(rows, "delivered") == [3, 0, 1, 2]
    assert order(rows, "delivered", descending=False) == [2, 1, 0, 3]


def test_scores_of_submitted_files_are_ordered_as_numbers():
    with SUBMISSIONS.open(encoding="utf-8-sig", newline="") as file:
        scores = [float(one["accuracy"]) for one in csv.DictReader(file) if one["accuracy"]]
    rows = rows_of("delivered", *scores)
    assert [scores[place] for place in order(rows, "delivered")] == sorted(scores, reverse=True)


@pytest.mark.parametrize("descending", [True, False, None])
def test_what_is_missing_stays_missing_and_comes_last_in_both_directions(descending):
    rows = rows_of("full", 0.04, None, 0.07, math.nan)
    assert order(rows, "full", descending)[2:] == [1, 3]
    assert order(rows, "full", descending)[:2] == ([0, 2] if descending is False else [2, 0])
    assert all(math.isnan(cell(rows[place], "full")) for place in (1, 3))


def test_what_is_better_comes_first_unless_a_direction_is_given():
    assert order(rows_of("ungrounded", 0.3, 0.1, 0.2), "ungrounded") == [1, 2, 0]
    assert order(rows_of("full", 0.3, 0.1, 0.2), "full") == [0, 2, 1]
    dated = (("b", "2026-02"), ("A", "2026-10"), ("c", ""))
    rows = [Row(entry(name, received=when), {}) for name, when in dated]
    assert [row.entry.model for row in sorted_rows(rows, "model")] == ["A", "b", "c"]
    assert [row.entry.model for row in sorted_rows(rows, "received")] == ["b", "A", "c"]
    assert [row.entry.model for row in sorted_rows(rows, "received", True)] == ["A", "b", "c"]


def test_what_an_entry_says_of_itself():
    bare = Row(Entry("", "m", "reported", "reported"), {})
    assert {key: cell(bare, key) for key in ("weights", "judges", "received", "revision")} == dict.fromkeys(
        ("weights", "judges", "received", "revision")
    )
    assert all(math.isnan(cell(bare, key)) for key in ("parameters", "runs", "prompt_tokens"))
    full = Row(entry("m", parameters=2.5, prompt_tokens=12), {})
    assert [cell(full, key) for key in ("parameters", "prompt_tokens", "judges", "weights", "runs")] == [
        2.5, 12, "judge-a, judge-b", "open", 3,
    ]  # fmt: skip
    assert set(ENTRY_CELLS) - {"model"} <= {one.key for one in LAYERED}


def test_columns_that_no_row_has_are_left_out(assembled):
    shown = [one.key for one in columns_of(assembled.layered)]
    assert {"delivered", "depth_oracle_5", "restored_scene", "judges"} <= set(shown)
    assert "depth_oracle_8" not in shown
    assert shown == [one.key for one in LAYERED if one.key in shown]
    assert "cot" in {one.key for one in columns_of(assembled.bear)}  # a paper prints it
    assert column("bear-bench", "gap").unit == "difference"
    with pytest.raises(KeyError):
        column("bear-bench", "delivered")


@given(st.lists(st.none() | st.floats(allow_infinity=False), max_size=8), st.sampled_from([True, False]))
def test_any_column_is_ordered_without_a_row_lost(values, descending):
    rows = rows_of("full", *values)
    found = order(rows, "full", descending)
    assert sorted(found) == list(range(len(values)))
    known = [values[place] for place in found if values[place] is not None and not math.isnan(values[place])]
    assert known == sorted(known, reverse=descending)
    assert all(values[place] is None or math.isnan(values[place]) for place in found[len(known) :])
