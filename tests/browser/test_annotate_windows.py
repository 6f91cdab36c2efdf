"""The annotation app in a real browser: several windows and people, the keyboard, dragging, and its looks."""

import pytest

from tests.support.annotated_scenes import drawn_scenes
from tests.support.annotating import (
    QUESTION,
    SHARDS,
    ask,
    finish,
    gold,
    numbers,
    person,
    shown,
    stage,
    state,
    support,
    take_as_gold,
    write_shards,
)
from tests.support.browser import faults

LOOKS = {(1280, "light"): "en", (1280, "dark"): "ru", (820, "light"): "ru", (820, "dark"): "en"}
HEIGHTS = {1280: 900, 820: 1180}
SMALL = (
    """all => all.filter((one) => one.offsetHeight && one.offsetHeight < 40).map((one) => one.outerHTML)"""
)


@pytest.fixture(scope="module")
def url(pages, tmp_path_factory):
    """Serve the app over two drawn scenes of six layers."""
    folder = tmp_path_factory.mktemp("scenes")
    options = drawn_scenes(folder / "scenes")
    with pages.serving("annotate", "layered-vqa", folder / "work", *options, "--no-open") as process:
        yield process.url()


def test_a_second_window_is_told_and_overwrites_nothing(browser, url):
    with person(browser, url, "ann", away=True) as one, person(browser, url, "ann", away=True) as other:
        ask(one)
        one.locator("#field-answer").fill("first")
        state(one, "saved")
        other.goto(one.url)
        other.reload()
        other.wait_for_selector("#field-answer")
        assert other.locator("#field-answer").input_value() == "first"
        one.locator("#field-answer").fill("red")
        state(one, "saved")
        other.locator("#field-answer").fill("blue")
        state(other, "conflict")
        bar = other.locator(".a-conflict")
        assert bar.locator("p").inner_text().startswith("ann saved this at ")
        bar.get_by_role("button", name="See theirs").click()
        assert bar.locator(".a-side-value").all_inner_texts() == ["blue", "red"]
        one.reload()
        one.wait_for_selector("#field-answer")
        assert one.locator("#field-answer").input_value() == "red"
        bar.get_by_role("button", name="Keep mine as the newest").click()
        state(other, "saved")
        one.locator("#field-note").fill("mine")
        state(one, "conflict")
        one.get_by_role("button", name="Take theirs").click()
        state(one, "saved")
        assert one.locator("#field-answer").input_value() == "blue"
        assert one.locator("#field-note").input_value() == ""
        one.get_by_role("button", name="History").click()
        assert one.locator(".a-history li").count() == 4


def test_two_people_on_one_check_and_the_later_one_keeps_what_was_written(browser, url):
    with person(browser, url, "dan") as ann:
        ask(ann)
        ann.locator("#field-question").fill("What?")
        ann.locator(".a-toggle:has(input[value=reject])").click()
        ann.locator("#field-note").fill("no question")
        state(ann, "saved")
        finish(ann)
        ann.wait_for_selector(".a-empty")
    with person(browser, url, "bo") as bo, person(browser, url, "cara", away=True) as cara:
        stage(bo, "check")
        stage(cara, "check")
        bo.locator("#field-answer").fill("his")
        state(bo, "saved")
        cara.locator("#field-answer").fill("hers")
        state(cara, "refused")
        assert "(bo)" in cara.locator(".a-conflict").inner_text()
        cara.get_by_role("button", name="Take it over").click()
        state(cara, "conflict")
        assert cara.locator("#field-answer").input_value() == "hers"


def test_everything_goes_by_the_keyboard(browser, url):
    with person(browser, url, "fay") as page:
        page.locator("#new-question").focus()
        page.keyboard.press("Enter")
        page.wait_for_selector(".a-scene")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_selector("#field-question")
        assert shown(page) == [0, 1, 2, 3, 4, 5]
        page.keyboard.press("2")
        assert shown(page) == [0, 1, 3, 4, 5]
        page.keyboard.press("i")
        assert shown(page) == [2]
        page.keyboard.press("Shift+G")
        page.keyboard.press("0")
        page.keyboard.press("Shift+S")
        assert gold(page) == [2]
        assert numbers(page.locator(".s-set").nth(1)) == [0, 2]
        state(page, "saved")
        assert "a set contains another" in page.locator(".a-problems").text_content()
        page.keyboard.press("Control+z")
        assert page.locator(".s-set").count() == 1
        page.keyboard.press("Control+Shift+z")
        assert page.locator(".s-set").count() == 2
        page.keyboard.press("a")
        page.keyboard.press("g")
        assert shown(page) == [2]
        page.locator(".s-pair").focus()
        page.keyboard.type("2 0")
        page.keyboard.press("Enter")
        page.keyboard.type("0 2")
        page.keyboard.press("Enter")
        assert page.locator("section .a-bad[role=status]").inner_text() == "A circle: 0 → 2 → 0"
        write_shards(page)
        page.keyboard.press("Alt+ArrowUp")
        words = "all => all.map((one) => one.value)"
        assert page.locator(".s-shards .a-text").evaluate_all(words) == [SHARDS[0], SHARDS[2], SHARDS[1]]
        assert page.evaluate("document.activeElement.value") == SHARDS[2]
        page.keyboard.press("Escape")
        page.keyboard.press("?")
        assert page.locator("dialog kbd").count() > 20
        page.keyboard.press("Escape")
        assert page.locator("dialog").count() == 0
        state(page, "saved")
        page.reload()
        page.wait_for_selector(".s-shards .a-text")
        page.keyboard.press("Control+z")
        page.get_by_role("button", name="Redo", disabled=False).wait_for()
        assert page.locator(".s-shards .a-text").evaluate_all(words) != [SHARDS[0], SHARDS[2], SHARDS[1]]


def test_a_chip_is_dragged_onto_the_layer_that_is_seen_after_it(browser, url):
    with person(browser, url, "gus") as page:
        ask(page)
        take_as_gold(page, 1, 2)
        page.locator(".s-chips").evaluate("one => one.scrollIntoView({ block: 'center' })")
        first, second = (one.bounding_box() for one in page.locator(".s-chips .a-chip").all())
        page.mouse.move(second["x"] + 8, second["y"] + 8)
        page.mouse.down()
        page.mouse.move(first["x"] + 20, first["y"] + 10, steps=4)
        page.mouse.up()
        assert page.locator(".s-pairs li span").all_inner_texts() == ["2 → 1"]
        assert page.locator(".s-chips .a-chip[aria-pressed=true]").count() == 0
        page.locator(".s-chips .a-chip").first.click()
        page.locator(".s-chips .a-chip").last.click()
        assert page.locator(".s-pairs li span").all_inner_texts() == ["2 → 1", "1 → 2"]


def test_the_app_is_legible_at_every_width_in_both_themes_and_languages(browser, url, tmp_path):
    with person(browser, url, "eve", viewport={"width": 1280, "height": 900}, color_scheme="light") as page:
        ask(page)
        page.locator("#field-question").fill(QUESTION)
        take_as_gold(page, 1, 2)
        page.keyboard.press("0")
        page.keyboard.press("Shift+S")
        write_shards(page)
        support(page)
        state(page, "saved")
        for look, language in LOOKS.items():
            width, theme = look
            page.set_viewport_size({"width": width, "height": HEIGHTS[width]})
            page.locator(f".a-head button[lang={language}]").click()
            if page.evaluate("document.body.classList.contains('dark')") != (theme == "dark"):
                page.locator(".a-head [aria-pressed]:not([lang])").click()
            # The layers lie over each other, and their numbers over them, as they should.
            assert (look, [one for one in faults(page) if 'img ""' not in one]) == (look, [])
            page.screenshot(path=tmp_path / f"{width}-{theme}.png")
        assert page.locator("main :is(button, .a-toggle, input.a-text)").evaluate_all(SMALL) == []
