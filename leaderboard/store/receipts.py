"""Receipts and the log: what a board wrote down, and when."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

import orjson

from leaderboard.submissions.lines import HeaderLine
from leaderboard.submissions.records import About, Receipt
from lvqa_eval.runs.lines import LineProblem, read_lines
from lvqa_eval.runs.reading import decoder

RECEIPT: Final = "receipt.json"
LOG: Final = "log.jsonl"

Kind = Literal["received", "withdrawn", "verified"]


@dataclass(frozen=True)
class Event:
    """One line of the log: what happened to the submission `id`, when (UTC), by whom, and why."""

    event: Kind
    id: str
    at: str
    by: str | None = None
    note: str = ""


def receipt_of(header: HeaderLine, about: About, name: str, received: str, by: str | None) -> Receipt:
    """Return the receipt for a submission with a header that `validate` found nothing wrong with."""
    settings: Mapping[str, Any] = header.settings
    dataset = settings["dataset"]
    return Receipt(
        id=name,
        received=received,
        about=about,
        benchmark=settings["benchmark"],
        dataset_version=dataset["version"],
        manifest_sha256=dataset["manifest_sha256"],
        conditions=tuple(settings["conditions"]),
        runs=settings["runs"],
        conversations=header.conversations,
        lvqa=settings["lvqa"],
        by=by,
    )


def encode_receipt(receipt: Receipt) -> bytes:
    """Return a receipt as the bytes of its file."""
    return orjson.dumps(receipt, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def read_receipt(path: Path) -> Receipt:
    """Return the receipt in a file; ValueError where it is none."""
    receipt: Receipt = decoder(Receipt)(path.read_bytes())
    return receipt


def read_log(path: Path) -> tuple[list[Event], list[LineProblem]]:
    """Return the events of a log, empty where there is none, and the lines that are none."""
    return read_lines(path, decoder(Event)) if path.exists() else ([], [])


def timestamp(now: datetime) -> str:
    """Return a moment in UTC, ISO 8601 to the second; ValueError for one without a time zone."""
    if now.tzinfo is None:
        raise ValueError(f"now: found {now}, allowed: a moment with a time zone")
    return now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
