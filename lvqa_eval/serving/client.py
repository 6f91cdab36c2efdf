"""An asynchronous client of OpenAI-compatible chat completions, as `vllm serve` speaks them."""

import asyncio
import logging
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import zip_longest
from types import TracebackType

import aiohttp
from yarl import URL

from lvqa_eval.runs.records import TokenLogprobs
from lvqa_eval.serving.breaker import Breaker, ServerGoneError
from lvqa_eval.serving.endpoint import Endpoint, headers, redacted
from lvqa_eval.serving.failures import Mend, Outcome, outcome
from lvqa_eval.serving.held import HeldPictures, referable
from lvqa_eval.serving.limiter import Limiter, Sign
from lvqa_eval.serving.payload import Fragments
from lvqa_eval.serving.request import DIRECT, Message, RequestBody, Route, Sampling
from lvqa_eval.simulation.logprobs import NOT_GIVEN
from lvqa_eval.simulation.replies import Reply
from lvqa_eval.statuses import Status

__all__ = ["ChatClient", "Sampling", "ServerGoneError"]

_LOG = logging.getLogger(__name__)
_KEEPALIVE = 4.0  # below the five seconds after which vLLM closes an idle connection
_CONNECT = 30.0
_PROBE = 10.0
_FIRST_BACKOFF = 0.5
_LONGEST_BACKOFF = 30.0
_CLOSED = (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError, aiohttp.ClientConnectionResetError)


@dataclass(frozen=True)
class _Line:
    """The line to one endpoint; `begun` holds the orders of the conversations that it has answered."""

    url: URL
    limiter: Limiter
    breaker: Breaker
    held: HeldPictures = field(default_factory=HeldPictures)
    begun: set[int] = field(default_factory=set)


@dataclass
class _Request:
    """One conversation to be answered; `resent` tells that a closed connection has been made good once."""

    messages: Sequence[Message]
    seed: int
    body: RequestBody
    resent: bool = False


