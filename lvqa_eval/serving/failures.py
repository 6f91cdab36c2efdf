"""What a server's answer means: a reply, or a failure with what may mend it and when to ask again."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from enum import Enum, auto
from typing import Any

import orjson

from lvqa_eval.serving.endpoint import redacted
from lvqa_eval.serving.limiter import Sign
from lvqa_eval.simulation.replies import Reply, error_message, parse_reply
from lvqa_eval.statuses import Status

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
_MISSED = re.compile(r"cache miss for \w+ at index|multimodal_cache_miss", re.IGNORECASE)  # vLLM
_UNWRITABLE = re.compile(r"out of range float values are not JSON compliant", re.IGNORECASE)  # Python's json
_RETRIED = frozenset({408, 409, 429})
_OVERLOADED = frozenset({408, 429, 503, 504, 529})


class Mend(Enum):
    """A change of the request with which it is sent again at once."""

    WHOLE_PICTURES = auto()
    NO_LOGPROBS = auto()


@dataclass(frozen=True)
class Outcome:
    """What one attempt brought.

    `retry`: another attempt may do better, not before `retry_after` seconds where the server asks for that.
    `counts`: the attempt is one of those that a request has. `sign` is what it tells of the server's load.
    """

    reply: Reply
    retry: bool = False
    retry_after: float | None = None
    sign: Sign = Sign.NOTHING
    mend: Mend | None = None
    counts: bool = True


def outcome(status: int, headers: Mapping[str, str], raw: bytes, now: float, api_key: str | None) -> Outcome:
    """Read an answer with its HTTP status; `now` is in seconds since the epoch. Never raises."""
    return _accepted(raw, api_key) if status == 200 else _rejected(status, headers, raw, now, api_key)


def read_json(raw: bytes) -> Any:
    """Decode a body; also one with NaN or Infinity, which some servers write and strict JSON has not.

    Raises ValueError for what is no JSON even so.
    """
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        try:
            lenient = json.dumps(json.loads(raw), ensure_ascii=False)
        except RecursionError:
            raise ValueError("nested too deeply") from None
    # Half a surrogate pair, which the lenient decoder takes too, could not be written to a file.
    return json.loads(lenient.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


def is_overflow(payload: object) -> bool:
    """Tell whether an error body says that the conversation does not fit the model's context."""
    return _says(_OVERFLOW, payload)


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


def _accepted(raw: bytes, api_key: str | None) -> Outcome:
    """Read a body that came with status 200; some gateways put errors in such bodies too."""
    try:
        payload = read_json(raw)
    except ValueError as error:
        return Outcome(Reply(Status.SERVER_ERROR, error=f"reply: not JSON: {error}"), retry=True)
    reply = parse_reply(payload)
    if reply.status is not Status.SERVER_ERROR:
        return Outcome(reply, sign=Sign.ROOM)
    words = redacted(reply.error or "", api_key)
    if is_overflow(payload):
        return Outcome(Reply(Status.CONTEXT_OVERFLOW, error=words))
    return Outcome(Reply(Status.SERVER_ERROR, error=words), retry=True)


def _rejected(
    status: int, headers: Mapping[str, str], raw: bytes, now: float, api_key: str | None
) -> Outcome:
    try:
        payload = read_json(raw)
    except ValueError:
        payload = raw.decode("utf-8", "replace")
    words = redacted(error_message(payload) or str(payload), api_key)
    retry = status in _RETRIED or status >= 500
    if 400 <= status < 500 and not retry and is_overflow(payload):
        return Outcome(Reply(Status.CONTEXT_OVERFLOW, error=words))
    return Outcome(
        Reply(Status.SERVER_ERROR, error=f"HTTP {status}: {words}"),
        retry,
        retry_after(headers, now) if retry else None,
        Sign.OVERLOAD if status in _OVERLOADED else Sign.NOTHING,
        _mend(status, payload),
    )


def _mend(status: int, payload: object) -> Mend | None:
    if status >= 400 and _says(_MISSED, payload):
        return Mend.WHOLE_PICTURES
    if status >= 500 and _says(_UNWRITABLE, payload):
        return Mend.NO_LOGPROBS
    return None


def _says(pattern: re.Pattern[str], payload: object) -> bool:
    return bool(pattern.search(payload if isinstance(payload, str) else json.dumps(payload)))


def _number(value: str | None) -> float | None:
    """Read a plain non-negative decimal number."""
    return float(value) if value is not None and re.fullmatch(r"\s*\d+(?:\.\d+)?\s*", value) else None
