"""The procedural source: whole pages with their questions, as every later stage wants them."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from dataset_builders.bear_bench.counts import StageCount, counted
from dataset_builders.bear_bench.procedural.content import as_json, labels_of
from dataset_builders.bear_bench.procedural.derivation import Derivation
from dataset_builders.bear_bench.procedural.documents import (
    DocumentMaker,
    Plan,
    TypesetPage,
    characters,
    plans,
)
from dataset_builders.bear_bench.procedural.looks import SHORT
from dataset_builders.bear_bench.procedural.options import PageOptions
from dataset_builders.bear_bench.processes import Lost, in_processes
from dataset_builders.bear_bench.records import (
    LABELS,
    Document,
    Item,
    Licence,
    Page,
    PageLabels,
    PageText,
)
from dataset_builders.bear_bench.work import Work, WorkError
from lvqa_eval.files import write_whole
from lvqa_eval.progress import progress

SOURCE = "procedural"
LICENCE = "CC0-1.0"
_EVIDENCE = (
    "Typeset by the procedural page source of LVQA; the company, the people and all figures are invented"
)
_DPI = 150
_SECONDS = 600
"""Most time for one document; it takes two seconds."""


@dataclass(frozen=True)
class MadePage:
    """A page with everything that the stages would have found out about it."""

    page: Page
    png: bytes
    text: PageText
    labels: PageLabels
    item: Item
    derivation: Derivation


@dataclass(frozen=True)
class MadeDocument:
    """A document with its pages; `content` is its file: everything that stands on them, as JSON."""

    document: Document
    licence: Licence
    content: bytes
    pages: tuple[MadePage, ...]


def pages(options: PageOptions, workers: int | None = 1) -> Iterator[tuple[MadeDocument, MadePage]]:
    """Yield the pages of a set in order, each with its document, which its pages share.

    `workers` is the number of processes, None for one a core; the pages do not depend on it.
    """
    for made in documents(options, workers):
        yield from ((made, page) for page in made.pages)


def documents(options: PageOptions, workers: int | None = 1) -> Iterator[MadeDocument]:
    """Yield the documents of a set in order."""
    units = [(plan, options) for plan in plans(options)]
    if workers == 1:
        yield from map(make_document, units)
        return
    early: dict[int, MadeDocument] = {}
    awaited = 0
    for index, made in in_processes(make_document, units, workers, _SECONDS):
        if isinstance(made, Lost):
            raise RuntimeError(f"{_document_id(*units[index])}: {made.detail}")
        early[index] = made
        while awaited in early:
            yield early.pop(awaited)
            awaited += 1


def run(work: Work, options: PageOptions, workers: int | None = None) -> StageCount:
    """Write a whole set to the work folder, ready for the stage finish.

    `workers` is the number of processes, None for one a core. Raises WorkError where the folder holds
    documents of another source.
    """
    _check_empty(work)
    for name in ("pages", "documents"):
        (work.folder / name).mkdir(parents=True, exist_ok=True)
    made: list[MadeDocument] = []
    with progress("typesetting pages", options.pages) as advance:
        for one in documents(options, workers):
            write_whole(work.folder / one.document.file, one.content)
            for page in one.pages:
                write_whole(work.folder / page.page.file, page.png)
                advance()
            made.append(_without_bytes(one))
    _remove_others(work.folder, made)
    every = [page for one in made for page in one.pages]
    work.write("documents", [one.document for one in made])
    work.write("licences", [one.licence for one in made])
    work.write("pages", [one.page for one in every])
    work.write("texts", [one.text for one in every])
    work.write("labels", [one.labels for one in every])
    work.write("procedural", [one.derivation for one in every])
    work.write("items", [one.item for one in every])
    cells = (f"{one.document.domain}-{page.text.language}" for one in made for page in one.pages)
    return counted(SOURCE, "pages", len(every), [], cells)


def make_document(unit: tuple[Plan, PageOptions]) -> MadeDocument:
    """Make one document, drawn and described."""
    plan, options = unit
    maker = DocumentMaker(plan, options)
    document_id = _document_id(plan, options)
    made = tuple(
        _made_page(document_id, plan, number, page, options.width)
        for number, page in enumerate(maker.pages(), start=1)
    )
    told = {
        "document_id": document_id,
        "title": maker.title,
        "pages": [[*page.derivation.content] for page in made],
    }
    content = json.dumps(told, ensure_ascii=False, indent=1).encode()
    document = Document(
        document_id=document_id,
        file=f"documents/{document_id}.json",
        sha256=hashlib.sha256(content).hexdigest(),
        source=SOURCE,
        url=f"procedural:{document_id}",
        domain=plan.domain,
        document_type=f"procedural {plan.kind}",
        title=maker.title,
        licence=LICENCE,
    )
    licence = Licence(
        document_id=document_id, licence=LICENCE, evidence=_EVIDENCE, page=None, found_in="source"
    )
    return MadeDocument(document, licence, content, made)


def _document_id(plan: Plan, options: PageOptions) -> str:
    simple = "-simple" if options.simple else ""
    return f"proc{simple}-s{options.seed}-{plan.language}-{plan.domain}-{plan.index:03d}"


def _made_page(document_id: str, plan: Plan, number: int, typeset: TypesetPage, width: int) -> MadePage:
    page_id, problem = f"{document_id}-p{number:04d}", typeset.problem
    page, png = _drawn(document_id, page_id, number, typeset, width)
    found = frozenset(labels_of(typeset.blocks))
    labels = tuple(label for label in LABELS if label in found)
    return MadePage(
        page=page,
        png=png,
        text=PageText(
            page_id=page_id,
            text=typeset.sheet.text(),
            found_in="text",
            distrust=None,
            language=plan.language,
            characters=characters(typeset.sheet),
        ),
        labels=PageLabels(
            page_id=page_id,
            probabilities=tuple(float(label in found) for label in LABELS),
            labels=labels,
            labelled_by="construction",
        ),
        item=Item(
            page_id=page_id,
            question=problem.question,
            answer=problem.answer,
            reasoning_steps=len(problem.steps),
            labels=labels,
        ),
        derivation=Derivation(
            page_id=page_id,
            kind=problem.kind,
            steps=problem.steps,
            accepted=problem.accepted,
            content=tuple(map(as_json, typeset.blocks)),
        ),
    )


def _drawn(
    document_id: str, page_id: str, number: int, typeset: TypesetPage, width: int
) -> tuple[Page, bytes]:
    from dataset_builders.bear_bench.procedural.typesetting import raster

    scale = width / SHORT
    image = raster.draw(typeset.sheet, scale)
    png = raster.encoded(image)
    page = Page(
        page_id=page_id,
        document_id=document_id,
        page=number,
        file=f"pages/{page_id}.png",
        sha256=hashlib.sha256(png).hexdigest(),
        width=image.width,
        height=image.height,
        dpi=round(_DPI * scale),
        ink=raster.ink(image),
    )
    return page, png


def _without_bytes(made: MadeDocument) -> MadeDocument:
    return replace(made, content=b"", pages=tuple(replace(page, png=b"") for page in made.pages))


def _check_empty(work: Work) -> None:
    if not work.has("documents"):
        return
    others = sorted({one.source for one in work.read("documents", Document, SOURCE)} - {SOURCE})
    if others:
        raise WorkError(
            f"{work.folder}: found documents of {', '.join(others)}; procedural pages need a folder of "
            "their own"
        )


def _remove_others(folder: Path, made: list[MadeDocument]) -> None:
    """Remove the files of an earlier set that this one does not have."""
    kept = {one.document.file for one in made} | {page.page.file for one in made for page in one.pages}
    for path in (*folder.glob("pages/proc*.png"), *folder.glob("documents/proc*.json")):
        if str(path.relative_to(folder)) not in kept:
            path.unlink()
