"""The files of the dataset: one Parquet file a cell, with the pictures in it."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from dataset_builders.bear_bench.rows import CANARY
from dataset_builders.parquet import MAX_BYTES, MAX_ROWS
from lvqa_eval.pages import COLUMNS, PICTURE, PageRow

_INTEGERS = ("page", "reasoning_steps", "ocr_characters", "width", "height")

TYPES = {
    name: "int32" if name in _INTEGERS else "bool" if name.startswith("contains_") else "string"
    for name in COLUMNS
    if name != PICTURE
}
"""The type of every column but the picture's, as Arrow and the card call it."""


def features() -> Any:
    """Return the columns as `datasets` knows them."""
    from datasets import Features, Image, Value

    return Features({name: Image(mode="RGB") if name == PICTURE else Value(TYPES[name]) for name in COLUMNS})


def schema() -> Any:
    """Return the columns as Arrow knows them, with the canary in the metadata of the file."""
    found = features().arrow_schema
    return found.with_metadata({**found.metadata, b"canary": CANARY.encode()})


def write_cell(rows: Iterable[tuple[PageRow, bytes]], path: Path) -> None:
    """Write the rows of a cell with their pictures (PNG files) in row groups of at most `MAX_ROWS` rows.

    The same rows give the same bytes.
    """
    import pyarrow as pa
    import pyarrow.parquet

    words = [name for name in COLUMNS if name != PICTURE]
    # Pictures are compressed already, all differ, and their bytes are nothing to sort or search by.
    compression = {f"{PICTURE}.bytes": "none"} | dict.fromkeys([*words, f"{PICTURE}.path"], "snappy")
    options = {"compression": compression, "use_dictionary": words, "write_statistics": words}
    with pyarrow.parquet.ParquetWriter(path, schema(), write_page_index=True, **options) as writer:
        for group in _groups(rows):
            table = pa.Table.from_pylist(group, schema())
            writer.write_table(table, row_group_size=MAX_ROWS)


def _groups(rows: Iterable[tuple[PageRow, bytes]]) -> Iterator[list[dict[str, Any]]]:
    group: list[dict[str, Any]] = []
    size = 0
    for row, picture in rows:
        group.append({**row.model_dump(), PICTURE: {"bytes": picture, "path": f"{row.id}.png"}})
        size += len(picture)
        if len(group) == MAX_ROWS or size >= MAX_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group
