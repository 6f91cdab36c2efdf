"""The labelling page in a real browser, served by its own process."""

import json
import re
import signal

import pytest
from click.testing import CliRunner

from lvqa_eval.judging.audit.folder import make_audit
from lvqa_eval.judging.audit.items import read_keys
from lvqa_eval.main import main
from tests.support.audited_runs import audited_run, drawn_dataset
from tests.support.browser import WIDTHS, faults, watch

HOSTILE = (
    '<img src=x onerror="window.harmed=1"><script>window.harmed=1</script></div>{{constructor}} '
    "${window.harmed=1} `;window.harmed=1;` " + "a-very-long-word-without-any-space" * 5
)
CONDITIONS = ("full", "sharded-v")
VIEWS = ((1280, "light", "en"), (1280, "dark", "ru"), (390, "light", "ru"), (390, "dark", "en"))
SHIFTS = """() => new Promise((done) => {
  let sum = 0;
  const add = (list) => list.getEntries().forEach((one) => { if (!one.hadRecentInput) sum += one.value; });
  new PerformanceObserver(add).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(sum), 100);
})"""
VERDICTS = {
    "lenient": lambda north: lambda row: True,
    "able": lambda north: lambda row: north,
    "strict": lambda north: lambda row: north and row.condition == "sharded-v",
    "consensus": lambda north: lambda row: north,
}


@pytest.fixture(scope="module")
def material(tmp_path_factory):
    """Give the folders of two runs: all that one says is right, all that the other says is wrong."""
    folder = tmp_path_factory.mktemp("audited")
    dataset = drawn_dataset(folder)
    replies = {"north": lambda row: row.answer, "south": lambda row: f"Not that: {HOSTILE}"}
    return [
        audited_run(
            folder / name,
            dataset,
            CONDITIONS,
            replies[name],
            {judge: rule(name == "north") for judge, rule in VERDICTS.items()},
            model=f"some/{name}",
        )
        for name in ("north", "south")
    ]


@pytest.fixture
def audit(material, tmp_path):
    """Give an audit of ten conversations: of `full` three are north's, of `sharded-v` two."""
    make_audit(material, tmp_path / "audit", 10, 0)
    return tmp_path / "audit"


def labelling(pages, audit, annotator, *options):
    """Serve a person's page from a process of its own."""
    return pages.serving("audit", "label", audit, "--annotator", annotator, "--no-open", *options)


STRUCK_AT_ONCE = """keys => [...keys].forEach(key => document.body.dispatchEvent(
    new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true })))"""
"""Keys one after the other with no time for an answer between them, which a driven keyboard leaves."""


def wait_for(page, number):
    page.wait_for_selector(f".lv[data-number='{number}']")


def look_right(page):
    """Say whether the last answer is the reference, as a person would who reads the page."""
    return page.locator(".lv-last .lv-text").inner_text() == page.locator(".lv-reference").inner_text()


def label_by_key(page, numbers):
    for number in numbers:
        wait_for(page, number)
        page.keyboard.press("1" if look_right(page) else "2")
    page.wait_for_function(f"document.querySelector('progress').value >= {numbers[-1]}")


def label_by_click(page, numbers, but, note):
    """Label each item as it is, but one the other way, with a note."""
    for number in numbers:
        wait_for(page, number)
        right = look_right(page) != (number == but)
        if number == but:
            page.get_by_label("Note").fill(note)
        page.get_by_role("button", name="right" if right else "wrong").click()
    page.wait_for_selector(".lv-done:not([hidden])")


def go_to(page, number):
    page.locator(".lv-jump").fill(str(number))
    page.locator(".lv-jump").press("Enter")
    wait_for(page, number)


def lines(audit, name):
    path = audit / "labels" / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_two_people_label_a_third_decides_and_the_judges_are_scored(audit, material, page, pages):
    watched = watch(page)
    with labelling(pages, audit, "ann") as process:
        page.goto(process.url())
        label_by_key(page, range(1, 6))
        process.end(signal.SIGKILL)
        page.keyboard.press("1")
        page.wait_for_selector(".lv-lost:not([hidden])")
        assert faults(page) == []
    assert [line["item"] for line in lines(audit, "ann")] == ["0001", "0002", "0003", "0004", "0005"]
    watched.errors.clear()  # of the server that is gone

    with labelling(pages, audit, "ann") as process:
        page.goto(process.url())
        wait_for(page, 6)
        assert "5 labelled" in page.locator(".lv-progress").inner_text()
        label_by_key(page, range(6, 11))
        assert page.locator(".lv-done").is_visible()
        second = pages.start("audit", "label", audit, "--annotator", "ann", "--no-open")
        assert "another page writes here" in second.ended()
        assert process.end().endswith("ann.jsonl: 10 of 10 items labelled\n")

    with labelling(pages, audit, "bo") as process:
        page.goto(process.url())
        label_by_click(page, range(1, 11), but=4, note="the colour is <b>another</b> one")
    assert [line["item"] for line in lines(audit, "bo")] == [line["item"] for line in lines(audit, "ann")]

    with labelling(pages, audit, "cara", "--adjudicate") as process:
        page.goto(process.url())
        wait_for(page, 1)
        said = page.locator(".lv-said").inner_text()
        assert page.locator(".lv h1").inner_text() == "Item 1 of 1"
        assert all(words in said for words in ("the colour is <b>another</b> one", "✓ right", "✗ wrong"))
        blind = page.locator(".lv-page").first.inner_html()
        assert re.search(r"\b(ann|bo|model|north|south|sharded-v|lenient)\b", blind) is None
        label_by_key(page, [1])
    assert [(line["item"], line["by"]) for line in lines(audit, "adjudicated")] == [("0004", "cara")]

    assert watched.errors == []
    assert all(host.startswith("127.0.0.1:") for host in watched.hosts)
    assert page.evaluate("window.harmed") is None
    assert score(audit, material) == EXPECTED


