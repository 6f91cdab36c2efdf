"""The texts of both languages, and numbers as each writes them."""

import ast
import math
import re
import string
from pathlib import Path

import pytest

from leaderboard.html.cells import size
from leaderboard.html.words import LANGUAGES, Words, texts
from lvqa_eval.metrics.bootstrap import Estimate
from lvqa_eval.reports.deliveries import DELIVERIES
from lvqa_eval.reports.detectors.scorers import KINDS

LEADERBOARD = Path(__file__).resolve().parents[3] / "leaderboard"
EN, RU = Words("en"), Words("ru")
FORMS = re.compile(r"\.(one|few|many)$")
NBSP = "\N{NO-BREAK SPACE}"


def said():
    """Return every constant string of the code, how those begin that are put together, and the keys asked."""
    whole, starts, asked = set(), set(), set()
    for path in LEADERBOARD.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
                starts.add(str(node.values[0].value))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                whole.add(node.value)
            elif isinstance(node, ast.Call) and node.args:
                name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                if name in ("words", "_words", "count") and isinstance(node.args[0], ast.Constant):
                    asked.add(node.args[0].value)
    return whole, {start for start in starts if re.fullmatch(r"([a-z_]+\.)+", start)}, asked


def test_both_languages_have_the_same_keys_and_every_form_of_a_count():
    keys = {language: {FORMS.sub("", key) for key in texts(language)} for language in LANGUAGES}
    assert keys["en"] == keys["ru"]
    counted = {FORMS.sub("", key) for key in texts("en") if FORMS.search(key)}
    assert counted == {FORMS.sub("", key) for key in texts("ru") if FORMS.search(key)}
    for key in counted:
        assert {f"{key}.one", f"{key}.many"} <= set(texts("en"))
        assert {f"{key}.one", f"{key}.few", f"{key}.many"} <= set(texts("ru"))


def test_both_languages_have_the_same_holes():
    def holes(text):
        return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}

    for key, text in texts("ru").items():
        counterpart = key if key in texts("en") else FORMS.sub(".many", key)
        assert (key, holes(text)) == (key, holes(texts("en")[counterpart]))


def test_every_text_is_used_and_every_text_that_is_used_is_there():
    whole, starts, asked = said()
    keys = {FORMS.sub("", key) for key in texts("en")}
    if not (LEADERBOARD / "board" / "columns.py").exists():
        starts |= {"column.", "group."}
    assert {key for key in keys if key not in whole and not any(map(key.startswith, starts))} == set()
    assert {key for key in asked if "." in str(key)} - keys == set()


def test_russian_is_russian():
    latin = {
        "page.layered.title",
        "page.bear.title",
        "nav.layered",
        "nav.bear",
        "column.full",
        "term.full.name",
        "strip.question.source",
    }
    for key, text in texts("ru").items():
        if re.search("[a-zA-Z]{4}", text) and not re.search("[а-яё]", text):
            assert key in latin | {
                "strip.scene.source",
                "strip.restored.source",
                "about.paper.layered-vqa",
                "about.paper.bear-bench",
                "term.auroc.name",
                "column.harness",
                "term.harness.name",
                "history.harness",
            }, (key, text)


def test_every_condition_kind_and_term_has_its_texts():
    for words in (EN, RU):
        assert all(words.has(f"condition.{name}") for name in DELIVERIES)
        families = {one.family.lower().replace(" ", "_") for one in DELIVERIES.values()}
        assert all(words.has(f"family.{name}") for name in families)
        assert all(words.has(f"detector.kind.{kind.lower().replace(' ', '_')}") for kind in KINDS)
        names = {key.split(".")[1] for key in texts(words.language) if key.startswith("term.")}
        assert all(words.has(f"term.{name}.{part}") for name in names for part in ("name", "meaning"))
        columns = [key.removeprefix("column.") for key in texts("en") if key.startswith("column.")]
        assert len(columns) > 30


