"""The files of a report: written beside, then put in place of an older report's at once."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from lvqa_eval.errors import LvqaError
from lvqa_eval.files import replacing
from lvqa_eval.progress import progress
from lvqa_eval.reports.conditions import csv_table, depths, formats
from lvqa_eval.reports.exhibit import Exhibit
from lvqa_eval.reports.manifest import manifest, written_files
from lvqa_eval.reports.page import page
from lvqa_eval.reports.plots.style import Rendered, render
from lvqa_eval.reports.report import Report
from lvqa_eval.reports.stems import (
    CONDITIONS,
    DEPTHS,
    MANIFEST,
    PAGE,
    TABLES,
    check_names,
    figure_paths,
    stem,
    table_paths,
    table_stems,
)
from lvqa_eval.reports.table import comma_separated, latex, markdown

Files = dict[str, str | bytes]


class OccupiedError(LvqaError, ValueError):
    """A folder with something in it that no report wrote."""


def write_report(report: Report, out: Path) -> Path:
    """Write a report as the folder `out`, whole or not at all; return the path of its page.

    A report that is there is replaced with all its files. Raises OccupiedError where `out` has others.
    """
    check_free(out)
    files = render_report(report)
    with replacing(out) as draft:
        for path, content in files.items():
            place = draft / path
            place.parent.mkdir(exist_ok=True)
            place.write_bytes(content.encode() if isinstance(content, str) else content)
    return out / PAGE


def check_free(out: Path) -> None:
    """Raise OccupiedError, naming files, where `out` is a folder with some that no report wrote."""
    if not out.is_dir():
        return
    found = {
        path.relative_to(out).as_posix()
        for path in out.rglob("*")
        if not path.is_dir() and not path.name.startswith(".")
    }
    foreign = sorted(found - (written_files(out) or set()))
    if foreign:
        shown = ", ".join(foreign[:3]) + (f" and {len(foreign) - 3} more" if len(foreign) > 3 else "")
        raise OccupiedError(
            f"{out}: holds what is not of a report's making ({shown}), and a report takes the whole folder; "
            "name another with --out, or move these away"
        )


def render_report(report: Report) -> Files:
    """Return the files of a report by their paths inside it."""
    check_names(report.exhibits)
    drawn = _draw(report.exhibits)
    files = _condition_files(report)
    for part in report.parts:
        for one in part.exhibits:
            files |= dict(table_files(one, part.header))
    for one in report.exhibits:
        if (rendered := drawn.get(stem(one))) is not None:
            files |= dict(zip(figure_paths(one), (rendered.svg, rendered.png), strict=True))
    files[PAGE] = page(report, {name: rendered.svg for name, rendered in drawn.items()})
    return files | {MANIFEST: manifest(report, list(files))}


def _draw(exhibits: tuple[Exhibit, ...]) -> Mapping[str, Rendered]:
    plots = [(stem(one), one.plot) for one in exhibits if one.plot is not None]
    drawn = {}
    with progress("drawing", len(plots)) as advance:
        for name, plot in plots:
            drawn[name] = render(plot)
            advance(name)
    return drawn


def _condition_files(report: Report) -> Files:
    table = report.conditions
    if table is None:
        return {}
    texts = (csv_table.comma_separated(table), formats.markdown(table), formats.latex(table))
    files: Files = dict(zip(table_paths(CONDITIONS), texts, strict=True))
    if table.depths:
        files[f"{TABLES}/{DEPTHS}.csv"] = depths.comma_separated(table)
    return files


def table_files(exhibit: Exhibit, header: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the files of an exhibit's tables, each with all that has to stand beside its figures."""
    about = [*header, *exhibit.basis, *(("Definition", paragraph) for paragraph in exhibit.definition)]
    comments = [exhibit.heading, *(f"{label}: {text}" for label, text in about)]
    for name, table in table_stems(exhibit):
        texts = (comma_separated(table), markdown(exhibit.heading, about, [table]), latex(table, comments))
        yield from zip(table_paths(name), texts, strict=True)
