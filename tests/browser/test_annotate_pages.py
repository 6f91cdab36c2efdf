"""Annotating pages and wrong answers in a real browser: asked, checked blind, settled, built, tagged."""

import contextlib
import re
import shutil

import pytest
from click.testing import CliRunner

from dataset_builders.bear_bench import finish
from dataset_builders.bear_bench.procedural import PageOptions, run
from dataset_builders.bear_bench.records import LABELS, Item, Page
from dataset_builders.bear_bench.work import Work
from lvqa_eval.benchmarks import BEAR_BENCH
from lvqa_eval.images import Rendering
from lvqa_eval.main import main
from lvqa_eval.metrics.bear.conditions import DEFAULT
from lvqa_eval.pages import open_pages
from lvqa_eval.reports.bear.tags import read_tags
from lvqa_eval.runs.records import JudgementRecord, Key
from lvqa_eval.statuses import JudgeStatus
from tests.support.annotating import HOSTILE, person
from tests.support.browser import faults
from tests.support.scored_runs import conversation, turn, write_run

JUDGE = "referee"
KEYS = dict(zip(LABELS, "DTECFH", strict=True))
RULES = {
    "bear": {"en": "A number with its unit", "ru": "Число с единицей"},
    "errors": {"en": "It saw the things and miscounted them", "ru": "Предметы увидены"},
}
VIEWS = {"wide": {}, "tablet": {"viewport": {"width": 820, "height": 1180}, "has_touch": True}}


@pytest.fixture(scope="module")
def procedural(tmp_path_factory):
    """Give a work folder of three made pages with their questions."""
    work = Work(tmp_path_factory.mktemp("procedural"))
    run(work, PageOptions(pages=3, seed=3, width=620), workers=1)
    return work


def sampled(procedural, folder):
    """Copy the folder as it is after the stage sample: nobody has asked anything yet."""
    shutil.copytree(procedural.folder, folder)
    (folder / "items.jsonl").unlink()
    work = Work(folder)
    work.write("sample", work.read("pages", Page, "render"))
    return work


@pytest.fixture(scope="module")
def asking(procedural, pages, tmp_path_factory):
    """Serve the app over the pages; give its address, for tests that each take a page of their own."""
    work = sampled(procedural, tmp_path_factory.mktemp("asking") / "work")
    with pages.serving("annotate", "bear", work.folder, "--no-open") as process:
        yield process.url()


@pytest.fixture(scope="module")
def answered(procedural, tmp_path_factory):
    """Give a judged run over the finished set: an answer to each page is wrong, the other is right."""
    folder = tmp_path_factory.mktemp("answered")
    finish.run(procedural, folder / "bear-bench", "1.0.0")
    dataset = str(folder / "bear-bench")
    questions = [row.record() for row in BEAR_BENCH.open(dataset).rows(DEFAULT)]
    named = {"name": dataset, "version": "1.0.0", "manifest_sha256": open_pages(dataset).manifest_sha256}
    replies = {1: "\n".join(["Step by step.", HOSTILE, *["So it goes on."] * 40, "Answer: 7"]), 2: "Right."}
    asked = [(one.question_id, run) for one in questions for run in replies]
    write_run(
        *(folder / "run", [DEFAULT], 2, questions),
        [
            conversation(DEFAULT, name, run, turns=[turn(composite=True, reply=replies[run])])
            for name, run in asked
        ],
        {JUDGE: [ruling(name, run) for name, run in asked]},
        benchmark="bear-bench",
        model={"name": "org/one"},
        dataset=named,
        images=Rendering().identity(),
    )
    return folder


@pytest.fixture(scope="module")
def tagging(answered, pages, tmp_path_factory):
    """Serve the app over the wrong answers; give its address and its folder."""
    folder = tmp_path_factory.mktemp("tagging")
    with pages.serving(
        *("annotate", "errors", folder, answered / "run", "--judge", JUDGE, "--no-open")
    ) as process:
        yield process.url(), folder


def ruling(question_id, run):
    """Return what the judge says of an answer: the second of each question is right."""
    right = run == 2
    return JudgementRecord(
        *(DEFAULT, question_id, run, JudgeStatus.OK, right, int(right)), reasoning="It says so."
    )


def invoke(*arguments):
    """Run `lvqa`, and return what it printed."""
    result = CliRunner().invoke(main, [str(one) for one in arguments])
    assert result.exit_code == 0, result.output
    return result.output


@contextlib.contextmanager
def desk(browser, url, name, away=False, **context):
    """Open the app as somebody, at the first thing to do; see `person`."""
    with person(browser, url, name, away, **context) as page:
        page.wait_for_selector(".pd")
        yield page


