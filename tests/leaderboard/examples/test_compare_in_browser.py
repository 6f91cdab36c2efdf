"""The page that compares two models in a real browser: its figures, and the way to each question."""

import csv
import io

import pytest

from tests.support.sent_runs import FIRST, SECOND


def test_two_models_are_compared_and_each_question_leads_to_its_example(sent, opened, models):
    board, _ = sent
    page = opened("condition=recap-q", "compare")
    assert page.locator(".lv-pair bdi").all_inner_texts() == [FIRST, SECOND]
    assert page.locator(".lv-forest tbody tr:not(.sec)").count() >= 17
    # The first model knows both answers where a turn has the whole question; the other knows none.
    assert page.locator(".lv-quad td").all_inner_texts() == ["0", "2", "0", "0"]
    ids = sorted(board.benchmark("layered-vqa").schedule("full"))
    links = page.locator(".lv-differing a")
    assert sorted(links.all_inner_texts()) == ids
    page.get_by_role("link", name=ids[1]).click()
    page.wait_for_selector(".lv-chat")
    assert page.locator(".lv-condition h2").inner_text() == "recap-q"
    last = page.locator(".lv-time button").last
    assert last.get_attribute("aria-current") == "step"
    assert page.locator(".lv-chat .who .fin .word").all_inner_texts() == ["correct", "wrong"]
    assert f"question={ids[1]}" in page.url
    page.go_back()
    page.wait_for_selector(".lv-forest")
    page.get_by_role("button", name="Swap A and B").click()
    page.wait_for_function("(name) => document.querySelector('.lv-pair bdi')?.innerText === name", arg=SECOND)
    page.wait_for_function("(id) => location.search.includes(`a=${id}`)", arg=models["layered-vqa", SECOND])
    assert page.locator(".lv-quad td").all_inner_texts() == ["0", "0", "2", "0"]


def test_files_and_programs_get_the_same_figures(served, models, page):
    a, b = (models["layered-vqa", one] for one in (FIRST, SECOND))
    query = f"a={a}&b={b}&condition=full"
    rows = list(
        csv.DictReader(io.StringIO(page.request.get(f"{served}/downloads/comparison.csv?{query}").text()))
    )
    told = page.request.get(f"{served}/downloads/comparison.json?{query}").json()
    assert [row["name"] for row in rows] == [row["name"] for row in told["rows"]]
    full = told["rows"][0]
    assert (full["name"], full["a"], full["b"], full["difference"], full["questions"]) == (
        "full",
        1.0,
        0.0,
        1.0,
        2,
    )
    assert (told["a"], told["b"], told["judges"]) == (FIRST, SECOND, ["exact-match"])
    asked = page.request.get(f"{served}/downloads/differing-questions.json?{query}").json()["rows"]
    assert [(row["change"], row["b_reply"]) for row in asked] == [(1.0, "red 1")] * 2


def test_programs_call_the_named_endpoints(served, models):
    from gradio_client import Client
    from gradio_client.exceptions import AppError

    client = Client(served, verbose=False)
    a, b = (models["layered-vqa", one] for one in (FIRST, SECOND))
    talk = client.predict(a=a, b=b, condition="recap-v", ev="1", api_name="/conversation")
    assert [row["side"] for row in talk["rows"]] == ["A"] * 4 + ["B"] * 4
    assert {row["condition"] for row in talk["rows"]} == {"recap-v"}
    assert talk["reference"]
    found = client.predict(a=a, b=b, api_name="/comparison")
    assert found["rows"][0]["difference"] == 1.0
    asked = client.predict(a=a, b=b, condition="full", api_name="/differing-questions")
    assert [row["b_reply"] for row in asked["rows"]] == ["red 1"] * 2
    with pytest.raises(AppError, match="condition: found '../x', allowed: full, concat-q"):
        client.predict(condition="../x", api_name="/conversation")
