"""What a set of pages is made of (Fig. 2)."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lvqa_eval.metrics.bear.groups import Pages, by_cell
from lvqa_eval.metrics.groups import Groups
from lvqa_eval.metrics.study import Mask


@dataclass(frozen=True)
class Part:
    """One group of pages: how many, from how many source documents, and their share of the whole set.

    `characters` is the median of their OCR characters, white space left out.
    """

    name: str
    pages: int
    documents: int
    share: float
    characters: float


@dataclass(frozen=True)
class TypePart:
    """The pages of one document type, all and by cell, in the order of the cells."""

    name: str
    pages: int
    documents: int
    by_cell: tuple[int, ...]


def parts(pages: Pages, groups: Groups) -> tuple[Part, ...]:
    """Return what each group holds; where groups overlap, so do their shares."""
    characters = np.array([page.ocr_characters for page in pages], dtype=np.float64)
    return tuple(
        Part(
            name=name,
            pages=int(mask.sum()),
            documents=_documents(pages, mask),
            share=float(mask.mean()),
            characters=float(np.median(characters[mask])),
        )
        for name, mask in groups.items()
    )


def document_types(pages: Pages) -> tuple[TypePart, ...]:
    """Return the document types, the one with the most pages first."""
    return tuple(sorted(_types(pages), key=lambda part: (-part.pages, part.name)))


def cells_share_no_document(pages: Pages) -> bool:
    """Tell whether every source document lies in one cell; clusters of the bootstrap then do, too."""
    cells: dict[str, set[tuple[str, str]]] = {}
    for page in pages:
        cells.setdefault(page.source_document, set()).add((page.language, page.domain))
    return all(len(found) == 1 for found in cells.values())


def _types(pages: Pages) -> Iterator[TypePart]:
    named = np.array([page.document_type for page in pages], dtype=object)
    cells = by_cell(pages)
    for name in sorted(set(named)):
        mask = np.asarray(named == name)
        counts = tuple(int((mask & cell).sum()) for cell in cells.values())
        yield TypePart(str(name), int(mask.sum()), _documents(pages, mask), counts)


def _documents(pages: Pages, mask: Mask) -> int:
    return len({pages[place].source_document for place in np.flatnonzero(mask)})
