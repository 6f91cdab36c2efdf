"""A small BEAR-Bench folder: two pages a cell, with pixels that nothing else has."""

import io
import json

import numpy as np
from PIL import Image

from lvqa_eval.pages import CELLS, COLUMNS, PICTURE, PageRow

SIZES = {
    "business-en-1": (240, 180),
    "business-en-2": (131, 97),
    **{f"{cell}-{number}": (64, 48 + 4 * number) for cell in CELLS[1:] for number in (1, 2)},
}
"""The pages in the order of the dataset, with width and height."""

SEE_THROUGH = "science-ru-2"
"""The page whose picture has alpha."""


def answer(page_id):
    """Return the reference of a page."""
    return f"{100 + list(SIZES).index(page_id)} units"


def question(page_id):
    """Return the words of a question."""
    language = page_id.split("-")[1]
    return f"What is the total of {page_id}?" if language == "en" else f"Каков итог {page_id}?"


def pixels(page_id):
    """Return the pixels of a page: H x W x 3, or x 4 for the one with alpha."""
    width, height = SIZES[page_id]
    rng = np.random.default_rng(list(page_id.encode()))
    found = rng.integers(0, 256, (height, width, 4 if page_id == SEE_THROUGH else 3), np.uint8)
    return found


def png(page_id):
    """Return the file of a page's picture."""
    buffer = io.BytesIO()
    Image.fromarray(pixels(page_id)).save(buffer, "PNG")
    return buffer.getvalue()


def row(page_id):
    """Return the row of a page; the two pages of a cell are of one document."""
    domain, language, number = page_id.split("-")
    width, height = SIZES[page_id]
    return PageRow(
        id=page_id,
        question=question(page_id),
        answer=answer(page_id),
        language=language,
        domain=domain,
        document_type="10-K" if domain == "business" else "figures",
        source_url=f"https://example.org/{domain}-{language}.pdf",
        source_document=f"{domain}-{language}",
        page=int(number),
        licence="CC-BY-4.0",
        contains_diagrams=number == "1",
        contains_tables=True,
        contains_equations=domain == "science",
        contains_code=False,
        contains_figures=number == "2",
        contains_handwriting=False,
        reasoning_steps=3 if number == "1" else None,
        ocr_characters=1000 + height,
        width=width,
        height=height,
    )


def page_folder(folder, version="1.0.0"):
    """Write the dataset and return its folder, as text."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    folder.mkdir(parents=True)
    for cell in CELLS:
        ids = [name for name in SIZES if name.startswith(cell)]
        rows = [
            {**row(name).model_dump(), PICTURE: {"bytes": png(name), "path": f"{name}.png"}} for name in ids
        ]
        table = pa.Table.from_pylist(rows).select(list(COLUMNS))
        parquet.write_table(table, folder / f"{cell}.parquet", row_group_size=1)
    cells = dict.fromkeys(CELLS, 2)
    manifest = {"dataset": "bear-bench", "version": version, "cells": cells}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return str(folder)
