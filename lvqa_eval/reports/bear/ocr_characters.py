"""Table 1: how much text an image of a benchmark holds."""

from collections.abc import Mapping
from typing import Final

from lvqa_eval.metrics.bear.ocr_characters import SAMPLE, TextPerImage, text_per_image
from lvqa_eval.reports.bear.commands import COMPARE
from lvqa_eval.reports.bear.inputs import PageInputs
from lvqa_eval.reports.bear.page_rows import PAPER
from lvqa_eval.reports.exhibit import Exhibit
from lvqa_eval.reports.reported import reported_table
from lvqa_eval.reports.table import Head, Table, Value

NAME: Final = "bear-table-1"
TITLE: Final = "Text in an image, by benchmark"
OURS: Final = "BEAR-Bench"
DEFINITION: Final = (
    f"Characters that OCR finds in an image, white space left out, over {SAMPLE} images of each benchmark, "
    "drawn by the seed; over all of them where it has fewer.",
    "Intervals: 95 % of a bootstrap over the images of the sample; over source documents for the pages here.",
)


def exhibit(inputs: PageInputs) -> Exhibit:
    """Return Table 1: these pages, and every other benchmark whose images were counted."""
    found = {name: _measured(inputs, name) for name in (*sorted(inputs.ocr or ()), OURS)}
    return Exhibit(
        name=NAME,
        label="Table 1",
        title=TITLE,
        paper=PAPER,
        definition=DEFINITION,
        basis=(("Sample", f"seed {inputs.seed}, {inputs.draws:,} draws"),),
        tables=(_table(inputs, found),),
        reported=_reported(found),
    )


def _measured(inputs: PageInputs, name: str) -> TextPerImage:
    pages = inputs.study.questions
    if name == OURS:
        characters = [page.ocr_characters for page in pages]
        documents = [page.source_document for page in pages]
        return text_per_image(characters, documents, draws=inputs.draws, seed=inputs.seed)
    return text_per_image((inputs.ocr or {})[name], draws=inputs.draws, seed=inputs.seed)


def _table(inputs: PageInputs, found: Mapping[str, TextPerImage]) -> Table:
    characters = [page.ocr_characters for page in inputs.study.questions]
    notes = [f"All {len(characters):,} pages here: mean {sum(characters) / len(characters):.1f} characters."]
    if not inputs.ocr:
        notes.append(f"No other benchmark was counted. This does: {COMPARE}")
    rows: list[tuple[Value, ...]] = [
        (name, one.images, one.mean.n, one.mean, one.median) for name, one in found.items()
    ]
    return Table(
        NAME,
        TITLE,
        (
            Head("Benchmark"),
            Head("Images", "count"),
            Head("Sampled", "count"),
            Head("Mean, characters", "number"),
            Head("Median, characters", "number"),
        ),
        tuple(rows),
        tuple(notes),
    )


def _reported(found: Mapping[str, TextPerImage]) -> Table:
    printed = reported_table(PAPER, "ocr-characters")
    rows: list[tuple[Value, ...]] = [
        (
            name := row.keys["benchmark"],
            row.figures["characters_per_image"].value,
            found[name].mean if name in found else float("nan"),
        )
        for row in printed.rows
    ]
    return Table(
        f"{NAME}-reported",
        f"Reported in {printed.source}, and measured here",
        (
            Head("Benchmark"),
            Head("Reported, characters", "number", reported=True),
            Head("Mean measured here, characters", "number"),
        ),
        tuple(rows),
    )
