"""Characters by OCR against the text layer where it is trusted, for real documents; and pages a second.

    python scripts/check/ocr_counts.py FOLDER [PAGES]

Of each PDF in FOLDER, PAGES (3) pages at even distances are read at 150 dpi, by one process and again by two,
which must agree. Fails where the median count by OCR is more than 5 % off the median count of trusted layers.
"""

import statistics
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from dataset_builders.bear_bench.language import language_of
from dataset_builders.bear_bench.layer_characters import read_characters
from dataset_builders.bear_bench.ocr import OCR_DPI, read_picture
from dataset_builders.bear_bench.pdf import opened
from dataset_builders.bear_bench.processes import Lost, in_processes
from dataset_builders.bear_bench.text_layer import judge, settle
from dataset_builders.bear_bench.words import characters

MOST_OFF = 0.05


@dataclass(frozen=True)
class Measured:
    """A page: characters of its layer and by OCR, why that is not trusted, the language of what is used."""

    layer: int
    ocr: int
    distrust: str | None
    language: str


def main() -> None:
    folder = Path(sys.argv[1])
    each = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    units = [(path, page) for path in sorted(folder.glob("*.pdf")) for page in inked_pages(path, each)]
    measured = {}
    for workers in (1, 2):
        start = time.perf_counter()
        measured[workers] = dict(in_processes(measure, units, workers, 600))
        seconds = time.perf_counter() - start
        print(f"{workers} process{'es' if workers > 1 else ''}: {len(units) / seconds:.2f} pages a second")
    assert measured[1] == measured[2], "two processes read what one does not"
    print(f"{len(units)} pages read twice, the same both times\n")
    off = [path.name for path in sorted(folder.glob("*.pdf")) if not row(path, units, measured[1])]
    if off:
        raise SystemExit(f"FAILED: more than {MOST_OFF:.0%} off: {', '.join(off)}")


def inked_pages(path: Path, each: int) -> list[int]:
    """Return pages at even distances, the first that are not blank from there."""
    with opened(path) as pdf:
        numbers = pdf.loading_pages()
        count = len(numbers)
        starts = sorted({round((at + 0.5) * count / each - 0.5) for at in range(each)})
        found = []
        for start in starts:
            for number in numbers[start:]:
                with pdf.page(number) as page:
                    if number not in found and read_characters(page).page_ink > 0:
                        found.append(number)
                        break
        return found


def measure(unit: tuple[Path, int]) -> Measured:
    """Read a page both ways."""
    path, number = unit
    with opened(path) as pdf, pdf.page(number) as page:
        picture = page.draw(OCR_DPI, grey=True)
        layer = judge(read_characters(page))
    text = read_picture(picture)
    distrust = layer.distrust or settle(layer, text)
    used = text if distrust else layer.text
    return Measured(characters(layer.text), characters(text), distrust, language_of(used))


def row(path: Path, units: list[tuple[Path, int]], measured: dict[int, Measured | Lost]) -> bool:
    """Print the line of a document; tell whether its counts agree."""
    pages = [measured[at] for at, unit in enumerate(units) if unit[0] == path]
    trusted = [page for page in pages if page.distrust is None]
    why = Counter(page.distrust for page in pages if page.distrust)
    languages = "+".join(sorted({page.language for page in pages}))
    line = f"{path.stem[:44]:44} {languages:8} {len(pages)} pages"
    share = 0.0
    if trusted:
        layer, ocr = (statistics.median(getattr(page, name) for page in trusted) for name in ("layer", "ocr"))
        share = ocr / layer - 1
        line += f"  layer {layer:6.0f}  OCR {ocr:6.0f}  {share:+6.1%}"
    print(line + "".join(f"  {count} by OCR: {reason}" for reason, count in why.items()))
    return abs(share) <= MOST_OFF


if __name__ == "__main__":
    main()
