"""What can go wrong between here and the Hub, in one line each."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import sleep
from typing import TypeVar

from lvqa_eval.errors import LvqaError

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
            tell(f"{_first_line(error)}; trying again in {asked:.0f} s")
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
        told = _told(_cause(error))
        if told is None:
            raise
        raise PublishError([f"{repo_id}: {told}"]) from error


def _told(error: BaseException) -> str | None:
    """Return what to tell of an error of the client or the network; None for one that is a fault of ours."""
    import httpx2
    from huggingface_hub.errors import HfHubHTTPError, LocalTokenNotFoundError

    if isinstance(error, LocalTokenNotFoundError):
        return "found no token: set HF_TOKEN, or run `hf auth login`"
    if isinstance(error, HfHubHTTPError):
        return f"{_reason(error.response.status_code)}{_first_line(error)}"
    if isinstance(error, httpx2.TransportError | ConnectionError):
        return f"the Hub cannot be reached: {_first_line(error)}"
    # The client says so of names, cards and answers that it refuses.
    return " ".join(str(error).split()) if isinstance(error, ValueError) else None


def _reason(status: int) -> str:
    known = {
        401: "the Hub does not accept the token; set HF_TOKEN, or run `hf auth login`: ",
        403: "the token may not write there: ",
        412: "someone else changed the repository meanwhile; run the same command again: ",
    }
    return known.get(status, "")


def _wait_asked(error: BaseException, wait: float) -> float | None:
    """Return the seconds to wait before another attempt, or None where it would be of no use."""
    import httpx2
    from huggingface_hub.errors import HfHubHTTPError

    cause = _cause(error)
    if isinstance(cause, HfHubHTTPError):
        if cause.response.status_code not in _BUSY:
            return None
        asked = cause.response.headers.get("Retry-After", "")
        return min(float(asked), _LONGEST) if asked.isdigit() else wait
    return wait if isinstance(cause, httpx2.TransportError) else None


def _cause(error: BaseException) -> BaseException:
    """Return what an upload of one file raised, which the client wraps; otherwise the error itself."""
    return error.__cause__ if isinstance(error, RuntimeError) and error.__cause__ else error


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
