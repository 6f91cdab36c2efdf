"""A circuit breaker: an endpoint that has stopped answering is waited for, and given up after a while."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from lvqa_eval.errors import LvqaError
from lvqa_eval.serving.limiter import Limiter

_LOG = logging.getLogger(__name__)
_LONGEST_WAIT = 10.0


class ServerGoneError(LvqaError, ConnectionError):
    """No endpoint is left that answers: the run should end. `endpoints` names them."""

    def __init__(self, breakers: "Sequence[Breaker]") -> None:
        super().__init__("\n".join(f"{breaker.endpoint}: {breaker.dead}" for breaker in breakers))
        self.endpoints = tuple(breaker.endpoint for breaker in breakers)


class Breaker:
    """Counts the attempts in a row that one endpoint left without any answer.

    `threshold` of them open the breaker: the `limiter` gives no slots while `answers` is asked, again and
    again, whether the server is back. If it is, all goes on as before. After `patience` seconds the endpoint
    is dead and stays so. `wait` is the time in seconds before the second question; it doubles up to ten.
    `ended` says in which words the server's process is known to have ended: then nothing is waited for.
    """

    def __init__(
        self,
        endpoint: str,
        limiter: Limiter,
        answers: Callable[[], Awaitable[bool]],
        *,
        threshold: int,
        patience: float,
        wait: float,
        ended: Callable[[], str | None] | None = None,
    ) -> None:
        self.endpoint = endpoint
        self.dead: str | None = None  # why nothing is sent there any more
        self._limiter, self._answers, self._ended = limiter, answers, ended
        self._threshold, self._patience, self._wait = threshold, patience, wait
        self._failures, self._last = 0, ""
        self._probing: asyncio.Task[None] | None = None

    def answered(self) -> None:
        """Learn that the endpoint answered, whatever it said."""
        self._failures = 0
        if self._probing is not None:
            self._probing.cancel()
            self._close()

    def unanswered(self, words: str) -> bool:
        """Learn that an attempt had no answer; returns whether it counts against the request.

        What was in flight when the breaker opened fell to the endpoint's failure and is not counted.
        """
        if self._probing is not None or self.dead is not None:
            return False
        self._failures += 1
        self._last = words
        if (end := self._end()) is not None:
            self._die(end)
        elif self._failures >= self._threshold:
            _LOG.warning("%s: %s; waiting up to %g s for it", self.endpoint, self._summary(), self._patience)
            self._limiter.pause()
            self._probing = asyncio.create_task(self._probe())
        return True

    def stop(self) -> None:
        """End the probing, if any is under way."""
        if self._probing is not None:
            self._probing.cancel()

    async def _probe(self) -> None:
        try:
            async with asyncio.timeout(self._patience):
                end, wait = self._end(), self._wait
                while end is None and not await self._answers():
                    await asyncio.sleep(wait)
                    end, wait = self._end(), min(2 * wait, _LONGEST_WAIT)
        except TimeoutError:
            end = f"{self._summary()}; not back within {self._patience:g} s"
        if end is not None:
            self._die(end)
        self._close()

    def _close(self) -> None:
        self._probing = None
        self._failures = 0
        if self.dead is None:
            _LOG.warning("%s: answers again", self.endpoint)
        self._limiter.resume()

    def _die(self, words: str) -> None:
        self.dead = words
        _LOG.warning("%s: given up: %s", self.endpoint, words)

    def _end(self) -> str | None:
        words = self._ended() if self._ended is not None else None
        return None if words is None else f"the server has ended: {words}"

    def _summary(self) -> str:
        return f"{self._failures} requests in a row without an answer, the last: {self._last}"
