"""Writing a report's files."""

import os
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Write a text file so that a reader sees the old or the new content, never a part."""
    fresh = path.with_name(f".{path.name}.new")
    with fresh.open("w", encoding="utf-8", newline="") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
