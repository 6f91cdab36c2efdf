"""A conversation as it is shown: layers, turns, replies, and patches over a page."""

import math
from dataclasses import replace

import pytest

from leaderboard.html.exchange import Exchange, Reply, Turn
from leaderboard.html.heat import PatchMap, patch_map
from leaderboard.html.layers import scene_view
from leaderboard.html.ledger import ledger
from leaderboard.html.timeline import timeline
from leaderboard.html.words import Words
from lvqa_eval.statuses import Status
from tests.support.board_records import EXCHANGE, SCENE, SHA, picture
from tests.support.parsed_html import parsed

EN, RU = Words("en"), Words("ru")


def layers(turn, evidence=False, exchange=EXCHANGE):
    """Return the classes of every layer at a turn."""
    part = parsed(scene_view(SCENE, exchange, turn, EN, evidence=evidence))
    return [one.classes[1:] for one in part.all("li", "lv-layer")]


def test_layers_are_sent_turn_by_turn():
    assert layers(1) == [["now"], *[["later"]] * 5]
    assert layers(3) == [["sent"], ["sent"], ["now"], *[["later"]] * 3]
    assert layers(6) == [*[["sent"]] * 5, ["now"]]


def test_evidence_is_marked_with_its_word_on_demand_alone():
    assert layers(5, evidence=True) == [
        ["sent"],
        ["sent"],
        ["sent", "gold"],
        ["sent"],
        ["now", "gold"],
        ["later"],
    ]
    plain, marked = (parsed(scene_view(SCENE, EXCHANGE, 5, EN, evidence=shown)) for shown in (False, True))
    assert [one.text for one in marked.all(class_="lv-evtag")] == [
        "evidence",
        "evidence",
        " Layers with the evidence: 2, 4.",
    ]
    assert plain.all(class_="lv-evtag") == []
    told = "Reference: blue. Category: spatial. Layers: 6. Layers with the evidence: 2, 4."
    assert marked.one("p", "lv-note").text == told
    assert not any(word in plain.text for word in ("2, 4", "Reference", "spatial"))


def test_a_layer_sent_again_is_of_this_turn():
    turns = tuple(replace(one, layers=tuple(range(at + 1))) for at, one in enumerate(EXCHANGE.turns))
    assert layers(3, exchange=replace(EXCHANGE, turns=turns)) == [*[["now"]] * 3, *[["later"]] * 3]


def test_a_layer_is_said_in_words_and_keeps_its_place():
    part = parsed(scene_view(SCENE, EXCHANGE, 1, EN))
    first, second = part.all("li")[:2]
    assert (first.one(class_="vh").text, second.one(class_="vh").text) == (
        "sent in this turn",
        "not sent yet",
    )
    image = first.one("img").attributes
    assert (image["alt"], image["width"], image["height"]) == ("Layer 0: background", "448", "336")
    assert (image["data-sha"], image["src"]) == (SHA, "pictures/layer-0.png")
    assert part.all("p", "lv-note") == []


def test_the_composite_says_whether_it_was_sent():
    assert "never sent whole in sharded-v" in parsed(scene_view(SCENE, EXCHANGE, 1, EN)).text
    turns = (*EXCHANGE.turns, Turn("This is the whole scene.", composite=True))
    recap = replace(EXCHANGE, condition="recap-v", turns=turns)
    assert "sent whole in turn 7" in parsed(scene_view(SCENE, recap, 1, EN)).text
    assert len(parsed(scene_view(SCENE, recap, 7, EN)).all(class_="now")) == 1


def test_the_timeline_has_what_each_turn_brings_and_no_reply_before_its_turn():
    rows = parsed(timeline(EXCHANGE, 3, EN)).rows()
    assert rows == [
        ["Turn", "1", "2", "3", "4", "5", "6"],
        ["Question", "Q", "", "", "", "", ""],
        ["Scene", "0", "1", "2", "3", "4", "5"],
        ["A reply", "? asks", "? asks", "✓ correct", "", "", ""],
        ["B reply", "? asks", "✗ wrong", "? asks", "", "", ""],
    ]


def test_the_timeline_marks_the_turn_and_on_demand_where_the_evidence_is_complete():
    table = parsed(timeline(EXCHANGE, 5, EN, evidence=True))
    buttons = table.all("button")
    assert [one.attributes["data-turn"] for one in buttons] == ["1", "2", "3", "4", "5", "6"]
    assert [one.attributes.get("aria-current") for one in buttons] == [None] * 4 + ["step", None]
    assert [one.attributes["tabindex"] for one in buttons] == ["-1"] * 4 + ["0", "-1"]
    assert buttons[1].attributes["aria-label"] == "Go to turn 2"
    assert [one.text for one in table.all(class_="gold")] == ["2", "4"]
    assert len(table.all("td", "done")) == 4
    assert table.one(class_="lv-evtag").text == "all here"
    assert parsed(timeline(EXCHANGE, 5, EN)).all(class_="gold") == []


