"""Results at a URL, by way of a local folder.

A run is written to the local folder. Object stores cannot append, so that what is new in files that grow goes
to `parts/` as objects of their own; whole files follow at the end, and the parts go. Whoever fetches puts
whole files and parts together, each record once, so that a run which was cut off anywhere lacks at most what
was not pushed yet. One run at a time writes to a URL.
"""

import hashlib
import logging
import os
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from lvqa_eval.files import file_name, write_whole
from lvqa_eval.runs.identity import GROWING, RunIdentity, differences
from lvqa_eval.runs.lines import AppendLog, read_lines, read_pieces
from lvqa_eval.runs.objects import decode_object
from lvqa_eval.runs.pictures import PICTURES
from lvqa_eval.runs.remote_folder import RemoteError, RemoteFolder
from lvqa_eval.runs.store import CONVERSATIONS, IDENTITY, QUESTIONS

SECONDS = 30.0
"""Time between two parts."""

_PARTS = "parts/"
_GROW = (PICTURES, CONVERSATIONS)
_SETTLED = (IDENTITY, QUESTIONS)
_LEFT = re.compile(r"(.*/)?\.[^/]*|media(-\d+)?/.*|.*\.(torn|damaged|repeats)")
"""What stays in the folder: begun files, pictures for servers, and what was set aside."""

_log = logging.getLogger(__name__)


@dataclass
class Fetched:
    """What stood at a URL: all names, the digests of records by file, how many records came to the folder."""

    names: list[str]
    there: dict[str, set[str]] = field(default_factory=lambda: {name: set() for name in _GROW})
    came: int = 0


