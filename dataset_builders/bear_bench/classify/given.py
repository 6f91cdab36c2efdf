"""Labels that people, or whoever else, gave to pages in a file."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dataset_builders.bear_bench.records import LABELS
from lvqa_eval.errors import LvqaError


class GivenLabelsError(LvqaError, ValueError):
    """A file of labels that cannot be read."""


def read_given(path: Path) -> dict[str, tuple[str, ...]]:
    """Return page id -> labels of a file of JSON lines, such as {"page_id": "…", "labels": ["tables"]}.

    Other fields are not read, so that labels.jsonl and silver.jsonl of a work folder can be given; lines
    whose labels are null are left out. Raises GivenLabelsError with every bad line.
    """
    found: dict[str, tuple[str, ...]] = {}
    problems: list[str] = []
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise GivenLabelsError(f"{path}: cannot be read: {error.strerror}") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            one = json.loads(line)
        except ValueError as error:
            problems.append(f"{path}: line {number}: not JSON: {error}")
            continue
        if told := list(_problems(one)):
            problems += [f"{path}: line {number}: {words}" for words in told]
        elif one["page_id"] in found:
            problems.append(f"{path}: line {number}: page_id: found {one['page_id']} again, allowed: once")
        elif one["labels"] is not None:
            found[one["page_id"]] = tuple(label for label in LABELS if label in one["labels"])
    if problems:
        raise GivenLabelsError("\n".join(problems))
    return found


def _problems(one: Any) -> Iterator[str]:
    if not isinstance(one, dict):
        yield f"found {type(one).__name__}, allowed: an object"
        return
    if not isinstance(one.get("page_id"), str):
        yield f"page_id: found {one.get('page_id')!r}, allowed: text"
    if "labels" not in one:
        yield "labels: missing"
        return
    labels = one["labels"]
    if labels is not None and (not isinstance(labels, list) or any(label not in LABELS for label in labels)):
        yield f"labels: found {labels!r}, allowed: a list of {', '.join(LABELS)}, or null"
