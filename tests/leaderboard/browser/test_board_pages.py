"""The pages of a board in a real browser, all served by one process."""

import csv
import io
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from leaderboard.submissions.accept import accept
from tests.support.boards import NOW, submission
from tests.support.browser import WIDTHS, faults, overflows, watch
from tests.support.submitted import MadeUp

PAGES = ("", "bear", "detectors", "judges", "history", "about")
LOOKS = (("en", "light", 1280), ("ru", "dark", 390))
TOP = "Northwind/Vista-32B"
SCORE = "Delivered\N{NO-BREAK SPACE}%"
SECOND = "Halden/Glimpse Pro"
DARK = "(dark) => document.body.classList.contains('dark') === dark"
RANKED = ".lv-rank tbody:first-of-type tr:has(.lv-name)"


@pytest.fixture
def opened(page, url):
    """Give a function that opens a page; it must ask no other host and log no error."""
    watched = watch(page)

    def go(name="", query="", language="en"):
        page.goto(f"{url}/{name}?lang={language}&{query}".rstrip("&"))
        page.wait_for_selector("body.lv-drawn")
        return page

    yield go
    told = [one for one in watched.errors if not one.endswith("net::ERR_FAILED")]
    assert (told, watched.hosts) == ([], {url.split("/")[2]})
    assert page.evaluate("window.harmed") is None


def shown(page, selector=RANKED):
    """Return the names of the models in a table."""
    return page.locator(f"{selector} .lv-name").all_inner_texts()


def settled(page, **told):
    """Wait until the address of a page tells of these fields."""
    page.wait_for_function(
        "(told) => { const query = new URLSearchParams(location.search);"
        " return Object.entries(told).every(([name, text]) => query.get(name) === text) }",
        arg=told,
    )


def wrong(page):
    """Return what is wrong with how a page looks; an empty box has no text to be told from its ground."""
    return [one for one in faults(page) if not (one.startswith("contrast: input") and '""' in one)]


@pytest.mark.parametrize(("language", "theme", "width"), LOOKS)
def test_every_page_holds_at_both_widths_in_both_themes(opened, page, tmp_path, language, theme, width):
    page.set_viewport_size({"width": width, "height": WIDTHS[width]})
    page.emulate_media(color_scheme=theme)
    for name in PAGES:
        opened(name, "all=1" if name == "bear" else "", language)
        page.wait_for_function(
            "(dark) => document.body.classList.contains('dark') === dark", arg=theme == "dark"
        )
        found = wrong(page)
        page.screenshot(path=tmp_path / f"{name or 'layered'}-{width}.png", full_page=True)
        assert (name, found) == (name, [])
        assert page.evaluate("document.documentElement.lang") == language
        assert page.locator(".nav-holder a[aria-current=page]").count() == 1
        names = page.evaluate("[...document.querySelectorAll('.lv [id]')].map((one) => one.id)")
        assert len(set(names)) == len(names)


def test_search_order_and_filters_change_rows_and_address_but_no_tier(opened, page):
    opened()
    tiers = page.locator(".lv-rank tbody:first-of-type td.tier b")
    assert (shown(page), tiers.all_inner_texts()) == ([TOP, SECOND], ["1", "2"])
    page.get_by_label("Search").fill("glimpse")
    settled(page, q="glimpse")
    assert (shown(page), tiers.all_inner_texts()) == ([SECOND], ["2"])
    assert shown(page, ".lv-heat tbody tr") == [SECOND, "Mean of 13 assistants"]
    page.get_by_label("Search").press("ControlOrMeta+a")
    page.get_by_label("Search").press_sequentially("no such model")
    settled(page, q="no such model")
    assert page.locator(".lv-rank td.none").inner_text() == "No ranked model fits the filters."
    page.get_by_label("Search").fill("")
    page.get_by_label("Order by").click()
    page.get_by_role("option", name="Unreliable").click()
    settled(page, order="unreliability")
    assert page.locator(".lv-rank th[aria-sort]").inner_text().startswith("Unreliable")
    assert page.locator(".lv-rank th[aria-sort]").get_attribute("aria-sort") == "ascending"
    assert tiers.all_inner_texts() == ["1", "2"]
    page.get_by_label("closed", exact=True).uncheck()
    settled(page, open="open")
    assert shown(page) == [TOP]
    page.get_by_label("Size").click()
    page.get_by_role("option", name="over 40 B").click()
    settled(page, size="from-40")
    assert shown(page) == []
    page.get_by_label("verified only").check()
    settled(page, verified="1", size="from-40", open="open", order="unreliability")


