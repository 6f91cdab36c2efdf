"""What can go wrong between a board and the Hub, in one line each."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from lvqa_eval.errors import LvqaError

LOG_IN: Final = "set HF_TOKEN, or run `hf auth login`"

_REASONS: Final = {
    401: f"the Hub does not know the token, or hides the repository from it; {LOG_IN}: ",
    403: "the token may not write there: ",
    412: "someone else changed the repository meanwhile; run the same command again: ",
}


class HubError(LvqaError):
    """Something that the Hub, the network or a results repository stands in the way of."""


@contextmanager
def clear_errors(repo_id: str) -> Iterator[None]:
    """Turn what the Hub's client raises into a HubError of one line; a token is never part of it."""
    import httpx2
    from huggingface_hub.errors import HfHubHTTPError, LocalTokenNotFoundError

    try:
        yield
    except LocalTokenNotFoundError as error:
        raise HubError(f"{repo_id}: found no token: {LOG_IN}") from error
    except HfHubHTTPError as error:
        reason = _REASONS.get(error.response.status_code, "")
        raise HubError(f"{repo_id}: {reason}{_first_line(error)}") from error
    except (httpx2.TransportError, ConnectionError) as error:
        raise HubError(f"{repo_id}: the Hub cannot be reached: {_first_line(error)}") from error
    except ValueError as error:
        if isinstance(error, LvqaError):
            raise
        # The client says so of names and answers that it refuses.
        raise HubError(f"{repo_id}: {' '.join(str(error).split())}") from error


def needs_token(repo_id: str) -> None:
    """Raise HubError where the client has no token to write with."""
    from huggingface_hub import get_token

    if get_token() is None:
        raise HubError(f"{repo_id}: found no token: {LOG_IN}")


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
