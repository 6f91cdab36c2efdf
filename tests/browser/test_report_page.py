"""The page of a report in a real browser: what it asks, how it holds at any width, on paper, by keyboard."""

from dataclasses import replace

import pytest

from lvqa_eval.reports.conditions.table import condition_table
from lvqa_eval.reports.write import write_report
from tests.support.browser import WIDTHS, faults, watch
from tests.support.made_reports import exhibits, made_part, made_report, made_source
from tests.support.small_run import small_run

LONG = "org/a-model-of-a-name-that-is-long-and-has-no-end-instruct-preview-2026"
PAPER = {"width": 1032, "height": 700}
"""A sheet of A4 on its side, without the margins."""


def many():
    """Return a report of both benchmarks and three models, one of a very long name."""
    pages = made_part(
        paper="bear-bench",
        field=(),
        exhibits=exhibits("bear-bench"),
        sources=(made_source("third", LONG),),
        cautions=(),
    )
    return made_report(made_part(), pages)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Give the paths of two pages, of many runs and of one; made before the browser is."""
    folder = tmp_path_factory.mktemp("reports")
    table = condition_table(small_run(folder / "run", model={"name": LONG}), "exact-match", draws=100)
    alone = made_part(
        sources=(replace(made_source(), model=LONG),), conditions=table, exhibits=exhibits()[2:], field=()
    )
    return write_report(many(), folder / "many"), write_report(made_report(alone), folder / "alone")


def test_the_pages_hold_at_every_width_in_both_themes_and_ask_for_nothing(written, page):
    watched = watch(page)
    for width, height in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": height})
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            for path in written:
                page.goto(path.as_uri())
                assert (path.parent.name, width, theme, faults(page)) == (path.parent.name, width, theme, [])
    assert (watched.errors, watched.hosts) == ([], {""})
    names = page.evaluate("[...document.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(set(names)) == len(names)


def test_the_list_beside_the_page_leads_to_every_exhibit(written, page):
    page.goto(written[0].as_uri())
    places = page.eval_on_selector_all(".side a", "all => all.map((one) => one.hash)")
    assert places[:2] == ["#runs", "#table-1"]
    assert len(places) == 1 + 4 + 4 + 3
    for place in places:
        page.click(f'.side a[href="{place}"]')
        top = page.eval_on_selector(place, "one => one.getBoundingClientRect().top")
        at_the_end = page.evaluate("scrollY + innerHeight >= document.documentElement.scrollHeight - 1")
        assert -1 <= top <= 20 or (at_the_end and top > 0), place
    assert page.locator(".side").bounding_box()["y"] == 0


def test_a_narrow_page_has_the_list_on_top_and_opens_it_by_keyboard(written, page):
    page.set_viewport_size({"width": 390, "height": WIDTHS[390]})
    page.goto(written[0].as_uri())
    assert not page.locator(".side").is_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.locator(".contents a").first.is_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.url.endswith("#table-1")
    assert abs(page.eval_on_selector("#table-1", "one => one.getBoundingClientRect().top")) < 20
    page.locator("#table-1 .up a").click()
    assert page.eval_on_selector("#contents", "one => one.getBoundingClientRect().top") >= -1


def test_the_first_column_stays_while_a_wide_table_scrolls(written, page):
    page.set_viewport_size({"width": 390, "height": WIDTHS[390]})
    page.goto(written[0].as_uri())
    region = page.locator("#table-1 .scroll").first
    region.evaluate("one => { one.scrollLeft = 200; }")
    assert region.evaluate("one => one.scrollLeft") == 200
    edge = region.bounding_box()["x"]
    for cell in region.locator(".pin").all():
        assert abs(cell.bounding_box()["x"] - edge) < 2


def test_on_paper_there_is_no_list_nothing_is_cut_and_what_was_folded_is_open(written, page):
    page.set_viewport_size(PAPER)
    page.emulate_media(media="print")
    page.goto(written[0].as_uri())
    assert not page.locator(".side").is_visible()
    assert not page.locator(".contents").is_visible()
    assert not page.locator(".files").first.is_visible()
    for folded in ("#table-1 .definition p", "#figure-2 .behind table"):
        assert page.locator(folded).first.is_visible()
    assert faults(page) == []
    for drawn in page.locator(".card svg").all():
        box = drawn.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PAPER["width"]
        assert 100 < box["height"] <= PAPER["height"]