def test_a_link_restores_the_view_in_a_fresh_browser_and_junk_falls_back(opened, page):
    opened("", "order=Joint&q=vista&size=10-40&open=open&verified=2&version=9&tab=x&turn=%00", "ru")
    settled(page, lang="ru", order="joint", q="vista", size="10-40", open="open")
    assert page.evaluate("[...new URLSearchParams(location.search).keys()]") == [
        *("lang", "order", "q", "size", "open"),
    ]
    assert shown(page) == [TOP]
    assert page.get_by_label("Поиск").input_value() == "vista"
    assert page.get_by_label("Порядок").input_value() == "Совместно"
    assert page.get_by_label("Размер").input_value() == "от 10 до 40 млрд"
    assert not page.get_by_label("закрытая").is_checked()
    assert page.locator(".lv-rank th[aria-sort]").inner_text().startswith("Совместно")


def test_the_link_is_copied(opened, page):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened("bear", "q=qwen")
    page.get_by_role("button", name="Copy link to this view").click()
    page.get_by_role("button", name="Link copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    assert page.url.endswith("/bear?lang=en&q=qwen")
    page.get_by_role("button", name="Copy link to this view").wait_for()


def test_language_and_theme_stay_from_page_to_page(opened, page):
    page.emulate_media(color_scheme="light")
    opened("judges")
    page.get_by_label("RU").check(force=True)
    settled(page, lang="ru")
    page.wait_for_selector(".lv h1:has-text('Судьи')")
    assert page.title() == "Судьи · lvqa"
    page.locator("#lv-theme").click()
    assert page.locator("#lv-theme").get_attribute("aria-pressed") == "true"
    page.get_by_role("link", name="История").click()
    page.wait_for_selector(".lv h1:has-text('История')")
    settled(page, lang="ru")
    assert page.evaluate("document.body.classList.contains('dark')")
    assert page.locator("#lv-theme").inner_text() == "Тёмная"
    assert page.get_by_label("RU").is_checked()
    page.goto(page.url.split("?")[0])
    page.wait_for_selector("body.lv-drawn")
    settled(page, lang="ru")


def test_tables_are_taken_home_as_they_are_shown(opened, page, hostile):
    opened("", "q=glimpse&open=closed")
    found = {}
    for kind in ("CSV", "JSON"):
        with page.expect_download() as begun:
            page.get_by_role("button", name=kind).first.click()
        found[kind] = begun.value.path().read_text(encoding="utf-8")
        assert begun.value.suggested_filename == f"layered.{kind.lower()}"
    (row,) = csv.DictReader(io.StringIO(found["CSV"]))
    told = json.loads(found["JSON"])
    assert (row["model"], row["tier"], told["dataset_version"]) == (SECOND, "2", "1.0.0")
    (same,) = told["rows"]
    assert same["delivered"] == float(row["delivered"]) == pytest.approx(0.533, abs=0.001)
    text = page.request.get(f"{page.url.split('?')[0]}downloads/history.csv").text()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) >= 7
    assert [row["model"] for row in rows if "cmd" in row["model"]] == [hostile]


