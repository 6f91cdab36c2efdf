"""Stage render: one PNG a page, the same bytes on every run, and a reason for every page that gets none."""

import hashlib
import io
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dataset_builders.bear_bench.counts import StageCount, counted
from dataset_builders.bear_bench.fonts import check_stand_ins
from dataset_builders.bear_bench.layer_characters import not_background
from dataset_builders.bear_bench.pdf import (
    MAX_PIXELS,
    OpenPdf,
    PdfFacts,
    PdfRefusedError,
    opened,
    page_id,
)
from dataset_builders.bear_bench.processes import Lost, in_processes
from dataset_builders.bear_bench.records import Document, Drop, Licence, Page, Record
from dataset_builders.bear_bench.work import Work, read_records
from lvqa_eval.files import write_whole
from lvqa_eval.progress import progress

STAGE = "render"
DPI = 150
BLANK_PAGE = "blank page"
CRASHED = "crashed"

PAGES_AT_ONCE = 16
SECONDS = 600
"""Most time for so many pages; drawing one takes a tenth of a second."""


class _Drawn(Record):
    """What became of a page: one of the two."""

    page: Page | None = None
    drop: Drop | None = None


@dataclass(frozen=True)
class _Unit:
    """Pages `first` to `last` of a document, and where what became of them is kept."""

    document: Document
    folder: Path
    keep: Path
    first: int
    last: int
    dpi: int
    max_pixels: int


def run(work: Work, dpi: int = DPI, workers: int | None = None, max_pixels: int = MAX_PIXELS) -> StageCount:
    """Draw every page of the documents that have a licence to `pages/`, at most `max_pixels` large.

    Writes pages.jsonl, files.jsonl (`PdfFacts`, one a file that opens), and what was left out. `workers` is
    the number of processes, None for one a core.
    """
    check_stand_ins()
    licensed = {one.document_id for one in work.read("licences", Licence, "licence")}
    documents = [one for one in work.read("documents", Document, "collect") if one.document_id in licensed]
    (work.folder / "pages").mkdir(exist_ok=True)
    facts, drops = _survey(work, documents, workers)
    units = list(_units(work, documents, facts, dpi, max_pixels))
    drawn = _draw_all(units, workers)
    pages = [one.page for one in drawn if one.page is not None]
    drops += [one.drop for one in drawn if one.drop is not None]
    _remove_others(work.folder / "pages", pages)
    work.write("files", facts)
    work.write("pages", pages, sorted(drops, key=lambda drop: drop.id))
    shutil.rmtree(work.partial(STAGE))
    domains = {one.document_id: one.domain for one in documents}
    return counted(STAGE, "pages", len(pages), drops, (domains[one.document_id] for one in pages))


def _survey(
    work: Work, documents: Sequence[Document], workers: int | None
) -> tuple[list[PdfFacts], list[Drop]]:
    """Open every document; return what is in each, in their order, and those that do not open."""
    units = [(work.folder / one.file, one.document_id) for one in documents]
    found: dict[int, PdfFacts] = {}
    drops = []
    with progress("opening documents", len(units)) as advance:
        for at, facts in in_processes(_facts, units, workers, SECONDS):
            advance()
            if isinstance(facts, PdfFacts):
                found[at] = facts
            else:
                reason, detail = (CRASHED, facts.detail) if isinstance(facts, Lost) else facts
                drops.append(Drop(id=documents[at].document_id, stage=STAGE, reason=reason, detail=detail))
    return [found[at] for at in sorted(found)], drops


def _facts(unit: tuple[Path, str]) -> PdfFacts | tuple[str, str]:
    path, document_id = unit
    try:
        with opened(path) as pdf:
            return PdfFacts(
                document_id=document_id,
                declared_pages=pdf.declared,
                pages=len(pdf.loading_pages()),
                permissions=pdf.permissions,
            )
    except PdfRefusedError as error:
        return error.reason, error.detail


