"""Russian papers from CyberLeninka, by subject area, read as a browser shows them."""

import re
from collections.abc import Iterator
from typing import ClassVar
from urllib.parse import urljoin

from pydantic import Field

from dataset_builders.bear_bench.collect.candidate import Candidate, LeftOut
from dataset_builders.bear_bench.collect.listing import links, parsed, text_of
from dataset_builders.bear_bench.collect.refusals import RefusedError
from dataset_builders.bear_bench.collect.source import WebSource
from dataset_builders.bear_bench.collect.visit import Visit

_ARTICLE = re.compile(r"/article/n/[\w-]+/?$")
_LICENCE = re.compile(r"CC[ -]BY(?:-(?:NC|ND|SA)){0,2}|CC0")
_CAPTCHA = re.compile(r"вы точно человек|captcha", re.IGNORECASE)


class CyberLeninkaSource(WebSource):
    """The papers of some areas, as the catalogue lists them. A group is an area."""

    name: ClassVar[str] = "cyberleninka"
    example: ClassVar[str] = '--user-agent "Example University jane@example.edu"'
    home: ClassVar[str] = "https://cyberleninka.ru"
    least_interval: ClassVar[float] = 3.0

    area: tuple[str, ...] = Field(
        ("mathematics", "physical-sciences", "computer-and-information-sciences", "civil-engineering"),
        description="Name of an area in the addresses /article/c/NAME; may be given several times.",
    )
    interval: float = Field(3.0, ge=0, description="Least seconds between two requests to one host.")
    base_url: str = Field(home, description="For mirrors: the server of the library.")
    browser: str | None = Field(None, description="DevTools address of a Chromium that runs already.")

    def candidates(self, visit: Visit) -> Iterator[Candidate | LeftOut]:
        """Yield the papers area by area; an area ends where a page of it cannot be had."""
        for area in self.area:
            number = 1
            while not visit.full(area):
                url = f"{self.base_url}/article/c/{area}" + (f"/{number}" if number > 1 else "")
                try:
                    listed, goes_on = read_catalogue(_seen(visit, url), url)
                except RefusedError as error:
                    yield LeftOut(url, area, error.reason, error.detail)
                    break
                for address, title in listed:
                    if visit.full(area):
                        break
                    yield self._paper(visit, area, address, title)
                if not goes_on:
                    break
                number += 1

    def _paper(self, visit: Visit, area: str, url: str, title: str) -> Candidate | LeftOut:
        try:
            licence, pdf = read_article(_seen(visit, url), url)
        except RefusedError as error:
            return LeftOut(url, area, error.reason, error.detail)
        return Candidate(
            url=pdf,
            domain="science",
            document_type="academic paper",
            group=area,
            title=title,
            licence=licence,
        )


def read_catalogue(html: str, url: str) -> tuple[list[tuple[str, str]], bool]:
    """Return address and title of the papers on a page of the catalogue, and whether there is a next page."""
    root = parsed(html)
    found: dict[str, str] = {}
    for node in root.iter("a"):
        href = (node.get("href") or "").strip()
        if _ARTICLE.search(href):
            title = next(
                (text_of(one) for one in node.iter("div", "h2") if "title" in (one.get("class") or "")), ""
            )
            found.setdefault(urljoin(url, href), title or text_of(node))
    here = re.search(r"/article/c/[^/]+(?:/(\d+))?$", url)
    following = int(here[1] or 1) + 1 if here else 0
    goes_on = any(re.search(rf"/article/c/[^/]+/{following}$", href) for href, _ in links(root))
    return list(found.items()), goes_on and bool(found)


def read_article(html: str, url: str) -> tuple[str | None, str]:
    """Return the licence that a paper's page shows, None for none, and the address of its PDF."""
    root = parsed(html)
    labels = (" ".join((node.text or "").split()) for node in root.iter("div", "span", "a", "p", "li"))
    licence = next((label for label in labels if _LICENCE.fullmatch(label)), None)
    pdf = next((href for href, _ in links(root) if re.search(r"/article/n/[\w-]+/pdf$", href)), None)
    return licence, urljoin(url, pdf) if pdf else f"{url.rstrip('/')}/pdf"


def _seen(visit: Visit, url: str) -> str:
    """Return a page as the browser shows it; a captcha is a refusal, and is never solved."""
    html = visit.browser.rendered(url)
    title = parsed(html).findtext(".//title") or ""
    if _CAPTCHA.search(title) or "вы точно человек" in html.casefold():
        visit.fetcher.close_host(url)
        raise RefusedError("forbidden", "the site asks for a captcha")
    return html