def test_all_columns_sort_as_numbers_with_what_is_missing_last(opened, page):
    opened()
    page.get_by_role("button", name="All columns as a sortable table").click()
    settled(page, all="1")
    table = page.locator(".lv-whole-table")
    table.wait_for()
    look = "(cell) => [getComputedStyle(cell).textAlign, getComputedStyle(cell).position]"
    assert table.locator("tbody td").first.evaluate(look) == ["right", "static"]
    assert table.locator("tbody th.pin").first.evaluate(look)[1] == "sticky"
    assert table.locator("thead th").nth(1).evaluate(look)[1] == "sticky"

    def column(name, section):
        place = [one.split("\n")[-1] for one in table.locator("thead th").all_inner_texts()].index(name)
        rows = table.locator(f"tbody:nth-of-type({section}) tr:not(.sec)")
        return [row.locator("td").nth(place - 1).inner_text().split("\n")[0] for row in rows.all()]

    def press(key, by):
        page.locator(f".lv-sort:is([data-by='{key}'], [data-by='-{key}'])").press("Enter")
        settled(page, by=by)
        assert page.evaluate("document.activeElement.dataset.by").endswith(key)

    assert table.locator("th[aria-sort=descending]").inner_text() == SCORE
    press("full", "full")
    assert column("full\N{NO-BREAK SPACE}%", 2) == ["50.0", "41.7", "41.7"]
    press("delivered", None)
    assert column(SCORE, 1) == ["72.9", "53.3"]
    assert column(SCORE, 2) == ["31.5", "31.5", "–"]
    press("delivered", "-delivered")
    assert column(SCORE, 1) == ["53.3", "72.9"]
    assert column(SCORE, 2) == ["31.5", "31.5", "–"]
    assert table.locator("th[aria-sort=ascending]").count() == 1
    opened("", page.url.partition("&")[2])
    table.wait_for()
    assert column(SCORE, 1) == ["53.3", "72.9"]
    assert overflows(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert overflows(page) == []


def test_keys_reach_everything_and_escape_closes_a_definition(opened, page):
    opened()
    order = page.evaluate(
        """[...document.querySelectorAll("a, button, input, textarea, [tabindex='0']")].filter((one) =>
             one.tabIndex >= 0 && one.checkVisibility()).length"""
    )
    reached = []
    for _ in range(order + 4):
        page.keyboard.press("Tab")
        name, seen = page.evaluate(
            """() => { const at = document.activeElement;
              const all = [at, at.closest("label"), at.closest(".wrap")];
              const seen = all.some((one) => one && getComputedStyle(one).outlineStyle !== "none");
              const name = at.getAttribute("aria-label") ?? at.labels?.[0]?.innerText ?? at.innerText;
              return at === document.body ? ["", true] : [name.trim(), seen] }"""
        )
        assert seen, name
        reached.append(name)
    assert {"BEAR-Bench", "Search", "Order by", "Size", "CSV", "Copy link to this view", "Delivered"} <= set(
        reached
    )
    page.locator("[popovertarget=lv-ranking-delivered]").focus()
    page.keyboard.press("Enter")
    card = page.locator("#lv-ranking-delivered")
    assert card.is_visible()
    page.keyboard.press("Escape")
    assert not card.is_visible()
    assert page.evaluate("document.activeElement.getAttribute('popovertarget')") == "lv-ranking-delivered"


def test_a_submission_appears_and_an_absent_server_is_told(opened, page, board, tmp_path):
    opened("history")
    before = shown(page, ".lv-tbl tbody")
    file = submission(
        tmp_path / "new", board.benchmark("layered-vqa").dataset.folder, MadeUp("lab/New-1B", 0.2)
    )
    with ThreadPoolExecutor(1) as elsewhere:  # a browser's loop runs in this thread
        elsewhere.submit(accept, board, file, None, NOW + timedelta(days=30)).result()
    page.wait_for_timeout(1100)
    page.get_by_label("Search").fill("lab/New")
    settled(page, q="lab/New")
    page.wait_for_selector(".lv-tbl tbody .lv-name:has-text('lab/New-1B')")
    assert "lab/New-1B" not in before
    page.route("**/views/**", lambda route: route.abort())
    page.get_by_label("Search").fill("other")
    page.wait_for_selector(".lv-lost:visible")
    assert page.locator(".lv-lost:visible").inner_text().startswith("The server cannot be reached.")
    page.unroute("**/views/**")
    page.get_by_label("Search").fill("vista")
    settled(page, q="vista")
    assert page.locator(".lv-lost:visible").count() == 0


def test_what_programs_may_call_is_told_without_another_host(page, url):
    watched = watch(page)
    page.goto(f"{url}/?lang=en")
    page.wait_for_selector("body.lv-drawn")
    page.get_by_role("button", name="Use via API").click()
    page.get_by_text("/layered-conditions").first.wait_for()
    assert watched.hosts == {url.split("/")[2]}
    page.goto(f"{url}/bear?lang=en")
    page.wait_for_selector("body.lv-drawn")
    assert not page.get_by_role("button", name="Use via API").is_visible()