def here(page):
    """Return the item that is open."""
    return page.locator(".a-queue [aria-current=true]").get_attribute("data-item")


def go(page, item):
    page.locator(f'.a-queue [data-item="{item}"]').click()
    page.wait_for_selector(f'.a-queue [data-item="{item}"][aria-current=true]')


def control(page, field):
    return page.locator(f'[data-field="{field}"] .a-text')


def on(page, field):
    """Return which toggles of a field are on."""
    pressed = page.locator(f'[data-field="{field}"] [aria-pressed=true]')
    return [one.get_attribute("data-value") for one in pressed.all()]


def label(page, wanted):
    """Bring the labels to what is wanted, by their keys."""
    page.locator(".a-heading h1").click()
    for name in sorted({*on(page, "labels")} ^ {*wanted}):
        page.keyboard.press(KEYS[name])


def saved(page):
    page.wait_for_selector(".a-state[data-state=saved]")


def done(page):
    """Finish the item that is open, by key."""
    item = here(page)
    page.keyboard.press("Control+Enter")
    page.wait_for_function(
        """item => {
          const next = document.querySelector(".a-queue [aria-current=true]")?.dataset.item;
          return next === undefined ? document.querySelector(".a-empty") : next !== item;
        }""",
        arg=item,
    )


def test_two_people_ask_and_check_pages_one_label_is_settled_and_the_set_is_built(
    procedural, browser, pages, tmp_path
):
    work = sampled(procedural, tmp_path / "work")
    asked, agreed, refused = (one.page_id for one in work.read("pages", Page, "render"))
    with pages.serving("annotate", "bear", work.folder, "--no-open") as process:
        url = process.url()
        with desk(browser, url, "ann", away=True) as ann:
            go(ann, asked)
            label(ann, ["tables", "figures"])
            control(ann, "question").fill("What is the sum of the two largest?")
            control(ann, "answer").fill("42 units")
            control(ann, "reasoning_steps").fill("2")
            saved(ann)
            ann.keyboard.press("Control+Enter")
            assert "at least 3; found 2" in ann.locator(".a-problem-bar").inner_text()
            assert control(ann, "reasoning_steps").get_attribute("aria-invalid") == "true"
            ann.get_by_role("button", name="One step more").click()
            done(ann)
            go(ann, agreed)
            label(ann, ["figures"])
            control(ann, "question").fill(f"На сколько пунктов? {HOSTILE}")
            control(ann, "answer").fill("6,6")
            control(ann, "reasoning_steps").fill("5")
            done(ann)
            go(ann, refused)
            ann.locator(".a-heading h1").click()
            ann.keyboard.press("R")
            control(ann, "note").fill("nothing to reason over")
            done(ann)
        with desk(browser, url, "bo") as bo:
            go(bo, asked)
            assert bo.locator(".pf-given.question").inner_text() == "What is the sum of the two largest?"
            assert "42 units" not in bo.locator("body").inner_text()
            assert control(bo, "answer").input_value() == ""
            assert faults(bo) == []
            label(bo, ["tables", "equations", "figures"])
            control(bo, "answer").fill("42 Units")
            control(bo, "reasoning_steps").fill("3")
            done(bo)
            go(bo, agreed)
            assert HOSTILE in bo.locator(".pf-given.question").inner_text()
            label(bo, ["figures"])
            control(bo, "answer").fill("6.6")
            control(bo, "reasoning_steps").fill("5")
            done(bo)
        with desk(browser, url, "cara") as cara:
            go(cara, asked)
            rows = cara.locator(".a-sides tbody tr")
            assert rows.count() == 1
            assert rows.locator("th").inner_text() == "What the page contains"
            assert rows.locator(".a-side-value").all_inner_texts() == [
                "tables, figures",
                "tables, equations, figures",
            ]
            assert faults(cara) == []
            cara.screenshot(path=tmp_path / "adjudicate.png")
            rows.locator("td button").nth(1).click()
            assert on(cara, "labels") == ["tables", "equations", "figures"]
            done(cara)
    invoke("annotate", "export", work.folder)
    items = {one.page_id: one for one in work.read("items", Item, "annotate")}
    assert items.keys() == {asked, agreed}
    assert items[asked] == Item(
        page_id=asked,
        question="What is the sum of the two largest?",
        answer="42 units",
        reasoning_steps=3,
        labels=("tables", "equations", "figures"),
    )
    invoke("build", "bear", "finish", work.folder, "--out", tmp_path / "set")
    rows = {row.id: row for row in open_pages(str(tmp_path / "set")).rows()}
    assert rows.keys() == {asked, agreed}
    assert (rows[agreed].answer, rows[agreed].reasoning_steps) == ("6,6", 5)
    assert [name for name in LABELS if getattr(rows[asked], f"contains_{name}")] == [
        *("tables", "equations", "figures")
    ]


