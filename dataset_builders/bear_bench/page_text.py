"""The one way to read a page: its text layer where that is to be trusted, else OCR; each page once.

What was read is kept in the work folder's `page-texts`, by the file's bytes, the page and the reader, so that
every stage gets the same text and only the first waits for it.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dataset_builders.bear_bench.fonts import check_stand_ins
from dataset_builders.bear_bench.language import doubtful_words, language_of
from dataset_builders.bear_bench.layer_characters import read_characters
from dataset_builders.bear_bench.ocr import OCR_DPI, engine, read_picture
from dataset_builders.bear_bench.pdf import PdfRefusedError, opened, page_id
from dataset_builders.bear_bench.processes import Lost, in_processes
from dataset_builders.bear_bench.records import Document, Drop, PageText
from dataset_builders.bear_bench.text_layer import TextLayer, judge, settle, tidy
from dataset_builders.bear_bench.words import characters
from dataset_builders.bear_bench.work import Work, read_records
from lvqa_eval.files import write_whole
from lvqa_eval.progress import progress

READER_VERSION = 1
"""Goes up when the rules change, so that texts kept by older rules are not used."""

SECONDS_PER_PAGE = 300
"""Most time for a page. OCR takes a few seconds; a page that takes minutes is made to."""

CRASHED = "crashed"
MOST_FLAGS = 50


@dataclass(frozen=True)
class PageToRead:
    """A page by its document and number, from 1."""

    document: Document
    page: int

    @property
    def page_id(self) -> str:
        """The page's id."""
        return page_id(self.document.document_id, self.page)


@dataclass(frozen=True)
class _Unit:
    path: Path
    keep: Path
    to_read: PageToRead
    dpi: int


def read_pages(
    work: Work, wanted: Sequence[PageToRead], stage: str, workers: int | None = None, dpi: int = OCR_DPI
) -> list[PageText | Drop]:
    """Return the text of each page, in the order of `wanted`; a `Drop` of `stage` where it cannot be read.

    `workers` is the number of processes, None for one a core; `dpi` is the resolution for OCR.
    """
    folder = work.folder / "page-texts" / _reader_name(dpi)
    folder.mkdir(parents=True, exist_ok=True)
    keeps = [folder / f"{one.document.sha256[:32]}-{one.page:04d}.json" for one in wanted]
    texts: dict[int, PageText | Drop] = {
        at: _kept(keep, wanted[at]) for at, keep in enumerate(keeps) if keep.is_file()
    }
    missing = [at for at in range(len(wanted)) if at not in texts]
    units = [_Unit(work.folder / wanted[at].document.file, keeps[at], wanted[at], dpi) for at in missing]
    if units:
        check_stand_ins()
    with progress("reading pages", len(units)) as advance:
        for index, read in in_processes(_read_unit, units, workers, SECONDS_PER_PAGE):
            advance()
            at = missing[index]
            if isinstance(read, PageText):
                texts[at] = read
            else:
                reason, detail = (CRASHED, read.detail) if isinstance(read, Lost) else read
                texts[at] = Drop(id=wanted[at].page_id, stage=stage, reason=reason, detail=detail)
    return [texts[at] for at in range(len(wanted))]


def read_page(path: Path, page: int, name: str, dpi: int = OCR_DPI) -> PageText:
    """Read a page of a file in this process; `name` becomes its id. PdfRefusedError where that fails."""
    with opened(path) as pdf, pdf.page(page) as open_page:
        picture = open_page.draw(dpi, grey=True)
        characters_found = read_characters(open_page)
    layer = judge(characters_found)
    blank = characters_found.page_ink == 0
    if blank or (layer.distrust is None and not layer.doubts):
        return _page_text(name, layer)
    ocr_text = tidy(read_picture(picture, dpi))
    distrust = layer.distrust or settle(layer, ocr_text)
    if distrust is None:
        return _page_text(name, layer)
    return _page_text(name, TextLayer(ocr_text, distrust), ocr=True)


def _page_text(name: str, layer: TextLayer, ocr: bool = False) -> PageText:
    doubtful = doubtful_words(layer.text)
    return PageText(
        page_id=name,
        text=layer.text,
        found_in="ocr" if ocr else "text",
        distrust=layer.distrust,
        language=language_of(layer.text),
        characters=characters(layer.text),
        flags=tuple(f"doubtful word: {word}" for word in doubtful[:MOST_FLAGS]),
    )


def _read_unit(unit: _Unit) -> PageText | tuple[str, str]:
    """Read and keep a page; (reason, detail) where it cannot be read."""
    try:
        text = read_page(unit.path, unit.to_read.page, unit.to_read.page_id, unit.dpi)
    except PdfRefusedError as error:
        return error.reason, error.detail
    write_whole(unit.keep, json.dumps(text.model_dump(mode="json"), ensure_ascii=False))
    return text


def _kept(path: Path, wanted: PageToRead) -> PageText:
    # The same file may have come from two sources: its pages are read once and bear two ids.
    (text,) = read_records(path, PageText)
    return text.model_copy(update={"page_id": wanted.page_id})


def _reader_name(dpi: int) -> str:
    named = f"{READER_VERSION} {dpi} {engine()}"
    return hashlib.sha256(named.encode()).hexdigest()[:16]
