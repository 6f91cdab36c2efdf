"""The build that stands where a new one is to go: when it may be replaced, and what then differs."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dataset_builders.changes import option_changes
from dataset_builders.manifest import MANIFEST
from lvqa_eval.errors import LvqaError

_NUMBER = r"(0|[1-9][0-9]*)"
_VERSION = re.compile(rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}")


class BuildError(LvqaError, ValueError):
    """A folder that cannot be built; `problems` holds every reason, one line each."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = list(problems)


def check_version(version: str) -> None:
    """Raise BuildError for a version that is not MAJOR.MINOR.PATCH."""
    if not _VERSION.fullmatch(version):
        raise BuildError([f"version: found {version!r}, allowed: MAJOR.MINOR.PATCH, like 1.0.0"])


def standing(folder: Path, version: str, replace: bool) -> dict[str, Any] | None:
    """Return the manifest of the build that stands in `folder`, None where there is none.

    Raises BuildError where it must stay: a folder of something else, and one of another version unless
    `replace`.
    """
    if not folder.exists() or not any(folder.iterdir()):
        return None
    if not (folder / MANIFEST).is_file():
        raise BuildError([f"{folder}: not empty and not a dataset folder; choose another place"])
    try:
        manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_bytes())
        found = str(manifest["version"])
    except (ValueError, KeyError, TypeError):
        manifest, found = {}, "that cannot be read"
    if found != version and not replace:
        raise BuildError(
            [
                f"{folder}: holds version {found}, this build is version {version}; "
                "choose another --out, or give --replace"
            ]
        )
    return manifest


def replaced(before: Mapping[str, Any] | None, now: Mapping[str, Any]) -> str | None:
    """Return in words what differs between the manifest of a build and that which replaced it, or None."""
    if before is None or before == now:
        return None
    found = before.get("version", "unknown")
    if found != now["version"]:
        return f"replaces a build of version {found}"
    if differing := option_changes(before, now):
        return f"replaces a build of {found} with other options: {'; '.join(map(str, differing))}"
    return f"replaces a build of {found} with the same options and other content"
