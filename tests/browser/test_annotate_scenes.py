"""Questions about scenes, written in a real browser: asked, checked blind, decided, exported, built."""

import shutil
import signal
from urllib.parse import urlsplit

import pytest
import yaml
from click.testing import CliRunner

from lvqa_eval.main import main
from tests.support.annotated_scenes import scene_options
from tests.support.annotating import (
    HOSTILE,
    QUESTION,
    SHARDS,
    ask,
    category,
    finish,
    gold,
    numbers,
    person,
    problems,
    stage,
    state,
    support,
    take_as_gold,
    write_shards,
)


@pytest.fixture(scope="module")
def options(tmp_path_factory):
    return scene_options(tmp_path_factory.mktemp("scenes") / "scenes")


@pytest.fixture(scope="module")
def prepared(pages, options, tmp_path_factory):
    """Give a work folder into which two scenes of six layers were drawn."""
    work = tmp_path_factory.mktemp("prepared") / "work"
    told = pages.start("annotate", "layered-vqa", work, *options, "--prepare").ended()
    assert "2 scenes" in told, told
    return work


@pytest.fixture
def work(prepared, tmp_path):
    return shutil.copytree(prepared, tmp_path / "work")


def invoke(*arguments):
    """Run `lvqa`, and return what it printed."""
    result = CliRunner().invoke(main, [str(one) for one in arguments])
    assert result.exit_code == 0, result.output
    return result.output


def test_two_people_and_a_killed_server_make_a_question_that_is_built(
    browser, pages, work, options, tmp_path
):
    serve = ("annotate", "layered-vqa", work, "--no-open")
    with pages.serving(*serve) as process:
        url = process.url()
        with person(browser, url, "ann", away=True) as ann:
            ask(ann)
            ann.locator("#field-question").fill(QUESTION)
            ann.locator("#field-answer").fill(f"washing up {HOSTILE}")
            category(ann, "direct_ask")
            take_as_gold(ann, 1, 2)
            write_shards(ann)
            state(ann, "saved")
            process.end(signal.SIGKILL)
            support(ann)
            ann.locator("#field-answer").fill("washing up")
            state(ann, "away")
            with pages.serving(*serve, "--port", urlsplit(url).port) as again:
                assert again.url() == url
                reopened(ann)
                finish(ann)
                ann.wait_for_selector(".a-empty")
                check(browser, url)
                decide(ann)
    assert_exported(work, tmp_path / "questions.yaml")
    built = tmp_path / "layered-vqa"
    invoke("build", "layered-vqa", *options, "--questions", tmp_path / "questions.yaml", "--out", built)
    invoke("validate", built)


def reopened(page):
    """Close the window with what was never sent, open the item anew: all is there, and sent."""
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    page.wait_for_selector("#field-answer")
    for _ in range(2):
        assert page.locator("#field-answer").input_value() == "washing up"
        words = page.locator(".s-shards .a-text").evaluate_all("all => all.map((one) => one.value)")
        assert words == [*SHARDS]
        assert [numbers(row) for row in page.locator(".s-shards > li").all()] == [[], [2], [1]]
        assert gold(page) == [1, 2]
        assert page.locator("mark").all_inner_texts() == ["the person2", "next to the table3"]
        state(page, "saved")
        assert problems(page) == "No problems"
        page.reload()
        page.wait_for_selector("#field-answer")


def check(browser, url):
    """Bo checks blind, and differs in the category alone."""
    with person(browser, url, "bo") as bo:
        stage(bo, "check")
        assert bo.locator("#field-question").get_attribute("readonly") is not None
        assert "washing" not in bo.content()
        assert bo.locator("input[name=category]:checked").count() == 0
        assert (gold(bo), numbers(bo.locator(".s-shards"))) == ([], [])
        bo.locator("#field-answer").fill("Washing up.")
        category(bo, "spatial")
        take_as_gold(bo, 1, 2)
        support(bo)
        state(bo, "saved")
        assert problems(bo) == "No problems"
        finish(bo)
        stage(bo, "adjudicate")


def decide(ann):
    """Ann sees both sides, and takes what Bo said."""
    ann.evaluate("dispatchEvent(new Event('focus'))")
    ann.locator(".a-queue [data-item]").click()
    stage(ann, "adjudicate")
    assert "You are A." in ann.locator(".a-heading").inner_text()
    rows = ann.locator(".a-sides tbody tr")
    assert rows.count() == 1
    assert rows.locator("th").inner_text() == "Category"
    assert rows.locator(".a-side-value").all_inner_texts() == ["direct ask", "spatial"]
    assert rows.locator("[aria-pressed=true]").count() == 1
    rows.locator("td button").nth(1).click()
    assert ann.locator("input[name=category]:checked").input_value() == "spatial"
    finish(ann)
    ann.wait_for_selector(".a-empty")
    assert ann.locator(".a-counts dd").all_inner_texts() == ["0", "0", "0", "0", "1", "0"]


def assert_exported(work, path):
    invoke("annotate", "export", work, "--out", path)
    [entry] = yaml.safe_load(path.read_text())
    assert (entry["question"], entry["answer"], entry["category"]) == (QUESTION, "washing up", "spatial")
    assert [one["text"] for one in entry["shards"]] == [*SHARDS]
    first, person_layer, table_layer = (one["support"] for one in entry["shards"])
    assert first == []
    assert entry["gold"] == [*table_layer, *person_layer]
    assert len(entry["gold"]) == 2
