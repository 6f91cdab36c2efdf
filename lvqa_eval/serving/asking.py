"""One question for each of many things, to a model behind OpenAI-compatible endpoints."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeVar

from lvqa_eval.pool import for_each
from lvqa_eval.progress import progress
from lvqa_eval.serving.client import ChatClient
from lvqa_eval.serving.endpoint import key_from_environment
from lvqa_eval.serving.preflight import Requirements, preflight
from lvqa_eval.serving.request import Route, Sampling

Item = TypeVar("Item")


class Asked(Protocol):
    """Who is asked, and how."""

    @property
    def base_urls(self) -> tuple[str, ...]:
        """The servers, which all serve the model."""

    @property
    def model(self) -> str:
        """Its name there."""

    @property
    def seed(self) -> int:
        """What waits after failures are drawn from."""

    @property
    def in_flight(self) -> int:
        """Things at once at each server."""

    @property
    def deadline(self) -> float:
        """Seconds for one request."""


async def ask_each(
    items: Sequence[Item],
    asker: Callable[[ChatClient], Callable[[Item, Route], Awaitable[None]]],
    asked: Asked,
    sampling: Sampling,
    needed: Requirements,
    title: str,
    checked: Sampling | None = None,
) -> None:
    """Check the servers, then ask about every item; `asker` gives, for a client, what asks about one.

    `checked` is what the servers are checked with, where requests differ from `sampling`. Raises
    PreflightError for a server that cannot serve, ServerGoneError where it ends.
    """
    key = key_from_environment()
    await preflight(
        asked.base_urls, asked.model, checked or sampling, [needed], api_key=key, deadline=asked.deadline
    )
    client = ChatClient(
        asked.base_urls,
        asked.model,
        sampling,
        api_key=key,
        deadline=asked.deadline,
        concurrency=asked.in_flight,
        jitter_seed=asked.seed,
    )
    ask = asker(client)
    with progress(title, len(items)) as advance:

        async def one(numbered: tuple[int, Item]) -> None:
            number, item = numbered
            await ask(item, Route(number % client.endpoints, number))
            advance()

        async with client:
            await for_each(enumerate(items), one, asked.in_flight * client.endpoints)
