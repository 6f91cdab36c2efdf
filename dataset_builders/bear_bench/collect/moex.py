"""Documents that the Moscow Exchange's announcements refer to, found over its interface ISS."""

from collections.abc import Iterator
from typing import Any, ClassVar
from urllib.parse import urljoin

import orjson
from pydantic import Field

from dataset_builders.bear_bench.collect.candidate import Candidate, LeftOut
from dataset_builders.bear_bench.collect.listing import links, not_json, parsed
from dataset_builders.bear_bench.collect.refusals import RefusedError
from dataset_builders.bear_bench.collect.source import SourceError, WebSource
from dataset_builders.bear_bench.collect.visit import Visit

_GROUP = "announcements"
_FILES = "fs.moex.com/files/"


class MoexSource(WebSource):
    """Files linked from announcements whose title has one of some words, the newest first. One group.

    Most announcements are notices on single securities; the words keep their texts from being asked for.
    """

    name: ClassVar[str] = "moex"
    example: ClassVar[str] = '--user-agent "Example University jane@example.edu"'
    home: ClassVar[str] = "https://iss.moex.com"

    word: tuple[str, ...] = Field(
        ("отчет", "отчёт", "презентац", "результат", "итоги", "МСФО"),
        description="Part of a title, capitals or not; may be given several times.",
    )
    announcements: int = Field(2000, ge=1, description="How many announcements to look through.")
    interval: float = Field(1.0, ge=0, description="Least seconds between two requests to one host.")
    base_url: str = Field(home, description="For mirrors: the server of ISS.")

    def candidates(self, visit: Visit) -> Iterator[Candidate | LeftOut]:
        """Yield the linked files, announcement by announcement."""
        titles = self._titles(visit)
        while not visit.full(_GROUP):
            try:
                number, title = next(titles, (0, ""))
            except RefusedError as error:
                yield LeftOut(f"{self.base_url}/iss/sitenews.json", _GROUP, error.reason, error.detail)
                return
            if not number:
                return
            if any(word.casefold() in title.casefold() for word in self.word):
                yield from self._files(visit, number, title)

    def _titles(self, visit: Visit) -> Iterator[tuple[int, str]]:
        """Yield number and title of the announcements, a page after the other."""
        start = 0
        while start < self.announcements:
            url = f"{self.base_url}/iss/sitenews.json?iss.meta=off&start={start}"
            listed = _block(visit, url, "sitenews")
            for row in listed[: self.announcements - start]:
                yield row["id"], str(row["title"])
            if not listed:
                return
            start += len(listed)

    def _files(self, visit: Visit, number: int, title: str) -> Iterator[Candidate | LeftOut]:
        url = f"{self.base_url}/iss/sitenews/{number}.json?iss.meta=off"
        try:
            body = "".join(str(row["body"] or "") for row in _block(visit, url, "content"))
        except RefusedError as error:
            yield LeftOut(url, _GROUP, error.reason, error.detail)
            return
        for href, _ in links(parsed(body)):
            address = urljoin("https://www.moex.com/", href)
            if (_FILES in address or address.lower().endswith((".pdf", ".zip"))) and not visit.full(_GROUP):
                yield Candidate(
                    url=address,
                    domain="business",
                    document_type="exchange document",
                    group=_GROUP,
                    title=title,
                    accepts=frozenset({"pdf", "zip"}),
                )


def _block(visit: Visit, url: str, name: str) -> list[dict[str, Any]]:
    """Return a block of an answer of ISS, which comes as columns and data, as one record a row."""
    try:
        block = orjson.loads(visit.fetcher.page(url, documented=True, problem=not_json).body)[name]
        return [dict(zip(block["columns"], row, strict=True)) for row in block["data"]]
    except (KeyError, TypeError, ValueError) as error:
        raise SourceError(f"{url}: not an answer of ISS with the block {name!r}: {error!r}") from error
