"""The style sheets: contrast of every pair used, both themes whole, nothing from outside, nothing unused."""

import re
from itertools import product
from pathlib import Path

import pytest

import leaderboard
from leaderboard.html.style import FOLDER, style
from leaderboard.html.words import Words
from tests.support.board_page import PAGES
from tests.support.parsed_html import parsed

TOKENS = (FOLDER / "tokens.css").read_text(encoding="utf-8")
COMPONENTS = (FOLDER / "components.css").read_text(encoding="utf-8")
GROUNDS = ("bg", "surface", "sunken")
TINTS = (*(f"neg-{step}" for step in range(1, 5)), "zero", *(f"pos-{step}" for step in range(1, 5)))
PAIRS = (
    *product(("ink", "ink-2", "ink-3", "accent", "evidence", "good", "bad"), GROUNDS),
    *product(("ink",), TINTS),
    *(("bg", "ink"), ("on-accent", "accent"), ("accent", "accent-soft"), ("evidence", "evidence-soft")),
)
"""Every text colour of the parts, and what it stands on."""


def palette(theme):
    """Return token -> (red, green, blue) of a theme."""
    found = {}
    for selector in (":root", ".dark")[: 2 if theme == "dark" else 1]:
        block = re.search(rf"^{re.escape(selector)} {{(.*?)^}}", TOKENS, re.S | re.M)[1]
        found |= dict(re.findall(r"--lv-([\w-]+): #([0-9A-F]{6});", block))
    return {
        name: tuple(int(code[place : place + 2], 16) for place in (0, 2, 4)) for name, code in found.items()
    }


def luminance(colour):
    """Return the relative luminance of WCAG 2."""
    linear = [c / 12.92 if (c := part / 255) <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for part in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    """Return the contrast of two colours, 1 to 21."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_the_formula_knows_its_ends():
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert contrast((119, 119, 119), (255, 255, 255)) == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_text_is_told_from_its_ground(theme):
    colours = palette(theme)
    measured = {pair: contrast(colours[pair[0]], colours[pair[1]]) for pair in PAIRS}
    assert {pair: round(ratio, 2) for pair, ratio in measured.items() if ratio < 4.5} == {}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_frames_of_controls_and_marks_are_told_from_their_ground(theme):
    colours = palette(theme)
    measured = {
        pair: contrast(colours[pair[0]], colours[pair[1]])
        for pair in product(("line-2", "accent", "evidence", "ink-2"), ("bg", "surface"))
    }
    assert {pair: round(ratio, 2) for pair, ratio in measured.items() if ratio < 3} == {}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_tints_grow_away_from_zero_on_both_sides(theme):
    colours = palette(theme)
    for side in ("neg", "pos"):
        steps = [luminance(colours[name]) for name in ("zero", *(f"{side}-{step}" for step in range(1, 5)))]
        assert steps == sorted(steps, reverse=theme == "light"), side


def test_the_dark_theme_has_every_colour_of_the_light_one():
    light = set(re.findall(r"--lv-([\w-]+): #", TOKENS.split(".dark {")[0]))
    dark = set(re.findall(r"--lv-([\w-]+): #", TOKENS.split(".dark {")[1]))
    assert light - dark == {"check-a", "check-b", *(f"page-{step}" for step in range(1, 5))}
    assert dark <= light


def test_every_variable_is_defined_and_used():
    defined = set(re.findall(r"(--lv-[\w-]+):", TOKENS))
    used = set(re.findall(r"var\((--lv-[\w-]+)\)", style()))
    assert used <= defined
    assert defined - used <= {"--lv-on-accent", "--lv-evidence-soft", "--lv-s6"}, "for Gradio's own controls"


def test_nothing_comes_from_outside():
    assert not re.search(r"url\(|@import|@font-face|https?:|expression", style())


def test_every_rule_of_ours_is_inside_of_our_parts():
    bare = re.sub(r"/\*.*?\*/", "", COMPONENTS, flags=re.S)
    selectors = [one.strip() for one in re.findall(r"([^{}]+){", bare)]
    loose = [
        part
        for one in selectors
        if not one.startswith("@")
        for part in re.split(r",(?![^(]*\))", one)
        if not re.match(r"\.lv(\s|\.|,|$)", part.strip())
    ]
    assert loose == []


def test_every_class_of_the_sheet_is_used_and_every_one_used_is_styled():
    words = Words("en")
    html = "".join(part for page in PAGES.values() for part in page(words))
    used = {name for one in parsed(html).walk() for name in one.classes}
    styled = set(re.findall(r"\.([a-z][\w-]*)", re.sub(r"/\*.*?\*/|{[^{}]*}", " ", COMPONENTS, flags=re.S)))
    gradio, rare = {"col"}, {"long", "none", "alone", "unknown"}
    pages = Path(leaderboard.__file__).parent.rglob("*.py")
    laid_out = set(re.findall(r"\blv-[\w-]+", "".join(one.read_text() for one in pages)))
    assert styled - used <= laid_out | gradio | rare
    plain = {"lv-term-of", "lv-panel", "lv-scene"}
    assert {name for name in used if name.startswith("lv-")} - styled - plain == set()
