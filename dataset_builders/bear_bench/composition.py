"""What a built dataset is made of: the tables of Figure 2, and its files."""

from pathlib import Path

import click

from lvqa_eval.benchmarks import BEAR_BENCH
from lvqa_eval.files import write_whole
from lvqa_eval.metrics.bear.conditions import DEFAULT
from lvqa_eval.reports.bear.composition import composition_of
from lvqa_eval.reports.exhibit import Exhibit
from lvqa_eval.reports.plots.style import render
from lvqa_eval.reports.stems import figure_paths, table_stems
from lvqa_eval.reports.table import cells
from lvqa_eval.reports.write import table_files
from lvqa_eval.runs.records import PageRecord
from lvqa_eval.runs.terminal import Column, print_table


def composition(dataset: str) -> Exhibit:
    """Return Figure 2 of the pages of a dataset, a folder or ORG/NAME on the Hub."""
    records = [row.record() for row in BEAR_BENCH.open(dataset).rows(DEFAULT)]
    pages = [one for one in records if isinstance(one, PageRecord)]
    return composition_of(pages, "The pages of the dataset")


def print_composition(exhibit: Exhibit) -> None:
    """Print every table, and what the paper prints of it."""
    for label, text in exhibit.basis:
        click.echo(f"{label}: {text}")
    for _, table in table_stems(exhibit):
        click.echo(f"\n{table.title}")
        heads = [Column(head.title, "left" if head.kind == "text" else "right") for head in table.heads]
        print_table(heads, cells(table))


def write_composition(exhibit: Exhibit, out: Path) -> list[Path]:
    """Write the figure (SVG, PNG) and its tables (CSV, Markdown, LaTeX) below `out`; return the paths."""
    files: dict[str, str | bytes] = dict(table_files(exhibit, ()))
    if exhibit.plot is not None:
        rendered = render(exhibit.plot)
        files |= zip(figure_paths(exhibit), (rendered.svg, rendered.png), strict=True)
    for name, content in files.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        write_whole(out / name, content)
    return [out / name for name in files]
