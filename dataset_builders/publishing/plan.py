"""What has to change on the Hub so that a repository holds exactly a folder, and in which commits."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from dataset_builders.manifest import MANIFEST, files_of, sha256_of

CARD = "README.md"
OF_THE_HUB = frozenset({".gitattributes"})
"""Files that the Hub itself puts into every repository."""


@dataclass(frozen=True)
class RemoteFile:
    """A file of a repository: its size in bytes, and its SHA-256 (large files) or its git blob SHA-1."""

    path: str
    size: int
    sha256: str | None
    blob: str


@dataclass(frozen=True)
class LocalFile:
    """A file of the folder: its path there with forward slashes, where it lies, its size in bytes."""

    path: str
    source: Path
    size: int

    def equals(self, remote: RemoteFile) -> bool:
        """Return whether the remote file has the same bytes, by its hash."""
        if self.size != remote.size:
            return False
        if remote.sha256 is not None:
            return sha256_of(self.source) == remote.sha256
        return git_blob(self.source.read_bytes()) == remote.blob


def git_blob(data: bytes) -> str:
    """Return the SHA-1 that git gives to a file's bytes."""
    # git's own name for the bytes; nothing is secured by it.
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


@dataclass(frozen=True)
class BatchSize:
    """How much one commit holds at most, by number of files and by bytes; one file is always taken."""

    files: int = 200
    megabytes: int = 50


@dataclass(frozen=True)
class Plan:
    """What is new, changed, stale and kept.

    `batches` are the commits that only bring new paths, which nobody reads before the card names them; `last`
    is what one final commit brings together with the deletion of `stale`: changed files, manifest and card.
    """

    new: tuple[LocalFile, ...]
    changed: tuple[LocalFile, ...]
    stale: tuple[RemoteFile, ...]
    kept: tuple[LocalFile, ...]
    batches: tuple[tuple[LocalFile, ...], ...]
    last: tuple[LocalFile, ...]

    @property
    def is_empty(self) -> bool:
        """Whether the repository already holds exactly the folder."""
        return not (self.new or self.changed or self.stale)

    @property
    def commits(self) -> int:
        """Number of commits."""
        return len(self.batches) + bool(self.last or self.stale)

    @property
    def size(self) -> int:
        """Bytes of the files that are new or changed."""
        return sum(file.size for file in (*self.new, *self.changed))


def local_files(folder: Path) -> list[LocalFile]:
    """Return every file of a folder, the manifest with them, sorted by path."""
    paths = sorted(
        chain(files_of(folder), [folder / MANIFEST]), key=lambda path: path.relative_to(folder).as_posix()
    )
    return [LocalFile(path.relative_to(folder).as_posix(), path, path.stat().st_size) for path in paths]


def make_plan(local: Sequence[LocalFile], remote: Mapping[str, RemoteFile], size: BatchSize) -> Plan:
    """Compare a folder's files with a repository's (path -> file)."""
    new = [file for file in local if file.path not in remote]
    there = [(file, file.equals(remote[file.path])) for file in local if file.path in remote]
    changed = [file for file, same in there if not same]
    paths = {file.path for file in local} | OF_THE_HUB
    first = [file for file in new if file.path not in (CARD, MANIFEST)]
    return Plan(
        new=tuple(new),
        changed=tuple(changed),
        stale=tuple(file for path, file in sorted(remote.items()) if path not in paths),
        kept=tuple(file for file, same in there if same),
        batches=tuple(batches(first, size)),
        last=tuple(sorted({*new, *changed} - {*first}, key=lambda file: file.path)),
    )


def batches(files: Iterable[LocalFile], size: BatchSize) -> Iterator[tuple[LocalFile, ...]]:
    """Yield the files in order, as many at a time as a commit may hold."""
    taken: list[LocalFile] = []
    for file in files:
        total = sum(one.size for one in taken) + file.size
        if taken and (len(taken) == size.files or total > size.megabytes * 1_000_000):
            yield tuple(taken)
            taken = []
        taken.append(file)
    if taken:
        yield tuple(taken)


def describe(plan: Plan, shown: int = 10) -> list[str]:
    """Return the plan in lines: counts, bytes, and the first paths of every kind."""
    kinds: dict[str, Sequence[LocalFile | RemoteFile]] = {
        "add": plan.new,
        "change": plan.changed,
        "delete": plan.stale,
        "keep": plan.kept,
    }
    lines = []
    for name, files in kinds.items():
        lines.append(f"  {name:<8}{len(files):>6} files {sum(file.size for file in files):>14,} bytes")
        if name != "keep":
            lines += [f"            {file.path}" for file in files[:shown]]
            lines += [f"            and {len(files) - shown} more"] if len(files) > shown else []
    return [*lines, f"  commits {plan.commits:>6}, {plan.size:,} bytes to send at most"]
