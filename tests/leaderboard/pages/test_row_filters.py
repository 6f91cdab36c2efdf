"""Which rows a view shows."""

import pytest

from leaderboard.board.records import Board, Row
from leaderboard.filters import FILTERS, found, searched
from leaderboard.views import read_view
from tests.support.board_records import entry

BOARD = Board("A board", None, None)
ENTRIES = [
    entry("Northwind/Vista-32B", parameters=32.5, weights="open", badge="verified", revision="9f3c1d2"),
    entry("halden/Glimpse-10", parameters=10.0, weights="closed"),
    entry("Родник/Взгляд-3Б", parameters=3.1, weights="open", shown="not ranked", badge="provisional"),
    entry("Grand", parameters=397.0, weights=None, shown="reported", badge="reported"),
    entry("Unknown", parameters=None, weights="closed", badge="verified"),
]
ROWS = [Row(one, {}, at) for at, one in enumerate(ENTRIES)]
ALL = [one.model for one in ENTRIES]


def view(**told):
    return read_view("layered", FILTERS, BOARD, told)


def names(**told):
    return [row.entry.model for row in found(ROWS, view(**told))]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ALL),
        ("  ", ALL),
        ("VISTA", ALL[:1]),
        ("north 32", ALL[:1]),
        ("9f3c", ALL[:1]),
        ("ВЗГЛЯД", ALL[2:3]),
        ("ｇｌｉｍｐｓｅ", ALL[1:2]),  # letters of full width are the same letters
        ("vista glimpse", []),
        (".*", []),
        ("<b>", []),
    ],
)
def test_every_word_of_a_search_is_in_the_name(text, shown):
    assert names(q=text) == shown


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        ("all", ALL),
        ("to-10", ALL[1:3]),
        ("10-40", ALL[:1]),
        ("from-40", ALL[3:4]),
        ("unknown", ALL[4:]),
        ("huge", ALL),
    ],
)
def test_a_size_holds_its_upper_end(size, shown):
    assert names(size=size) == shown


def test_both_boxes_are_no_filter_and_none_shows_nothing():
    assert names(open="open") == [ALL[0], ALL[2]]
    assert names(open="closed") == [ALL[1], ALL[4]]
    assert names(open="open,closed") == ALL
    assert names(open="") == []


def test_only_what_was_verified():
    assert names(verified="1") == [ALL[0], ALL[4]]
    assert names(verified="1", open="open", size="10-40", q="vista") == ALL[:1]


def test_a_filter_leaves_tiers_and_order_as_they_are():
    shown = found(ROWS, view(open="closed"))
    assert [row.tier for row in shown] == [1, 4]
    assert all(any(row is one for one in ROWS) for row in shown)
    assert found(ENTRIES, view(open="closed")) == [ENTRIES[1], ENTRIES[4]]


def test_a_search_takes_letters_as_they_are_read():
    assert searched("STRASSE", view(q="straße"))
    assert not searched("model", view(q="mod el x"))