def test_wrong_answers_are_tagged_twice_and_the_tags_go_to_the_run(answered, tagging, browser):
    url, folder = tagging
    wrong = [row.id for row in open_pages(str(answered / "bear-bench")).rows()]
    items = [f"{DEFAULT}.{question}.1" for question in wrong]
    with desk(browser, url, "ann") as ann:
        assert ann.locator(".a-queue [data-item]").count() == 3
        go(ann, items[0])
        assert HOSTILE in ann.locator(".pf-given.reply").inner_text()
        assert ann.locator(".pf-given.reply").evaluate(
            "one => one.scrollTop + one.clientHeight >= one.scrollHeight"
        )
        ann.keyboard.press("R")
        ann.keyboard.press("A")
        assert on(ann, "tags") == ["C3", "C5"]
        done(ann)
        go(ann, items[1])
        control(ann, "note").fill("it goes round and round")
        done(ann)
    with desk(browser, url, "bo") as bo:
        go(bo, items[0])
        assert on(bo, "tags") == []
        bo.get_by_role("button", name="C5").click()
        bo.get_by_role("button", name="C3").click()
        done(bo)
        go(bo, items[1])
        done(bo)
    invoke("annotate", "export", folder)
    tags = {wrong[0]: ("C3", "C5"), wrong[1]: ()}
    assert read_tags(answered / "run") == {Key(DEFAULT, name, 1): given for name, given in tags.items()}


def looked_at(page):
    """Return the scale in per cent, and where the picture's corner lies in its pane, in pixels."""
    scale = int(re.sub(r"\D", "", page.locator(".pv-scale").inner_text()))
    matrix = page.locator(".pv-picture").evaluate("one => new DOMMatrix(getComputedStyle(one).transform)")
    return scale, (round(matrix["e"]), round(matrix["f"]))


def pane(page):
    """Return the box of the pane: left, top, width and height inside its border."""
    return page.locator(".pv-pane").evaluate(
        """one => {
          const box = one.getBoundingClientRect();
          return [box.left + one.clientLeft, box.top + one.clientTop, one.clientWidth, one.clientHeight];
        }"""
    )


def under(page, x, y):
    """Return the point of the picture, in its own pixels, that lies at a place of the window."""
    left, top, *_ = pane(page)
    scale = page.locator(".pv-picture").evaluate("one => new DOMMatrix(getComputedStyle(one).transform).a")
    _, corner = looked_at(page)
    return ((x - left - corner[0]) / scale, (y - top - corner[1]) / scale)


def middle(page):
    left, top, width, height = pane(page)
    return left + width / 2, top + height / 2


def test_the_page_is_zoomed_and_moved_by_keys_wheel_and_drag_and_keeps_its_place(procedural, asking, browser):
    drawn = procedural.read("pages", Page, "render")[0]
    with desk(browser, asking, "ann") as page:
        go(page, drawn.page_id)
        page.locator(".a-heading h1").click()
        width, height = pane(page)[2:]
        whole = min(width / drawn.width, height / drawn.height)
        assert looked_at(page)[0] == round(100 * whole)
        page.keyboard.press("1")
        assert looked_at(page)[0] == 100
        assert under(page, *middle(page)) == pytest.approx((drawn.width / 2, drawn.height / 2), abs=0.6)
        page.keyboard.press("+")
        page.keyboard.press("+")
        assert looked_at(page)[0] == 156  # 1.25 squared
        page.keyboard.press("-")
        assert looked_at(page)[0] == 125
        place = (middle(page)[0] + 80, middle(page)[1] - 60)
        before = under(page, *place)
        page.mouse.move(*place)
        page.mouse.wheel(0, -200)
        page.wait_for_function("() => document.querySelector('.pv-scale').textContent !== '125 %'")
        assert looked_at(page)[0] == round(125 * 2.718281828 ** (200 * 0.0015))
        assert under(page, *place) == pytest.approx(before, abs=0.8)
        page.mouse.down()
        page.mouse.move(place[0] - 50, place[1] + 30)
        page.mouse.up()
        assert under(page, place[0] - 50, place[1] + 30) == pytest.approx(before, abs=0.8)
        assert page.evaluate("document.activeElement.className") == "pv-pane"
        corner = looked_at(page)[1]
        page.keyboard.press("ArrowUp")
        assert looked_at(page)[1] == (corner[0], pytest.approx(corner[1] + height / 10, abs=1))
        before = under(page, *middle(page))
        page.set_viewport_size({"width": 1160, "height": 700})
        page.wait_for_function("width => document.querySelector('.pv-pane').clientWidth < width", arg=width)
        page.wait_for_function("() => new Promise(requestAnimationFrame)")
        assert under(page, *middle(page)) == pytest.approx(before, abs=1.6)
        page.keyboard.press("0")
        width, height = pane(page)[2:]
        assert looked_at(page)[0] == round(100 * min(width / drawn.width, height / drawn.height))
        control(page, "question").fill("1")
        control(page, "question").press("+")
        assert looked_at(page)[0] == round(100 * min(width / drawn.width, height / drawn.height))


