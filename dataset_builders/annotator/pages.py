"""The pages of a BEAR-Bench work folder, each to get a question, and questions that are there already."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dataset_builders.annotator.contents import PageContent
from dataset_builders.annotator.naming import address
from dataset_builders.annotator.pictures import keep_file
from dataset_builders.annotator.problems import problems
from dataset_builders.annotator.scenes import IMPORTED
from dataset_builders.annotator.store import Store, StoreError
from dataset_builders.bear_bench.records import Document, Item, Page, PageLabels, PageText
from dataset_builders.bear_bench.work import Work, read_records
from lvqa_eval.progress import progress


@dataclass(frozen=True)
class Added:
    """How many pages are there, and how many questions were taken over."""

    pages: int
    questions: int


def add_pages(store: Store, work: Work, questions: Path | None = None) -> Added:
    """Add the pages that were drawn by lot, and those of the questions in a file of `Item` records.

    A question that keeps the rules is taken over as finished, to be checked; any other is what its author
    starts from. Raises WorkError where a stage before was not run, StoreError for questions about no page.
    """
    given = {one.page_id: one for one in (read_records(questions, Item) if questions else [])}
    pages = _pages(work, given)
    subjects = _subjects(work, pages)
    taken = 0
    with progress("pages", len(pages)) as advance:
        for page in pages:
            keep_file(store.folder, work.folder / page.file, page.sha256)
            taken += _add(store, subjects[page.page_id], given.get(page.page_id))
            advance()
    return Added(len(store.items()), taken)


def _pages(work: Work, given: Mapping[str, Item]) -> list[Page]:
    drawn = work.read("sample", Page, "sample") if work.has("sample") or not given else []
    there = {page.page_id: page for page in work.read("pages", Page, "render")} if given else {}
    if strange := sorted(given.keys() - there.keys()):
        raise StoreError(
            f"{work.folder}: questions about {len(strange)} pages that are not in pages.jsonl: "
            f"{', '.join(strange[:5])}"
        )
    known = {page.page_id for page in drawn}
    return [*drawn, *(there[name] for name in given if name not in known)]


def _subjects(work: Work, pages: Sequence[Page]) -> dict[str, dict[str, Any]]:
    """Return what the app needs to know of each page."""
    documents = {one.document_id: one for one in work.read("documents", Document, "collect")}
    texts = {one.page_id: one for one in work.read("texts", PageText, "density")}
    labels = (
        {one.page_id: one for one in work.read("labels", PageLabels, "classify")}
        if work.has("labels")
        else {}
    )
    found = {}
    for page in pages:
        text, machine, document = (
            texts.get(page.page_id),
            labels.get(page.page_id),
            documents.get(page.document_id),
        )
        found[page.page_id] = {
            "page_id": page.page_id,
            "title": f"{document.title or page.document_id if document else page.document_id}, {page.page}",
            "document": page.document_id,
            "page": page.page,
            "sha256": page.sha256,
            "width": page.width,
            "height": page.height,
            "language": text.language if text and text.language in ("en", "ru") else None,
            "text": text.text if text else None,
            "machine_labels": {
                "labels": list(machine.labels),
                "probabilities": list(machine.probabilities),
                "by": machine.labelled_by,
            }
            if machine
            else {},
        }
    return found


def _add(store: Store, subject: Mapping[str, Any], question: Item | None) -> bool:
    """Add a page; tells whether a question was taken over with it."""
    item = address(subject["page_id"])
    if question is None:
        store.add_item(item, subject)
        return False
    content = PageContent(
        question=question.question,
        answer=question.answer,
        labels=question.labels,
        reasoning_steps=question.reasoning_steps,
    )
    sound = not problems(content)
    start = {} if sound else {"start": content.model_dump_json()}
    with store.writing():
        added = store.add_item(item, {**subject, **start}, IMPORTED)
        if added and sound:
            store.save(item, "author", IMPORTED, 0, content.model_dump_json(), finished=True)
    return added
