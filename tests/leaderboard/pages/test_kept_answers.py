"""What is kept of answers: bounded, by the view and the board that it is of."""

import gzip
from dataclasses import dataclass, field

import orjson
import pytest

from leaderboard.answers import Answers, Packed, as_data
from leaderboard.board.downloads import Download, Head
from leaderboard.board.records import Board
from leaderboard.kept import ENTRY, Kept
from leaderboard.live import LiveBoard
from leaderboard.views import Choice, JunkError, Text, read_view


def test_the_least_used_goes_first():
    kept = Kept(3 * (ENTRY + 10), len)
    for key in "abc":
        kept.keep(key, bytes(10))
    assert kept.find("a") == bytes(10)
    kept.keep("d", bytes(10))
    assert [kept.find(key) is None for key in "abcd"] == [False, True, False, False]
    assert (len(kept), kept.bytes) == (3, 3 * (ENTRY + 10))


def test_a_key_that_is_kept_again_is_counted_once():
    kept = Kept(10_000, len)
    kept.keep("a", bytes(100))
    kept.keep("a", bytes(7))
    assert (len(kept), kept.bytes) == (1, ENTRY + 7)


def test_what_is_too_large_is_not_kept():
    kept = Kept(ENTRY + 10, len)
    kept.keep("small", bytes(10))
    kept.keep("large", bytes(11))
    assert (kept.find("large"), len(kept), kept.bytes) == (None, 0, 0)


def test_the_same_answer_has_the_same_bytes():
    one, other = Packed(b"<b>" * 900), Packed(b"<b>" * 900)
    assert (one.content, one.tag) == (other.content, other.tag)
    assert gzip.decompress(one.content) == one.plain == b"<b>" * 900
    assert one.tag != Packed(b"<b>" * 901).tag
    assert len(one) < 100


@dataclass
class StandInPage:
    """A page that counts how often it is drawn."""

    drawn_for: list = field(default_factory=list)
    fields = (Text("q"), Choice("order", ("delivered", "joint")))

    @property
    def tables(self):
        heads = (Head("model"), Head("score", "Score", "What it is", "share"))
        return {
            "ranking": lambda view: Download("ranking", heads, self._rows(view), {"state": view.board.state})
        }

    def _rows(self, view):
        self.drawn_for.append(view.text("q"))
        return ((f"=cmd|{view.text('q')}", 1 / 3), ("none", float("nan")))

    def view(self, board, told, *, strict=False):
        return read_view("stand-in", self.fields, board, told, strict=strict)

    def drawn(self, view, changed):
        self.drawn_for.append((view.board.state, view.text("q"), changed and sorted(changed)))
        return {"q": view.text("q")}


def moving():
    """Return a live board whose state is in a list, looked at each time."""
    state = ["a"]
    live = LiveBoard(lambda: Board("", None, None, state=state[0]), lambda: state[0], every=0)
    return state, live


def test_a_view_is_drawn_once_for_each_board():
    page, (state, live) = StandInPage(), moving()
    answers = Answers(live)
    for told in ({"q": "x"}, {"q": "x", "order": "junk"}, {"q": "x", "unknown": "1"}):
        assert orjson.loads(answers.view(page, told, None).plain) == {"q": "x"}
    answers.view(page, {"q": "x"}, frozenset({"q"}))
    answers.view(page, {"q": "y"}, None)
    state[0] = "b"
    answers.view(page, {"q": "x"}, None)
    assert page.drawn_for == [("a", "x", None), ("a", "x", ["q"]), ("a", "y", None), ("b", "x", None)]


def test_what_is_ready_needs_no_thread():
    page, live = StandInPage(), LiveBoard.of(Board("", None, None, state="a"))
    answers = Answers(live)
    assert answers.ready(page, {"q": "x"}, None) is None
    made = answers.view(page, {"q": "x"}, None)
    assert answers.ready(page, {"q": "x"}, None) is made
    assert answers.ready(page, {"q": "y"}, None) is None
    assert len(page.drawn_for) == 1


def test_a_table_is_a_file_or_data_for_programs():
    page, live = StandInPage(), LiveBoard.of(Board("", None, None, state="a"))
    answers = Answers(live)
    assert answers.csv(page, "ranking", {"q": "x"}).plain == (
        b"model,score\r\n'=cmd|x,0.3333333333333333\r\nnone,\r\n"
    )
    rows = orjson.loads(answers.json(page, "ranking", {"q": "x"}).plain)["rows"]
    assert rows == [{"model": "=cmd|x", "score": 1 / 3}, {"model": "none", "score": None}]
    data = orjson.loads(answers.data(page, "ranking", {"q": "x"}).plain)
    assert (data["rows"], data["state"]) == ([["=cmd|x", 0.333333], ["none", None]], "a")
    assert [one["name"] for one in data["columns"]] == ["model", "score"]
    answers.csv(page, "ranking", {"q": "x", "order": "junk"})
    assert page.drawn_for == ["x"] * 3
    with pytest.raises(JunkError):
        answers.data(page, "ranking", {"order": "junk"})


def test_data_for_programs_has_whole_numbers_and_words_as_they_are():
    table = Download("t", (Head("a"), Head("b"), Head("c")), ((1, "x", None), (0.1234567, "y", 2.0)))
    assert orjson.loads(as_data(table))["rows"] == [[1, "x", None], [0.123457, "y", 2.0]]
