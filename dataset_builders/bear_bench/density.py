"""Stage density: of the pages of each language, those with the most text.

A page counts the characters on it that are not white space, from its text layer where that is to be trusted,
else by OCR; on a Russian page doubtful words (see `words.is_doubtful`) are not counted.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from dataset_builders.bear_bench.counts import StageCount, counted
from dataset_builders.bear_bench.ocr import OCR_DPI
from dataset_builders.bear_bench.page_text import PageToRead, read_pages
from dataset_builders.bear_bench.records import Document, Drop, Language, Page, PageLabels, PageText, Record
from dataset_builders.bear_bench.words import characters, is_doubtful, words
from dataset_builders.bear_bench.work import Work

STAGE = "density"
PERCENTILE = 67.0
NO_TEXT = "no text"
OTHER_LANGUAGE = "other language"
SPARSE = "below the percentile"


class PageDensity(Record):
    """A page that was kept: `counted` characters, of which its language asked for `threshold`."""

    page_id: str
    language: Language
    counted: int
    threshold: float


def run(
    work: Work, percentile: float = PERCENTILE, workers: int | None = None, dpi: int = OCR_DPI
) -> StageCount:
    """Read the pages that were classified, and keep those at or above the percentile of their language.

    Writes texts.jsonl (every page that can be read) and density.jsonl (those kept). `workers` is the number
    of processes, None for one a core; `dpi` is the resolution for OCR.
    """
    documents = {one.document_id: one for one in work.read("documents", Document, "collect")}
    classified = {one.page_id for one in work.read("labels", PageLabels, "classify")}
    pages = [one for one in work.read("pages", Page, "render") if one.page_id in classified]
    wanted = [PageToRead(documents[one.document_id], one.page) for one in pages]
    read = read_pages(work, wanted, STAGE, workers, dpi)
    texts = [one for one in read if isinstance(one, PageText)]
    drops = [one for one in read if isinstance(one, Drop)]
    kept, sparse = choose(texts, percentile)
    drops += sparse
    work.write("texts", texts)
    work.write("density", kept, sorted(drops, key=lambda drop: drop.id))
    return counted(STAGE, "pages", len(kept), drops, (one.language for one in kept))


def choose(texts: Sequence[PageText], percentile: float) -> tuple[list[PageDensity], list[Drop]]:
    """Return the pages at or above the percentile of their language, and why each of the others is not."""
    counts = {one.page_id: density(one) for one in texts if one.language != "other"}
    limits = thresholds(
        {
            language: [counts[one.page_id] for one in texts if one.language == language]
            for language in ("en", "ru")
        },
        percentile,
    )
    kept, drops = [], []
    for one in texts:
        why = _why_not(one, counts, limits)
        if why is None:
            found, limit = counts[one.page_id], limits[one.language]
            kept.append(
                PageDensity(page_id=one.page_id, language=one.language, counted=found, threshold=limit)
            )
        else:
            drops.append(Drop(id=one.page_id, stage=STAGE, reason=why[0], detail=why[1]))
    return kept, drops


def density(text: PageText) -> int:
    """Return the number of characters that count: on a Russian page, none of doubtful words."""
    if text.language != "ru":
        return text.characters
    return text.characters - sum(characters(word) for word in words(text.text) if is_doubtful(word))


def thresholds(counts: Mapping[Language, Sequence[int]], percentile: float) -> dict[Language, float]:
    """Return the percentile of each language that has pages, linear between neighbours."""
    return {
        language: round(float(np.percentile(found, percentile)), 6)
        for language, found in counts.items()
        if found
    }


def _why_not(
    text: PageText, counts: Mapping[str, int], limits: Mapping[Language, float]
) -> tuple[str, str] | None:
    if text.characters == 0:
        return NO_TEXT, ""
    read_by = f"by {'OCR' if text.found_in == 'ocr' else 'text layer'}"
    if text.language == "other":
        return OTHER_LANGUAGE, f"{text.characters} characters, {read_by}"
    limit = limits[text.language]
    if counts[text.page_id] < limit:
        return SPARSE, f"{counts[text.page_id]} characters {read_by}, {text.language} asks for {limit:g}"
    return None
