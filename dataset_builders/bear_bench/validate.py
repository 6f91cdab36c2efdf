"""Check a built folder against everything that is promised of it."""

import io
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from PIL import Image

from dataset_builders.bear_bench.facts import counts
from dataset_builders.bear_bench.rows import CANARY
from dataset_builders.bear_bench.tables import schema
from dataset_builders.manifest import check_manifest
from dataset_builders.parquet import MAX_ROWS
from dataset_builders.publishing.lint import lint
from lvqa_eval.dataset_folder import DatasetError
from lvqa_eval.pages import CELLS, DOMAINS, PageDataset, PageRow, open_pages


def validate(folder: Path) -> list[str]:
    """Return every problem of a BEAR-Bench folder, one line each; empty for a sound one.

    Checks the manifest's hashes and counts, the card, the canary, every file's columns, types and row groups,
    every row's fields and cell, that the domains share no source document, and that every picture can be
    decoded and has the size that its row tells.
    """
    found = check_manifest(folder)
    try:
        dataset = open_pages(str(folder))
        cells = dataset.cells
    except (DatasetError, AttributeError) as error:
        return [*found, *(getattr(error, "problems", None) or [f"{folder}: manifest.json: cells: {error}"])]
    found += lint(folder)
    rows: list[PageRow] = []
    for cell in cells:
        try:
            found += _file_problems(dataset.path(cell))
            inside = dataset.rows(cell)
        except DatasetError as error:
            found += error.problems
            continue
        found += _cell_problems(dataset, cell, inside)
        rows += inside
    return [*found, *(f"{folder}: {line}" for line in [*_count_problems(dataset, rows), *_shared(rows)])]


def _file_problems(path: Path) -> Iterator[str]:
    import pyarrow
    import pyarrow.parquet

    try:
        file = pyarrow.parquet.ParquetFile(path)
    except (OSError, pyarrow.ArrowInvalid):
        return  # told where the rows are read
    for expected in schema():
        index = file.schema_arrow.get_field_index(expected.name)
        if index >= 0 and (found := file.schema_arrow.field(index).type) != expected.type:
            yield f"{path}: {expected.name}: found the type {found}, allowed: {expected.type}"
    canary = (file.schema_arrow.metadata or {}).get(b"canary", b"").decode(errors="replace")
    if canary != CANARY:
        yield f"{path}: canary: found {canary!r} in the metadata, allowed: {CANARY!r}"
    for group in range(file.num_row_groups):
        count = file.metadata.row_group(group).num_rows
        if count > MAX_ROWS:
            yield f"{path}: row group {group}: found {count} rows, allowed: at most {MAX_ROWS}"


def _cell_problems(dataset: PageDataset, cell: str, rows: list[PageRow]) -> Iterator[str]:
    path = dataset.path(cell)
    for row in rows:
        where = f"{path}: {row.id}"
        if row.cell != cell:
            yield f"{where}: found {row.domain} and {row.language} in the file of {cell}"
        blank = [name for name, value in row if isinstance(value, str) and not value.strip()]
        yield from (f"{where}: {name}: found nothing in it" for name in blank)
        yield from (f"{where}: {line}" for line in _picture_problems(dataset, row))


def _picture_problems(dataset: PageDataset, row: PageRow) -> Iterator[str]:
    try:
        with Image.open(io.BytesIO(dataset.picture(row.id))) as picture:
            picture.load()
            if picture.format != "PNG":
                yield f"image: found {picture.format}, allowed: PNG"
            if picture.size != (row.width, row.height):
                found = f"{picture.width}x{picture.height}"
                yield f"image: found {found}, the row has {row.width}x{row.height}"
    except (OSError, ValueError, SyntaxError, TypeError, Image.DecompressionBombError) as error:
        yield f"image: cannot be decoded: {error}"


def _count_problems(dataset: PageDataset, rows: list[PageRow]) -> Iterator[str]:
    there = Counter(row.cell for row in rows)
    for cell in CELLS:
        recorded = dataset.manifest["cells"].get(cell)
        if recorded != there[cell]:
            yield f"manifest.json: cells: {cell}: found {recorded}, there are {there[cell]} pages"
    recorded_counts = dataset.manifest.get("counts")
    for name, value in counts(rows).items():
        found = recorded_counts.get(name) if isinstance(recorded_counts, dict) else None
        if found != value:
            yield f"manifest.json: counts: {name}: found {found}, the rows give {value}"


def _shared(rows: list[PageRow]) -> Iterator[str]:
    for row_id, count in Counter(row.id for row in rows).items():
        if count > 1:
            yield f"{row_id}: found {count} rows of this id, allowed: one"
    domains = defaultdict(set)
    for row in rows:
        domains[row.source_document].add(row.domain)
    for document, found in domains.items():
        if len(found) > 1:
            yield f"{document}: gives pages to {' and '.join(DOMAINS)}, which may share no document"
