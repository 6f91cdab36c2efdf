"""Vectors of pages, kept by the hash of the picture so that each page is encoded once."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dataset_builders.bear_bench.classify.encoders import Encoder, Vectors
from dataset_builders.bear_bench.records import Page
from dataset_builders.bear_bench.work import Work
from lvqa_eval.files import file_name
from lvqa_eval.progress import progress
from lvqa_eval.runs.identity import RunIdentity

FOLDER = "embeddings"


def embed(work: Work, pages: Sequence[Page], encoder: Encoder) -> Vectors:
    """Return the vectors of `pages`, (pages, dimension); what is kept from before is not made again.

    Kept are records of a SHA-256 and a vector, appended a batch at once to one file an encoder. A batch is
    made whole or not at all, so that its last digits do not depend on where a run was stopped.
    """
    hashes = sorted({page.sha256: page.file for page in pages}.items())
    path = _path(work, encoder)
    kept = _read(path, encoder.dimension)
    with progress("encoding pages", len(hashes)) as advance:
        for batch in _batches(hashes, encoder.batch):
            if any(sha256 not in kept for sha256, _ in batch):
                vectors = encoder.encode([work.folder / file for _, file in batch])
                _append(path, [sha256 for sha256, _ in batch], vectors)
                kept |= {sha256: vector for (sha256, _), vector in zip(batch, vectors, strict=True)}
            for _ in batch:
                advance()
    return np.array([kept[page.sha256] for page in pages], dtype=np.float32).reshape(-1, encoder.dimension)


def _path(work: Work, encoder: Encoder) -> Path:
    folder = work.folder / FOLDER
    folder.mkdir(exist_ok=True)
    digest = RunIdentity(encoder.identity()).digest()
    return folder / f"{file_name(encoder.name)}-{digest}.vectors"


def _record(dimension: int) -> "np.dtype[np.void]":
    return np.dtype([("sha256", "u1", 32), ("vector", "<f4", dimension)])


def _read(path: Path, dimension: int) -> dict[str, NDArray[np.float32]]:
    """Return hash -> vector; the part of a record at the end, as a killed run leaves it, is cut off."""
    if not path.exists():
        return {}
    record = _record(dimension)
    whole = path.stat().st_size // record.itemsize * record.itemsize
    with path.open("r+b") as file:
        file.truncate(whole)
    found = np.fromfile(path, dtype=record)
    return {bytes(one["sha256"]).hex(): one["vector"] for one in found}


def _append(path: Path, hashes: Sequence[str], vectors: Vectors) -> None:
    records = np.zeros(len(hashes), dtype=_record(vectors.shape[1]))
    records["sha256"] = [np.frombuffer(bytes.fromhex(sha256), dtype=np.uint8) for sha256 in hashes]
    records["vector"] = vectors
    with path.open("ab") as file:
        file.write(records.tobytes())


def _batches(items: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    return (items[start : start + size] for start in range(0, len(items), size))
