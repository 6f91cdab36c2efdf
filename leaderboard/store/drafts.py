"""Work in progress of a board: folders that vanish unless they are put in their place, by one rename.

A killed process leaves its draft behind; the lock on it is gone then, by which it is known for a leftover.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LOCK = "lock"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep all other writers of `folder` waiting, threads and processes alike."""
    with (folder / LOCK).open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def draft(folder: Path) -> Iterator[Path]:
    """Give an empty folder inside `folder`, held by a lock, which is removed in the end."""
    folder.mkdir(exist_ok=True)
    with locked(folder):
        # No one looks for leftovers before this one is held.
        path = Path(tempfile.mkdtemp(prefix="draft-", dir=folder))
        held = _hold(path)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        if held is not None:
            os.close(held)


def clear_leftovers(folder: Path) -> list[str]:
    """Remove the drafts in `folder` that nobody holds; returns their names."""
    if not folder.is_dir():
        return []
    gone = []
    with locked(folder):
        for path in sorted(folder.iterdir()):
            if path.name != LOCK and (held := _hold(path)) is not None:
                gone.append(path.name)
                shutil.rmtree(path) if path.is_dir() else path.unlink()
                os.close(held)
    return gone


def place(source: Path, target: Path) -> None:
    """Move a folder to its place, with everything on the disk before and after; both on one file system."""
    for path in [*sorted(source.rglob("*")), source]:
        sync(path)
    target.parent.mkdir(exist_ok=True)
    source.rename(target)
    sync(target.parent)


def sync(path: Path) -> None:
    """Wait until a file or folder is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _hold(path: Path) -> int | None:
    """Return a descriptor that locks a file or folder, None where another has it."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor
