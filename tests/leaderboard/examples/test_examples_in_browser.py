"""The page of examples in a real browser: the bytes of every picture, turns, evidence, links, both widths."""

import pytest

from lvqa_eval.benchmarks import LAYERED_VQA
from tests.support.browser import WIDTHS, faults
from tests.support.sent_runs import FIRST, SECOND

HASHES = """async (part) => Promise.all([...document.querySelectorAll(part)].map(async (image) => {
  const bytes = await (await fetch(image.src)).arrayBuffer();
  const hash = [...new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))];
  return [hash.map((one) => one.toString(16).padStart(2, "0")).join(""), image.naturalWidth > 0];
}))"""
"""The SHA-256 of what the browser loads for every picture of a part, and whether it can show it."""


def hashes(page, part):
    """Return the hashes of the pictures of a part, all of which the browser can show."""
    page.wait_for_function(
        "(part) => [...document.querySelectorAll(part)].every((one) => one.complete)", arg=part
    )
    found = page.evaluate(HASHES, part)
    assert all(shown for _, shown in found)
    return [one for one, _ in found]


def turn_of(page):
    return int(page.locator(".lv-time [aria-current]").inner_text())


def await_turn(page, turn):
    page.wait_for_function(
        "(turn) => document.querySelector('.lv-time [aria-current]')?.innerText === turn", arg=str(turn)
    )


def turned(page, turn):
    """Wait until a turn is shown, and its link stands in the address."""
    await_turn(page, turn)
    page.wait_for_function(
        "(turn) => (new URLSearchParams(location.search).get('turn') ?? '1') === turn", arg=str(turn)
    )


def test_the_browser_loads_the_bytes_that_each_turn_of_each_condition_sent(sent, opened):
    _, found = sent
    page = opened("condition=full&b=")
    for condition in LAYERED_VQA.conditions:
        _, turns = _of(found["layered", "a"], condition)
        if condition != "full":
            page.evaluate("(name) => lv.change({ condition: name, turn: 1 })", condition)
            page.wait_for_function(
                "(name) => document.querySelector('.lv-condition h2')?.innerText === name", arg=condition
            )
        for turn, pictures in enumerate(turns, start=1):
            await_turn(page, turn)
            part = f".lv-chat .t:nth-of-type({turn + 1}) .lv-sent img"
            assert (condition, turn, hashes(page, part)) == (condition, turn, pictures)
            # Of the layers those are in sight that were sent so far, and they are the same files.
            so_far = {one for sent_then in turns[:turn] for one in sent_then}
            assert set(hashes(page, ".lv-layer:not(.later) img")) <= so_far
            assert page.locator(".lv-layer.now img, .lv-whole.now img").count() == len(pictures)
            page.keyboard.press("ArrowRight")
        assert turn_of(page) == len(turns)


def _of(found, condition):
    """Return the first question of a condition, and the hashes of each of its turns."""
    question = sorted(key[1] for key in found if key[0] == condition)[0]
    keys = sorted(key for key in found if key[:2] == (condition, question))
    return question, [found[key] for key in keys]


def test_both_models_were_sent_their_own_pictures(sent, opened):
    _, found = sent
    question, ours = _of(found["layered", "a"], "oracle")
    _, theirs = _of(found["layered", "b"], "oracle")
    page = opened(f"condition=oracle&question={question}")
    assert hashes(page, ".lv-sent img") == ours[0] + theirs[0]
    labels = page.locator(".lv-sent .sub").all_inner_texts()
    assert [one[:3] for one in labels] == ["A: "] * len(ours[0]) + ["B: "] * len(theirs[0])


def test_turns_go_by_keys_buttons_slider_and_timeline(opened):
    page = opened("condition=sharded-q")
    last = page.locator(".lv-time button").count()
    assert (turn_of(page), last) == (1, 4)
    for wanted in (2, 3, 4):
        page.keyboard.press("ArrowRight")
        turned(page, wanted)
    page.locator("#lv-previous").click()
    turned(page, 3)
    page.locator("#lv-next").click()
    turned(page, 4)
    page.locator(".lv-time button").first.click()
    turned(page, 1)
    page.keyboard.press("End")
    turned(page, 4)
    page.keyboard.press("ArrowLeft")
    turned(page, 3)
    # The focus stays with the turn that is shown, also where all was drawn anew.
    page.wait_for_function("document.activeElement.dataset.turn === '3'")
    page.keyboard.press("Home")
    turned(page, 1)
    slider = page.locator(".lv-turn input[type=range]")
    slider.focus()
    slider.press("ArrowRight")
    turned(page, 2)
    assert slider.get_attribute("max") == "4"
    assert page.locator(".lv-chat .t").count() == 2