def test_the_timeline_has_pieces_of_the_question_and_the_whole_scene():
    turns = (
        Turn("a", shards=(1,), composite=True, replies=(Reply("x", "asks"),)),
        Turn("b", shards=(2, 3), replies=(Reply("y", "unknown"),)),
    )
    rows = parsed(timeline(Exchange("sharded-q", turns, ("m",), ("wrong",)), 2, EN)).rows()
    assert rows[1:] == [
        ["Question", "q1", "q2, q3"],
        ["Scene", "whole", ""],
        ["A reply", "? asks", "– not judged"],
    ]


def test_the_ledger_has_the_user_across_and_both_replies_below():
    part = parsed(ledger(EXCHANGE, 2, EN))
    assert [one.text for one in part.all(class_="who")] == [
        "Anorth/polyp-235bfinal turn ✓ correct",
        "Bpolyp-12bfinal turn ✗ wrong",
    ]
    turns = part.all(class_="t")
    assert ["cur" in one.classes for one in turns] == [False, True]
    assert turns[0].one(class_="lv-user").one("b").text == "What colour is the mug to the left of the plant?"
    assert turns[1].one(class_="lv-user").all("b") == []
    assert [one.text for one in turns[0].all(class_="lv-rep")] == [
        "AWhich mug is meant? No mug is visible yet. ? asks",
        "BWhere is the mug? ? asks",
    ]
    assert turns[1].all(class_="lv-rep")[1].text == "Bno reply ✗ wrongempty"


def test_pictures_stand_in_a_turn_as_they_were_sent():
    sent = parsed(ledger(EXCHANGE, 1, EN)).one(class_="lv-sent")
    assert [child.tag for child in sent.children] == ["bdi", "img"]
    assert sent.one("img").attributes["alt"] == "Picture as sent: Image 1, layer 0"


def test_an_ungrounded_answer_is_said_to_be_one_with_the_evidence_alone():
    flag = "Correct before the evidence was complete (turn 5): ungrounded"
    assert [one.text for one in parsed(ledger(EXCHANGE, 3, EN, evidence=True)).all(class_="lv-flag")] == [
        flag
    ]
    assert parsed(ledger(EXCHANGE, 3, EN)).all(class_="lv-flag") == []


def test_a_conversation_that_has_ended_says_so():
    assert parsed(ledger(EXCHANGE, 6, EN)).all(class_="lv-rep")[-1].text == "BThe conversation had ended."


def test_one_model_stands_alone_and_other_words_of_the_user_with_the_reply():
    turn = Turn("the schedule's words", replies=(Reply("x", "right", asked="other words"),))
    part = parsed(ledger(Exchange("sharded-q", (turn,), ("m",), ("right",)), 1, EN))
    assert part.all(class_="alone") != []
    assert part.one(class_="lv-rep").text == "AThe user said here: other wordsx ✓ correct"


@pytest.mark.parametrize("status", [one for one in Status if one is not Status.OK])
@pytest.mark.parametrize("words", [EN, RU])
def test_every_status_of_a_reply_has_a_word(status, words):
    turn = Turn("u", replies=(Reply("x", "wrong", status),))
    part = parsed(ledger(Exchange("full", (turn,), ("m",), ("wrong",)), 1, words))
    assert part.one(class_="lv-chip").text == words(f"status.{status.value}")


def test_a_long_reply_scrolls_in_a_box_that_takes_the_focus():
    turn = Turn("u", replies=(Reply("word " * 400, "wrong"), Reply("short", "wrong")))
    part = parsed(ledger(Exchange("full", (turn,), ("m", "n"), ("wrong", "wrong")), 1, EN))
    boxes = part.all("bdi", "lv-said")[1:]
    assert [("long" in one.classes, one.attributes.get("tabindex")) for one in boxes] == [
        (True, "0"),
        (False, None),
    ]


def test_patches_are_tinted_in_equal_steps_above_the_median():
    values = ((0.0, 0.0, 0.0, 0.0, 0.0), (0.1, 0.2, 0.3, 0.4, 0.5), (0.19, math.nan, 0.0, 0.0, 0.0))
    part = parsed(patch_map(PatchMap(picture("page", 500, 300), values, "m"), EN))
    cells = [one.all("td") for one in part.one("table").all("tr")]
    assert [len(row) for row in cells] == [5, 5, 5]
    assert [one.classes for one in cells[1]] == [["p1"], ["p2"], ["p3"], ["p4"], ["p4"]]
    assert [one.text for one in cells[1]] == [".10", ".20", ".30", ".40", ".50"]
    assert cells[2][0].classes == ["p1"]
    assert [one.text for one in cells[2][1:]] == [""] * 4
    assert [one.text for one in part.one(class_="lv-page-key").children] == [
        " .10–.20",
        " .20–.30",
        " .30–.40",
        " .40–.50",
    ]
    assert "Highest: row 2, column 5: .50; row 2, column 4: .40" in part.one("p", "lv-note").text


def test_a_page_whose_patches_are_alike_has_no_tint():
    for values in (((0.3, 0.3),), ((math.nan, math.nan),)):
        part = parsed(patch_map(PatchMap(picture("page"), values, "m"), RU))
        assert {tuple(one.classes) for one in part.all("td")} == {()}
        assert part.one("p", "lv-note").text == "Все участки одинаковы."
