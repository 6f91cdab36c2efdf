"""Stage licence: a document is used where it says itself that it may be, or where a person says why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dataset_builders.bear_bench.counts import StageCount, counted
from dataset_builders.bear_bench.evidence import Declaration, declarations
from dataset_builders.bear_bench.ocr import OCR_DPI
from dataset_builders.bear_bench.page_text import CRASHED, PageToRead, read_pages
from dataset_builders.bear_bench.pdf import PdfRefusedError, first_and_last, opened
from dataset_builders.bear_bench.processes import Lost, in_processes
from dataset_builders.bear_bench.records import Document, Drop, Licence, PageText
from dataset_builders.bear_bench.sidecar import SIDECAR, Decision, read_sidecar
from dataset_builders.bear_bench.work import Work
from dataset_builders.licences import NONE, spdx_of
from lvqa_eval.progress import progress

STAGE = "licence"
EACH_END = 5
"""Pages that are searched at each end of a document."""

NO_EVIDENCE = "no evidence"
REFUSED = "refused"
NO_SUCH_FILE = "no such file"
"""The reasons, beside those for which a file cannot be opened."""

_SECONDS = 600


@dataclass
class _Search:
    """What is known of a document so far; `named` is a licence that a page names without declaring it."""

    document: Document
    first: tuple[int, ...] = ()
    last: tuple[int, ...] = ()
    searched: list[int] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    declared: Licence | None = None
    named: Licence | None = None

    def take(self, page: int, read: PageText | Drop) -> None:
        """Search the text of a page."""
        if isinstance(read, Drop):
            self.unread.append(f"{page} ({read.reason})")
            return
        self.searched.append(page)
        for one in declarations(read.text)[:1]:
            licence = _licence(self.document, one, page, read)
            if one.declared:
                self.declared = self.declared or licence
            else:
                self.named = self.named or licence


def run(
    work: Work, sidecar: Path | None = None, workers: int | None = None, dpi: int = OCR_DPI
) -> StageCount:
    """Find for every document the evidence that it may be used; without any it is left out and named.

    A decision in the sidecar (WORK/licences.csv if not given) counts first, and refuses a document with the
    licence NONE. Then the first pages are searched, and the last ones where those do not settle it, then what
    the source itself says is taken. `workers` is the number of processes, None for one a core; `dpi` is the
    resolution for OCR. What was read is kept in the work folder, so a run that was killed goes on from there.
    """
    documents = sorted(work.read("documents", Document, "collect"), key=lambda one: one.document_id)
    path = sidecar or work.folder / SIDECAR
    decisions = read_sidecar(path) if sidecar or path.is_file() else {}
    decided = _decided(documents, decisions)
    undecided = [one for one in documents if one.document_id not in decided]
    searches, drops = _openable(work, undecided, workers)
    _read(work, searches, workers, dpi)
    found = [_licence_by(document, decision) for document, decision in decided.values()]
    found += [one.declared or one.named or _of_source(one.document) or _without(one) for one in searches]
    licences = [one for one in found if isinstance(one, Licence)]
    drops += [one for one in found if isinstance(one, Drop)]
    drops += _unknown_files(decisions, documents, path)
    licences.sort(key=lambda one: one.document_id)
    work.write("licences", licences, sorted(drops, key=lambda drop: (drop.id, drop.detail)))
    groups = (f"{one.licence} by {one.found_in}" for one in licences)
    return counted(STAGE, "documents", len(licences), drops, groups)


def _decided(
    documents: Sequence[Document], decisions: Mapping[str, Decision]
) -> dict[str, tuple[Document, Decision]]:
    """Return the documents that the sidecar names, by their ids, each with what it says."""
    return {
        document.document_id: (document, decisions[name])
        for document in documents
        for name in _names(document)
        if name in decisions
    }


def _names(document: Document) -> tuple[str, ...]:
    return document.document_id, document.url, document.file


def _unknown_files(
    decisions: Mapping[str, Decision], documents: Sequence[Document], path: Path
) -> list[Drop]:
    """Return the lines of the sidecar that name nothing that was collected."""
    known = {name for document in documents for name in _names(document)}
    return [
        Drop(
            id=one.file,
            stage=STAGE,
            reason=NO_SUCH_FILE,
            detail=f"{path.name}: line {one.line}: not collected",
        )
        for one in decisions.values()
        if one.file not in known
    ]


def _openable(
    work: Work, documents: Sequence[Document], workers: int | None
) -> tuple[list[_Search], list[Drop]]:
    """Return the documents that open with the pages to be searched, and why others do not."""
    pages: dict[int, tuple[int, ...]] = {}
    drops = []
    units = [work.folder / document.file for document in documents]
    with progress("opening documents", len(units)) as advance:
        for at, found in in_processes(_pages, units, workers, _SECONDS):
            advance()
            if isinstance(found, list):
                pages[at] = first_and_last(tuple(found), EACH_END)
            else:
                reason, detail = (CRASHED, found.detail) if isinstance(found, Lost) else found
                told = f"{documents[at].url}: {detail}" if detail else documents[at].url
                drops.append(Drop(id=documents[at].document_id, stage=STAGE, reason=reason, detail=told))
    searches = [
        _Search(documents[at], numbers[:EACH_END], numbers[EACH_END:])
        for at, numbers in sorted(pages.items())
    ]
    return searches, drops


def _pages(path: Path) -> list[int] | tuple[str, str]:
    """Return the numbers of the pages that load; (reason, detail) where the file does not open."""
    try:
        with opened(path) as pdf:
            return list(pdf.loading_pages())
    except PdfRefusedError as error:
        return error.reason, error.detail


def _read(work: Work, searches: Sequence[_Search], workers: int | None, dpi: int) -> None:
    """Search the first pages of all documents, then the last pages of those that are still open."""
    for end in ("first", "last"):
        wanted = [
            (search, page) for search in searches if search.declared is None for page in getattr(search, end)
        ]
        to_read = [PageToRead(search.document, page) for search, page in wanted]
        for (search, page), read in zip(wanted, read_pages(work, to_read, STAGE, workers, dpi), strict=True):
            search.take(page, read)


def _licence(document: Document, found: Declaration, page: int, read: PageText) -> Licence:
    return Licence(
        document_id=document.document_id,
        licence=found.licence,
        evidence=found.evidence,
        page=page,
        found_in=read.found_in,
    )


def _licence_by(document: Document, decision: Decision) -> Licence | Drop:
    if decision.licence == NONE:
        told = f"{document.url}: {decision.evidence} ({decision.decided_by})"
        return Drop(id=document.document_id, stage=STAGE, reason=REFUSED, detail=told)
    return Licence(
        document_id=document.document_id,
        licence=decision.licence,
        evidence=decision.evidence,
        page=None,
        found_in="manual",
        decided_by=decision.decided_by,
    )


def _of_source(document: Document) -> Licence | None:
    """Return the licence that the source states; None where it states none, or none that is open."""
    if document.licence is None:
        return None
    found = spdx_of(document.licence) or next((one.licence for one in declarations(document.licence)), None)
    if found is None or found == NONE:
        return None
    return Licence(
        document_id=document.document_id,
        licence=found,
        evidence=document.licence,
        page=None,
        found_in="source",
        decided_by=document.source,
    )


def _without(search: _Search) -> Drop:
    document = search.document
    told = [f"{document.url}: searched pages {', '.join(map(str, search.searched)) or 'none'}"]
    if search.unread:
        told.append(f"could not read {', '.join(search.unread)}")
    if document.licence is not None:
        told.append(f"the source says {document.licence!r}, which is no open licence")
    return Drop(id=document.document_id, stage=STAGE, reason=NO_EVIDENCE, detail="; ".join(told))
