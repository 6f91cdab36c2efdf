"""What a server's failure means: whether to ask again, when, and whether the context was too small."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

import orjson

from lvqa_eval.simulation.replies import Reply

_OVERFLOW = re.compile(
    r"context_length_exceeded"  # OpenAI, Azure, OpenRouter: the code
    r"|exceed_context_size"  # llama.cpp: the type
    r"|maximum context length"  # vLLM, OpenAI
    r"|longer than the maximum model length"  # vLLM, once images are expanded
    r"|context length is only"  # vLLM, some versions
    r"|too long to fit into the model"  # vLLM, older
    r"|prompt is too long"  # Anthropic and gateways to it
    r"|exceeds? the (?:available |maximum |model'?s? )?context (?:length|window|size)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Outcome:
    """What one attempt brought: the reply, whether another may do better, and the wait the server asks."""

    reply: Reply
    retry: bool = False
    retry_after: float | None = None


def is_overflow(payload: object) -> bool:
    """Tell whether an error body says that the conversation does not fit the model's context."""
    if isinstance(payload, str):
        return bool(_OVERFLOW.search(payload))
    return bool(_OVERFLOW.search(orjson.dumps(payload).decode()))


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds that Retry-After (or retry-after-ms) asks to wait, None where it says nothing.

    `now` is the time in seconds since the epoch; a date in the past is no wait.
    """
    if (milliseconds := _number(headers.get("retry-after-ms"))) is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    if value is None or (seconds := _number(value)) is not None:
        return None if value is None else seconds
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - now)
    except ValueError:
        return None


def _number(value: str | None) -> float | None:
    """Read a plain non-negative decimal number."""
    return float(value) if value is not None and re.fullmatch(r"\s*\d+(?:\.\d+)?\s*", value) else None
