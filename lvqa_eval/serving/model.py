"""What a model is, apart from any server: its files, their fingerprint, how much context it was made for."""

import hashlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lvqa_eval.serving.chat_template import chat_template_hash
from lvqa_eval.serving.model_files import PROCESSOR_FILES, processor, read_json, weights

PUBLISHED_CONTEXT = 65_536
"""Context of the published evaluation, where the model has it."""

_SAMPLE = 1 << 20


@dataclass(frozen=True)
class Model:
    """A model by name: a local folder, or an id of the Hub at a revision.

    `folder` is where its files lie, None where they are out of reach (a model behind someone's endpoint).
    """

    name: str
    folder: Path | None
    revision: str | None

    @property
    def served_name(self) -> str:
        """The name in requests and reports: a folder's own name, without the path that leads to it."""
        return Path(self.name).resolve().name if Path(self.name).is_dir() else self.name

    def context(self) -> int | None:
        """Return the context to serve: the published one or, where it is shorter, the model's own."""
        config = read_json(self.folder, "config.json")
        own = config.get("text_config", config).get("max_position_embeddings")
        return min(PUBLISHED_CONTEXT, own) if isinstance(own, int) else None

    def identity(self) -> dict[str, object]:
        """Return what the run's identity records of the model."""
        local = Path(self.name).is_dir()
        return {
            "name": self.served_name,
            "revision": self.revision,
            "chat_template_sha256": chat_template_hash(self.folder) if self.folder else None,
            **weights(self.folder),
            "processor": processor(self.folder),
            "files_sha256": fingerprint(self.folder) if self.folder and local else None,
        }


def find_model(name: str, revision: str | None, *, fetch: bool) -> Model:
    """Return the model called `name`; a Hub id is resolved to the commit whose files are at hand.

    With `fetch`, the Hub is asked; without, only what lies in its cache here is found.
    """
    if Path(name).is_dir():
        return Model(name, Path(name), None)
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import (
        EntryNotFoundError,
        HfHubHTTPError,
        HFValidationError,
        LocalEntryNotFoundError,
    )

    try:
        config = Path(hf_hub_download(name, "config.json", revision=revision, local_files_only=not fetch))
        for other in (*PROCESSOR_FILES, "chat_template.jinja", "chat_template.json", "tokenizer_config.json"):
            with suppress(EntryNotFoundError, LocalEntryNotFoundError):
                hf_hub_download(name, other, revision=config.parent.name, local_files_only=not fetch)
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError):
        # Not on the Hub, or out of reach: a server may still know it by this name.
        return Model(name, None, revision)
    return Model(name, config.parent, config.parent.name)


def fingerprint(folder: Path) -> str:
    """Return a SHA-256 over the name, the size, and the first and last mebibyte of every file of a model.

    Weights of hundreds of gigabytes are not read whole; what retraining leaves unchanged in all of that
    does not exist in practice.
    """
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).as_posix()):
        if path.is_file():
            size = path.stat().st_size
            digest.update(f"{path.relative_to(folder).as_posix()}\0{size}\0".encode())
            with path.open("rb") as file:
                digest.update(file.read(_SAMPLE))
                file.seek(max(size - _SAMPLE, 0))
                digest.update(file.read(_SAMPLE))
    return digest.hexdigest()
