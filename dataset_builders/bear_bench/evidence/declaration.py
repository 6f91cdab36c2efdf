"""A licence as a page declares it, and how the words around it are read."""

import re
from dataclasses import dataclass

from dataset_builders.bear_bench.evidence.folding import Folded, folded

_BEFORE = 120
_AFTER = 160


@dataclass(frozen=True)
class Declaration:
    """What was found: an SPDX identifier, the passage, and whether the page says it of itself.

    `declared` is False where a licence is named and nothing more, as in many a footer. `place` is where it
    stands in the folded text.
    """

    licence: str
    evidence: str
    declared: bool
    place: int


def any_of(*phrases: str) -> re.Pattern[str]:
    """Return what finds any of the phrases in a folded text; a stem finds every word that begins so."""
    return re.compile("|".join(re.escape(folded(phrase)) for phrase in phrases))


SUBJECT = any_of(
    *("this work", "this article", "this paper", "this document", "this publication", "this report"),
    *("this book", "this manual", "this page", "this text", "this material", "these materials", "materials"),
    *("the text", "the article", "the document", "the work", "the report", "the content", "the publication"),
    *("работа", "статья", "статьи", "документ", "издание", "публикаци", "материал", "произведение", "текст"),
    *("книга", "отчёт", "руководство", "содержание"),
)
"""How a document speaks of itself."""

GRANT = any_of(
    *("licensed", "license", "licence", "under the terms", "permission is granted", "open access"),
    *("distributed under", "published under", "available under", "released under", "redistribute"),
    *("лицензи", "на условиях", "распространя", "публику", "опубликован", "доступен", "доступна", "доступн"),
)
"""Words with which something is given to everybody."""

_PICTURES = any_of(
    *("photo", "image", "icon", "logo", "illustration", "clip art", "font by", "map data"),
    *("фото", "изображени", "иллюстраци", "рисунок", "иконк", "логотип", "шрифт"),
)
_DENIED = re.compile(r"\b(?:not|never|no|не|нельзя)\b(?:\W+\w+){0,3}\W*$", re.IGNORECASE)


def before(found: Folded, start: int, reach: int = _BEFORE) -> str:
    """Return the folded text before a place."""
    return found.text[max(0, start - reach) : start]


def denied(found: Folded, start: int) -> bool:
    """Tell whether a "not" stands at most three words before a place."""
    place = found.places[start]
    return _DENIED.search(found.original[max(0, place - 50) : place]) is not None


def of_a_picture(found: Folded, start: int) -> bool:
    """Tell whether the words before a place speak of a photo or the like, and not of the whole document."""
    return _PICTURES.search(before(found, start, 60)) is not None and not SUBJECT.search(before(found, start))


def passage(found: Folded, start: int, end: int) -> str:
    """Return the words around text[start:end] on one line: the sentence, where it is not too long."""
    first, last = found.places[start], found.places[end - 1] + 1
    lead = found.original[max(0, first - _BEFORE) : first]
    begin = max((mark.end() for mark in re.finditer(r"[.;]\s|\n\s*\n", lead)), default=0)
    if begin == 0 and first > _BEFORE:
        begin = lead.find(" ") + 1
    tail = found.original[last : last + _AFTER]
    stop = re.search(r"\.(?=\s+[A-ZА-ЯЁ]|\s*$)|\n\s*\n", tail)
    end_of_tail = stop.end() if stop else (tail.rfind(" ") if len(tail) == _AFTER else len(tail))
    words = lead[begin:] + found.original[first:last] + tail[:end_of_tail]
    return " ".join("".join(sign if sign.isprintable() else " " for sign in words).split())
