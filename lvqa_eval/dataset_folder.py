"""What the folders of all datasets share: a manifest that says whose they are, and where they come from.

A dataset is read from its published files themselves. Nothing is cached, so a rebuilt folder is never stale.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from lvqa_eval.errors import LvqaError
from lvqa_eval.extensions import Registry


class DatasetError(LvqaError, ValueError):
    """A dataset that cannot be read; `problems` holds every reason, one line each."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class StrictRow(BaseModel):
    """A row of a dataset: no further fields, no conversions, never changed."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


@dataclass(frozen=True)
class DatasetFolder:
    """A dataset folder on disk. `manifest_sha256` identifies its exact content.

    `revision` is the commit that a dataset of the Hub was fetched at; None for a folder of one's own.
    """

    folder: Path
    manifest: dict[str, Any]
    manifest_sha256: str
    revision: str | None = None

    @property
    def kind(self) -> str:
        """The name of the dataset in its manifest, which decides how it is read."""
        return str(self.manifest["dataset"])

    @property
    def version(self) -> str:
        """The dataset's version, MAJOR.MINOR.PATCH."""
        return str(self.manifest["version"])


READERS = Registry(
    "lvqa.datasets",
    {"layered-vqa": "lvqa_eval.dataset:Dataset", "bear-bench": "lvqa_eval.pages:PageDataset"},
)
"""The name of a dataset in its manifest -> the DatasetFolder that reads it."""


def open_folder(name: str, revision: str | None = None) -> DatasetFolder:
    """Open a dataset folder, or fetch a dataset of the Hub (ORG/NAME) at `revision`, as what it says it is.

    A local folder comes first and has no revisions. Raises DatasetError where neither is there, and for a
    manifest of another kind than those of `READERS`.
    """
    opened = open_manifest(name, revision)
    if opened.kind not in READERS.names():
        allowed = ", ".join(READERS.names())
        raise DatasetError(
            [f"{opened.folder}: manifest.json: dataset: found {opened.kind!r}, allowed: {allowed}"]
        )
    reader: type[DatasetFolder] = READERS.get(opened.kind)
    return reader(opened.folder, opened.manifest, opened.manifest_sha256, opened.revision)


def open_manifest(name: str, revision: str | None = None, needed: Sequence[str] = ()) -> DatasetFolder:
    """Open a folder by its manifest alone, which has at least a dataset, a version and what is `needed`."""
    folder = Path(name)
    commit = None
    if not folder.is_dir():
        folder = _fetch(name, revision)
        # The client keeps each snapshot in a folder that is called by its commit.
        commit = folder.name
    path = folder / "manifest.json"
    if not path.is_file():
        raise DatasetError([f"{folder}: found no manifest.json; a dataset folder has one"])
    data = path.read_bytes()
    try:
        manifest = json.loads(data)
        missing = [key for key in ("dataset", "version", *needed) if key not in manifest]
    except (ValueError, TypeError) as error:
        raise DatasetError([f"{path}: not JSON: {error}"]) from error
    if missing:
        raise DatasetError([f"{path}: {key}: missing" for key in missing])
    return DatasetFolder(folder, manifest, hashlib.sha256(data).hexdigest(), commit)


def _fetch(name: str, revision: str | None) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    if name.count("/") != 1 or name.startswith((".", "/")):
        told = f"dataset: found {name!r}, allowed: a folder that exists, or ORG/NAME on the Hub"
        raise DatasetError([f"{told}; `lvqa build` makes a folder"])
    try:
        return Path(snapshot_download(name, repo_type="dataset", revision=revision))
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as error:
        reason = str(error).strip().splitlines()[0]
        raise DatasetError([f"dataset: {name!r} is no folder here, and the Hub gave: {reason}"]) from error


def short(value: object, limit: int = 60) -> str:
    """Return a value as it is written, cut to `limit` characters."""
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 3] + "..."
