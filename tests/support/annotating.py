"""A browser in which somebody writes questions about scenes: what is done there, and what is seen."""

import contextlib
from urllib.parse import urlsplit

from tests.support.browser import watch

QUESTION = "What is the person next to the table doing?"
SHARDS = ("I want to know what somebody is doing.", "the person", "next to the table")
SUPPORT = {2: (2,), 3: (1,)}
"""The layers that support the second and the third shard."""
HOSTILE = '<img src=x onerror="window.harmed=1">'


@contextlib.contextmanager
def person(browser, url, name, away=False, **context):
    """Open the app as somebody; it must ask no other host and log no error (`away`: requests may fail)."""
    held = browser.new_context(**({"viewport": {"width": 1280, "height": 900}} | context))
    held.set_default_timeout(60_000)
    page = held.new_page()
    watched = watch(page)
    page.goto(url)
    page.locator("#name").fill(name)
    page.keyboard.press("Enter")
    page.wait_for_selector(".a-counts", state="attached")
    try:
        yield page
        assert watched.hosts == {urlsplit(url).netloc}
        assert away or watched.errors == []
        assert page.evaluate("window.harmed") is None
    finally:
        held.close()


def ask(page):
    """Begin a question about the first scene, when none is open."""
    assert page.locator("#field-question").count() == 0
    page.locator("#new-question").click()
    page.locator(".a-scene").first.click()
    page.wait_for_selector("#field-question:not([readonly])")


def state(page, wanted):
    page.wait_for_selector(f".a-state[data-state={wanted}]")


def stage(page, wanted):
    page.wait_for_selector(f".a-stage[data-stage={wanted}]")


def problems(page):
    return page.locator(".a-problem-bar > .a-button").inner_text()


def gold(page):
    """Return the layers of the first set."""
    return numbers(page.locator(".s-set").first)


def numbers(part):
    return [int(one) for one in part.locator(".a-layer[aria-pressed=true]").all_inner_texts()]


def shown(page):
    """Return the layers in sight."""
    pressed = page.locator(".s-thumb[aria-pressed=true] .s-number").all_inner_texts()
    visible = page.locator(".s-stack img").evaluate_all(
        "all => all.flatMap((one, at) => one.hidden ? [] : [at])"
    )
    assert [int(one) for one in pressed] == visible
    return visible


def take_as_gold(page, *layers):
    """Show these layers alone, and take them as the gold, by keys."""
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    for layer in layers:
        page.keyboard.press(str(layer))
    page.keyboard.press("Shift+G")


def category(page, name):
    page.locator(f".a-toggle:has(input[value={name}])").click()


def support(page):
    """Press the layers that support each shard."""
    for shard, layers in SUPPORT.items():
        for layer in layers:
            page.locator(f".s-shards > li:nth-child({shard}) .a-layer").nth(layer).click()


def write_shards(page):
    page.locator(".s-shards ~ .a-row button").first.click()
    for place, text in enumerate(SHARDS):
        if place:
            page.keyboard.press("Enter")
        page.keyboard.type(text)


def finish(page):
    page.keyboard.press("Control+Enter")
