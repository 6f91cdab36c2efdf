"""The page that compares two models in a real browser: its figures, and the way to each question."""

import csv
import io

import pytest

from tests.support.sent_runs import FIRST, SECOND


def test_two_models_are_compared_and_each_question_leads_to_its_example(sent, opened):
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
    opened("condition=recap-q", "compare")
    page.get_by_role("button", name="Swap A and B").click()
    page.wait_for_function("(name) => document.querySelector('.lv-pair bdi')?.innerText === name", arg=SECOND)
    page.wait_for_function(
        "[...document.querySelectorAll('.lv-quad td')].map((one) => one.innerText).join() === '0,0,2,0'"
    )


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

    def called(name, **wanted):
        told = client.predict(**{"a": a, "b": b} | wanted, api_name=f"/{name}")
        columns = [one["name"] for one in told["columns"]]
        return told, [dict(zip(columns, row, strict=True)) for row in told["rows"]]

    told, rows = called("conversation", condition="recap-v", ev="1")
    assert {row["condition"] for row in rows} == {"recap-v"}
    turns = len(rows) // 2
    expected = [(side, turn + 1) for side in "AB" for turn in range(turns)]
    assert [(row["side"], row["turn"]) for row in rows] == expected
    assert told["reference"]
    assert called("comparison")[1][0]["difference"] == 1.0
    assert [row["b_reply"] for row in called("differing-questions", condition="full")[1]] == ["red 1"] * 2
    with pytest.raises(AppError, match=r"condition: found '\.\./x', allowed: full, concat-q"):
        called("conversation", condition="../x")
