"""The files of a comparison: a page, two tables as CSV, and everything as Markdown."""

from pathlib import Path

from lvqa_eval.files import write_whole
from lvqa_eval.reports.compare.comparison import Comparison
from lvqa_eval.reports.compare.page import page
from lvqa_eval.reports.compare.pictures import Thumbnails
from lvqa_eval.reports.compare.tables import differences_csv, flips_csv, markdown


def write_comparison(found: Comparison, out: Path, thumbnails: Thumbnails, command: str, flips: int) -> Path:
    """Write `index.html`, `differences.csv`, `flips.csv` and `comparison.md`; return the path of the page.

    Each file is whole or as it was before.
    """
    files = {
        "differences.csv": differences_csv(found),
        "flips.csv": flips_csv(found),
        "comparison.md": markdown(found),
        "index.html": page(found, thumbnails, command, flips),
    }
    out.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        write_whole(out / name, text)
    return out / "index.html"
