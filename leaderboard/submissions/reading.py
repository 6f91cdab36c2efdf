"""Reading a submission line by line: bounded while it is read, packed by gzip or plain."""

import gzip
import hashlib
import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, Final, Literal, NamedTuple

import msgspec

from leaderboard.submissions.foreign import what_it_is
from leaderboard.submissions.lines import Faulty, Line, read_line
from leaderboard.submissions.records import Problem

_MEBIBYTE: Final = 1 << 20
_BLOCK: Final = 1 << 16
_GZIP: Final = b"\x1f\x8b"
_BOM: Final = b"\xef\xbb\xbf"
_SHOWN: Final = 4096
"""Bytes at the start by which another format is known."""


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The largest submission that is read to its end.

    The defaults hold a full run of Layered-VQA (300 questions x 16 conditions x 3 runs: 14,400 conversations)
    with a baseline, replies of 1,024 tokens, and the verdicts of a panel.
    """

    packed_bytes: int = 128 * _MEBIBYTE
    unpacked_bytes: int = 512 * _MEBIBYTE
    line_bytes: int = 2 * _MEBIBYTE
    conversations: int = 16_000
    judges: int = 8

    @property
    def lines(self) -> int:
        """The most lines that a file has."""
        return 1 + self.conversations * (1 + self.judges)

    def __str__(self) -> str:
        """Return the limits as words for people who submit."""
        return (
            f"At most {_size(self.packed_bytes)} as sent, {_size(self.unpacked_bytes)} unpacked, "
            f"{_size(self.line_bytes)} a line, {self.conversations:,} conversations and the verdicts of "
            f"{self.judges} judges."
        )


class Read(NamedTuple):
    """One line: its number from 1 and the record that it holds, or what is wrong with it."""

    line: int
    record: Line | Faulty


class Parsed:
    """A submission that is being read; it is read once, and no more than a line of it is held.

    - `problems`: what ended the reading early, or is wrong with the file as a whole.
    - `sha256`: of the lines, each ended by a line feed; what the file is called by. None before the end.
    - `bytes_read`: of those lines.
    """

    def __init__(
        self, source: Path | BinaryIO, limits: Limits, keep: Callable[[bytes], object] | None = None
    ) -> None:
        self.limits = limits
        self.problems: list[Problem] = []
        self.sha256: str | None = None
        self.bytes_read = 0
        self._source, self._keep = source, keep
        self._digest = hashlib.sha256()
        self._start = b""

    def records(self) -> Iterator[Read]:
        """Yield every line with its record or what is wrong with it; ends at the first limit.

        A file whose first line is no JSON object is of another format: that is said, and nothing follows.
        """
        for number, line in self.lines():
            if number == 1 and not line.lstrip().startswith(b"{"):
                self._stop(what_it_is(self._start), "JSON lines in UTF-8, plain or packed by gzip", 1)
                return
            yield Read(number, read_line(number, line))

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the number of every line, from 1, and its bytes without the line end."""
        try:
            for number, line in enumerate(self._split(), start=1):
                if number > self.limits.lines:
                    self._stop("more lines", f"at most {self.limits.lines:,}", None, "lines")
                    return
                self._take(line + b"\n")
                yield number, line
        except _OverLimitError as error:
            self._stop(str(error), error.allowed, error.line, error.field)
            return
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            self._stop(f"a damaged gzip file ({_reason(error)})", "a whole one", None, "file")
            return
        if not self.bytes_read:
            self._stop("an empty file", "JSON lines, the header first", None, "file")
        else:
            self.sha256 = self._digest.hexdigest()

    def _take(self, line: bytes) -> None:
        self.bytes_read += len(line)
        self._digest.update(line)
        if self._keep is not None:
            self._keep(line)

    def _split(self) -> Iterator[bytes]:
        """Yield lines without their ends and without a byte order mark; _OverLimitError at a limit."""
        limits, rest = self.limits, bytearray()
        line = 1
        for block in self._blocks():
            rest += block
            *whole, tail = rest.split(b"\n")
            for one in whole:
                _bound(len(one), limits.line_bytes, "the line", line)
                yield bytes(one).removesuffix(b"\r")
                line += 1
            _bound(len(tail), limits.line_bytes, "the line", line)
            rest = tail
        if rest:
            yield bytes(rest).removesuffix(b"\r")

    def _blocks(self) -> Iterator[bytes]:
        with ExitStack() as stack:
            source = self._source
            raw = stack.enter_context(source.open("rb")) if isinstance(source, Path) else source
            file: BinaryIO = io.BufferedReader(_Counted(raw, self.limits.packed_bytes), _BLOCK)
            if file.peek(2)[:2] == _GZIP:  # type: ignore[attr-defined]
                file = stack.enter_context(gzip.GzipFile(fileobj=file))  # type: ignore[assignment]
            unpacked = 0
            while block := file.read(_BLOCK):
                unpacked += len(block)
                _bound(unpacked, self.limits.unpacked_bytes, "the file unpacked")
                if not self._start:
                    block = block.removeprefix(_BOM)
                    self._start = block[:_SHOWN]
                yield block

    def _stop(self, found: str, allowed: str, line: int | None, field: str = "file") -> None:
        self.problems.append(Problem(line, "", field, found, allowed))


def read_submission(
    source: Path | BinaryIO, limits: Limits | None = None, keep: Callable[[bytes], object] | None = None
) -> Parsed:
    """Return the submission in `source`, to be read as its records are asked for.

    `keep` is given every line as it is read, with a line feed: what makes a copy of exactly what was read.
    """
    return Parsed(source, limits or Limits(), keep)


class _OverLimitError(Exception):
    """Something is larger than a submission may be."""

    def __init__(self, found: str, allowed: str, line: int | None, field: str) -> None:
        super().__init__(found)
        self.allowed, self.line, self.field = allowed, line, field


class _Counted(io.RawIOBase):
    """Reads another file and refuses to go past a number of bytes."""

    def __init__(self, file: BinaryIO, limit: int) -> None:
        self._file, self._limit, self._read = file, limit, 0

    def readable(self) -> Literal[True]:
        """Say yes."""
        return True

    def readinto(self, buffer: "memoryview[int]") -> int:  # type: ignore[override]
        """Fill `buffer` as far as the file goes."""
        block = self._file.read(len(buffer))
        self._read += len(block)
        _bound(self._read, self._limit, "the file as sent")
        buffer[: len(block)] = block
        return len(block)


def _bound(size: int, limit: int, what: str, line: int | None = None) -> None:
    if size > limit:
        raise _OverLimitError(f"more than {_size(limit)}", f"{what} at most {_size(limit)}", line, "size")


def _size(count: int) -> str:
    for unit, size in (("MiB", _MEBIBYTE), ("KiB", 1 << 10)):
        if count >= size and count % size == 0:
            return f"{count // size:,} {unit}"
    return f"{count:,} bytes"


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())[:100] or type(error).__name__
