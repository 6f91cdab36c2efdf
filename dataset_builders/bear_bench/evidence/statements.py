"""Other grounds on which a document may be used: filings, government works, public domain, free licences."""

import re
from collections.abc import Iterator

from dataset_builders.bear_bench.evidence.declaration import (
    GRANT,
    SUBJECT,
    Declaration,
    any_of,
    before,
    denied,
    passage,
)
from dataset_builders.bear_bench.evidence.folding import Folded, folded, occurrences
from dataset_builders.licences import OPEN_LICENCE, PUBLIC_DOMAIN, SEC_FILING, US_GOVERNMENT

_DASH = r"\s?[-\u2010-\u2014\x02]\s?"
_FILES = {
    ("commission file number", "commission file no"): re.compile(
        rf"\D{{0,40}}?\d{{1,3}}{_DASH}\d{{4,6}}(?!\d)"
    ),
    ("registration number", "registration no", "registration statement no"): re.compile(
        rf"\D{{0,40}}?(?:333|33|811|2){_DASH}\d{{4,6}}(?!\d)"
    ),
}
"""The words before a number, and its form: 001-36743 of a report, 333-12345 of a registration statement."""

_HEAD_OF_FORM = ("securities and exchange commission washington",)


def filings_in(found: Folded) -> Iterator[Declaration]:
    """Yield the marks of a filing with the Securities and Exchange Commission.

    Such a mark is a file or registration number, or the head of a form. A page that only speaks of filings,
    as the disclaimers of presentations do, has none.
    """
    for phrases, number in _FILES.items():
        for start, end in _places(found, phrases):
            if number.match(found.original[found.places[end - 1] + 1 :]):
                yield _declared(found, start, end, SEC_FILING)
    for start, end in _places(found, _HEAD_OF_FORM):
        yield _declared(found, start, end, SEC_FILING)


_GOVERNMENT = (
    *("work of the united states government", "works of the united states government"),
    *("work of the us government", "works of the us government", "us government work"),
    *("united states government work", "work of the federal government", "17 usc 105", "17 us code 105"),
    *("title 17 section 105", "17 usc section 105"),
)


def government_works_in(found: Folded) -> Iterator[Declaration]:
    """Yield the statements that a document is a work of the government of the United States."""
    for start, end in _places(found, _GOVERNMENT):
        if not denied(found, start):
            yield _declared(found, start, end, US_GOVERNMENT)


_PUBLIC_DOMAIN = (
    *("public domain", "not subject to copyright", "not protected by copyright"),
    *("общественное достояние", "общественном достоянии", "общественным достоянием"),
    *("объектом авторского права", "объектом авторских прав", "объектами авторских прав"),
)
_VERB = any_of(
    *("is ", "are ", "has been", "have been", "belongs", "dedicated", "released", "placed"),
    *("находится", "находятся", "является", "являются", "передан", "перешл"),
)
# Few letters stand between: "this work is hereby dedicated to the", not "this paper tells of texts in the".
_PUT_THERE = re.compile(rf"(?:{SUBJECT.pattern})\w{{0,12}}?(?:{_VERB.pattern})\w{{0,12}}$")
_LABEL = re.compile(
    rf"(?:{any_of('licence', 'license', 'copyright status', 'лицензия', 'авторские права').pattern})$"
)
_NO_OBJECT = re.compile(rf"(?:{SUBJECT.pattern})\w{{0,12}}?{folded('не явля')}\w{{3,4}}$")
_OBJECT = folded("объект")


def public_domain_in(found: Folded) -> Iterator[Declaration]:
    """Yield what puts the document itself into the public domain; to speak of it is not enough."""
    for start, end in _places(found, _PUBLIC_DOMAIN):
        lead = before(found, start)
        if found.text.startswith(_OBJECT, start):
            # A work that is no object of copyright: here the denial is what counts.
            put_there = _NO_OBJECT.search(lead) is not None
        else:
            put_there = not denied(found, start) and bool(_PUT_THERE.search(lead) or _LABEL.search(lead))
        if put_there:
            yield _declared(found, start, end, PUBLIC_DOMAIN)


_GPL = ("GNU General Public License", "GNU GPL")
_GFDL = ("GNU Free Documentation License", "GNU FDL")
_LPPL = ("LaTeX Project Public License",)
_REACH = 200


def free_licences_in(found: Folded) -> Iterator[Declaration]:
    """Yield the free licences other than Creative Commons under which a document puts itself."""
    for phrases, version in ((_GPL, _gpl), (_GFDL, _gfdl), (_LPPL, _lppl)):
        for start, end in _places(found, phrases):
            lead = before(found, start)
            if SUBJECT.search(lead) and GRANT.search(lead) and not denied(found, start):
                licence = version(found.text[end : end + _REACH])
                yield _declared(found, start, end, licence)


_LATER = any_of("any later", "or later", "более поздн")


def _gpl(behind: str) -> str:
    number = re.search(rf"(?:{folded('version')}|{folded('версии')}|{folded('версия')}|^v?)([23])", behind)
    # The licence itself says that without a number any version will do.
    later = number is None or _LATER.search(behind)
    return f"GPL-{number[1] if number else '1'}.0-{'or-later' if later else 'only'}"


def _gfdl(behind: str) -> str:
    number = re.search(r"i\.([i23])", behind)
    later = number is None or _LATER.search(behind)
    return f"GFDL-1.{number[1].replace('i', '1') if number else '1'}-{'or-later' if later else 'only'}"


def _lppl(_behind: str) -> str:
    return "LPPL-1.3c"


_OPEN = (
    *("свободная лицензия", "свободной лицензии", "свободной лицензией"),
    *("открытая лицензия", "открытой лицензии", "открытой лицензией"),
    *("open licence", "open license", "free license", "free licence"),
)
_GIVEN = any_of(
    *("licensed", "distributed", "published", "available", "released"),
    *("распространя", "публику", "опубликован", "доступ", "размещ", "использова", "на условиях"),
)


def open_licences_in(found: Folded) -> Iterator[Declaration]:
    """Yield where a document says that it comes under a free licence and leaves its name out."""
    for start, end in _places(found, _OPEN):
        lead = before(found, start, 80)
        if _GIVEN.search(lead) and not denied(found, start):
            yield Declaration(
                OPEN_LICENCE, passage(found, start, end), SUBJECT.search(lead) is not None, start
            )


def _places(found: Folded, phrases: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Yield every place of any of the phrases once, in order: several forms may stand in one."""
    taken = sorted(place for phrase in phrases for place in occurrences(found.text, folded(phrase)))
    last = 0
    for start, end in taken:
        if start >= last:
            yield start, end
            last = end


def _declared(found: Folded, start: int, end: int, licence: str) -> Declaration:
    return Declaration(licence, passage(found, start, end), True, start)
