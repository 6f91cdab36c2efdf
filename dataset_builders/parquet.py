"""A dataset folder as Parquet: one self-contained file a condition, with the bytes of its pictures in it."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lvqa_eval.dataset import Dataset
from lvqa_eval.errors import LvqaError
from lvqa_eval.progress import progress

MAX_ROWS = 50
"""Most rows of a row group: a reader that wants one row reads few pictures."""

MAX_BYTES = 64 * 2**20
"""A row group of more picture bytes is closed before it has `MAX_ROWS` rows: one is held in memory."""

_SCENES = "scenes"


class ParquetError(LvqaError, ValueError):
    """A folder that cannot be written as Parquet."""


def write_parquet(dataset: Dataset, out: Path, configs: Sequence[str] = ()) -> list[Path]:
    """Write `out/NAME.parquet` for each config (all conditions and `scenes` where none is named).

    Columns are typed as in the dataset's card, which stands in the file's metadata too, so that
    `load_dataset("parquet", data_files=...)` gives pictures. A picture is its bytes and its bare file name.
    Each file appears whole or not at all. Raises ParquetError for an unknown config and a missing picture.
    """
    known = [*dataset.conditions, _SCENES]
    if unknown := [name for name in configs if name not in known]:
        raise ParquetError(f"condition: found {', '.join(unknown)}, allowed: {', '.join(known)}")
    chosen = list(dict.fromkeys(configs)) or known
    out.mkdir(parents=True, exist_ok=True)
    written = []
    with progress("Parquet files", len(chosen)) as advance:
        for name in chosen:
            written.append(out / f"{name}.parquet")
            _write(dataset, name, written[-1])
            advance()
    return written


def _write(dataset: Dataset, config: str, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet

    schema = _features(dataset, config).arrow_schema
    with (
        _appearing(path) as draft,
        # Rows about one scene share their pictures: a dictionary holds them once in a row group.
        pyarrow.parquet.ParquetWriter(draft, schema, dictionary_pagesize_limit=MAX_BYTES) as writer,
    ):
        for group in _groups(_records(dataset, config)):
            writer.write_table(pa.Table.from_pylist(group, schema), row_group_size=MAX_ROWS)


def _features(dataset: Dataset, config: str) -> Any:
    from datasets import load_dataset_builder

    with TemporaryDirectory() as cache:
        features = load_dataset_builder(str(dataset.folder), config, cache_dir=cache).info.features
    if features is None:
        raise ParquetError(f"{dataset.folder}: README.md: config {config}: found no features")
    return features


@contextmanager
def _appearing(path: Path) -> Iterator[Path]:
    """Give a draft beside `path` that takes its place at the end, or vanishes on any error."""
    draft = path.with_name(f".{path.name}.draft-{os.getpid()}")
    try:
        yield draft
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _records(dataset: Dataset, config: str) -> Iterator[dict[str, Any]]:
    """Yield rows with their pictures read; a picture is read again for each row, so few are held."""
    rows: Sequence[Any] = dataset.scenes() if config == _SCENES else dataset.rows(config)
    for row in rows:
        values = row.model_dump()
        composite, layers = values.pop("composite_file_name"), values.pop("layers_file_names")
        yield values | {
            "composite": _picture(dataset, composite),
            "layers": [_picture(dataset, name) for name in layers],
        }


def _picture(dataset: Dataset, name: str) -> dict[str, Any]:
    path = dataset.picture(name)
    try:
        return {"bytes": path.read_bytes(), "path": path.name}
    except OSError as error:
        raise ParquetError(f"{path}: cannot be read: {error.strerror}") from error


def _groups(records: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    group: list[dict[str, Any]] = []
    size = 0
    for record in records:
        group.append(record)
        size += sum(len(picture["bytes"]) for picture in [record["composite"], *record["layers"]])
        if len(group) == MAX_ROWS or size >= MAX_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group
