"""What went wrong between here and the Hub, in one line each."""

from typing import Final

_LOG_IN: Final = "set HF_TOKEN, or run `hf auth login`"
NO_TOKEN: Final = f"found no token: {_LOG_IN}"

_REASONS: Final = {
    401: f"the Hub does not accept the token, or hides the repository from it; {_LOG_IN}: ",
    403: "the token may not write there: ",
    404: "not found on the Hub, or hidden from this token: ",
    412: "someone else changed the repository meanwhile; run the same command again: ",
}


def hub_problem(error: BaseException) -> str | None:
    """Return what to tell of an error of the Hub's client or the network, never with a token in it.

    None for an error that is a fault of ours.
    """
    import httpx2
    from huggingface_hub.errors import HfHubHTTPError, LocalTokenNotFoundError

    error = cause(error)
    if isinstance(error, LocalTokenNotFoundError):
        return NO_TOKEN
    if isinstance(error, HfHubHTTPError):
        return f"{_REASONS.get(error.response.status_code, '')}{first_line(error)}"
    if isinstance(error, httpx2.TransportError | ConnectionError):
        return f"the Hub cannot be reached: {first_line(error)}"
    # The client says so of names, cards and answers that it refuses.
    return " ".join(str(error).split()) if isinstance(error, ValueError) else None


def cause(error: BaseException) -> BaseException:
    """Return what an upload of one file raised, which the client wraps; otherwise the error itself."""
    return error.__cause__ if isinstance(error, RuntimeError) and error.__cause__ else error


def first_line(error: BaseException) -> str:
    """Return the first line of what an error says, or its type where it says nothing."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
