"""Chromium behind the polite client: pages as their scripts leave them, and pages printed as PDF.

The browser itself asks nobody: each of its requests is answered by the client, which heeds robots.txt and the
interval, and sends the User-Agent that says who asks.
"""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from dataset_builders.bear_bench.collect.fetch import Fetcher
from dataset_builders.bear_bench.collect.refusals import HostDownError, RefusedError
from lvqa_eval.errors import LvqaError

if TYPE_CHECKING:
    from playwright.sync_api import Browser as Chromium
    from playwright.sync_api import BrowserContext, Page, Playwright, Route

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_SWITCHES = ("--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking")
_NEVER = frozenset({"image", "media", "font"})
_DATES = re.compile(rb"/(CreationDate|ModDate) \(D:\d{14}\+00'00'\)")


class BrowserError(LvqaError):
    """No browser to start."""


class Browser:
    """A Chromium: one that runs already at the DevTools `address`, else one that is started."""

    def __init__(self, fetcher: Fetcher, address: str | None = None) -> None:
        self._fetcher, self._address = fetcher, address
        self._open = ExitStack()
        self._contexts: dict[bool, BrowserContext] = {}

    def __enter__(self) -> "Browser":
        from playwright.sync_api import sync_playwright

        self._chromium = _chromium(self._open.enter_context(sync_playwright()), self._address)
        self._open.callback(self._chromium.close)
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def rendered(self, url: str) -> str:
        """Return the HTML of a page once its scripts have run; RefusedError where it is not to be had.

        Pictures, fonts and everything from other hosts are left out.
        """
        with self._page(scripts=True) as (page, answers):
            answers.follow(url, _NEVER, keep=True)
            return page.content()

    def printed(self, url: str) -> bytes:
        """Return a page as PDF, on Letter paper as such filings are; the same page gives the same bytes.

        Scripts do not run; pictures come from the page's own host alone.
        """
        with self._page(scripts=False) as (page, answers):
            answers.follow(url, frozenset({"media"}), keep=False)
            return _undated(page.pdf(format="Letter", print_background=True))

    @contextmanager
    def _page(self, scripts: bool) -> Iterator[tuple["Page", "_Answers"]]:
        if scripts not in self._contexts:
            # A service worker's requests would not come by the client.
            context = self._chromium.new_context(
                java_script_enabled=scripts, service_workers="block", accept_downloads=False
            )
            context.route_web_socket("**/*", lambda socket: socket.close())
            context.set_default_timeout(0)  # the client has its own, and may have to wait long for its turn
            self._open.callback(context.close)
            self._contexts[scripts] = context
        with self._contexts[scripts].new_page() as page:
            yield page, _Answers(page, self._fetcher)


class _Answers:
    """Answers what a page asks for; the first failure that matters is raised when the page has settled."""

    def __init__(self, page: "Page", fetcher: Fetcher) -> None:
        self._page, self._fetcher = page, fetcher
        self._failure: RefusedError | HostDownError | None = None

    def follow(self, url: str, without: frozenset[str], keep: bool) -> None:
        """Open `url`, and wait until nothing more is asked for."""
        from playwright.sync_api import Error

        host = urlsplit(url).netloc

        def answer(route: "Route") -> None:
            request = route.request
            own = urlsplit(request.url).netloc == host and request.method == "GET"
            if own and request.resource_type not in without and self._failure is None:
                self._answer(route, keep)
            else:
                route.abort()

        everything = self._page.context  # with what opens beside the page
        everything.route("**/*", answer)
        try:
            self._page.goto(url, wait_until="networkidle")
        except Error as error:
            told = f"{url}: {error.message.splitlines()[0]}"
            self._failure = self._failure or RefusedError("broken-body", told)
        finally:
            everything.unroute("**/*", answer)
        if self._failure is not None:
            raise self._failure

    def _answer(self, route: "Route", keep: bool) -> None:
        request = route.request
        try:
            found = self._fetcher.page(request.url, keep=keep)
        except HostDownError as error:
            self._failure = error
            route.abort()
        except RefusedError as error:
            if request.is_navigation_request():
                self._failure = error
            route.abort()
        else:
            route.fulfill(body=found.body, headers={"content-type": found.content_type})


def _chromium(playwright: "Playwright", address: str | None) -> "Chromium":
    from playwright.sync_api import Error

    try:
        if address is not None:
            return playwright.chromium.connect_over_cdp(address)
        installed = next(filter(None, map(shutil.which, _NAMES)), None)
        # Chromium has no sandbox for root.
        return playwright.chromium.launch(
            executable_path=installed, chromium_sandbox=os.geteuid() != 0, args=list(_SWITCHES)
        )
    except Error as error:
        raise BrowserError(
            f"no Chromium: {error.message.splitlines()[0]}; on Debian: apt-get install chromium"
        ) from error


def _undated(pdf: bytes) -> bytes:
    """Return a PDF whose dates are always the same; they take as many bytes as before."""
    return _DATES.sub(rb"/\1 (D:19700101000000+00'00')", pdf)
