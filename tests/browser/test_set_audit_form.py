"""The form of an audit in a real browser, opened as a file: filled, kept, in Russian, saved and scored."""

from pathlib import Path

import pytest

from dataset_builders.bear_bench.audit.folder import PAGE, make_audit
from dataset_builders.bear_bench.audit.score import score_audit
from tests.support.page_folder import page_folder


@pytest.fixture
def audit(tmp_path):
    out = tmp_path / "audit"
    make_audit(page_folder(tmp_path / "bear-bench"), [], out, per_cell=1)
    return out


def choose(page, item, aspect, value):
    page.locator(f'[data-item="{item}"] input[data-aspect="{aspect}"][value="{value}"]').check()


def test_a_form_is_filled_kept_saved_and_scored(audit, page, tmp_path):
    faults = []
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto((audit / PAGE).as_uri())
    assert page.locator("#done").inner_text() == "0 / 4"
    for aspect in ("ground_truth", "question", "image"):
        for item in ("0001", "0002", "0003"):
            choose(page, item, aspect, "yes")
    choose(page, "0003", "image", "no")
    page.locator('[data-item="0002"] textarea').fill('=1+1, "quoted"\nand more')
    assert page.locator("#done").inner_text() == "3 / 4"
    page.reload()
    assert page.locator("#done").inner_text() == "3 / 4"
    page.locator("#next").click()
    assert page.locator('[data-item="0004"]').evaluate("one => one.getBoundingClientRect().top < 200")
    page.get_by_role("button", name="Русский").click()
    assert page.locator("#save").inner_text() == "Сохранить CSV"
    assert page.locator("legend", has_text="Верен ли эталонный ответ").first.is_visible()
    with page.expect_download() as saved:
        page.locator("#save").click()
    saved.value.save_as(tmp_path / "ann.csv")
    found = {one.name: one for one in score_audit(audit, [tmp_path / "ann.csv"])}
    assert [(one.acceptable.n, one.missing) for one in found.values()] == [(3, 1)] * 3
    assert found["image"].acceptable.value == pytest.approx(2 / 3)
    assert '\'=1+1, ""quoted""' in Path(tmp_path / "ann.csv").read_text("utf-8-sig")
    assert page.locator("img").first.evaluate("one => one.naturalWidth > 0")
    assert faults == []