def test_two_fingers_zoom_and_one_moves(asking, browser):
    with desk(browser, asking, "bo", **VIEWS["tablet"]) as page:
        touch = page.context.new_cdp_session(page)

        def fingers(kind, *points):
            told = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": told})

        scale, _ = looked_at(page)
        x, y = middle(page)
        before = under(page, x, y)
        fingers("touchStart", (x - 50, y), (x + 50, y))
        fingers("touchMove", (x - 100, y), (x + 100, y))
        fingers("touchEnd")
        assert looked_at(page)[0] == pytest.approx(2 * scale, abs=1)
        assert under(page, x, y) == pytest.approx(before, abs=1.5)
        before = under(page, x, y)
        fingers("touchStart", (x, y))
        fingers("touchMove", (x, y - 40))
        fingers("touchEnd")
        assert under(page, x, y - 40) == pytest.approx(before, abs=1.5)
        assert page.evaluate("scrollY") == 0


def test_what_is_written_is_saved_by_itself_and_undone_by_steps(asking, browser):
    with desk(browser, asking, "cara") as page:
        first = on(page, "labels")
        control(page, "question").fill("Which is largest?")
        saved(page)
        label(page, [*first, "handwriting"])
        saved(page)
        page.reload()
        page.wait_for_selector(".pd")
        assert control(page, "question").input_value() == "Which is largest?"
        assert on(page, "labels") == [*first, "handwriting"]
        page.keyboard.press("Control+z")
        page.wait_for_selector("[data-value=handwriting][aria-pressed=false]")
        label(page, [*first, "code"])
        page.keyboard.press("Control+z")
        assert on(page, "labels") == first
        page.keyboard.press("Control+Shift+z")
        assert on(page, "labels") == ["code", *first]
        page.keyboard.press("Control+z")
        control(page, "question").fill("Which is the largest of all?")
        page.keyboard.press("Control+z")
        assert control(page, "question").input_value() == "Which is largest?"
        saved(page)
        kept = page.request.get(f"{asking}items/{here(page)}?annotator=cara").json()["content"]
        assert (kept["question"], kept["labels"]) == ("Which is largest?", first)


def small(page):
    """Return the controls of the desk that a finger would miss."""
    return page.evaluate(
        """() => [...document.querySelectorAll(".pd button, .pd input, .pd textarea, .pd summary")]
        .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 40)
        .map((one) => one.outerHTML)"""
    )


@pytest.mark.parametrize("view", VIEWS)
def test_the_desk_holds_at_every_width_in_both_themes_and_languages(view, asking, tagging, browser, tmp_path):
    for mode, url in {"bear": asking, "errors": tagging[0]}.items():
        with desk(browser, url, "dan", **VIEWS[view]) as page:
            for theme, language in (("light", "en"), ("dark", "ru")):
                if theme == "dark":
                    page.locator(f".a-tools [lang={language}]").click()
                    page.get_by_role("button", name="Тёмная").click()
                assert page.evaluate("document.documentElement.lang") == language
                assert RULES[mode][language] in page.locator(f".rl-text[lang={language}]").inner_text()
                for place in ("top", "bottom"):
                    page.evaluate("down => scrollTo(0, down)", 0 if place == "top" else 100_000)
                    page.screenshot(path=tmp_path / f"{mode}-{view}-{theme}-{place}.png")
                    assert (mode, theme, place, faults(page)) == (mode, theme, place, [])
            if view == "tablet":
                assert small(page) == []
                page.set_viewport_size({"width": 1180, "height": 820})
                page.screenshot(path=tmp_path / f"{mode}-{view}-turned.png")
                assert (mode, "turned", faults(page), small(page)) == (mode, "turned", [], [])
