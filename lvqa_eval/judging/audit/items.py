"""The records of an audit folder: what people see of each item, and, apart from it, what each item is."""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

import orjson

from lvqa_eval.errors import LvqaError
from lvqa_eval.runs.lines import read_lines
from lvqa_eval.runs.reading import decoder
from lvqa_eval.runs.records import ConversationRecord, Key
from lvqa_eval.statuses import Status

AUDIT = "audit.yaml"
ITEMS = "items.jsonl"
KEYS = "key.jsonl"
PICTURES = "pictures"
LABELS = "labels"

_SHA256 = re.compile(r"[0-9a-f]{64}")
_SHOWN = 5


class AuditError(LvqaError, ValueError):
    """An audit folder, a name or a run that does not fit; the message says what does."""


@dataclass(frozen=True)
class ShownPicture:
    """A picture exactly as it was sent: `pictures/<sha256>.png`, its label, its size in pixels."""

    sha256: str
    label: str
    width: int
    height: int


@dataclass(frozen=True)
class ShownTurn:
    """One user message, its pictures before its words, and the reply without thinking (None for nothing).

    `ended` is the status of a reply that is not whole or not in form, None for `ok`.
    """

    user: str
    pictures: tuple[ShownPicture, ...]
    reply: str | None
    ended: Status | None = None


@dataclass(frozen=True)
class Item:
    """What a person sees of a conversation: nothing of its model, its condition or its verdicts."""

    item: str
    question: str
    reference: str
    description: str | None
    turns: tuple[ShownTurn, ...]


@dataclass(frozen=True)
class ItemKey:
    """Which conversation an item is, of which run by name, and in which group it was drawn.

    `words_sha256` is that of its words, so that a conversation held anew is not taken for it.
    """

    item: str
    run: str
    condition: str
    question_id: str
    repetition: int
    group: str
    words_sha256: str

    @property
    def key(self) -> Key:
        """The conversation's name in its run."""
        return Key(self.condition, self.question_id, self.repetition)


class _Named(Protocol):
    @property
    def item(self) -> str: ...


Record = TypeVar("Record", bound=_Named)


def words_sha256(conversation: ConversationRecord) -> str:
    """Return the SHA-256 of what was said in a conversation, without thinking."""
    said = [[turn.user, turn.reply] for turn in conversation.turns]
    return hashlib.sha256(orjson.dumps(said)).hexdigest()


def read_items(folder: Path) -> list[Item]:
    """Return the items of the audit in `folder`, in order; AuditError with every problem of the file.

    The file with the keys is not read.
    """
    items = _read(folder, ITEMS, decoder(Item))
    named = {picture.sha256 for one in items for turn in one.turns for picture in turn.pictures}
    strange = sorted(name for name in named if not _SHA256.fullmatch(name))
    if strange:
        raise AuditError(f"{folder / ITEMS}: sha256: found {_some(strange)}, allowed: 64 hexadecimal digits")
    missing = sorted(name for name in named if not (folder / PICTURES / f"{name}.png").is_file())
    if missing:
        raise AuditError(f"{folder / PICTURES}: missing: {_some([f'{name}.png' for name in missing])}")
    return items


def read_keys(folder: Path) -> list[ItemKey]:
    """Return what each item of the audit in `folder` is; AuditError with every problem of the file."""
    return _read(folder, KEYS, decoder(ItemKey))


def _read(folder: Path, name: str, decode: Callable[[bytes], Record]) -> list[Record]:
    path = folder / name
    if not path.is_file():
        raise AuditError(
            f"{folder}: found no {name}; `lvqa audit sample RUN --out {folder}` makes or completes an audit"
        )
    records, problems = read_lines(path, decode)
    told = [str(problem) for problem in problems]
    repeated = [one for one, times in Counter(record.item for record in records).items() if times > 1]
    if repeated:
        told.append(f"{path}: items that are there more than once: {_some(repeated)}")
    if told:
        raise AuditError("\n".join(told))
    return records


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
