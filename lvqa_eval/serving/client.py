"""An asynchronous client of OpenAI-compatible chat completions, as `vllm serve` speaks them."""

import asyncio
import logging
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType

import aiohttp
import orjson

from lvqa_eval.errors import LvqaError
from lvqa_eval.serving.endpoint import Endpoint, headers, redacted
from lvqa_eval.serving.failures import Outcome, is_overflow, retry_after
from lvqa_eval.serving.payload import Fragments
from lvqa_eval.serving.request import DIRECT, Message, RequestBody, Route, Sampling
from lvqa_eval.simulation.replies import Reply, error_message, parse_reply
from lvqa_eval.statuses import Status

__all__ = ["ChatClient", "Sampling", "ServerGoneError"]

_LOG = logging.getLogger(__name__)
_KEEPALIVE = 4.0  # below the five seconds after which vLLM closes an idle connection
_CONNECT = 30.0
_RETRIED = frozenset({408, 409, 429})
_FIRST_BACKOFF = 0.5
_LONGEST_BACKOFF = 30.0


class ServerGoneError(LvqaError, ConnectionError):
    """An endpoint has not answered so often in a row that it is taken for dead: the run should end."""

    def __init__(self, endpoint: str, failures: int, last: str) -> None:
        super().__init__(f"{endpoint}: {failures} requests in a row without an answer, the last: {last}")
        self.endpoint = endpoint


@dataclass
class _Line:
    """The line to one endpoint: its address, its free slots, how many attempts in a row went unanswered."""

    endpoint: Endpoint
    url: str
    slots: asyncio.Semaphore
    failures: int = 0
    last_failure: str = ""

    def check(self, breaker: int) -> None:
        if self.failures >= breaker:
            raise ServerGoneError(str(self.endpoint), self.failures, self.last_failure)


class ChatClient:
    """Sends conversations to one or more endpoints; an asynchronous context manager.

    Messages come as finished JSON and go out as they are. `deadline` is that of one attempt, in seconds, from
    when it has a slot; `concurrency` is the number of requests in flight at each endpoint; `breaker` is the
    number of attempts in a row without any answer from one endpoint that end the run. `backoff` is the
    longest wait before the second attempt: it doubles with each, and the wait is drawn evenly below it.
    """

    def __init__(  # noqa: PLR0913 - keywords, each with a default
        self,
        base_urls: Sequence[str],
        model: str,
        sampling: Sampling,
        *,
        api_key: str | None = None,
        deadline: float = 600.0,
        attempts: int = 5,
        concurrency: int = 64,
        breaker: int = 20,
        backoff: float = _FIRST_BACKOFF,
        jitter_seed: int = 0,
    ) -> None:
        if not base_urls:
            raise ValueError("base URLs: found none, needed at least one")
        self._lines = [_line(Endpoint.parse(url), concurrency) for url in base_urls]
        self._body = RequestBody(model, sampling)
        self._api_key = api_key
        self._deadline, self._attempts, self._breaker = deadline, attempts, breaker
        self._backoff, self._jitter = backoff, random.Random(jitter_seed)
        self._session: aiohttp.ClientSession | None = None

    @property
    def endpoints(self) -> int:
        """The number of endpoints; a route names one by an index below it."""
        return len(self._lines)

    async def __aenter__(self) -> "ChatClient":
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_KEEPALIVE),
            headers=headers(self._api_key),
            # The whole-session default of 300 s would cut long replies; each attempt has its own deadline.
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT),
            cookie_jar=aiohttp.DummyCookieJar(),
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._session is not None:
            await self._session.close()

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        seed: int,
        route: Route = DIRECT,
        body: RequestBody | None = None,
    ) -> Reply:
        """Send one conversation and return the reply, or what failed as its status.

        `body` is written in place of the client's own, for another speaker at the same servers. Raises
        ServerGoneError once the endpoint is taken for dead, and nothing else of its own.
        """
        line = self._lines[route.endpoint]
        pieces = (body or self._body).fragments(messages, seed)
        for attempt in range(1, self._attempts + 1):
            async with line.slots:
                line.check(self._breaker)
                outcome = await self._attempt(line, pieces)
            if not outcome.retry or attempt == self._attempts:
                break
            if (
                outcome.retry_after or 0.0
            ) > self._deadline:  # a server that asks for an hour: the next run's
                break
            wait = self._wait(attempt, outcome.retry_after)
            _LOG.info(
                "%s: attempt %d: %s; again in %.1f s", line.endpoint, attempt, outcome.reply.error, wait
            )
            await asyncio.sleep(wait)
        return outcome.reply

    async def _attempt(self, line: _Line, pieces: list[bytes]) -> Outcome:
        if self._session is None:
            raise RuntimeError("ChatClient is used outside `async with`")
        try:
            async with (
                asyncio.timeout(self._deadline),
                self._session.post(line.url, data=Fragments(pieces), allow_redirects=False) as response,
            ):
                raw = await response.read()
        except (aiohttp.ClientError, ConnectionError) as error:
            return self._failed(line, Status.TRANSPORT_ERROR, f"{type(error).__name__}: {error}")
        except TimeoutError:
            return self._failed(line, Status.TIMEOUT, f"no reply within {self._deadline:g} s")
        line.failures = 0
        if response.status == 200:
            return self._answered(raw)
        return self._rejected(response, raw)

    def _answered(self, raw: bytes) -> Outcome:
        """Read a body that came with status 200; some gateways put errors in such bodies too."""
        try:
            payload = orjson.loads(raw)
        except orjson.JSONDecodeError as error:
            return Outcome(Reply(Status.SERVER_ERROR, error=f"reply: not JSON: {error}"), retry=True)
        reply = parse_reply(payload)
        if reply.status is not Status.SERVER_ERROR:
            return Outcome(reply)
        words = redacted(reply.error or "", self._api_key)
        if is_overflow(payload):
            return Outcome(Reply(Status.CONTEXT_OVERFLOW, error=words))
        return Outcome(Reply(Status.SERVER_ERROR, error=words), retry=True)

    def _rejected(self, response: aiohttp.ClientResponse, raw: bytes) -> Outcome:
        try:
            payload = orjson.loads(raw)
        except orjson.JSONDecodeError:
            payload = raw.decode("utf-8", "replace")
        words = redacted(error_message(payload) or str(payload), self._api_key)
        status = response.status
        if 400 <= status < 500 and status not in _RETRIED and is_overflow(payload):
            return Outcome(Reply(Status.CONTEXT_OVERFLOW, error=words))
        reply = Reply(Status.SERVER_ERROR, error=f"HTTP {status}: {words}")
        retry = status in _RETRIED or status >= 500
        return Outcome(reply, retry, retry_after(response.headers, time.time()) if retry else None)

    def _failed(self, line: _Line, status: Status, words: str) -> Outcome:
        words = redacted(words, self._api_key)
        line.failures += 1
        line.last_failure = words
        line.check(self._breaker)
        return Outcome(Reply(status, error=words), retry=True)

    def _wait(self, attempt: int, asked: float | None) -> float:
        """Return the seconds before the next attempt: what the server asks, and full jitter on top."""
        longest = min(self._backoff * 2 ** (attempt - 1), _LONGEST_BACKOFF)
        return (asked or 0.0) + self._jitter.uniform(0.0, longest)


def _line(endpoint: Endpoint, concurrency: int) -> _Line:
    return _Line(endpoint, f"{endpoint.api}/chat/completions", asyncio.Semaphore(concurrency))
