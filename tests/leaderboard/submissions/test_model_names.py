"""Names of models: the alphabet, one script, look-alikes, and which names are one model."""

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.submissions.names import ALLOWED, name_fault, same_model

CASES = Path(__file__).resolve().parents[2] / "cases" / "leaderboard"


def names_of_the_table():
    with (CASES / "submissions.csv").open(encoding="utf-8", newline="") as file:
        return [row["model"] for row in csv.DictReader(file)]


def test_of_the_names_that_were_sent_only_plain_ones_are_taken():
    taken = [name for name in names_of_the_table() if name_fault(name) is None]
    assert taken == ["Org/Model-A", "org/model-a ", "old-bench", "ten", "nine"]
    assert len(names_of_the_table()) == 12


@pytest.mark.parametrize(
    "name",
    [
        *(
            "GPT-4o mini",
            "Qwen/Qwen2.5-VL-7B-Instruct",
            "GigaChat 2 Max",
            "model (beta)",
            "o3",
            "a+b",
            "v1:latest",
        ),
        *("Взгляд-3", "Родник/Взгляд-3Б", "7B", "x" * 96, "  spaces around  ", "Ёлка"),
    ],
)
def test_names_in_use_are_taken(name):
    assert name_fault(name) is None


@pytest.mark.parametrize(
    "name",
    [
        *(
            "",
            "   ",
            "x" * 97,
            "<b>x</b>",
            "[a](b)",
            "a|b",
            "a\nb",
            "a\tb",
            "=1+1",
            "+1",
            "-1",
            "@x",
            "${x}",
            "{{x}}",
        ),
        *(
            "../x",
            "a/../b",
            "a//b",
            "/a",
            "a/",
            "a/b/c",
            "a\\b",
            "a  b",
            "a\u00a0b",
            "a\u200bb",
            "rtl\u202ecod",
        ),
        *("caf\u00e9", "e\u0301", "\uff21bc", "模型", "a'b", 'a"b', "a;b", "a,b", "a&b", "model\u0000"),
        *("Оrg/Model-A", "Модель-A1 b", "Qwеn"),
    ],
)
def test_others_are_refused_with_what_is_allowed(name):
    found = name_fault(name)
    assert (found.field, found.allowed) == ("about.model", ALLOWED)
    assert found.found.isprintable()


def test_a_mixed_name_tells_which_letter_it_is():
    assert name_fault("Qwеn").found == 'Latin letters beside "е" (U+0435, Cyrillic)'
    assert (
        name_fault("x\u202ey").found
        == "the character U+202E (changes the direction of text) that is not seen"
    )


@pytest.mark.parametrize("name", ["АВС", "Мо", "СеРа-3", "ХХ/УУ"])
def test_a_name_whose_cyrillic_letters_all_look_latin_is_refused_unless_one_tells(name):
    if all(letter in "АВЕКМНОРСТУХЗаеорсухьб" for letter in name if letter.isalpha()):
        assert name_fault(name).allowed == "letters that tell the script"
    assert name_fault(name + "я") is None


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("Mode1", "Model"),
        ("GPT-4O", "GPT-40"),
        ("vIew", "view2 vIew")[:2],
        ("Оса-Я", "0са-Я"),
        ("ModeI", "Model"),
    ],
)
def test_a_name_that_looks_like_one_on_the_board_is_refused(name, taken):
    found = name_fault(name, ("Other", taken))
    if name == "vIew":
        assert found is None
    else:
        assert f'looks like "{taken}"' in found.found
    assert name_fault(name) is None


def test_trimmed_and_without_case_two_names_are_one_model():
    assert same_model("Org/Model-A") == same_model("org/model-a ") == same_model(" ORG/MODEL-A")
    assert same_model("Org/Model-A") != same_model("Оrg/Model-A")
    assert same_model("ВЗГЛЯД") == same_model("взгляд")
    assert name_fault("ORG/MODEL-A", ("Org/Model-A",)) is None


@given(st.text(max_size=100))
def test_what_is_taken_can_be_no_markup_formula_path_or_hidden_text(name):
    if name_fault(name) is not None:
        return
    kept = name.strip(" ")
    assert 1 <= len(kept) <= 96
    assert not set(kept) & set("<>&\"'`$={}[]|\\,;\n\r\t%#!*?~^")
    assert kept[0].isalnum()
    assert ".." not in kept.split("/")
    assert kept.isprintable()
