"""Everything that the stages found out about a page, as one row of the dataset."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dataset_builders.bear_bench.decisions import settle
from dataset_builders.bear_bench.records import (
    LABELS,
    Document,
    Drop,
    Item,
    Licence,
    Page,
    PageText,
)
from dataset_builders.bear_bench.work import Work
from dataset_builders.standing import BuildError
from lvqa_eval.pages import LANGUAGES, PageRow

STAGE = "finish"

CANARY = "LVQA canary 0f6b7c52-91d4-4a3e-b8a7-5c2e6d9f1a40, not for training"
"""Stands in the card, the manifest and every file, so that training corpora can be searched for it."""


@dataclass(frozen=True)
class Material:
    """What the stages before wrote, each record by the id of its page or document.

    `items` are those that stand after people decided about flagged ones, `drops` what they left out.
    """

    documents: Mapping[str, Document]
    licences: Mapping[str, Licence]
    pages: Mapping[str, Page]
    texts: Mapping[str, PageText]
    items: Sequence[Item]
    drops: Sequence[Drop] = ()


@dataclass(frozen=True)
class Joined:
    """Rows in the order of the dataset, each with its page, and what was left out."""

    rows: tuple[tuple[PageRow, Page], ...]
    drops: tuple[Drop, ...]


def read_material(work: Work) -> Material:
    """Read what the stages before wrote; WorkError where one has not been run.

    Raises FormError where a flagged item waits for a decision.
    """
    settled = settle(work, work.read("items", Item, "annotate"))
    return Material(
        documents={one.document_id: one for one in work.read("documents", Document, "collect")},
        licences={one.document_id: one for one in work.read("licences", Licence, "licence")},
        pages={one.page_id: one for one in work.read("pages", Page, "render")},
        texts={one.page_id: one for one in work.read("texts", PageText, "density")},
        items=settled.items,
        drops=settled.drops,
    )


def join(material: Material) -> Joined:
    """Make a row of every item, sorted by document and page within its cell.

    An item whose page or licence is gone, or whose language is neither of the two, is left out and named.
    Raises BuildError with everything that a person must mend.
    """
    if problems := [*_item_problems(material.items), *_domain_problems(material)]:
        raise BuildError(problems)
    rows: list[tuple[PageRow, Page]] = []
    drops = list(material.drops)
    for item in material.items:
        missing = _missing(item, material)
        if missing is None:
            rows.append(_row(item, material))
        else:
            drops.append(Drop(id=item.page_id, stage=STAGE, reason=missing))
    rows.sort(key=lambda pair: (pair[0].cell, pair[0].source_document, pair[0].page, pair[0].id))
    return Joined(tuple(rows), tuple(sorted(drops, key=lambda drop: drop.id)))


def _item_problems(items: Sequence[Item]) -> Iterator[str]:
    for page_id, count in sorted(Counter(item.page_id for item in items).items()):
        if count > 1:
            yield f"{page_id}: found {count} items, allowed: one a page"
    for item in items:
        for field in ("question", "answer"):
            if not getattr(item, field).strip():
                yield f"{item.page_id}: {field}: found nothing in it"
        if unknown := sorted({*item.labels} - {*LABELS}):
            yield f"{item.page_id}: labels: found {', '.join(unknown)}, allowed: {', '.join(LABELS)}"
        steps = item.reasoning_steps
        if steps is not None and steps < 1:
            yield f"{item.page_id}: reasoning_steps: found {steps}, allowed: at least 1, or null"


def _domain_problems(material: Material) -> Iterator[str]:
    """Yield the files that stand in both domains, whichever sources they came from."""
    used = {
        material.pages[item.page_id].document_id for item in material.items if item.page_id in material.pages
    }
    by_content: dict[str, list[Document]] = {}
    for document_id in sorted(used & material.documents.keys()):
        document = material.documents[document_id]
        by_content.setdefault(document.sha256, []).append(document)
    for documents in by_content.values():
        if len({document.domain for document in documents}) > 1:
            told = ", ".join(f"{document.document_id} ({document.domain})" for document in documents)
            yield f"{told}: the same file in both domains, which may share no document"


def _missing(item: Item, material: Material) -> str | None:
    """Return why an item cannot become a row, None where it can."""
    page = material.pages.get(item.page_id)
    if page is None:
        return "no page"
    if page.document_id not in material.documents:
        return "no document"
    if page.document_id not in material.licences:
        return "no licence"
    text = material.texts.get(item.page_id)
    if text is None:
        return "no text"
    return None if text.language in LANGUAGES else "language"


def _row(item: Item, material: Material) -> tuple[PageRow, Page]:
    page, text = material.pages[item.page_id], material.texts[item.page_id]
    document = material.documents[page.document_id]
    values = {
        "id": item.page_id,
        "question": item.question.strip(),
        "answer": item.answer.strip(),
        "language": text.language,
        "domain": document.domain,
        "document_type": document.document_type,
        "source_url": document.url,
        "source_document": document.document_id,
        "page": page.page,
        "licence": material.licences[page.document_id].licence,
        **{f"contains_{label}": label in item.labels for label in LABELS},
        "reasoning_steps": item.reasoning_steps,
        "ocr_characters": text.characters,
        "width": page.width,
        "height": page.height,
    }
    return PageRow.model_validate(values), page
