"""What a source needs while it lists: the polite client, a browser, and what is full already."""

from collections import Counter
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path

from dataset_builders.bear_bench.collect.browser import Browser
from dataset_builders.bear_bench.collect.fetch import Fetcher
from dataset_builders.bear_bench.collect.pace import Pace


class Visit:
    """One run of a source. The client is made, and the browser started, when it is first asked for.

    `limit` is the most documents of a group, None for all; `browser` the address of a Chromium that runs
    already. Use it in a `with` statement.
    """

    def __init__(
        self,
        folder: Path,
        user_agent: str | None,
        pace: Pace,
        limit: int | None = None,
        browser: str | None = None,
    ) -> None:
        self.folder = folder
        self.kept: Counter[str] = Counter()
        self._user_agent, self._pace, self._limit, self._address = user_agent, pace, limit, browser
        self._open = ExitStack()

    def __enter__(self) -> "Visit":
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def full(self, group: str) -> bool:
        """Tell whether no more documents of a group are wanted."""
        return self._limit is not None and self.kept[group] >= self._limit

    @cached_property
    def fetcher(self) -> Fetcher:
        """The client."""
        return self._open.enter_context(Fetcher(self._user_agent, self.folder / "pages", self._pace))

    @cached_property
    def browser(self) -> Browser:
        """The browser, whose every request goes through the client."""
        return self._open.enter_context(Browser(self.fetcher, self._address))