def test_evidence_comes_on_demand_and_a_link_restores_the_view(opened):
    page = opened("condition=snowball-v")
    assert page.locator(".lv-evtag, .gold").count() == page.locator("text=Reference:").count() == 0
    page.get_by_label("evidence").check()
    page.wait_for_selector(".lv-layer.gold")
    gold = page.locator(".lv-layer.gold")
    assert gold.locator(".lv-evtag").all_inner_texts() == ["evidence"] * gold.count()
    assert page.locator("text=Reference:").count() == 1
    assert page.locator(".lv-time td.done").count() == 4
    page.locator(".lv-time button").nth(1).click()
    turned(page, 2)
    link, shown = page.url, page.locator(".lv-ex").inner_text()
    assert "ev=1" in link
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector("body.lv-drawn")
    await_turn(page, 2)
    assert page.locator(".lv-ex").inner_text() == shown


def test_junk_in_a_link_falls_back(opened):
    page = opened(
        "scene=%3Cimg%20src%3Dx%3E&condition=../../etc&a=0&b=%24%7B1%7D&turn=99&ev=yes&run=-1&map=z&a="
    )
    assert turn_of(page) == 1
    assert page.locator(".lv-condition h2").inner_text() == "sharded-v"
    assert page.url.partition("?")[2] == "lang=en"


def test_models_and_conditions_are_chosen_by_name_and_the_system_prompt_is_told(opened):
    page = opened("condition=full")
    assert page.locator(".lv-chat .who .lv-name").all_inner_texts() == [FIRST, SECOND]
    page.get_by_label("Model A").click()
    page.get_by_role("option", name=SECOND).click()
    page.wait_for_function(
        "(name) => document.querySelector('.lv-chat .who .lv-name')?.innerText === name", arg=SECOND
    )
    assert page.locator(".lv-chat .who .lv-name").all_inner_texts() == [SECOND, FIRST]
    page.get_by_label("Condition").click()
    page.get_by_role("option", name="all-layers").click()
    page.wait_for_function("document.querySelector('.lv-condition h2')?.innerText === 'all-layers'")
    assert page.locator("#lv-next").is_hidden()
    page.locator("[popovertarget=lv-example-contract]").focus()
    page.keyboard.press("Enter")
    card = page.locator("#lv-example-contract")
    assert card.is_visible()
    assert "Layer 0 is the background" in card.inner_text()
    page.keyboard.press("Escape")
    assert card.is_hidden()


def test_a_page_is_shown_as_sent_and_under_its_patches(sent, opened):
    _, found = sent
    page = opened("benchmark=bear-bench&scene=business-en-1")
    assert hashes(page, ".lv-whole img") == found["pages", "a"]["default", "business-en-1", 1]
    page.get_by_label("Patch map").click()
    page.get_by_role("option", name="answer of A").click()
    page.wait_for_selector(".lv-patches")
    assert hashes(page, ".lv-heatmap img") == found["pages", "a"]["default", "business-en-1", 1]
    box, image = (page.locator(one).bounding_box() for one in (".lv-patches", ".lv-heatmap img"))
    assert all(abs(box[side] - image[side]) <= 1 for side in box)
    seen = []
    page.locator(".lv-patches [tabindex='0']").focus()
    for key in ("ArrowDown", "ArrowRight"):
        seen.append(page.evaluate("document.activeElement.innerText"))
        page.keyboard.press(key)
    seen.append(page.evaluate("document.activeElement.innerText"))
    assert seen == [".90", ".50", ".90"]
    assert "map=a" in page.url
    page.get_by_label("Patch map").click()
    page.get_by_role("option", name="answer of B").click()
    page.wait_for_selector("code:has-text('lvqa features runs/')")


@pytest.mark.parametrize(("language", "theme", "width"), [("en", "light", 1280), ("ru", "dark", 390)])
def test_both_pages_hold_in_both_widths_themes_and_languages(opened, page, language, theme, width):
    page.set_viewport_size({"width": width, "height": WIDTHS[width]})
    for name, query in LOOKS.items():
        opened(f"{query}&__theme={theme}", name.partition(" ")[0], language)
        assert (name, [one for one in faults(page) if not _meant(one)]) == (name, [])


LOOKS = {
    "examples": "condition=snowball-v&turn=2&ev=1",
    "examples of pages": "benchmark=bear-bench&map=a&ev=1",
    "compare": "condition=oracle",
}


def _meant(fault):
    """Tell what is no fault: a box to tick has no words, and the navigation scrolls by touch and by tab."""
    return fault.startswith(("contrast: input", "scrolls sideways: nav."))
