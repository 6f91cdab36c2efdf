"""Which words carry meaning, and which are forms of one word."""

import pytest

from dataset_builders.layered_vqa.annotation.prompts import load_prompts
from dataset_builders.layered_vqa.annotation.words import alike, content_words, missing_words, words

LISTS = load_prompts().words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("boot", "boots"),
        ("run", "running"),
        ("stop", "stopped"),
        ("colour", "color"),
        ("carries", "carry"),
        ("red", "reddish"),
        ("3", "3"),
    ],
)
def test_forms_of_one_word_are_alike(one, other):
    assert alike(one, other)
    assert alike(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [("left", "right"), ("cat", "car"), ("an", "and"), ("3", "31"), ("white", "whiteboard"), ("dog", "hot")],
)
def test_other_words_are_not(one, other):
    assert not alike(one, other)
    assert not alike(other, one)


def test_words_are_casefolded_and_spelled_in_one_way():
    assert words("The Dog's three LEGS aren't dark-red; the one") == [
        *("the", "dog", "3", "legs", "are", "not", "dark", "red", "the", "one")
    ]


def test_places_and_negations_carry_meaning_and_small_words_do_not():
    assert content_words("What is it that I want to know about the thing?", LISTS) == []
    assert content_words("Is it not under, behind or left of the only other dog?", LISTS) == [
        *("not", "under", "behind", "left", "only", "other", "dog")
    ]


def test_missing_words_are_those_of_which_no_form_is_there():
    assert missing_words("A man is wearing boots", "who wears a hat?", LISTS) == ["man", "boots"]
    assert missing_words("What is it?", "", LISTS) == []
