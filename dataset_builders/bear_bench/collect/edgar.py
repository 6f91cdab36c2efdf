"""Filings with the US Securities and Exchange Commission: 10-K, 10-Q, and the exhibits of 8-K.

EDGAR's own interface is asked, not the package edgartools: that reads its servers' addresses from the
environment once, when it is imported, keeps caches and a rate of its own in the home folder, and follows
neither robots.txt nor our ledger. What is needed of EDGAR is three addresses.
"""

from collections.abc import Iterator
from typing import Any, ClassVar, Literal
from urllib.parse import urljoin

import orjson
from pydantic import Field

from dataset_builders.bear_bench.collect.candidate import Candidate, LeftOut
from dataset_builders.bear_bench.collect.listing import links, not_json, parsed, rows, text_of
from dataset_builders.bear_bench.collect.refusals import RefusedError
from dataset_builders.bear_bench.collect.source import SourceError, WebSource
from dataset_builders.bear_bench.collect.visit import Visit

Form = Literal["10-K", "10-Q", "8-K"]

_REPORT, _PRESENTATION = "financial report", "investor presentation"
_COLUMNS = ("accessionNumber", "form", "filingDate", "primaryDocument", "items")


class EdgarSource(WebSource):
    """Filings of some companies, the newest first. A group is a form.

    Of 10-K and 10-Q it is the report itself, of 8-K the exhibits 99 (results, slides). Filings are HTML for
    the most part, and are printed by a browser.
    """

    name: ClassVar[str] = "edgar"
    example: ClassVar[str] = (
        '--company AAPL --company 1045810 --user-agent "Example University jane@example.edu"'
    )
    home: ClassVar[str] = "https://www.sec.gov"
    least_interval: ClassVar[float] = 0.1  # ten requests a second, over all of a user's machines

    company: tuple[str, ...] = Field(
        min_length=1, description="A ticker or a CIK; may be given several times."
    )
    form: tuple[Form, ...] = Field(("10-K", "10-Q", "8-K"), description="May be given several times.")
    item: tuple[str, ...] = Field(
        ("2.02", "7.01"), description="8-K only with one of these items: results, Regulation FD."
    )
    per_company: int = Field(4, ge=1, description="Most filings of a form that are taken of one company.")
    since: str = Field(
        "0000-00-00", description="Filed on this day or later, YYYY-MM-DD.", pattern=r"^\d{4}-\d\d-\d\d$"
    )
    interval: float = Field(0.2, ge=0, description="Least seconds between two requests to one host.")
    base_url: str = Field(home, description="For mirrors: the server of the archives.")
    data_url: str = Field("https://data.sec.gov", description="For mirrors: the server of the submissions.")
    browser: str | None = Field(None, description="DevTools address of a Chromium that runs already.")

    def candidates(self, visit: Visit) -> Iterator[Candidate | LeftOut]:
        """Yield the documents company by company; SourceError for a ticker that EDGAR does not know."""
        for cik, name in self._companies(visit):
            left: dict[str, int] = dict.fromkeys(self.form, self.per_company)
            try:
                for filing in self._filings(visit, cik):
                    form = filing["form"]
                    done = all(visit.full(one) or not count for one, count in left.items())
                    if done or filing["filingDate"] < self.since:
                        break
                    if left.get(form) and not visit.full(form) and self._is_wanted(filing):
                        left[form] -= 1
                        yield from self._documents(visit, cik, name, filing)
            except RefusedError as error:
                yield LeftOut(self._submissions(cik), "submissions", error.reason, error.detail)

    def _companies(self, visit: Visit) -> list[tuple[int, str]]:
        """Return CIK and name (as it was given) of each company."""
        tickers: dict[str, int] = {}
        if not all(company.isdecimal() for company in self.company):
            listed = _json(visit, f"{self.base_url}/files/company_tickers.json")
            tickers = {row["ticker"].upper(): row["cik_str"] for row in listed.values()}
        unknown = [one for one in self.company if not one.isdecimal() and one.upper() not in tickers]
        if unknown:
            raise SourceError(
                f"--company: {', '.join(unknown)}: EDGAR knows no such ticker; a CIK may be given instead"
            )
        return [(int(one) if one.isdecimal() else tickers[one.upper()], one) for one in self.company]

    def _submissions(self, cik: int) -> str:
        return f"{self.data_url}/submissions/CIK{cik:010d}.json"

    def _filings(self, visit: Visit, cik: int) -> Iterator[dict[str, str]]:
        """Yield the filings of a company, the newest first: the recent ones, then older files of them."""
        told = _json(visit, self._submissions(cik))["filings"]
        yield from _records(told["recent"])
        for older in told.get("files", ()):
            if older.get("filingTo", "9999") >= self.since:
                yield from _records(_json(visit, f"{self.data_url}/submissions/{older['name']}"))

    def _is_wanted(self, filing: dict[str, str]) -> bool:
        items = filing["items"].split(",")
        return filing["form"] != "8-K" or any(item in items for item in self.item)

    def _documents(
        self, visit: Visit, cik: int, company: str, filing: dict[str, str]
    ) -> Iterator[Candidate | LeftOut]:
        form, accession = filing["form"], filing["accessionNumber"]
        folder = f"{self.base_url}/Archives/edgar/data/{cik}/{accession.replace('-', '')}"
        title = f"{company} {form} {filing['filingDate']}"
        if form != "8-K":
            yield _candidate(f"{folder}/{filing['primaryDocument']}", form, _REPORT, title)
            return
        index = f"{folder}/{accession}-index.htm"
        try:
            page = visit.fetcher.page(index)
        except RefusedError as error:
            yield LeftOut(index, form, error.reason, error.detail)
            return
        for url, kind in exhibits(page.text(), index):
            if not visit.full(form):
                yield _candidate(url, form, _PRESENTATION, f"{title} {kind}")


def exhibits(index: str, url: str) -> list[tuple[str, str]]:
    """Return address and type of the exhibits 99 on the index page of a filing, HTML and PDF alone."""
    found = []
    for table in parsed(index).iter("table"):
        for cells in rows(table):
            if len(cells) < 4 or not text_of(cells[3]).startswith("EX-99"):
                continue
            for href, _ in links(cells[2]):
                address = urljoin(
                    url, href.partition("?doc=")[2] or href
                )  # behind the viewer for inline XBRL
                if address.lower().endswith((".htm", ".html", ".pdf")):
                    found.append((address, text_of(cells[3])))
    return list(dict.fromkeys(found))


def _json(visit: Visit, url: str) -> Any:
    return orjson.loads(visit.fetcher.page(url, documented=True, problem=not_json).body)


def _records(columns: dict[str, list[Any]]) -> Iterator[dict[str, str]]:
    """Turn EDGAR's columns into one record a filing."""
    for row in zip(*(columns[name] for name in _COLUMNS), strict=True):
        yield dict(zip(_COLUMNS, map(str, row), strict=True))


def _candidate(url: str, form: str, document_type: str, title: str) -> Candidate:
    return Candidate(
        url=url,
        domain="business",
        document_type=document_type,
        group=form,
        title=title,
        printed=not url.lower().endswith(".pdf"),
    )
