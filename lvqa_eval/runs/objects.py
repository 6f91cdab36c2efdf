"""One JSON object as bytes: written, read, and found again where several stand on one line."""

import json
import re
from dataclasses import asdict, is_dataclass
from typing import Any

import orjson

_SPACE = re.compile(r"[ \t\r\n]*")


def encode(record: object) -> bytes:
    """Return `record` (a dataclass or a mapping) as one line of JSON in UTF-8.

    Half a surrogate pair becomes U+FFFD. Raises TypeError for what is no object of plain JSON values.
    """
    try:
        line = orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)
    except orjson.JSONEncodeError:
        # Half a surrogate pair is no text and has no UTF-8; a reply that holds one must not end a run.
        line = orjson.dumps(_without_surrogates(record), option=orjson.OPT_APPEND_NEWLINE)
    if not line.startswith(b"{"):
        raise TypeError(f"a record is a dataclass or a mapping, found {type(record).__name__}")
    return line


def _without_surrogates(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_surrogates(item) for item in value]
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value


def decode_object(line: bytes) -> dict[str, Any]:
    """Return `line` as a dict; raises ValueError where it is not one JSON object."""
    value = orjson.loads(line)
    if not isinstance(value, dict):
        raise ValueError(f"found {type(value).__name__}, allowed: a JSON object")
    return value


def split_objects(line: bytes) -> tuple[list[bytes], bytes]:
    """Return the whole JSON objects at the start of `line`, and what is left behind them."""
    if _is_object(line):
        return [line], b""
    text = line.decode("utf-8", "surrogateescape")
    decoder = json.JSONDecoder()
    pieces: list[bytes] = []
    start = 0
    while start < len(text):
        try:
            _, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            break
        piece = text[start:end].encode("utf-8", "surrogateescape")
        if not _is_object(piece):
            break
        pieces.append(piece)
        blank = _SPACE.match(text, end)
        start = blank.end() if blank else end
    return pieces, text[start:].encode("utf-8", "surrogateescape")


def _is_object(line: bytes) -> bool:
    try:
        decode_object(line)
    except ValueError:
        return False
    return True
