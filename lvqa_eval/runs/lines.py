"""Append-only files with one JSON object a line: written by one process, readable after any crash.

A record that `AppendLog.append` returned from survives `kill -9`, since the page cache holds it; a power loss
may take the last records unless `fsync` is on. Lines end at b"\\n" alone: U+0085 and U+2028 are mere text.
"""

import fcntl
import gc
import os
import threading
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple, Self, TypeVar, cast

from lvqa_eval.errors import LvqaError
from lvqa_eval.runs.objects import decode_object, encode, split_objects

T = TypeVar("T")

_FIRST_TAIL = 1 << 16
_BUFFER = 1 << 20
"""Bytes read at once: with the default of a few KB the reads cost more than the parsing."""


class LogInUseError(LvqaError, RuntimeError):
    """A second writer: somebody else appends to the file."""


class LineProblem(NamedTuple):
    """A line that is not one record: where, of what kind, and what became of it.

    `joined` lines hold several records, all kept; what is `damaged` is no JSON and left out; a `torn` line is
    a damaged last one, as a killed writer leaves it; `refused` is JSON, but not the record that was expected.
    """

    path: Path
    line: int
    kind: Literal["joined", "damaged", "torn", "refused"]
    detail: str

    def __str__(self) -> str:
        return f"{self.path}: line {self.line}: {self.kind}: {self.detail}"


def read_lines(path: Path, decode: Callable[[bytes], T] | None = None) -> tuple[list[T], list[LineProblem]]:
    """Return the records of the file at `path`, and every line that is not exactly one record.

    `decode` turns one line into a record and raises ValueError for what is none; by default to a dict.
    Several objects on one line are all read; blank lines are skipped; a whole last line needs no newline.
    """
    parse = cast(Callable[[bytes], T], decode_object) if decode is None else decode
    records: list[T] = []
    problems: list[LineProblem] = []
    last = 0
    with path.open("rb", buffering=_BUFFER) as file, _collector_paused():
        for number, line in _lines(file):
            last = number
            try:
                records.append(parse(line))
            except ValueError:
                found, problem = _recover(path, number, line.strip(), parse)
                records += found
                problems += [] if problem is None else [problem]
    if problems and problems[-1].line == last and problems[-1].kind == "damaged":
        problems[-1] = problems[-1]._replace(kind="torn")
    return records, problems


class Piece(NamedTuple):
    """A part of a line: one whole JSON object, or what is left where none begins."""

    line: int
    content: bytes
    whole: bool


def read_pieces(path: Path) -> Iterator[Piece]:
    """Yield every object of the file at `path` as it is written, and every run of bytes that is none."""
    with path.open("rb", buffering=_BUFFER) as file:
        for number, line in _lines(file):
            pieces, rest = split_objects(line.strip())
            yield from (Piece(number, piece, True) for piece in pieces)
            if rest:
                yield Piece(number, rest, False)


