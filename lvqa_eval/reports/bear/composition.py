"""Figure 2: what the set is made of."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from lvqa_eval.metrics.bear.composition import cells_share_no_document, document_types, parts
from lvqa_eval.metrics.bear.groups import Pages, by_cell, by_content, by_language, by_steps, inside
from lvqa_eval.metrics.groups import Groups
from lvqa_eval.reports.bear.inputs import PageInputs
from lvqa_eval.reports.bear.page_rows import LANGUAGE_NAMES, PAPER
from lvqa_eval.reports.exhibit import Exhibit, Plot
from lvqa_eval.reports.plots.bars import draw_stacked
from lvqa_eval.reports.plots.legend import legend_above
from lvqa_eval.reports.plots.style import WIDTH
from lvqa_eval.reports.reported import reported_table
from lvqa_eval.reports.table import Head, Table, Value

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

NAME: Final = "bear-figure-2"
TITLE: Final = "Composition of the set"
ASKED: Final = "The pages that these runs were asked about"
DEFINITION: Final = (
    "{which}, one question each. Shares are of all pages. A page may hold several kinds of content, or none. "
    "Steps: how many the question takes, as its writer stated.",
    "Characters: the median over a group's pages of what OCR finds, white space left out.",
)
_MOST_TYPES: Final = 8


def exhibit(inputs: PageInputs) -> Exhibit:
    """Return Figure 2 of the pages of a study."""
    return composition_of(inputs.study.questions)


def composition_of(pages: Pages, which: str = ASKED) -> Exhibit:
    """Return Figure 2: pages by cell, document type, content and number of steps; `which` names the pages."""
    documents = len({page.source_document for page in pages})
    tables = [_group_table(NAME, "Pages by cell", "Cell", pages, by_cell(pages)), _types(pages)]
    if content := by_content(pages):
        tables.append(_group_table(f"{NAME}-content", "Pages by content", "Content", pages, content))
    tables.append(_group_table(f"{NAME}-steps", "Pages by steps", "Steps", pages, by_steps(pages)))
    apart = (
        "no document has pages in two cells" if cells_share_no_document(pages) else "some are in two cells"
    )
    return Exhibit(
        name=NAME,
        label="Figure 2",
        title=TITLE,
        paper=PAPER,
        definition=tuple(paragraph.format(which=which) for paragraph in DEFINITION),
        basis=(("Pages", f"{len(pages):,}"), ("Source documents", f"{documents:,}; {apart}")),
        tables=tuple(tables),
        plot=_plot(pages),
        reported=_reported(pages),
    )


def _group_table(name: str, title: str, first: str, pages: Pages, groups: Groups) -> Table:
    heads = (
        *(Head(first), Head("Pages", "count"), Head("Source documents", "count"), Head("Share, %", "share")),
        Head("Median, characters", "number"),
    )
    rows = [
        (part.name, part.pages, part.documents, part.share, part.characters) for part in parts(pages, groups)
    ]
    return Table(name, title, heads, tuple(rows))


def _types(pages: Pages) -> Table:
    cells = tuple(by_cell(pages))
    heads = (Head("Document type"), Head("Pages", "count"), Head("Source documents", "count"))
    rows: list[tuple[Value, ...]] = [
        (part.name, part.pages, part.documents, *part.by_cell) for part in document_types(pages)
    ]
    titles = (*heads, *(Head(cell, "count") for cell in cells))
    return Table(f"{NAME}-types", "Pages by document type", titles, tuple(rows))


def _plot(pages: Pages) -> Plot:
    every = {
        "Cell": by_cell(pages),
        "Document type": _most_common_types(pages),
        "Steps": by_steps(pages),
        "Content": by_content(pages),
    }
    panels: Mapping[str, Groups] = {title: groups for title, groups in every.items() if groups}
    sizes = [len(groups) for groups in panels.values()]
    rows = [max(sizes[:2]), max(sizes[2:])]
    languages = by_language(pages)

    def draw(figure: "Canvas") -> None:
        grid = figure.subplots(2, 2, height_ratios=[count + 1 for count in rows]).ravel()
        for axes, (title, groups) in zip(grid, panels.items(), strict=False):
            series = {
                LANGUAGE_NAMES.get(name, name): [int((mask & asked).sum()) for mask in groups.values()]
                for name, asked in languages.items()
            }
            draw_stacked(axes, list(groups), series)
            axes.set_title(title)
            axes.set_xlabel("pages")
        for axes in grid[len(panels) :]:
            axes.set_visible(False)
        legend_above(*grid[: len(panels)])

    return Plot(draw, (WIDTH, 1.8 + 0.26 * sum(rows)), _alt(pages, inside(languages, by_cell(pages))))


def _most_common_types(pages: Pages) -> Groups:
    """Return the document types with the most pages, and all others as one."""
    named = np.array([page.document_type for page in pages], dtype=object)
    common = [part.name for part in document_types(pages)]
    shown = common if len(common) <= _MOST_TYPES else common[: _MOST_TYPES - 1]
    groups = {name: np.asarray(named == name) for name in shown}
    others = ~np.isin(named.astype(str), shown)
    return {**groups, f"{len(common) - len(shown)} others": others} if others.any() else groups


def _alt(pages: Pages, cells: Mapping[str, Groups]) -> str:
    counts = [f"{name} {int(mask.sum()):,}" for groups in cells.values() for name, mask in groups.items()]
    kinds = _counts(by_content(pages))
    return (
        f"{len(pages):,} pages. By cell: {', '.join(counts)}. By content: {kinds}. "
        f"By steps: {_counts(by_steps(pages))}."
    )


def _counts(groups: Groups) -> str:
    return ", ".join(f"{name} {int(mask.sum()):,}" for name, mask in groups.items()) or "none"


def _reported(pages: Pages) -> Table:
    printed = reported_table(PAPER, "composition")
    held = by_cell(pages)
    rows: Sequence[tuple[Value, ...]] = [
        (
            name := row.keys["cell"],
            int(row.figures["pages"].value),
            int(held[name].sum()) if name in held else math.nan,
        )
        for row in printed.rows
    ]
    heads = (Head("Cell"), Head("Reported, pages", "count", reported=True), Head("Here, pages", "count"))
    return Table(f"{NAME}-reported", f"Reported in {printed.source}, and here", heads, tuple(rows))
