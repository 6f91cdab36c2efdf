"""What a fetched body is, told by its own bytes, and the documents in an archive."""

import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from dataset_builders.bear_bench.collect.candidate import Kind
from dataset_builders.bear_bench.collect.refusals import RefusedError

HEAD = 1024
"""How many bytes tell what a body is: a PDF may begin with that much of other matter."""

_MEMBERS = 1000


def kind_of(head: bytes) -> Kind | None:
    """Return what a body is by its first `HEAD` bytes, None where it is nothing that is collected."""
    if head.startswith(b"PK\x03\x04"):  # first: a PDF may begin in it at once
        return "zip"
    return "pdf" if b"%PDF-" in head else None


def is_cut(path: Path) -> bool:
    """Tell whether a PDF lacks the mark at its end. Some whole files do too, and open all the same."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - HEAD))
        return b"%%EOF" not in file.read()


@dataclass(frozen=True)
class Member:
    """A file in an archive; `data` is None for one larger than is allowed."""

    name: str
    size: int
    data: bytes | None


def members(path: Path, max_bytes: int) -> Iterator[Member]:
    """Yield the files of a ZIP archive, in the order of their names.

    Raises zipfile.BadZipFile for an archive that is broken or wants a password, RefusedError for one with
    more than 1,000 files. All together may be ten times as large as one.
    """
    left = 10 * max_bytes
    try:
        with zipfile.ZipFile(path) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            if len(entries) > _MEMBERS:
                raise RefusedError("too-large", f"an archive of {len(entries):,} files")
            for entry in sorted(entries, key=_name):
                with archive.open(entry) as file:
                    member = _member(entry, file, min(max_bytes, left))
                left -= len(member.data or b"")
                yield member
    except (RuntimeError, NotImplementedError, OSError, EOFError) as error:  # as zipfile and zlib tell it
        raise zipfile.BadZipFile(str(error)) from error


def _member(entry: zipfile.ZipInfo, file: IO[bytes], max_bytes: int) -> Member:
    # The size in the archive's own list may be a lie: what is read decides.
    data = file.read(max_bytes + 1)
    return Member(_name(entry), max(entry.file_size, len(data)), data if len(data) <= max_bytes else None)


def _name(entry: zipfile.ZipInfo) -> str:
    """Return a member's name; old archivers under Russian Windows wrote it in code page 866, unmarked."""
    if entry.flag_bits & 0x800:
        return entry.filename
    try:
        return entry.filename.encode("cp437").decode("cp866")
    except UnicodeError:
        return entry.filename
