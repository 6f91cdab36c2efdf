"""The parts in a real browser: both widths, themes and languages; definitions by keyboard; what sticks."""

import pytest

from tests.support.board_page import write_pages
from tests.support.browser import WIDTHS, faults, watch

EVERY = ("layered", "bear", "detectors", "examples", "compare", "submit", "about")
WIDEST = ("layered", "detectors")
LOOKS = {
    ("en", "light", 1280): EVERY,
    ("ru", "dark", 390): EVERY,
    ("ru", "light", 1280): WIDEST,
    ("en", "dark", 390): WIDEST,
}
"""Language, theme and width, and the pages that are looked at so."""

OVER_A_PICTURE = ("span.no", "span.lv-evtag")
"""A layer's number and the word evidence stand in the corners of its picture."""


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Give (language, theme) -> name -> path of every page."""
    folder = tmp_path_factory.mktemp("parts")
    return {(language, theme): write_pages(folder, language, theme) for language, theme, _ in LOOKS}


def wrong(page):
    """Return what is wrong with how a page looks, save what is meant to lie over a picture."""
    return [
        one
        for one in faults(page)
        if not ("img.lv-pic" in one and any(name in one for name in OVER_A_PICTURE))
    ]


@pytest.mark.parametrize(("language", "theme", "width"), LOOKS)
def test_every_part_holds_and_asks_no_other_host(written, page, language, theme, width):
    watched = watch(page)
    page.set_viewport_size({"width": width, "height": WIDTHS[width]})
    for name in LOOKS[language, theme, width]:
        page.goto(written[language, theme][name].as_uri())
        assert (name, wrong(page)) == (name, [])
        names = page.evaluate("[...document.querySelectorAll('[id]')].map((one) => one.id)")
        assert len(set(names)) == len(names), name
    assert (watched.errors, watched.hosts) == ([], {""})


@pytest.mark.parametrize("width", list(WIDTHS))
def test_a_definition_opens_and_closes_by_keyboard_at_the_bottom(written, page, width):
    page.set_viewport_size({"width": width, "height": WIDTHS[width]})
    page.goto(written["en", "light"]["layered"].as_uri())
    page.locator("[popovertarget=lv-ranking-delivered]").focus()
    page.keyboard.press("Enter")
    card = page.locator("#lv-ranking-delivered")
    assert card.is_visible()
    box = card.bounding_box()
    assert round(WIDTHS[width] - box["y"] - box["height"]) == (20 if width == 1280 else 12)
    assert round(width - box["x"] - box["width"]) == (20 if width == 1280 else 12)
    assert box["width"] == (360 if width == 1280 else 366)
    page.keyboard.press("Escape")
    assert not card.is_visible()
    assert page.evaluate("document.activeElement.getAttribute('popovertarget')") == "lv-ranking-delivered"


def test_the_name_of_a_model_stays_while_its_figures_scroll(written, page):
    page.set_viewport_size({"width": 390, "height": WIDTHS[390]})
    page.goto(written["en", "dark"]["layered"].as_uri())
    for table in (".lv-rank", ".lv-heat"):
        cell = page.locator(f"{table} tbody th.pin").first
        page.evaluate("(name) => document.querySelector(name).parentElement.scrollLeft = 300", table)
        edge = page.locator(f".lv-scroll:has({table})").bounding_box()["x"]
        assert abs(cell.bounding_box()["x"] - edge) <= 1.5


PLACES = """(place) => {
  const boxes = (part, cells) => [...document.querySelectorAll(part)[place].querySelectorAll(cells)].map(
    (one) => [one.offsetLeft, one.offsetWidth, one.offsetHeight]);
  return [boxes(".lv-scene", ".lv-layer"), boxes(".lv-time", "th, td")];
}"""


def test_nothing_jumps_from_one_turn_to_another(written, page):
    page.set_viewport_size({"width": 1280, "height": WIDTHS[1280]})
    page.goto(written["en", "light"]["examples"].as_uri())
    fifth, third = (page.evaluate(PLACES, place) for place in (0, 1))
    assert [len(part) for part in fifth] == [6, 35]
    assert fifth == third
