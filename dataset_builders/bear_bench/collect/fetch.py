"""One polite HTTP client for all sources.

It says who asks, heeds robots.txt, keeps its distance, waits when it is asked to, takes a refusal for an
answer, and never leaves half a file where a whole one is looked for.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from urllib.parse import urljoin, urlsplit

import httpx2

from dataset_builders.bear_bench.collect.pace import Pace
from dataset_builders.bear_bench.collect.pages import Page, PageCache
from dataset_builders.bear_bench.collect.refusals import HostDownError, RefusedError, TransientError, agent_of
from dataset_builders.bear_bench.collect.robots import Robots, read_robots
from lvqa_eval.serving.failures import retry_after

Result = TypeVar("Result")

ATTEMPTS = 5
"""How often a request is made whose failure may pass."""
PATIENCE = 900.0
"""The longest wait, in seconds, that a host may ask for; the SEC blocks for ten minutes."""

_FIRST_BACKOFF = 2.0
_REDIRECTS = 5
_IN_A_ROW = 3  # failures after which a host is down, refusals after which it wants nothing of us
_PAGE_BYTES = 64 * 2**20
_ROBOTS_BYTES = 512 * 2**10  # RFC 9309: at least this much is to be read
_TRANSIENT = frozenset({408, 421, 425, 429})
NO_SUCH_PART = 416
"""The status that answers a request for a part which the document does not have."""


@dataclass(frozen=True)
class Exchange:
    """An answer with status 2xx whose body is still to be read, and the addresses that led to it."""

    response: httpx2.Response
    url: str
    hops: tuple[str, ...]


class Fetcher:
    """Fetches pages and documents; close it, or use it in a `with` statement.

    `folder` is where pages are kept, so that a run that was killed does not ask for them again. `documented`
    addresses belong to an interface that the site offers to programs, under terms of its own: they are not
    subject to robots.txt, which is about crawling; everything else is. `backoff` is the wait before a second
    attempt in seconds; it doubles with each further one.
    """

    def __init__(
        self,
        user_agent: str | None,
        folder: Path,
        pace: Pace,
        *,
        backoff: float = _FIRST_BACKOFF,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._agent = agent_of(user_agent)
        self._pages = PageCache(folder)
        self._pace, self._backoff, self._now = pace, backoff, now
        self._robots: dict[str, Robots] = {}
        self._down: dict[str, HostDownError] = {}
        self._failures: dict[str, int] = {}
        self._refusals: dict[str, int] = {}
        self._client = httpx2.Client(
            headers={"User-Agent": self._agent}, timeout=httpx2.Timeout(60.0, connect=20.0)
        )

    def __enter__(self) -> "Fetcher":
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def page(
        self,
        url: str,
        *,
        documented: bool = False,
        keep: bool = True,
        problem: Callable[[bytes], str | None] = lambda body: None,
    ) -> Page:
        """Return a page, with `keep` one asked for once in a run; RefusedError where there is none.

        A page in which `problem` finds one is asked for again.
        """
        if keep and (kept := self._pages.get(url)) is not None:
            return kept
        page = self.attempt(url, lambda: self._page(url, documented, problem))
        if keep:
            self._pages.put(url, page)
        return page

    def attempt(self, url: str, once: Callable[[], Result]) -> Result:
        """Do `once`, up to ATTEMPTS times while it raises TransientError, with a longer wait before each.

        Raises RefusedError when no attempt was left, HostDownError when that happens to one document after
        the other of a host, or when the host asks for a wait beyond PATIENCE.
        """
        host = _host(url)
        for number in range(ATTEMPTS):
            try:
                result = once()
            except TransientError as error:
                last = error
                wait = max(error.retry_after or 0.0, self._backoff * 2**number)
                if wait > PATIENCE:
                    raise self._give_up(host, f"asks to come back in {wait:.0f} seconds ({error})") from error
                self._pace.hold(host, wait)
            else:
                self._failures[host] = 0
                return result
        if last.reason == "unreachable":
            self._failures[host] = self._failures.get(host, 0) + 1
            if self._failures[host] >= _IN_A_ROW:
                raise self._give_up(host, f"failed {_IN_A_ROW} times in a row, at last with {last}") from last
        raise RefusedError(last.reason, f"after {ATTEMPTS} attempts: {last}") from last

    @contextmanager
    def exchange(
        self, url: str, *, documented: bool = False, headers: dict[str, str] | None = None
    ) -> Iterator[Exchange]:
        """Send one request, follow its redirects, and give the answer; the body is read inside the block.

        Raises RefusedError, or TransientError for what may pass; both also for what goes wrong in the block.
        """
        hops: list[str] = []
        try:
            for _ in range(_REDIRECTS + 1):
                self._permit(url, documented and not hops)
                self._pace.wait(_host(url))
                request = self._client.build_request("GET", url, headers=headers)
                response = self._client.send(request, stream=True)
                try:
                    if not response.has_redirect_location:
                        self._accept(response, url)
                        yield Exchange(response, url, tuple(hops))
                        return
                    hops.append(url)
                    url = _redirected(url, response.headers["location"])
                finally:
                    response.close()
        except httpx2.TransportError as error:
            raise TransientError(str(error) or type(error).__name__) from error
        except (httpx2.InvalidURL, httpx2.DecodingError) as error:
            raise RefusedError("broken-body", f"{url}: {error}") from error
        raise RefusedError("redirect", f"more than {_REDIRECTS}: {' -> '.join([*hops, url])}")

    def close_host(self, url: str) -> None:
        """Ask the host of `url` for nothing more in this run: it wants no programs."""
        self._refusals[_host(url)] = _IN_A_ROW

    def _page(self, url: str, documented: bool, problem: Callable[[bytes], str | None]) -> Page:
        with self.exchange(
            url, documented=documented, headers={"Accept-Encoding": "gzip, deflate"}
        ) as answer:
            kind = answer.response.headers.get("content-type", "")
            page = Page(answer.url, kind, _read(answer.response, _PAGE_BYTES), answer.hops)
        if (found := problem(page.body)) is not None:
            raise TransientError(found, reason="broken-body")
        return page

    def _accept(self, response: httpx2.Response, url: str) -> None:
        """Return for an answer that has what was asked for, and raise for all others."""
        status, host = response.status_code, _host(url)
        if response.is_success:
            self._refusals[host] = 0
            return
        if status in _TRANSIENT or status >= 500:
            wait = retry_after(response.headers, self._now())
            raise TransientError(f"HTTP {status}", status=status, retry_after=wait)
        if status == NO_SUCH_PART:
            raise TransientError(f"HTTP {status}", status=status, reason="broken-body")
        if status in (404, 410):
            raise RefusedError("gone", f"HTTP {status}")
        self._refusals[host] = self._refusals.get(host, 0) + 1
        raise RefusedError("forbidden", f"HTTP {status}")

    def _give_up(self, host: str, why: str) -> HostDownError:
        self._down[host] = HostDownError(host, why)
        return self._down[host]

    def _permit(self, url: str, documented: bool) -> None:
        host = _host(url)
        if host in self._down:
            raise self._down[host]
        if self._refusals.get(host, 0) >= _IN_A_ROW:
            raise RefusedError(
                "forbidden", f"{host} refused {_IN_A_ROW} requests in a row, and was not asked"
            )
        if not documented and not self._rules(url).allows(url):
            raise RefusedError("robots", f"robots.txt of {host}")

    def _rules(self, url: str) -> Robots:
        """Return what the robots.txt of a host says, which is read once."""
        host = _host(url)
        if host not in self._robots:
            self._robots[host] = self._read_robots(host)
            self._pace.slow(host, self._robots[host].delay)
        return self._robots[host]

    def _read_robots(self, host: str) -> Robots:
        url = f"{host}/robots.txt"

        def once() -> bytes:
            with self.exchange(url, documented=True) as answer:
                return _read(answer.response, _ROBOTS_BYTES, cut=True)

        try:
            return read_robots(self.attempt(url, once).decode("utf-8", "replace"), self._agent)
        except RefusedError as error:
            self._refusals[host] = 0  # no rules is no refusal
            if error.reason != "unreachable":
                return Robots()
            # RFC 9309: while a server fails to give its rules, everything is forbidden.
            raise self._give_up(host, f"its robots.txt cannot be read, {error}") from error


def _read(response: httpx2.Response, limit: int, cut: bool = False) -> bytes:
    """Return a body, RefusedError for one above `limit` bytes; with `cut` its beginning."""
    read = bytearray()
    for chunk in response.iter_bytes():
        read += chunk
        if len(read) > limit:
            if not cut:
                raise RefusedError("too-large", f"a page of more than {limit:,} bytes")
            break
    return bytes(read[:limit])


def _host(url: str) -> str:
    """Return scheme, name and port: what a robots.txt speaks for."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}".lower()


def _redirected(url: str, location: str) -> str:
    """Return where a redirect leads: by the same scheme, or from http to https, which hides nothing."""
    target = urljoin(url, location)
    before, after = urlsplit(url).scheme, urlsplit(target).scheme
    if after != before and (before, after) != ("http", "https"):
        raise RefusedError("redirect", f"from {before} to another scheme: {target}")
    return target
