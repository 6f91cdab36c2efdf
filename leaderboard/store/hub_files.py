"""Which files of a board stand in its results repository, under the same names, and when two are the same.

`board.yaml` and `log.jsonl`; `submissions/<id>/` whole; of `runs/<id>/` what cannot be derived again: the
verdicts of the board's judges, detections, and the patches of features.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple, Self

import msgspec

from leaderboard.store.folder import RUNS, SUBMISSIONS, UPLOAD, BoardFolder
from leaderboard.store.receipts import LOG, RECEIPT
from leaderboard.store.settings import BOARD
from leaderboard.submissions.derive import EXACT_MATCH
from lvqa_eval.detectors.features.store import FEATURES
from lvqa_eval.files import write_whole

CARD: Final = "README.md"
RECEIPT_BYTES: Final = 1 << 16

_FILE: Final = re.compile(r"(?!\.)[A-Za-z0-9._-]{1,200}\.(?:jsonl|yaml|json|csv|parquet)")
_READER: Final = re.compile(r"(?!\.)[A-Za-z0-9._-]{1,200}")
_ID: Final = re.compile(r"[0-9a-f]{64}")
_OF_A_RUN: Final = ("judgements", "detections")
_BLOCK: Final = 1 << 20
_STATE: Final = "state.json"


class RemoteFile(NamedTuple):
    """A file of the repository: its size, and what its content is known by.

    `oid`: SHA-256 of a `large` file, which lies in the large-file store, and the hash of git for others.
    """

    path: str
    size: int
    oid: str
    large: bool


class Part(NamedTuple):
    """Where a path belongs: the submission `id`, and for a file of its run the folder in that."""

    id: str
    name: str
    folder: str = ""

    @property
    def group(self) -> tuple[str, str, str]:
        """What files have in common that belong together: those of a judge, those of a reader's features."""
        return self.id, self.folder, "" if "/" in self.folder else self.name.rpartition(".")[0]


def submission_part(path: str) -> Part | None:
    """Return which submission a path of the repository is of; None for any other path."""
    match path.split("/"):
        case [folder, name, file] if folder == SUBMISSIONS and _ID.fullmatch(name):
            return Part(name, file) if file in (UPLOAD, RECEIPT) else None
    return None


def run_part(path: str) -> Part | None:
    """Return which run a path is of; None for any other, and for what a board derives by itself."""
    match path.split("/"):
        case [folder, name, inner, file] if folder == RUNS and _ID.fullmatch(name) and inner in _OF_A_RUN:
            derived = file.rpartition(".")[0] == EXACT_MATCH
            return Part(name, file, inner) if _FILE.fullmatch(file) and not derived else None
        case [folder, name, inner, reader, file] if (folder, inner) == (RUNS, FEATURES):
            known = _ID.fullmatch(name) and _READER.fullmatch(reader) and _FILE.fullmatch(file)
            return Part(name, file, f"{inner}/{reader}") if known else None
    return None


def complete(files: Iterable[str]) -> list[str]:
    """Return the ids of the submissions whose both files are among `files`, sorted."""
    held: dict[str, set[str]] = {}
    for path in files:
        if (part := submission_part(path)) is not None:
            held.setdefault(part.id, set()).add(part.name)
    return sorted(name for name, found in held.items() if found == {UPLOAD, RECEIPT})


def own_files(board: BoardFolder) -> Iterator[str]:
    """Yield the paths of the files of a board that its repository holds, the settings and the log last."""
    folder = board.folder
    patterns = (f"{SUBMISSIONS}/*/*", f"{RUNS}/*/*/*", f"{RUNS}/*/{FEATURES}/*/*")
    places = [place for pattern in patterns for place in folder.glob(pattern)]
    for path in sorted(place.relative_to(folder).as_posix() for place in places if place.is_file()):
        part = submission_part(path) or run_part(path)
        if part is not None and board.has(part.id):
            yield path
    yield from (name for name in (BOARD, LOG) if (folder / name).is_file())


def same(path: Path, file: RemoteFile) -> bool:
    """Say whether the file at `path` has the content of a file of the repository."""
    return path.is_file() and path.stat().st_size == file.size and oid(path, large=file.large) == file.oid


def oid(path: Path, *, large: bool) -> str:
    """Return what the Hub knows the content of a file by."""
    # Git's own hash, which nothing here relies on for safety.
    digest = hashlib.sha256() if large else hashlib.sha1(b"blob %d\0" % path.stat().st_size)
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


class Synced(msgspec.Struct, frozen=True):
    """What a copy of a board had from its repository: at which commit, and of runs' files which content.

    `lvqa`: what looked at it; another version may take what this one refused.
    """

    commit: str = ""
    lvqa: str = ""
    files: Mapping[str, str] = {}

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Return what is written in `folder`; nothing where nothing is, or it cannot be read."""
        try:
            return msgspec.json.decode((folder / _STATE).read_bytes(), type=cls)
        except (OSError, msgspec.MsgspecError):
            return cls()

    def write(self, folder: Path) -> None:
        """Write it to `folder`."""
        write_whole(folder / _STATE, msgspec.json.encode(self))
