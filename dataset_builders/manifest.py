"""The manifest of a dataset folder: version, options, and the SHA-256 of every file."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

MANIFEST = "manifest.json"


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def files_of(folder: Path) -> Iterator[Path]:
    """Yield every file below `folder` but the manifest itself, sorted by its relative path."""
    for path in sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).as_posix()):
        if path.is_file() and path.relative_to(folder).as_posix() != MANIFEST:
            yield path


def hash_files(folder: Path, known: Mapping[str, str] = MappingProxyType({})) -> dict[str, str]:
    """Return relative path -> SHA-256 for every file below `folder` but the manifest.

    Files in `known`, which has the same form, are not read again.
    """
    names = {path.relative_to(folder).as_posix(): path for path in files_of(folder)}
    return {name: known.get(name) or sha256_of(path) for name, path in names.items()}


def write_manifest(
    folder: Path, facts: Mapping[str, Any], known: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Write `manifest.json` with `facts` and the hash of every file in `folder`; `known` as in hash_files."""
    content = {**facts, "files": hash_files(folder, known)}
    (folder / MANIFEST).write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def check_manifest(folder: Path) -> list[str]:
    """Return one line for each file that is missing, unexpected or changed against the manifest."""
    path = folder / MANIFEST
    if not path.is_file():
        return [f"{path}: not found; a dataset folder has one"]
    try:
        recorded: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))["files"]
    except (ValueError, KeyError, TypeError) as error:
        return [f"{path}: cannot be read as a manifest: {error!r}"]
    present = hash_files(folder)
    lines = [f"{folder / name}: missing, the manifest lists it" for name in recorded.keys() - present.keys()]
    lines += [f"{folder / name}: not in the manifest" for name in present.keys() - recorded.keys()]
    lines += [
        f"{folder / name}: changed: found sha256 {present[name][:16]}, the manifest has {recorded[name][:16]}"
        for name in recorded.keys() & present.keys()
        if recorded[name] != present[name]
    ]
    return sorted(lines)
