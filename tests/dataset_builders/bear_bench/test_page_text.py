"""Reading pages: the layer or OCR, each page once; and OCR itself."""

from pathlib import Path

import pytest

from dataset_builders.bear_bench import ocr, page_text
from dataset_builders.bear_bench.language import doubtful_words
from dataset_builders.bear_bench.page_text import PageToRead, read_page, read_pages
from dataset_builders.bear_bench.records import Document, Drop, PageText
from tests.support.pdf_files import (
    document_work,
    pdf_bytes,
    picture_object,
    shown,
    shown_unicode,
    text_picture,
    unicode_pdf,
)

CASES = Path(__file__).resolve().parents[2] / "cases" / "pdf"
REAL = Path(__file__).resolve().parents[3] / ".." / "shared" / "data" / "pdf"

SCAN = "q 200 0 0 100 0 0 cm /X0 Do Q"


@pytest.fixture
def here(monkeypatch):
    """Read in this process, with one core, and count what is read by OCR."""
    monkeypatch.setenv("OMP_THREAD_LIMIT", "1")
    monkeypatch.setattr(
        page_text, "in_processes", lambda function, units, _workers, _seconds: enumerate(map(function, units))
    )
    calls = []
    monkeypatch.setattr(page_text, "read_picture", lambda *given: calls.append(1) or ocr.read_picture(*given))
    return calls


def wanted(work, *pages):
    (document,) = work.read("documents", Document, "collect")
    return [PageToRead(document, page) for page in pages]


def test_a_russian_line_with_a_latin_word_is_read_in_both_alphabets():
    text = ocr.read_picture(text_picture(["Подключите кабель USB к порту", "и включите питание прибора"]))
    assert "USB" in text
    assert "Подключите кабель" in text
    assert doubtful_words(text) == ()


def test_text_on_a_grey_box_is_read():
    picture = text_picture(["Consolidated results", "of the last quarter"])
    boxed = picture.point(lambda grey: grey * 160 // 255)
    picture.paste(boxed.crop((0, 0, 600, 58)), (0, 0))
    assert "Consolidated results" in ocr.read_picture(picture)


def test_missing_language_data_names_the_packages(tmp_path, monkeypatch):
    ocr.language_data.cache_clear()
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path))
    with pytest.raises(ocr.NoLanguageDataError, match="apt-get install tesseract-ocr-eng tesseract-ocr-rus"):
        ocr.language_data()
    for language in ("rus", "eng"):
        (tmp_path / f"{language}.traineddata").touch()
    assert ocr.language_data() == tmp_path
    ocr.language_data.cache_clear()


def test_every_page_has_its_route(here, tmp_path):
    scan = picture_object(text_picture(["Отчёт о работе за год", "Итого 1234 рубля"]))
    pages = [(shown(f"Annual report of the company, page {at}", size=8), "") for at in range(3)]
    data = pdf_bytes([*pages, ("", ""), *[(SCAN, "")] * 6], extra=(scan,))
    work = document_work(tmp_path / "work", {"report": data})
    read = read_pages(work, wanted(work, *range(1, 11)), "density")
    assert [one.page_id for one in read] == [f"report-p{number:04}" for number in range(1, 11)]
    assert [one.found_in for one in read] == ["text"] * 4 + ["ocr"] * 6
    assert [one.distrust for one in read] == [None] * 4 + ["no text layer"] * 6
    assert [one.language for one in read] == ["en"] * 3 + ["other"] + ["ru"] * 6
    assert (read[0].text, read[0].characters) == ("Annual report of the company, page 0", 30)
    assert (read[3].text, read[3].characters) == ("", 0)
    assert "Отчёт о работе за год" in read[9].text
    assert len(here) == 6


def test_a_page_is_read_once(here, tmp_path):
    scan = picture_object(text_picture(["Annual report"], (300, 100)))
    work = document_work(tmp_path / "work", {"report": pdf_bytes([(SCAN, "")] * 2, extra=(scan,))})
    first = read_pages(work, wanted(work, 1), "licence")
    assert len(here) == 1
    again = read_pages(work, wanted(work, 2, 1), "density")
    assert again[1:] == first
    assert len(here) == 2
    # The same file under another id: the same text under the page's own id.
    other = wanted(work, 1)[0].document.model_copy(update={"document_id": "copy"})
    assert read_pages(work, [PageToRead(other, 1)], "density") == [
        first[0].model_copy(update={"page_id": "copy-p0001"})
    ]
    assert len(here) == 2
    read_pages(work, wanted(work, 1), "density", dpi=100)  # read anew at another resolution
    assert len(here) == 3


@pytest.mark.usefixtures("here")
def test_a_page_that_cannot_be_read_is_a_drop_of_the_stage(tmp_path):
    work = document_work(tmp_path / "work", {"report": (CASES / "count_lies.pdf").read_bytes()})
    assert read_pages(work, wanted(work, 1, 2), "licence")[1] == Drop(
        id="report-p0002", stage="licence", reason="missing page", detail="page 2 of 7 does not load"
    )


def test_a_page_that_ends_its_process_is_a_drop(tmp_path, monkeypatch):
    monkeypatch.setattr(
        page_text, "in_processes", lambda _f, units, _w, seconds: [(0, page_text.Lost(seconds))]
    )
    work = document_work(tmp_path / "work", {"report": (CASES / "three_pages.pdf").read_bytes()})
    (drop,) = read_pages(work, wanted(work, 1), "density")
    assert (drop.reason, drop.detail) == ("crashed", "its process crashed, or took more than 300 s")


def test_processes_read_what_one_reads(tmp_path):
    work = document_work(tmp_path / "work", {"report": (CASES / "cropbox.pdf").read_bytes()})
    (read,) = read_pages(work, wanted(work, 1), "density", workers=2)
    assert isinstance(read, PageText)
    assert read == read_page(CASES / "cropbox.pdf", 1, "report-p0001")
    assert (read.text, read.characters, read.language) == ("inside", 6, "en")


def test_doubtful_words_are_flagged(tmp_path):
    (tmp_path / "one.pdf").write_bytes(unicode_pdf([(shown_unicode("Порт UЅВ и О5В", 5), "")]))
    assert read_page(tmp_path / "one.pdf", 1, "one").flags == ("doubtful word: UЅВ", "doubtful word: О5В")


@pytest.mark.parametrize(
    ("name", "page", "distrust"),
    [
        ("ru_biz_dogovor_14.y26.31.0004_scan_badtextlayer", 12, "invisible text"),
        ("ru_biz_law_with_applications_scan", 4, "no text layer"),
        ("ru_sci_texlive_lshortru", 9, "mojibake"),
        ("ru_sci_texlive_eskdx_manual", 35, "incomplete"),
    ],
)
def test_russian_documents_with_layers_not_to_be_trusted_are_read_as_russian(name, page, distrust):
    path = REAL / f"{name}.pdf"
    if not path.is_file():
        pytest.skip(f"no real documents at {REAL}")
    read = read_page(path, page, "page")
    assert (read.found_in, read.distrust, read.language) == ("ocr", distrust, "ru")
