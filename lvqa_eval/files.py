"""Names of files, and writing files and folders whole or not at all."""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def file_name(name: str) -> str:
    """Return `name` (such as a model's) as a name of files: Latin letters, digits, '.', '_' and '-'."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:100] or "model"


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file so that a reader sees the old or the new content, never a part; text as UTF-8."""
    fresh = path.with_name(f".{path.name}.new")
    with fresh.open("wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


@contextmanager
def replacing(folder: Path) -> Iterator[Path]:
    """Give a draft folder beside `folder` that takes its place at the end, or vanishes on any error."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = folder.with_name(f".{folder.name}.draft-{os.getpid()}")
    old = folder.with_name(f".{folder.name}.old-{os.getpid()}")
    draft.mkdir()
    try:
        yield draft
        if folder.exists():
            folder.rename(old)
        draft.rename(folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)