def test_numbers_are_written_as_the_language_writes_them():
    assert [EN.integer(n) for n in (300, 1204, 14400)] == ["300", "1,204", "14,400"]
    assert [RU.integer(n) for n in (300, 1204, 14400)] == ["300", "1204", f"14{NBSP}400"]
    assert [EN.percent(0.675), RU.percent(0.675), EN.percent(math.nan)] == ["67.5", "67,5", "–"]
    assert [EN.points(-0.041), RU.points(-0.041), EN.points(0.3)] == ["−4.1", "−4,1", "+30.0"]
    assert [EN.points(-0.0001), EN.decimal(-0.01)] == ["0.0", "0.0"]
    assert [EN.ratio(0.67), RU.ratio(0.67), EN.ratio(-0.06), EN.ratio(1.0), EN.ratio(0.999)] == [
        ".67", "0,67", "−.06", "1.00", "1.00",
    ]  # fmt: skip
    assert [EN.coverage(0.99999), EN.coverage(1.0), EN.coverage(0.29 + 0.0), RU.coverage(0.9971)] == [
        "99.9", "100.0", "29.0", "99,7",
    ]  # fmt: skip
    assert [EN.general(2.5, signed=True), EN.general(-15.0), RU.general(1.5)] == ["+2.5", "−15", "1,5"]


def test_intervals_and_units():
    share = Estimate(0.675, 0.649, 0.7, 900, 93, 0)
    assert (EN.interval(share, "share"), RU.interval(share, "share")) == ("64.9–70.0", "64,9–70,0")
    points = Estimate(0.022, -0.014, 0.058, 900, 93, 0)
    assert (EN.interval(points, "difference"), RU.interval(points, "difference")) == (
        "[−1.4, +5.8]",
        "[−1,4; +5,8]",
    )
    assert (EN.half_width(share, "share"), EN.half_width(points, "difference")) == ("±2.5", "±3.6")
    none = Estimate(0.5, math.nan, math.nan, 900, 93, 0)
    assert (EN.interval(none, "share"), EN.half_width(none, "share")) == ("–", "")
    written = {
        unit: EN.figure(0.5, unit) for unit in ("share", "coverage", "difference", "ratio", "per cent")
    }
    assert written == {
        "share": "50.0",
        "coverage": "50.0",
        "difference": "+50.0",
        "ratio": ".50",
        "per cent": "0.5",
    }
    assert (EN.figure(1036.4, "words"), EN.figure(math.nan, "count")) == ("1,036", "–")


def test_dates():
    assert (EN.day("2026-05-04T10:11:12Z"), RU.day("2026-05-04")) == ("4 May 2026", "04.05.2026")
    assert (EN.day(""), EN.day("yesterday")) == ("–", "yesterday")


@pytest.mark.parametrize(
    ("n", "english", "russian"),
    [
        (1, "1 problem", "1 ошибка"),
        (2, "2 problems", "2 ошибки"),
        (5, "5 problems", "5 ошибок"),
        (11, "11 problems", "11 ошибок"),
        (14, "14 problems", "14 ошибок"),
        (21, "21 problems", "21 ошибка"),
        (112, "112 problems", "112 ошибок"),
        (0, "0 problems", "0 ошибок"),
    ],
)
def test_counts_take_the_right_form(n, english, russian):
    assert EN.count("problems.refused", n) == f"Not accepted: {english}"
    assert RU.count("problems.refused", n) == f"Не принято: {russian}"


def test_holes_are_filled_once():
    assert EN("layers.alt", n="2", caption="{n} {caption} %s") == "Layer 2: {n} {caption} %s"
    with pytest.raises(KeyError):
        EN("layers.alt", n="2")
    with pytest.raises(KeyError):
        EN("no.such.text")
    assert Words("de").language == "en"


@pytest.mark.parametrize(
    ("billions", "told"),
    [(None, "size n/a"), (0.003, "3 M"), (0.0273, "27.3 M"), (0.1, "0.1 B"), (27, "27 B")],
)
def test_sizes_of_small_models_are_in_millions(billions, told):
    assert size(billions, EN) == told


def test_sizes_in_russian():
    assert [size(one, RU) for one in (0.003, 7.2)] == ["3 млн", "7,2 млрд"]
