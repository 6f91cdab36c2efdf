"""What can go wrong between a board and the Hub."""

from collections.abc import Iterator
from contextlib import contextmanager

from lvqa_eval.errors import LvqaError
from lvqa_eval.hub_errors import NO_TOKEN, hub_problem


class HubError(LvqaError):
    """Something that the Hub, the network or a results repository stands in the way of."""


@contextmanager
def clear_errors(repo_id: str) -> Iterator[None]:
    """Turn what the Hub's client raises into a HubError of one line; a token is never part of it."""
    try:
        yield
    except LvqaError:
        raise
    except Exception as error:
        told = hub_problem(error)
        if told is None:
            raise
        raise HubError(f"{repo_id}: {told}") from error


def needs_token(repo_id: str) -> None:
    """Raise HubError where the client has no token to write with."""
    from huggingface_hub import get_token

    if get_token() is None:
        raise HubError(f"{repo_id}: {NO_TOKEN}")
