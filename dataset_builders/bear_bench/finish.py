"""The last stage: pages with their questions become the dataset folder that `load_dataset` reads."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dataset_builders.bear_bench.card import render_card
from dataset_builders.bear_bench.counts import StageCount, counted
from dataset_builders.bear_bench.croissant import write_croissant
from dataset_builders.bear_bench.facts import manifest_facts
from dataset_builders.bear_bench.records import Page
from dataset_builders.bear_bench.rows import STAGE, join, read_material
from dataset_builders.bear_bench.tables import write_cell
from dataset_builders.bear_bench.work import Work
from dataset_builders.manifest import MANIFEST, hash_files, write_manifest
from dataset_builders.standing import BuildError, check_version, replaced, standing
from lvqa_eval.files import replacing
from lvqa_eval.pages import CELLS, PageRow
from lvqa_eval.progress import progress


@dataclass(frozen=True)
class Finished:
    """What was written, and in words what differs from a build that stood there; None where nothing does."""

    folder: Path
    count: StageCount
    replaced: str | None


def run(work: Work, out: Path, version: str, replace: bool = False) -> Finished:
    """Write the dataset to `out`, replacing an earlier build there in one step.

    A build of another version is replaced only on `replace`. Raises BuildError with everything that a person
    must mend; nothing is written then.
    """
    check_version(version)
    before = standing(out, version, replace)
    material = read_material(work)
    joined = join(material)
    if not joined.rows:
        raise BuildError([f"{work.folder}: no item can become a row; a dataset needs at least one"])
    rows = [row for row, _ in joined.rows]
    work.write(STAGE, [page for _, page in joined.rows], joined.drops)
    documents = {row.source_document for row in rows}
    sources = [material.documents[document_id].source for document_id in documents]
    facts = manifest_facts(rows, version, sources, work.counts())
    with replacing(out) as draft:
        _write_cells(work, joined.rows, draft)
        hashes = hash_files(draft)
        (draft / "README.md").write_text(render_card(facts, rows, hashes), encoding="utf-8")
        write_croissant(draft, facts, hashes)
        write_manifest(draft, facts, known=hashes)
        told = replaced(before, json.loads((draft / MANIFEST).read_bytes()))
    return Finished(out, counted(STAGE, "pages", len(rows), joined.drops, (row.cell for row in rows)), told)


def _write_cells(work: Work, rows: tuple[tuple[PageRow, Page], ...], draft: Path) -> None:
    with progress("cells", len(CELLS)) as advance:
        for cell in CELLS:
            inside = [pair for pair in rows if pair[0].cell == cell]
            if inside:
                write_cell(_with_pictures(work, inside), draft / f"{cell}.parquet")
            advance()


def _with_pictures(work: Work, rows: list[tuple[PageRow, Page]]) -> Iterator[tuple[PageRow, bytes]]:
    for row, page in rows:
        path = work.folder / page.file
        try:
            picture = path.read_bytes()
        except OSError as error:
            raise BuildError([f"{path}: cannot be read: {error.strerror}"]) from error
        found = hashlib.sha256(picture).hexdigest()
        if found != page.sha256:
            raise BuildError(
                [f"{path}: changed: found sha256 {found[:16]}, pages.jsonl has {page.sha256[:16]}"]
            )
        yield row, picture
