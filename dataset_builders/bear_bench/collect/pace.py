"""When the next request may go to a host."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Pace:
    """Keeps `interval` seconds between the starts of two requests to a host, or what it asks for.

    `clock` tells the seconds that have gone by, `sleep` waits for some.
    """

    interval: float
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    _intervals: dict[str, float] = field(default_factory=dict)
    _next: dict[str, float] = field(default_factory=dict)

    def slow(self, host: str, seconds: float) -> None:
        """Keep at least `seconds` between requests to `host` from now on."""
        self._intervals[host] = max(self.interval, seconds)

    def hold(self, host: str, seconds: float) -> None:
        """Send nothing to `host` for `seconds`."""
        self._next[host] = max(self._next.get(host, 0.0), self.clock() + seconds)

    def wait(self, host: str) -> None:
        """Return when the next request may go to `host`, which is taken to be sent then."""
        if (early := self._next.get(host, 0.0) - self.clock()) > 0:
            self.sleep(early)
        self._next[host] = self.clock() + self._intervals.get(host, self.interval)