def _units(
    work: Work, documents: Sequence[Document], facts: Sequence[PdfFacts], dpi: int, max_pixels: int
) -> Iterator[_Unit]:
    by_id = {one.document_id: one for one in documents}
    partial = work.partial(STAGE)
    for one in facts:
        document = by_id[one.document_id]
        # What was drawn by other choices, or of another file of that id, is not taken up.
        key = hashlib.sha256(f"{document.sha256} {dpi} {max_pixels}".encode()).hexdigest()[:16]
        for first in range(1, one.declared_pages + 1, PAGES_AT_ONCE):
            last = min(first + PAGES_AT_ONCE - 1, one.declared_pages)
            keep = partial / f"{document.document_id}-{first:05d}-{key}.jsonl"
            yield _Unit(document, work.folder, keep, first, last, dpi, max_pixels)


def _draw_all(units: Sequence[_Unit], workers: int | None) -> list[_Drawn]:
    """Draw what has not been drawn; return what became of every page, in their order."""
    missing = [unit for unit in units if not _is_done(unit)]
    with progress("drawing pages", sum(unit.last - unit.first + 1 for unit in missing)) as advance:
        for at, pages in in_processes(_draw_unit, missing, workers, SECONDS):
            unit = missing[at]
            if isinstance(pages, Lost):
                numbers = range(unit.first, unit.last + 1)
                _keep(unit, [_dropped(unit, number, CRASHED, pages.detail) for number in numbers])
            for _ in range(unit.first, unit.last + 1):
                advance(unit.document.document_id)
    return [one for unit in units for one in read_records(unit.keep, _Drawn)]


def _is_done(unit: _Unit) -> bool:
    if not unit.keep.is_file():
        return False
    drawn = read_records(unit.keep, _Drawn)
    return all((unit.folder / one.page.file).is_file() for one in drawn if one.page is not None)


def _draw_unit(unit: _Unit) -> int:
    """Draw the pages of a unit to their files, keep what became of each, and return how many there are."""
    with opened(unit.folder / unit.document.file) as pdf:
        drawn = [_draw(unit, pdf, number) for number in range(unit.first, unit.last + 1)]
    _keep(unit, drawn)
    return len(drawn)


def _draw(unit: _Unit, pdf: OpenPdf, number: int) -> _Drawn:
    try:
        with pdf.page(number) as page:
            picture = page.draw(unit.dpi, max_pixels=unit.max_pixels)
            fonts = page.unembedded_fonts
    except PdfRefusedError as error:
        return _dropped(unit, number, error.reason, error.detail)
    ink = float(not_background(np.asarray(picture.convert("L"), dtype=np.int16)).mean())
    if ink == 0:
        return _dropped(unit, number, BLANK_PAGE)
    png = io.BytesIO()
    picture.save(png, "PNG")
    name = page_id(unit.document.document_id, number)
    file = f"pages/{name}.png"
    write_whole(unit.folder / file, png.getvalue())
    return _Drawn(
        page=Page(
            page_id=name,
            document_id=unit.document.document_id,
            page=number,
            file=file,
            sha256=hashlib.sha256(png.getvalue()).hexdigest(),
            width=picture.width,
            height=picture.height,
            dpi=unit.dpi,
            ink=round(ink, 6),
            unembedded_fonts=fonts,
        )
    )


def _dropped(unit: _Unit, number: int, reason: str, detail: str = "") -> _Drawn:
    name = page_id(unit.document.document_id, number)
    return _Drawn(drop=Drop(id=name, stage=STAGE, reason=reason, detail=detail))


def _keep(unit: _Unit, drawn: Sequence[_Drawn]) -> None:
    write_whole(unit.keep, "".join(f"{one.model_dump_json()}\n" for one in drawn))


def _remove_others(folder: Path, pages: Sequence[Page]) -> None:
    """Remove the pictures that an earlier run drew and this one did not."""
    names = {Path(page.file).name for page in pages}
    for path in folder.glob("*.png"):
        if path.name not in names:
            path.unlink()