class AppendLog:
    """The one writer of a file of JSON lines; threads may share it.

    Opening cuts off a torn last line (the bytes go to `<name>.torn` beside it), so lines never join. A second
    writer is refused with LogInUseError. With `fsync` every append waits for the disk.
    """

    def __init__(self, path: Path, fsync: bool = False) -> None:
        self.path = path
        self._fsync = fsync
        self._mutex = threading.Lock()
        self._file = _open_locked(path)
        self._end = _mend_tail(self._file, path)
        self._whole = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the file back; closing twice is allowed."""
        with self._mutex:
            if self._file.closed:
                return
            try:
                self._cut_back()
            finally:
                self._file.close()

    def append(self, record: object) -> None:
        """Write `record` (a dataclass or a mapping) as one line, in one call.

        Raises OSError where the disk refuses it; the record then counts as not written and its part of a line
        is cut off before anything else is.
        """
        line = encode(record)
        with self._mutex:
            self._cut_back()
            self._whole = False
            self._write(line)
            self._end += len(line)
            self._whole = True

    def rewrite(self, superfluous: Container[int] = ()) -> None:
        """Put every readable record on a line of its own, by one rename.

        What cannot be read goes to `<name>.damaged`, each piece with its line number before it. So do the
        `superfluous` records, counted from 0 over the whole file, to `<name>.repeats`.
        """
        with self._mutex:
            self._cut_back()
            fresh_path = self.path.with_name(f".{self.path.name}.new")
            fresh_path.unlink(missing_ok=True)
            # Locked before it takes the name, so no other writer can step in between.
            fresh = _open_locked(fresh_path)
            end = records = 0
            for piece in read_pieces(self.path):
                if not piece.whole:
                    _keep_aside(self.path, ".damaged", b"line %d: %s" % (piece.line, piece.content))
                    continue
                if records in superfluous:
                    _keep_aside(self.path, ".repeats", b"line %d: %s" % (piece.line, piece.content))
                else:
                    _write_whole(fresh, piece.content + b"\n")
                    end += len(piece.content) + 1
                records += 1
            os.fsync(fresh.fileno())
            fresh_path.replace(self.path)
            self._file.close()
            self._file, self._end = fresh, end

    def _write(self, line: bytes) -> None:
        try:
            _write_whole(self._file, line)
            if self._fsync:
                os.fsync(self._file.fileno())
        except OSError as error:
            raise OSError(error.errno, f"cannot append a record: {error.strerror}", str(self.path)) from error

    def _cut_back(self) -> None:
        if not self._whole:
            self._file.truncate(self._end)
            self._whole = True


def check_free(path: Path) -> None:
    """Raise LogInUseError where another process appends to the file at `path`."""
    _open_locked(path).close()


def _write_whole(file: FileIO, line: bytes) -> None:
    """Write `line` in one call; only where the system takes a part of it does a second follow."""
    written = file.write(line)
    while written < len(line):
        written += file.write(line[written:])


def _recover(
    path: Path, number: int, line: bytes, decode: Callable[[bytes], T]
) -> tuple[list[T], LineProblem | None]:
    """Return what a line that is not one record holds, and what is wrong with it."""
    pieces, rest = split_objects(line)
    records, refused = [], ""
    for piece in pieces:
        try:
            records.append(decode(piece))
        except ValueError as error:
            refused = refused or str(error)
    kept = f"; {len(records)} record(s) before it kept" if records else ""
    if refused:
        return records, LineProblem(path, number, "refused", refused)
    if rest:
        detail = f"found {rest[:40]!r} ({len(rest)} bytes), allowed: one JSON object{kept}"
        return records, LineProblem(path, number, "damaged", detail)
    if len(records) == 1:
        return records, None  # a blank that JSON does not have stood beside it
    return records, LineProblem(path, number, "joined", f"{len(records)} records on one line, all read")


def _lines(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield the number and the bytes, newline included, of every line that is not blank."""
    for number, line in enumerate(file, start=1):
        if not line.isspace():
            yield number, line


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Pause the cyclic garbage collector: it would walk all records again and again, and none is a cycle."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _open_locked(path: Path) -> FileIO:
    while True:
        file = path.open("a+b", buffering=0)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise LogInUseError(f"{path}: another process is writing here; one writer is allowed") from None
        except OSError as error:
            file.close()
            raise OSError(error.errno, f"cannot lock: {error.strerror}", str(path)) from error
        # The file may have been replaced between the two calls; only the one that bears the name counts.
        if os.path.samestat(os.fstat(file.fileno()), path.stat()):
            return file
        file.close()


def _mend_tail(file: FileIO, path: Path) -> int:
    """Make the file end with a whole record and a newline; returns its size."""
    start, tail = _last_line(file)
    line = tail.strip()
    if not line:
        file.truncate(start)
        return start
    pieces, rest = split_objects(line)
    if not rest and tail == line + b"\n":
        return start + len(tail)
    if rest:
        _keep_aside(path, ".torn", rest)
    kept = line[: len(line) - len(rest)].rstrip()
    file.truncate(start + tail.index(line) + len(kept) if pieces else start)
    if pieces:
        file.write(b"\n")
    return os.fstat(file.fileno()).st_size


def _last_line(file: FileIO) -> tuple[int, bytes]:
    """Return the offset of the last line that is not blank, and everything from there on."""
    size = os.fstat(file.fileno()).st_size
    length = _FIRST_TAIL
    while True:
        start = max(0, size - length)
        block = os.pread(file.fileno(), size - start, start)
        cut = block.rstrip().rfind(b"\n")
        if cut >= 0 or start == 0:
            return start + cut + 1, block[cut + 1 :]
        length *= 4


def _keep_aside(path: Path, suffix: str, piece: bytes) -> None:
    with path.with_name(path.name + suffix).open("ab") as file:
        file.write(piece + b"\n")
