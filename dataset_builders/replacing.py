"""A folder that is replaced whole or not at all."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


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