EXPECTED = {
    "raw": 0.9,
    "kappa": 0.8,
    "settlement": {"agreed": 9, "adjudicated": 1, "cannot_tell": 0, "open": 0, "unlabelled": 0},
    # All, unanimous, divided, full, sharded-v: five answers are right, three of them under full.
    "able": [(1.0, 10), (1.0, 2), (1.0, 8), (1.0, 5), (1.0, 5)],
    "consensus": [(1.0, 10), (1.0, 2), (1.0, 8), (1.0, 5), (1.0, 5)],
    "lenient": [(0.5, 10), (1.0, 2), (0.375, 8), (0.6, 5), (0.4, 5)],
    "strict": [(0.7, 10), (1.0, 2), (0.625, 8), (0.4, 5), (1.0, 5)],
}


def score(audit, runs):
    result = CliRunner().invoke(main, ["audit", "score", str(audit), *map(str, runs), "--json"])
    found = json.loads(result.stdout)
    (pair,) = found["annotators"]
    shares = {
        judge: [
            (part["accuracy"]["value"], part["accuracy"]["n"])
            for part in (one["all"], one["unanimous"], one["divided"], *one["groups"].values())
        ]
        for judge, one in found["judges"].items()
    }
    head = {"raw": pair["raw"]["value"], "kappa": round(pair["kappa"], 9)}
    return {**head, "settlement": found["settlement"], **shares}


def test_the_page_holds_at_every_width_in_both_themes_and_languages(audit, page, pages, tmp_path):
    watched = watch(page)
    runs = [(one.run, one.condition) for one in read_keys(audit)]
    numbers = [runs.index(one) + 1 for one in (("north", "full"), ("south", "sharded-v"))]
    with labelling(pages, audit, "ann") as process:
        for width, theme, language in VIEWS:
            page.set_viewport_size({"width": width, "height": WIDTHS[width]})
            page.emulate_media(color_scheme=theme)
            page.goto(f"{process.url()}?lang={language}")
            wait_for(page, 1)
            assert page.evaluate("document.body.classList.contains('dark')") == (theme == "dark")
            assert page.evaluate("document.documentElement.lang") == language
            for number in numbers:
                go_to(page, number)
                page.locator(".lv-how").evaluate("one => one.open = true")
                found = faults(page)
                page.screenshot(path=tmp_path / f"{width}-{theme}-{language}-{number}.png", full_page=True)
                assert (width, theme, language, number, found) == (width, theme, language, number, [])
            page.evaluate("scrollTo(0, 300)")
            stays = page.locator(".lv-case").evaluate("one => one.getBoundingClientRect().top === 12")
            assert stays == (width == 1280)
        assert page.evaluate(SHIFTS) == 0  # since the last load
    assert watched.errors == []


def test_keys_label_what_is_shown_and_undo_goes_back(audit, page, pages):
    with labelling(pages, audit, "ann") as process:
        page.goto(process.url())
        wait_for(page, 1)
        page.evaluate(STRUCK_AT_ONCE, "12")  # the second is meant for an item that nobody has seen
        wait_for(page, 2)
        page.get_by_label("Note").fill("123u")
        page.keyboard.press("Escape")
        page.keyboard.press("ArrowRight")
        wait_for(page, 3)
        assert page.get_by_label("Note").input_value() == ""
        page.keyboard.press("3")
        wait_for(page, 4)
        page.get_by_role("button", name="Next unlabelled").click()
        wait_for(page, 5)
        page.get_by_role("button", name="Undo").click()
        wait_for(page, 3)
        assert page.locator("[aria-pressed=true][data-do=label]").count() == 0
        go_to(page, 2)
        assert page.get_by_label("Note").input_value() == "123u"
        go_to(page, 1)
        assert page.locator("[aria-pressed=true][data-do=label]").inner_text().startswith("✓ right")
    said = [(line["item"], line["label"], line["note"], line["undo"]) for line in lines(audit, "ann")]
    assert said == [
        ("0001", "right", "", False),
        ("0002", None, "123u", False),
        ("0003", "cannot_tell", "", False),
        ("0003", None, "", True),
    ]


def test_a_picture_is_enlarged_and_nothing_but_pictures_is_served(audit, page, pages):
    with labelling(pages, audit, "ann") as process:
        page.goto(process.url())
        wait_for(page, 1)
        picture = page.locator(".lv-pictures img").first
        assert picture.get_attribute("alt").startswith("Image 1: ")
        assert all(picture.get_attribute(side) == "224" for side in ("width", "height"))
        page.locator(".lv-pictures button").first.focus()
        page.keyboard.press("Enter")
        large = page.locator("dialog.lv-large[open]")
        assert large.locator("img").get_attribute("src") == picture.get_attribute("src")
        page.keyboard.press("2")
        assert faults(page) == []
        page.keyboard.press("Escape")
        assert page.locator("dialog[open]").count() == 0
        assert page.evaluate("document.activeElement.dataset.do") == "enlarge"
        assert lines(audit, "ann") == []
        asked = [f"{process.url()}{path}" for path in ("pictures/key.jsonl", "pictures/..%2Fkey.jsonl")]
        asked.append(f"{process.url()}gradio_api/file={audit / 'key.jsonl'}")
        assert all(page.request.get(url).status in (403, 404) for url in asked)
        shown = page.request.get(process.url() + picture.get_attribute("src"))
        assert (shown.status, shown.headers["content-type"]) == (200, "image/png")
        foreign = page.request.get(process.url(), headers={"Host": "elsewhere.example"})
        assert foreign.status == 400
