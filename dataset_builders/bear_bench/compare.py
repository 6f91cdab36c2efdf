"""How much text the images of other benchmarks hold: OCR characters on a random sample of each."""

import hashlib
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dataset_builders.bear_bench.image_sets import ImageSet, ImageSetError, NamedSet, open_images
from dataset_builders.bear_bench.ocr import engine, read_picture
from dataset_builders.bear_bench.pixels import read_pixels
from dataset_builders.bear_bench.processes import Lost, in_processes
from dataset_builders.bear_bench.words import characters
from lvqa_eval.images.decoding import PictureError
from lvqa_eval.metrics.bear.ocr_characters import SAMPLE
from lvqa_eval.progress import progress
from lvqa_eval.reports.bear.ocr_counts import OcrCount, read_ocr_counts, write_ocr_counts
from lvqa_eval.runs.lines import AppendLog, read_lines

SECONDS = 300
"""Most time for an image."""

SEED = 0


@dataclass(frozen=True)
class CompareOptions:
    """`size` images of each set, drawn by `seed`; `workers` processes read them, None for one a core."""

    size: int = SAMPLE
    seed: int = SEED
    workers: int | None = None


def run(sets: Sequence[NamedSet], out: Path, options: CompareOptions | None = None) -> dict[str, OcrCount]:
    """Count every set and write `out`, beside the sets that it has already; returns those counted now.

    An image is read once: what a killed run had is kept in `<out>.partial` until all is done. Raises
    ImageSetError for a set that cannot be opened, before any is counted.
    """
    chosen = options or CompareOptions()
    repeated = sorted({one.name for one in sets if [two.name for two in sets].count(one.name) > 1})
    if repeated:
        raise ImageSetError(f"found {', '.join(repeated)} more than once, allowed: one set a name")
    opened = [(named, open_images(named)) for named in sets]
    partial = out.with_name(f"{out.name}.partial")
    found: dict[str, OcrCount] = {}
    for named, images in opened:
        found[named.name] = _count(named, images, partial, chosen)
        standing = read_ocr_counts(out) if out.exists() else {}
        write_ocr_counts(out, dict(sorted({**standing, **found}.items())))
    partial.unlink(missing_ok=True)
    return found


def drawn(images: int, size: int, seed: int) -> tuple[int, ...]:
    """Return the places of a random sample, in ascending order; all where there are no more."""
    rng = np.random.Generator(np.random.PCG64(seed))
    return tuple(np.sort(rng.choice(images, size=min(size, images), replace=False)).tolist())


def _count(named: NamedSet, images: ImageSet, partial: Path, options: CompareOptions) -> OcrCount:
    places = drawn(len(images), options.size, options.seed)
    with tempfile.TemporaryDirectory() as folder, AppendLog(partial) as log:
        files = dict(_spread(images.files(places), Path(folder)))
        counted = _kept(partial)
        missing = sorted({path for path in files.values() if path.name not in counted})
        with progress(named.name, len(missing)) as advance:
            for at, read in in_processes(_read, missing, options.workers, SECONDS):
                told = read.detail if isinstance(read, Lost) else read
                counted[missing[at].name] = told
                log.append({"sha256": missing[at].name, "reader": engine(), "found": told})
                advance()
    results = {place: counted[path.name] for place, path in files.items()}
    failed = {place: one for place, one in results.items() if isinstance(one, str)}
    if len(failed) == len(results):
        first = next(iter(failed.values()))
        raise ImageSetError(f"{named.name}: {named.where}: no image can be read: {first}")
    return OcrCount(
        place=named.where,
        column=images.column,
        images=len(images),
        seed=options.seed,
        drawn=places,
        characters=tuple(one for one in results.values() if isinstance(one, int)),
        failed=failed,
        reader=engine(),
    )


def _spread(files: Iterable[tuple[int, bytes]], folder: Path) -> Iterator[tuple[int, Path]]:
    """Write each picture to a file of its hash, where a process can read it; yield its place and path."""
    for place, stored in files:
        path = folder / hashlib.sha256(stored).hexdigest()
        path.write_bytes(stored)
        yield place, path


def _kept(partial: Path) -> dict[str, int | str]:
    records: list[dict[str, Any]] = read_lines(partial)[0]
    return {one["sha256"]: one["found"] for one in records if one["reader"] == engine()}


def _read(path: Path) -> int | str:
    """Return the characters of a picture that are not white space, or why it cannot be read."""
    from PIL import Image

    try:
        pixels = read_pixels(path)
    except PictureError as error:
        return error.reason
    return characters(read_picture(Image.fromarray(pixels)))