class ChatClient:
    """Sends conversations to one or more endpoints; an asynchronous context manager.

    Messages come as finished JSON and go out as they are. `deadline` is that of one attempt, in seconds, from
    when it has a slot; `concurrency` is the most requests in flight at each endpoint (see Limiter). `backoff`
    is the longest wait before the second attempt: it doubles with each, and a wait is drawn evenly below it.

    After `breaker` attempts in a row without any answer an endpoint is waited for, for `patience` seconds
    (see Breaker); `ended` has, for each endpoint whose process is ours, what tells the words of its end.
    Once an endpoint is dead, conversations that it has begun end with a transport error; others go to the
    next one.
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
        concurrency: int = 256,
        breaker: int = 20,
        patience: float = 120.0,
        ended: Sequence[Callable[[], str | None]] = (),
        backoff: float = _FIRST_BACKOFF,
        jitter_seed: int = 0,
    ) -> None:
        if not base_urls:
            raise ValueError("base URLs: found none, needed at least one")
        self.retries = 0
        """Requests that were sent again, so far."""
        self.model = model
        self._body = RequestBody(model, sampling)
        self._api_key = api_key
        self._deadline, self._attempts = deadline, attempts
        self._backoff, self._jitter = backoff, random.Random(jitter_seed)
        self._session: aiohttp.ClientSession | None = None

        def line(endpoint: Endpoint, ended: Callable[[], str | None] | None) -> _Line:
            limiter, probe = Limiter(concurrency), partial(self._answers, endpoint.api / "models")
            guard = partial(Breaker, str(endpoint), limiter, probe, threshold=breaker, ended=ended)
            return _Line(endpoint.api / "chat/completions", limiter, guard(patience=patience, wait=backoff))

        self._lines = [line(Endpoint.parse(url), end) for url, end in zip_longest(base_urls, ended)]

    @property
    def endpoints(self) -> int:
        """The number of endpoints; a route names one by an index below it."""
        return len(self._lines)

    @property
    def limits(self) -> tuple[int, ...]:
        """The number of requests that each endpoint is given at once, at this moment; 0 for a dead one."""
        return tuple(0 if line.breaker.dead else line.limiter.limit for line in self._lines)

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
        for line in self._lines:
            line.breaker.stop()
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
        ServerGoneError once every endpoint is dead, and nothing else of its own.
        """
        request = _Request(messages, seed, body or self._body)
        spent = 0
        while True:
            line = self._line(route)
            if route.order in line.begun and line.breaker.dead:
                words = f"{line.breaker.endpoint}, which began this conversation: {line.breaker.dead}"
                return Reply(Status.TRANSPORT_ERROR, error=words)
            found = await self._in_turn(line, request, route.order)
            if found is None:
                continue
            spent += found.counts
            asked = found.retry_after or 0.0
            # A server that asks for more than a deadline is left to the next run.
            if not found.retry or spent >= self._attempts or asked > self._deadline:
                return found.reply
            self.retries += 1
            await self._pause(line, spent, asked, found.reply.error)

    def _line(self, route: Route) -> _Line:
        """Return the line of a conversation: its own, else the next that lives or has begun it."""
        count = len(self._lines)
        for step in range(count):
            line = self._lines[(route.endpoint + step) % count]
            if line.breaker.dead is None or route.order in line.begun:
                break
        if all(line.breaker.dead for line in self._lines):
            raise ServerGoneError([line.breaker for line in self._lines])
        return line

    async def _in_turn(self, line: _Line, request: _Request, order: int) -> Outcome | None:
        """Wait for a slot and make one attempt; None where the endpoint died in the meantime."""
        number, sign = await line.limiter.take(order), Sign.NOTHING
        try:
            if line.breaker.dead:
                return None
            found = await self._attempt(line, request)
            sign = found.sign
        finally:
            line.limiter.give(number, sign)
        if sign is Sign.ROOM and len(self._lines) > 1:
            line.begun.add(order)
        return found

    async def _pause(self, line: _Line, spent: int, asked: float, words: str | None) -> None:
        """Wait before the next attempt; what the server asks for holds for all requests to it."""
        wait = asked + self._wait(max(spent, 1))
        _LOG.info("%s: attempt %d: %s; again in %.1f s", line.breaker.endpoint, spent, words, wait)
        if asked:
            line.limiter.pause()
            asyncio.get_running_loop().call_later(asked, line.limiter.resume)
        await asyncio.sleep(wait)

    async def _attempt(self, line: _Line, request: _Request) -> Outcome:
        """Send a request; where the server's words tell of a mend, once more with it."""
        messages, body = request.messages, request.body
        pictures = referable(messages)
        held = line.held.among(pictures)
        found = await self._send(line, request, body.fragments(messages, request.seed, held))
        if found.mend is Mend.WHOLE_PICTURES and held:
            line.held.forget(held)
            held = frozenset()
            self.retries += 1
            found = await self._send(line, request, body.fragments(messages, request.seed))
        if found.mend is Mend.NO_LOGPROBS and (bare := body.without_logprobs) is not None:
            self.retries += 1
            found = await self._send(line, request, bare.fragments(messages, request.seed, held))
            if found.sign is Sign.ROOM:
                flagged = replace(found.reply, logprobs=TokenLogprobs((), (), (), (), (NOT_GIVEN,)))
                found = replace(found, reply=flagged)
        if found.sign is Sign.ROOM:
            line.held.add(pictures)
        return found

    async def _send(self, line: _Line, request: _Request, pieces: list[bytes]) -> Outcome:
        try:
            async with asyncio.timeout(self._deadline):
                try:
                    found = await self._post(line.url, pieces)
                except _CLOSED as error:
                    # Most often a connection that the server closed for its idleness as the request went
                    # out. Where it is worse than that, the second attempt will tell.
                    if request.resent or isinstance(error, aiohttp.ClientConnectorError):
                        raise
                    request.resent = True
                    self.retries += 1
                    found = await self._post(line.url, pieces)
        except (aiohttp.ClientError, ConnectionError) as error:
            return self._failed(line, Status.TRANSPORT_ERROR, f"{type(error).__name__}: {error}")
        except TimeoutError:
            return self._failed(line, Status.TIMEOUT, f"no reply within {self._deadline:g} s")
        line.breaker.answered()
        return found

    async def _post(self, url: URL, pieces: list[bytes]) -> Outcome:
        async with self._opened().post(url, data=Fragments(pieces), allow_redirects=False) as response:
            raw = await response.read()
        return outcome(response.status, response.headers, raw, time.time(), self._api_key)

    def _failed(self, line: _Line, status: Status, words: str) -> Outcome:
        words = redacted(words, self._api_key)
        counts = line.breaker.unanswered(words)
        sign = Sign.OVERLOAD if status is Status.TIMEOUT else Sign.NOTHING
        return Outcome(Reply(status, error=words), retry=True, sign=sign, counts=counts)

    async def _answers(self, url: URL) -> bool:
        """Tell whether an endpoint answers; a gateway's word that nothing is behind it is no answer."""
        try:
            async with asyncio.timeout(_PROBE), self._opened().get(url) as response:
                return response.status < 500
        except (aiohttp.ClientError, OSError, TimeoutError):
            return False

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            raise RuntimeError("ChatClient is used outside `async with`")
        return self._session

    def _wait(self, attempt: int) -> float:
        """Return the seconds before the next attempt: full jitter below a bound that doubles."""
        return self._jitter.uniform(0.0, min(self._backoff * 2 ** (attempt - 1), _LONGEST_BACKOFF))
