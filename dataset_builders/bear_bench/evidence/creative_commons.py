"""Licences of Creative Commons: by their words in two languages, by abbreviation, and by address."""

import re
from collections.abc import Iterator

from dataset_builders.bear_bench.evidence.declaration import (
    GRANT,
    SUBJECT,
    Declaration,
    any_of,
    before,
    denied,
    of_a_picture,
    passage,
)
from dataset_builders.bear_bench.evidence.folding import Folded, folded, occurrences
from dataset_builders.licences import CREATIVE_COMMONS, PUBLIC_DOMAIN, creative_commons

_ANCHOR = folded("creative commons")
_REACH = 200
"""Letters behind the name in which its kind and version are looked for."""

_ADDRESS = re.compile(
    rf"{folded('org')}(?:{folded('licenses')}(?P<terms>by(?:nc)?(?:sa|nd)?)"
    rf"|{folded('publicdomain')}(?P<free>{folded('zero')}|{folded('mark')}))"
)
_ABBREVIATION = re.compile(rf"{folded('cc')}(?:(?P<terms>by(?:nc|sa|nd)*)|(?P<zero>o))")
_VERSION = re.compile(r"([1-4i])\.([5o])")

_KINDS = {
    "NC": any_of("noncommercial", "некоммерческ"),
    "SA": any_of("sharealike", "с сохранением условий", "на тех же условиях"),
    "ND": any_of("noderiv", "no derivative", "без производных", "без создания производных"),
}
_BY = any_of("attribution", "атрибуция", "указанием авторства", "указание авторства")
_ZERO = any_of("zero", "public domain dedication")
_MARK = any_of("public domain mark")
_LICENCE = any_of("license", "licence", "лицензи")


def creative_commons_in(found: Folded) -> Iterator[Declaration]:
    """Yield every licence of the family that a folded text names.

    One that is named without its kind is `CREATIVE_COMMONS`, and counts only where it is called a licence. A
    licence that is given to a photo or the like is not that of the document.
    """
    for start, end in occurrences(found.text, _ANCHOR):
        yield from _declaration(found, start, end, _in_words(found, start, end))
    for match in _ABBREVIATION.finditer(found.text):
        yield from _declaration(found, match.start(), match.end(), _abbreviated(found, match))


def _declaration(found: Folded, start: int, end: int, licence: str | None) -> Iterator[Declaration]:
    if licence is None or denied(found, start) or of_a_picture(found, start):
        return
    lead = before(found, start)
    declared = SUBJECT.search(lead) or GRANT.search(lead + found.text[end : end + 60])
    yield Declaration(licence, passage(found, start, end), declared is not None, start)


def _in_words(found: Folded, start: int, end: int) -> str | None:
    behind = found.text[end : end + _REACH]
    if address := _ADDRESS.match(behind):
        return _of_address(address, behind)
    if _MARK.search(behind[:60]):
        return PUBLIC_DOMAIN
    if _ZERO.search(behind[:60]):
        return creative_commons(zero=True)
    kinds = [kind for kind, pattern in _KINDS.items() if pattern.search(behind)]
    if kinds or _BY.search(behind):
        return creative_commons(kinds, _version(behind))
    return _nearby(found, end) or _unnamed(found, start, end)


def _nearby(found: Folded, end: int) -> str | None:
    """Return the licence whose abbreviation or address follows the name."""
    for short in _ABBREVIATION.finditer(found.text, end, end + _REACH):
        if licence := _abbreviated(found, short):
            return licence
    behind = found.text[end : end + _REACH]
    address = _ADDRESS.search(behind)
    return _of_address(address, behind) if address else None


def _unnamed(found: Folded, start: int, end: int) -> str | None:
    near = before(found, start, 60) + found.text[end : end + 60]
    return CREATIVE_COMMONS if _LICENCE.search(near) else None


def _of_address(address: re.Match[str], behind: str) -> str:
    if address["free"]:
        return creative_commons(zero=True) if address["free"] == folded("zero") else PUBLIC_DOMAIN
    return creative_commons(_terms(address["terms"]), _version(behind[address.end() : address.end() + 3]))


def _abbreviated(found: Folded, match: re.Match[str]) -> str | None:
    """Return the licence of "CC BY-SA 4.0" and the like; None for other words, as "cc by" in a letter."""
    if not found.starts_word(match.start()):
        return None
    if match["zero"]:
        written = found.written(match.start(), match.end())
        return creative_commons(zero=True) if written[-1] == "0" and found.ends_word(match.end()) else None
    # "CC BY sale" is CC BY: what is read as a term must be a word of its own.
    for end in range(match.end(), match.start() + 3, -2):
        version = _version(found.text[end : end + 3])
        written = found.written(match.start(), end)
        if (version or found.ends_word(end)) and (written[:2].isupper() or "-" in written):
            return creative_commons(_terms(found.text[match.start() + 4 : end]), version)
    return None


def _terms(letters: str) -> list[str]:
    return [kind for kind in ("NC", "SA", "ND") if kind.lower() in letters.removeprefix("by")]


def _version(text: str) -> str | None:
    match = _VERSION.search(text)
    return f"{match[1].replace('i', '1')}.{match[2].replace('o', '0')}" if match else None
