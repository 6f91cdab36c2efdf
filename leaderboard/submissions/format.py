"""From a run folder to the one file that is submitted, and from records to its lines.

The first line is the header; conversations follow in the order of their keys, then the judgements of each
judge. What was thought, log-probabilities and the words of errors stay behind. The same run gives the same
bytes.
"""

import gzip
import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leaderboard.submissions.lines import (
    Line,
    conversation_line,
    encode_line,
    header_line,
    judgement_line,
)
from leaderboard.submissions.reading import Limits
from leaderboard.submissions.records import About, Header
from lvqa_eval.errors import LvqaError
from lvqa_eval.runs.records import ConversationRecord, JudgementRecord, Key
from lvqa_eval.runs.store import RunStore

SUFFIX = ".jsonl.gz"
_LEVEL = 6


class PackError(LvqaError, ValueError):
    """A run that cannot be packed into one submission."""


@dataclass(frozen=True)
class Packed:
    """What was packed: the file, the id that the board will know it by, and how much is in it."""

    path: Path
    id: str
    about: About
    conversations: int
    judgements: int
    packed_bytes: int
    unpacked_bytes: int


def pack(run_folder: Path, about: About, out: Path, limits: Limits | None = None) -> Packed:
    """Write the run in `run_folder` to the file `out`, whole or not at all.

    Raises RunFolderError where that is no run, PackError where it is larger than a board takes. Whether a
    board would accept it is for `validate` to say.
    """
    limits = limits or Limits()
    store = RunStore.open(run_folder)
    held = store.conversations()
    judged = {judge: store.judgements(judge) for judge in store.judges()}
    header = Header(
        about,
        store.identity.settings,
        {judge: store.judge_identity(judge).settings for judge in judged},
        len(held),
        sum(map(len, judged.values())),
    )
    _check_counts(run_folder, header, limits)
    draft = out.with_name(f".{out.name}.new")
    try:
        with writing(draft) as written:
            for line in _lines(header, held, judged):
                written.add(encode_line(line))
        packed = draft.stat().st_size
        _check_sizes(run_folder, packed, written, limits)
        draft.replace(out)
    finally:
        draft.unlink(missing_ok=True)
    return Packed(out, written.id, about, len(held), header.judgements, packed, written.size)


class Written:
    """A packed file that is being written: its size unpacked, its longest line, and the id of its content."""

    def __init__(self, file: gzip.GzipFile) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        self.size = self.longest = 0

    @property
    def id(self) -> str:
        """The SHA-256 of what was written, unpacked."""
        return self._digest.hexdigest()

    def add(self, line: bytes) -> None:
        """Write a line, which ends with a line feed."""
        self._file.write(line)
        self._digest.update(line)
        self.size += len(line)
        self.longest = max(self.longest, len(line) - 1)


@contextmanager
def writing(path: Path) -> Iterator[Written]:
    """Give what writes lines to a packed file at `path`; neither time nor name goes into its bytes."""
    with path.open("wb") as raw, gzip.GzipFile("", "wb", _LEVEL, raw, mtime=0) as file:
        yield Written(file)


def _lines(
    header: Header,
    held: Mapping[Key, ConversationRecord],
    judged: Mapping[str, Mapping[Key, JudgementRecord]],
) -> Iterator[Line]:
    yield header_line(header)
    yield from map(conversation_line, held.values())
    for judge, judgements in judged.items():
        yield from (judgement_line(judge, one) for one in judgements.values())


def _check_counts(run: Path, header: Header, limits: Limits) -> None:
    counts = {
        "conversations": (header.conversations, limits.conversations),
        "judges": (len(header.judges), limits.judges),
    }
    _refuse(
        run, {name: (f"{found:,}", f"{most:,}") for name, (found, most) in counts.items() if found > most}
    )


def _check_sizes(run: Path, packed: int, written: Written, limits: Limits) -> None:
    sizes = {
        "bytes as sent": (packed, limits.packed_bytes),
        "bytes unpacked": (written.size, limits.unpacked_bytes),
        "bytes of a line": (written.longest, limits.line_bytes),
    }
    _refuse(run, {name: (f"{found:,}", f"{most:,}") for name, (found, most) in sizes.items() if found > most})


def _refuse(run: Path, over: Mapping[str, Any]) -> None:
    if over:
        lines = [f"{run}: {name}: found {found}, allowed: {most}" for name, (found, most) in over.items()]
        raise PackError("\n".join(lines))
