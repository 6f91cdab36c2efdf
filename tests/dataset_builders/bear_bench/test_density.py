"""Stage density: the pages of each language with the most text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataset_builders.bear_bench import density, page_text, render
from dataset_builders.bear_bench.density import PageDensity, choose, thresholds
from dataset_builders.bear_bench.records import Page, PageLabels, PageText
from dataset_builders.bear_bench.work import WorkError
from tests.support.pdf_files import document_work, pdf_bytes, shown


def page(name, language, count, text="слово", found_in="text"):
    return PageText(
        page_id=name, text=text, found_in=found_in, distrust=None, language=language, characters=count
    )


def test_the_percentile_is_that_of_each_language():
    texts = [page(f"en{at}", "en", at) for at in range(1, 101)] + [page("ru1", "ru", 5), page("ru2", "ru", 7)]
    kept, drops = choose(texts, 67)
    assert [one.page_id for one in kept] == [f"en{at}" for at in range(68, 101)] + ["ru2"]
    # 1 + 0.67 * 99 = 67.33 between the 67th and the 68th; 5 + 0.67 * 2 = 6.34.
    assert {one.language: one.threshold for one in kept} == {"en": 67.33, "ru": 6.34}
    assert len(drops) == 68
    assert drops[-1].detail == "5 characters by text layer, ru asks for 6.34"


def test_a_page_at_the_percentile_is_kept():
    texts = [page(name, "en", count) for name, count in zip("abcd", (10, 30, 30, 30), strict=True)]
    kept, _ = choose(texts, 67)
    assert [one.page_id for one in kept] == ["b", "c", "d"]


def test_other_languages_and_empty_pages_have_their_reasons():
    texts = [page("a", "en", 10), page("b", "other", 900, found_in="ocr"), page("c", "other", 0, "")]
    kept, drops = choose(texts, 67)
    assert [one.page_id for one in kept] == ["a"]
    assert [(drop.id, drop.reason, drop.detail) for drop in drops] == [
        ("b", "other language", "900 characters, by OCR"),
        ("c", "no text", ""),
    ]


def test_doubtful_words_do_not_count_on_russian_pages():
    text = "Порт UЅВ и порт О5В"
    assert density.density(page("a", "ru", 15, text)) == 15 - 6
    assert density.density(page("a", "en", 15, text)) == 15


@given(st.lists(st.integers(0, 5000), min_size=1), st.floats(0, 100))
def test_at_least_the_densest_is_kept_and_none_below_a_dropped_one(counts, percentile):
    kept, drops = choose([page(str(at), "en", count + 1) for at, count in enumerate(counts)], percentile)
    assert max(one.counted for one in kept) == max(counts) + 1
    dropped = [counts[int(drop.id)] + 1 for drop in drops]
    assert max(dropped, default=0) < min(one.counted for one in kept)
    assert len(kept) + len(drops) == len(counts)


def test_a_language_without_pages_has_no_threshold():
    assert thresholds({"en": [3], "ru": []}, 67) == {"en": 3.0}


@pytest.fixture
def here(monkeypatch):
    for module in (render, page_text):
        monkeypatch.setattr(
            module,
            "in_processes",
            lambda function, units, _workers, _seconds: enumerate(map(function, units)),
        )


@pytest.mark.usefixtures("here")
def test_the_stage_reads_the_classified_pages(tmp_path):
    words = [
        "the report",
        "the report of the year",
        "the report of the year and of the company",
        "not classified",
    ]
    work = document_work(
        tmp_path / "work", {"report": pdf_bytes([(shown(one, size=6), "") for one in words])}
    )
    render.run(work)
    with pytest.raises(WorkError, match="lvqa build bear classify"):
        density.run(work)
    pages = work.read("pages", Page, "render")
    labels = [
        PageLabels(page_id=one.page_id, probabilities=(1.0,) * 6, labels=("code",), labelled_by="hand")
        for one in pages[:3]
    ]
    work.write("labels", labels)
    count = density.run(work, percentile=50)
    assert (count.kept, count.dropped, count.groups) == (2, {"below the percentile": 1}, {"en": 2})
    assert [one.characters for one in work.read("texts", PageText, "density")] == [9, 18, 33]
    assert [one.counted for one in work.read("density", PageDensity, "density")] == [18, 33]
    first = (work.folder / "density.jsonl").read_bytes()
    density.run(work, percentile=50)
    assert (work.folder / "density.jsonl").read_bytes() == first
