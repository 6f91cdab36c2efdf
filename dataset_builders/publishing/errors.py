"""What can go wrong between here and the Hub, in one line each."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import sleep
from typing import TypeVar

from lvqa_eval.errors import LvqaError
from lvqa_eval.hub_errors import cause, first_line, hub_problem

WAITS = (1.0, 2.0, 4.0, 8.0)
"""Seconds before a step that the Hub or the network failed is taken again."""

_BUSY = frozenset({408, 429, 500, 502, 503, 504})
_LONGEST = 300.0

Result = TypeVar("Result")


class PublishError(LvqaError):
    """A folder that cannot be published; `problems` holds every reason, one line each."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = list(problems)


def persist(step: Callable[[], Result], tell: Callable[[str], None]) -> Result:
    """Take a step, and again after a while where the Hub is busy or the connection breaks."""
    for wait in WAITS:
        try:
            return step()
        except Exception as error:
            asked = _wait_asked(error, wait)
            if asked is None:
                raise
            tell(f"{first_line(error)}; trying again in {asked:.0f} s")
            sleep(asked)
    return step()


@contextmanager
def clear_errors(repo_id: str) -> Iterator[None]:
    """Turn what the Hub's client raises into a PublishError of one line; a token is never part of it."""
    try:
        yield
    except PublishError:
        raise
    except Exception as error:
        told = hub_problem(error)
        if told is None:
            raise
        raise PublishError([f"{repo_id}: {told}"]) from error


def _wait_asked(error: BaseException, wait: float) -> float | None:
    """Return the seconds to wait before another attempt, or None where it would be of no use."""
    import httpx2
    from huggingface_hub.errors import HfHubHTTPError

    found = cause(error)
    if isinstance(found, HfHubHTTPError):
        if found.response.status_code not in _BUSY:
            return None
        asked = found.response.headers.get("Retry-After", "")
        return min(float(asked), _LONGEST) if asked.isdigit() else wait
    return wait if isinstance(found, httpx2.TransportError) else None
