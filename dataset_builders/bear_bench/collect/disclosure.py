"""Reports of Russian companies from the disclosure portal of Interfax, e-disclosure.ru."""

from collections.abc import Iterator
from typing import ClassVar, Literal
from urllib.parse import urljoin

from pydantic import Field

from dataset_builders.bear_bench.collect.candidate import Candidate, LeftOut
from dataset_builders.bear_bench.collect.listing import links, parsed, rows, text_of
from dataset_builders.bear_bench.collect.refusals import RefusedError
from dataset_builders.bear_bench.collect.source import WebSource
from dataset_builders.bear_bench.collect.visit import Visit

Report = Literal["annual", "accounting", "ifrs", "issuer"]

_NUMBERS: dict[Report, int] = {"annual": 2, "accounting": 3, "ifrs": 4, "issuer": 5}


class EDisclosureSource(WebSource):
    """The reports of some companies, in the order of the portal's tables. A group is a kind of report.

    The portal gives archives; every PDF in one is a document.
    """

    name: ClassVar[str] = "e-disclosure"
    example: ClassVar[str] = '--company 3043 --user-agent "Example University jane@example.edu"'
    home: ClassVar[str] = "https://www.e-disclosure.ru"

    company: tuple[int, ...] = Field(
        min_length=1, description="A company's number on the portal (id=…); may be given several times."
    )
    report: tuple[Report, ...] = Field(
        ("annual", "ifrs", "issuer"), description="May be given several times."
    )
    per_company: int = Field(4, ge=1, description="Most reports of a kind that are taken of one company.")
    interval: float = Field(3.0, ge=0, description="Least seconds between two requests to one host.")
    base_url: str = Field(home, description="For mirrors: the server of the portal.")

    def candidates(self, visit: Visit) -> Iterator[Candidate | LeftOut]:
        """Yield the reports company by company."""
        for company in self.company:
            for report in self.report:
                if visit.full(report):
                    continue
                url = f"{self.base_url}/portal/files.aspx?id={company}&type={_NUMBERS[report]}"
                try:
                    listed = read_reports(visit.fetcher.page(url).text(), url)
                except RefusedError as error:
                    yield LeftOut(url, report, error.reason, error.detail)
                    continue
                for address, title in listed[: self.per_company]:
                    if not visit.full(report):
                        yield _candidate(address, report, f"{company} {title}")


def read_reports(html: str, url: str) -> list[tuple[str, str]]:
    """Return address and title (kind and period) of the files in a table of reports."""
    found: dict[str, str] = {}
    for table in parsed(html).iter("table"):
        if "files-table" not in (table.get("class") or "").split():
            continue
        for cells in rows(table):
            for cell in cells:
                for href, _ in links(cell):
                    if "fileload.ashx" in href.lower():
                        found.setdefault(urljoin(url, href), " ".join(filter(None, map(text_of, cells[1:3]))))
    return list(found.items())


def _candidate(url: str, report: Report, title: str) -> Candidate:
    return Candidate(
        url=url,
        domain="business",
        document_type="annual report" if report == "annual" else "financial report",
        group=report,
        title=title,
        accepts=frozenset({"pdf", "zip"}),
    )
