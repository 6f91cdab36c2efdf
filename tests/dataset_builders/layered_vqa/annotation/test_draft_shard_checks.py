"""Every rule of shards that a machine can check, each broken once."""

from dataclasses import replace

import pytest

from dataset_builders.layered_vqa.annotation.prompts import load_prompts
from dataset_builders.layered_vqa.annotation.replies import ShardReply, Unit
from dataset_builders.layered_vqa.annotation.shard_checks import shard_findings
from dataset_builders.layered_vqa.annotation.spans import shard_spans, unit_span
from tests.support.draft_replies import ASKED, SHARDS, changed

LISTS = load_prompts().words


def broken(reply, asked=ASKED):
    """Return (field, rule, found) of each broken rule."""
    return [one[:3] for one in shard_findings(asked, ShardReply.model_validate(reply), LISTS)]


def text(index, words):
    return changed(SHARDS, "shards", index, "text", words)


def test_a_good_reply_breaks_no_rule():
    assert broken(SHARDS) == []


@pytest.mark.parametrize(
    ("source", "occurrence", "span"),
    [
        ("a", 1, (4, 5)),  # not the a of "Has", which is a part of a word
        ("a", 2, (16, 17)),
        ("a", 3, None),
        ("a", 0, None),
        ("cat", 1, (6, 9)),
        ("Cat", 1, None),
        ("a cat's", 1, (4, 11)),
        ("paw a", 1, (12, 17)),
    ],
)
def test_a_unit_stands_where_its_words_stand(source, occurrence, span):
    unit = Unit(id=1, source=source, occurrence=occurrence)
    assert unit_span("Has a cat's paw a claw?", unit) == span


def test_shards_have_the_span_of_their_units_unless_another_lies_between():
    assert shard_spans(ASKED.question, ShardReply.model_validate(SHARDS)) == ((0, 11), (19, 25), (26, 44))
    apart = changed(SHARDS, "shards", 0, "units", [1, 3])
    apart = changed(apart, "shards", 2, "units", [])
    assert shard_spans(ASKED.question, ShardReply.model_validate(apart)) == (None, (19, 25), None)
    joined = changed(changed(SHARDS, "shards", 1, "units", [2, 3]), "shards", 2, "units", [])
    assert shard_spans(ASKED.question, ShardReply.model_validate(joined)) == ((0, 11), (19, 44), None)


def test_a_source_that_is_not_in_the_question_is_found_with_what_it_loses():
    found = broken(changed(SHARDS, "units", 1, "source", "Circle"))
    assert ("units[1]", "source-in-question", "'Circle', occurrence 1") in found
    assert ("units", "question-covered", "circle in no unit") in found


def test_units_share_no_word():
    found = broken(changed(SHARDS, "units", 1, "source", "circle left"))
    assert ("units", "spans-apart", "'circle left' and 'left of the square'") in found


def test_every_word_that_matters_is_in_a_unit():
    found = broken(changed(SHARDS, "units", 2, "source", "left of"))
    assert found == [("units", "question-covered", "square in no unit")]


def test_every_unit_is_in_exactly_one_shard():
    assert broken(changed(SHARDS, "shards", 1, "units", [1, 2]))[0] == (
        "shards",
        "unit-in-one-shard",
        "unit 1 2 times",
    )
    found = broken(changed(SHARDS, "shards", 1, "units", [7]))
    assert found == [
        ("shards[1].units", "known-unit", "[7]"),
        ("shards", "unit-in-one-shard", "unit 2 0 times"),
    ]
    assert ("shards[2].units", "not-empty", "none") in broken(changed(SHARDS, "shards", 2, "units", []))


def test_ids_count_from_one():
    assert broken(changed(SHARDS, "units", 1, "id", 1))[0] == ("units", "ids-from-one", "[1, 1, 3]")


def test_there_are_three_to_six_shards():
    two = {
        "units": SHARDS["units"],
        "shards": [SHARDS["shards"][0], {**SHARDS["shards"][2], "units": [2, 3]}],
    }
    assert ("shards", "shard-count", "2") in broken(two)


def test_the_first_has_the_intent_and_no_other():
    assert broken(changed(SHARDS, "shards", 0, "role", "detail")) == [
        ("shards[0].role", "intent-first", "detail")
    ]
    assert broken(changed(SHARDS, "shards", 2, "role", "intent")) == [
        ("shards[2].role", "intent-first", "intent")
    ]


def test_the_first_keeps_something_back():
    assert broken(text(0, "I want to know a colour, that of the circle left of the square.")) == [
        ("shards[0].text", "intent-withholds", "all that the others tell")
    ]
    assert broken(text(0, "I want to know a colour, that of the circle.")) == []


def test_words_that_are_not_the_questions_are_additions():
    assert broken(text(1, "It is that of the big round circle.")) == [
        ("shards[1].text", "words-from-question", "big, round")
    ]
    # Places and negations are no small words.
    assert broken(text(1, "It is not the circle behind it.")) == [
        ("shards[1].text", "words-from-question", "not, behind")
    ]


def test_words_of_a_unit_that_its_shard_lacks_are_lost():
    assert broken(text(2, "The one of the square, I mean.")) == [("shards[2].text", "units-kept", "no left")]


def test_an_answer_that_the_question_does_not_hold_is_not_told():
    assert ("shards[0].text", "no-answer-leaked", "words that give an answer away") in broken(
        text(0, "I want to know a colour, red?")
    )
    counted = replace(ASKED, answer="person")  # a small word, so that nothing else finds it
    assert broken(text(1, "It is the circle of a person."), counted) == [
        ("shards[1].text", "no-answer-leaked", "words that give an answer away")
    ]
    assert broken(SHARDS, replace(ASKED, answer="Left")) == []
    assert broken(SHARDS, replace(ASKED, answer="one")) == []


def test_there_is_no_talk_of_the_benchmark_unless_the_question_has_the_word():
    assert broken(text(1, "It is that of the circle on layer.")) == [
        ("shards[1].text", "no-benchmark-talk", "layer")
    ]
    cake = replace(ASKED, question="What colour is the layer left of the square?")
    asks = changed(text(1, "It is that of the layer."), "units", 1, "source", "layer")
    assert broken(asks, cake) == []


def test_no_detail_leans_on_another():
    assert broken(text(1, "And it is that of the circle.")) == [("shards[1].text", "any-order", "and")]
    assert broken(text(0, "So I want to know a colour.")) == []


def test_nothing_is_said_twice_and_all_on_one_line():
    twice = changed(SHARDS, "shards", 1, "text", "The circle left of the square, I mean.")
    twice = changed(twice, "shards", 2, "text", "The circle left of the square, I mean")
    assert broken(twice) == [("shards[2].text", "said-once", "what shards[1] says")]
    for words in ("It is that\nof the circle.", " It is that of the circle.", "...", "the circle\x00"):
        assert broken(text(1, words))[0][:2] == ("shards[1].text", "one-line")
