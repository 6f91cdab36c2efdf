import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataset_builders.bear_bench.evidence.folding import fold, folded, occurrences

PHRASE = "Creative Commons Attribution"


@given(
    st.lists(st.integers(0, len(PHRASE) - 1), max_size=6),
    st.sampled_from(["\n", "-\n", "\x02", " ", "\u00ad"]),
)
def test_breaks_anywhere_change_nothing(places, broken):
    text = PHRASE
    for place in sorted(places, reverse=True):
        text = text[:place] + broken + text[place:]
    assert fold(text).text == folded(PHRASE)


@given(st.text(max_size=40))
def test_every_letter_leads_back_to_its_place(text):
    found = fold(text)
    assert len(found.places) == len(found.text)
    assert list(found.places) == sorted(found.places)
    assert all(0 <= place < len(text) for place in found.places)


@given(st.integers(1, 13), st.sampled_from(["too many", "too few", "another"]), st.text("xyz", max_size=9))
def test_one_slip_is_forgiven_wherever_it_is(place, slip, before):
    wanted = folded("creative commons")
    instead = {"too many": f"q{wanted[place]}", "too few": "", "another": "q"}[slip]
    text = before + wanted[:place] + instead + wanted[place + 1 :]
    ((start, _end),) = occurrences(text, wanted)
    assert start == len(before)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Сс Вy", "ccby"),  # Cyrillic С, с and В
        ("4.0, 3,5 and 1.", "4.o3.5andi"),
        ("Cornmons l1I", "commonsiii"),
        ("отчёт", folded("отчет")),
    ],
)
def test_look_alikes_become_one(text, expected):
    assert fold(text).text == expected


def test_short_phrases_are_taken_by_the_letter():
    assert list(occurrences("abcdefg", "abcdxfg")) == []
    assert list(occurrences("xxabcdefgxx", "abcdefg")) == [(2, 9)]