def local_folder(url: str) -> Path:
    """Return the folder of this machine that the results at `url` pass through; one for each URL."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    place = url.rstrip("/")
    name = f"{file_name(place.rpartition('/')[2])}-{_digest(place.encode())[:16]}"
    return Path(cache) / "lvqa" / "runs" / name


def fetch(url: str, folder: Path) -> Fetched:
    """Bring the run at `url` to `folder`, which may hold a part of it.

    Files that grow are put together, each record once; of others the folder's own stand. Raises RemoteError
    where the URL holds no run, or one of other settings than the folder's, and LogInUseError where a run
    writes to the folder.
    """
    remote = RemoteFolder(url)
    fetched = Fetched(remote.names())
    if fetched.names and IDENTITY not in fetched.names:
        shown = ", ".join(fetched.names[:5]) + (", …" if len(fetched.names) > 5 else "")
        raise RemoteError(f"{url}: no {IDENTITY}, but other content ({shown}); name an empty place")
    folder.mkdir(parents=True, exist_ok=True)
    if fetched.names:
        _check_identity(remote, folder)
    for name in fetched.names:
        if name not in _GROW and not name.startswith(_PARTS) and not (folder / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            write_whole(folder / name, remote.read(name))
    for name in _GROW:
        _fetch_records(remote, folder / name, fetched)
    return fetched


class Mirror:
    """Keeps the URL of a run up to date while `folder` is written; a context manager.

    Entering fetches what is there. A thread of its own then pushes what is new every `seconds`; what fails is
    tried again the next time. Leaving pushes the rest: whole files where the block ended well, else a part.
    """

    def __init__(self, url: str, folder: Path, seconds: float = SECONDS) -> None:
        self.folder = folder
        self.fetched = Fetched([])
        self._remote = RemoteFolder(url)
        self._seconds = seconds
        self._pushed = dict.fromkeys(_GROW, 0)
        self._settled: dict[str, str] = {}
        self._part = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._keep_pushing, name="mirror", daemon=True)

    def __enter__(self) -> Self:
        self.fetched = fetch(self._remote.url, self.folder)
        self._part = max(map(_part_number, self.fetched.names), default=0)
        for name in _GROW:
            self._push_unknown(name)
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._over.set()
        self._thread.join()
        try:
            if kind is None:
                self._push_whole()
            else:
                self.push()
        except RemoteError as error:
            told = f"{error}\nthe results are in {self.folder}; the same command brings them there"
            if kind is None:
                raise RemoteError(told) from error
            _log.warning("%s", told)

    def push(self) -> None:
        """Push what is new: settings first, so that whatever is at the URL is a run."""
        if not (self.folder / IDENTITY).exists():
            return
        for name in _SETTLED:
            path = self.folder / name
            if path.exists() and self._settled.get(name) != (digest := _digest(path.read_bytes())):
                self._remote.write(name, path)
                self._settled[name] = digest
        for name in _GROW:
            path = self.folder / name
            if path.exists():
                with path.open("rb") as file:
                    file.seek(self._pushed[name])
                    new = file.read()
                # A line that is being written follows next time.
                new = new[: new.rfind(b"\n") + 1]
                self._write_part(name, new)
                self._pushed[name] += len(new)

    def _push_unknown(self, name: str) -> None:
        """Push what an earlier run left in the folder alone, and count the file as pushed."""
        path = self.folder / name
        if not path.exists():
            return
        there = self.fetched.there[name]
        pieces = [piece.content for piece in read_pieces(path)]
        missing = [piece + b"\n" for piece in pieces if _digest(piece) not in there]
        self._pushed[name] = path.stat().st_size
        if missing:
            self.push()
            self._write_part(name, b"".join(missing))

    def _write_part(self, name: str, lines: bytes) -> None:
        if lines:
            self._part += 1
            self._remote.write(f"{_PARTS}{name}-{self._part:06}-{_digest(lines)[:16]}", lines)

    def _push_whole(self) -> None:
        parts = [name for name in self._remote.names() if name.startswith(_PARTS)]
        for path in sorted(self.folder.rglob("*")):
            name = path.relative_to(self.folder).as_posix()
            if path.is_file() and not _LEFT.fullmatch(name):
                self._remote.write(name, path)
        self._remote.remove(parts)

    def _keep_pushing(self) -> None:
        while not self._over.wait(self._seconds):
            try:
                self.push()
            except RemoteError as error:
                _log.warning("%s; tried again in %g s", error, self._seconds)


def _fetch_records(remote: RemoteFolder, path: Path, fetched: Fetched) -> None:
    """Append to the file at `path` what it lacks of the records at the URL."""
    part = f"{_PARTS}{path.name}-"
    sources = [name for name in fetched.names if name == path.name or name.startswith(part)]
    if not sources and not path.exists():
        return
    with AppendLog(path) as log:
        # The offset of what is pushed would not hold if the run mended the file later.
        if any(problem.kind in ("joined", "damaged") for problem in read_lines(path)[1]):
            log.rewrite()
        known = {_digest(piece.content) for piece in read_pieces(path)}
        for source in sources:
            for record in _records(remote, source):
                digest = _digest(record)
                fetched.there[path.name].add(digest)
                if digest not in known:
                    known.add(digest)
                    log.append(decode_object(record))
                    fetched.came += 1


def _records(remote: RemoteFolder, name: str) -> Iterator[bytes]:
    """Yield the records of a file as they are written, but for a last line that was not finished."""
    *lines, _ = remote.read(name).split(b"\n")
    for number, line in enumerate(lines, start=1):
        try:
            decode_object(line)
        except ValueError as error:
            told = f"{remote.url}/{name}: line {number}: no JSON object: {error}; mend the line or remove it"
            raise RemoteError(told) from None
        yield line


def _check_identity(remote: RemoteFolder, folder: Path) -> None:
    """Refuse a folder whose settings are not those at the URL; of what can grow the larger stands."""
    path = folder / IDENTITY
    if not path.exists():
        return
    fetched = folder / f".{IDENTITY}.fetched"
    fetched.write_bytes(remote.read(IDENTITY))
    try:
        ours, theirs = RunIdentity.read(path), RunIdentity.read(fetched)
    except ValueError as error:
        raise RemoteError(f"{remote.url}/{IDENTITY}: {error}") from None
    finally:
        fetched.unlink()
    found = differences(ours, theirs, GROWING)
    if found and differences(theirs, ours, GROWING):
        lines = "\n".join(f"  {line}" for line in found)
        raise RemoteError(f"{remote.url}: holds a run of other settings than {folder}:\n{lines}")
    if not found:
        theirs.write(path)


def _part_number(name: str) -> int:
    """Return the number in the name of a part, 0 for another file."""
    pieces = name.split("-")
    return int(pieces[-2]) if name.startswith(_PARTS) and len(pieces) > 2 and pieces[-2].isdigit() else 0


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
