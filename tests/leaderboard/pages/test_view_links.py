"""Views and the links that restore them; junk in a link."""

from types import MappingProxyType
from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.board.records import Board
from leaderboard.views import Choice, Choices, Flag, JunkError, Text, Whole, read_view

BOARD = Board("A board", None, None, state="one")
NONE = MappingProxyType({})
FIELDS = (
    Text("q", most=10),
    Choice("order", ("delivered", "joint", "full")),
    Choices("open", ("open", "closed")),
    Flag("verified"),
    Choice("version", lambda board, _values: [board.state, "older"]),
    Whole("turn", lambda _board, values: 6 if values["order"] == "joint" else 2),
)
USUAL = {
    "q": "",
    "order": "delivered",
    "open": ("open", "closed"),
    "verified": False,
    "version": "one",
    "turn": 1,
}


def view(told, **options):
    return read_view("layered", FIELDS, BOARD, told, **options)


def query(text):
    return dict(parse_qsl(text.removeprefix("?"), keep_blank_values=True))


def test_a_link_that_says_nothing_is_the_usual_view():
    found = view({})
    assert (found.words.language, found.values, found.link) == ("en", USUAL, "?lang=en")


def test_a_link_tells_the_language_and_what_is_not_as_usual():
    told = {"lang": "ru", "q": "глаз & ухо", "order": "Joint", "open": "closed", "verified": "1", "turn": "5"}
    found = view(told)
    assert found.values == USUAL | {
        "q": "глаз & ухо",
        "order": "joint",
        "open": ("closed",),
        "verified": True,
        "turn": 5,
    }
    assert query(found.link) == told | {"order": "joint"}
    assert view(query(found.link)).values == found.values
    assert (found.text("order"), found.names("open"), found.flag("verified"), found.whole("turn")) == (
        *("joint", ("closed",)),
        *(True, 5),
    )


def test_no_box_set_is_not_the_same_as_nothing_said():
    found = view({"open": ""})
    assert found.values["open"] == ()
    assert query(found.link) == {"lang": "en", "open": ""}
    assert view(query(found.link)).values["open"] == ()


def test_what_is_allowed_may_depend_on_the_board_and_on_fields_before():
    assert view({"version": "older"}).values["version"] == "older"
    assert view({"version": "1.0.0"}).values["version"] == "one"
    assert view({"order": "joint", "turn": "6"}).values["turn"] == 6
    assert view({"order": "full", "turn": "6"}).values["turn"] == 1


JUNK = {
    "order": ("<script>", "delivered,joint", "", "\0"),
    "open": ("ajar", "open,ajar", "open;closed"),
    "verified": ("yes", "2", "-1"),
    "turn": ("0", "-1", "1.5", "١", "9" * 400, "3"),
    "lang": ("de", "", "en-GB"),
}


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in JUNK.items() for text in texts])
def test_junk_falls_back_and_is_named_to_programs(name, text):
    assert view({name: text}).link == "?lang=en"
    with pytest.raises(JunkError, match=rf"^{name}: found "):
        view({name: text}, strict=True)


def test_an_error_names_the_field_what_was_found_and_what_is_allowed():
    with pytest.raises(JunkError) as caught:
        view({"order": "best"}, strict=True)
    assert str(caught.value) == "order: found 'best', allowed: delivered, joint, full"


def test_a_field_without_any_choice_is_empty():
    found = read_view("compare", (Choice("a", ()), Choices("b", ())), BOARD, {"a": "model", "b": "x"})
    assert (found.values, found.link) == ({"a": "", "b": ()}, "?lang=en")


def test_views_that_show_the_same_have_one_key():
    assert view({"order": "JOINT"}).key == view({"order": "joint", "turn": "77"}).key
    assert view({"q": "a"}).key != view({"q": "b"}).key != view({"q": "b", "lang": "ru"}).key


TOLD = st.dictionaries(
    st.sampled_from(["lang", *USUAL, "unknown"]),
    st.text(max_size=40) | st.sampled_from(["joint", "1", "open"]),
)


@given(TOLD)
def test_any_link_gives_a_view_whose_own_link_gives_it_again(told):
    found = view(told)
    again = view(query(found.link))
    # A lone surrogate cannot stand in a link; everything else comes back.
    assert again.values["q"] == found.values["q"].encode(errors="replace").decode()
    assert {**again.values, "q": ""} == {**found.values, "q": ""}
    assert len(found.values["q"]) <= 10
