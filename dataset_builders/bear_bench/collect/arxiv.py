"""Papers from arXiv, by category."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import Field

from dataset_builders.bear_bench.collect.candidate import Candidate, LeftOut
from dataset_builders.bear_bench.collect.fetch import Fetcher
from dataset_builders.bear_bench.collect.refusals import RefusedError
from dataset_builders.bear_bench.collect.source import WebSource
from dataset_builders.bear_bench.collect.visit import Visit

_PAGE = 100


class ArxivSource(WebSource):
    """The newest papers of some categories. A group is a category.

    The licence of each is asked for over OAI-PMH: the search interface does not tell it, and most papers give
    arXiv alone the right to distribute them.
    """

    name: ClassVar[str] = "arxiv"
    example: ClassVar[str] = '--open-only --user-agent "Example University jane@example.edu"'
    home: ClassVar[str] = "https://export.arxiv.org"
    least_interval: ClassVar[float] = 3.0

    category: tuple[str, ...] = Field(
        ("quant-ph", "cs.AI", "eess.SP", "math.GM"), description="May be given several times."
    )
    open_only: bool = Field(False, description="Fetch only what is under a Creative Commons licence.")
    interval: float = Field(3.0, ge=0, description="Least seconds between two requests to one host.")
    base_url: str = Field(home, description="For mirrors: the server of the search interface.")
    oai_url: str = Field("https://oaipmh.arxiv.org/oai", description="For mirrors: where OAI-PMH is spoken.")

    def candidates(self, visit: Visit) -> Iterator[Candidate | LeftOut]:
        """Yield the papers category by category, the newest first."""
        for category in self.category:
            try:
                papers = self._papers(visit.fetcher, category)
                while not visit.full(category) and (paper := next(papers, None)) is not None:
                    yield self._candidate(visit.fetcher, category, paper)
            except RefusedError as error:
                yield LeftOut(
                    f"{self.base_url}/api/query cat:{category}", category, error.reason, error.detail
                )

    def _papers(self, fetcher: Fetcher, category: str) -> Iterator[Any]:
        import arxiv

        client = arxiv.Client(page_size=_PAGE, delay_seconds=0, num_retries=0)
        client.query_url_format = f"{self.base_url}/api/query?{{}}"
        # The package keeps no Retry-After and names itself as the User-Agent; in place of its session it gets
        # the client that all sources share.
        client._session = _Session(fetcher)
        query = arxiv.Search(
            f"cat:{category}",
            max_results=None,
            sort_by=arxiv.SortCriterion.SubmittedDate,
            sort_order=arxiv.SortOrder.Descending,
        )
        yield from client.results(query)

    def _candidate(self, fetcher: Fetcher, category: str, paper: Any) -> Candidate | LeftOut:
        url = paper.pdf_url or paper.entry_id.replace("/abs/", "/pdf/")
        licence = self._licence(fetcher, paper.get_short_id())
        if self.open_only and "creativecommons.org/" not in (licence or ""):
            return LeftOut(url, category, "no-open-licence", licence or "arXiv names none")
        return Candidate(
            url=url,
            domain="science",
            document_type="academic paper",
            group=category,
            title=paper.title,
            licence=licence,
        )

    def _licence(self, fetcher: Fetcher, short_id: str) -> str | None:
        """Return the address of a paper's licence, None where arXiv names none."""
        import lxml.etree

        name = re.sub(r"v\d+$", "", short_id)
        query = f"?verb=GetRecord&metadataPrefix=arXiv&identifier=oai:arXiv.org:{name}"
        try:
            page = fetcher.page(self.oai_url + query, documented=True)
            root = lxml.etree.fromstring(
                page.body, lxml.etree.XMLParser(resolve_entities=False, no_network=True)
            )
        except (RefusedError, lxml.etree.XMLSyntaxError):
            return None
        return next((str(node.text).strip() for node in root.iter("{*}license") if node.text), None)


@dataclass(frozen=True)
class _Answer:
    """As much of an answer as the package arxiv looks at."""

    content: bytes
    status_code: int = 200


@dataclass(frozen=True)
class _Session:
    """The polite client in the place of the session of the package arxiv."""

    fetcher: Fetcher

    def get(self, url: str, headers: Mapping[str, str]) -> _Answer:
        """Fetch a page of the search interface; its failures are raised as the client raises them."""
        return _Answer(self.fetcher.page(url, documented=True, problem=_no_feed).body)


def _no_feed(body: bytes) -> str | None:
    """Return what is wrong with a page of results: arXiv now and then gives one without them."""
    total = re.search(rb"totalResults[^>]*>\s*(\d+)", body)
    if total is None:
        return "not a feed of search results"
    return None if b"<entry" in body or int(total[1]) == 0 else "a page without its results"
