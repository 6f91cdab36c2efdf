"""The report as one HTML page that needs nothing else: no script, no request, light and dark."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Final

from lvqa_eval.reports.conditions import depths
from lvqa_eval.reports.conditions.formats import TITLE, contrast_sentences
from lvqa_eval.reports.conditions.outcomes import COUNTED_AS_WRONG, OUTCOME_COLUMNS
from lvqa_eval.reports.conditions.page_rows import page_table
from lvqa_eval.reports.conditions.table import ConditionTable
from lvqa_eval.reports.definitions import BASELINE, DEFINITIONS, EXHIBITS
from lvqa_eval.reports.exhibit_view import ExhibitView, exhibit_view
from lvqa_eval.reports.field import headlines
from lvqa_eval.reports.glyphs import HEIGHT, WIDTH
from lvqa_eval.reports.numerals import PRINTED
from lvqa_eval.reports.report import Report
from lvqa_eval.reports.stems import CONDITIONS, DEPTHS, TABLES, file_links, stem, table_paths
from lvqa_eval.reports.templates import FOLDER, load_template, style_sheets

BENCHMARKS: Final = {"layered-vqa": "Layered-VQA", "bear-bench": "BEAR-Bench"}
"""How each benchmark is written."""


@dataclass(frozen=True)
class Entry:
    """One line of the list of what is on the page; `lacking` where an exhibit lacks its inputs."""

    anchor: str
    title: str
    label: str = ""
    lacking: bool = False


def page(report: Report, drawn: Mapping[str, str]) -> str:
    """Return the page; `drawn` has the figures as SVG by the stem of their exhibit."""
    table = report.conditions
    views = [exhibit_view(one, drawn.get(stem(one), "")) for one in report.exhibits]
    models = tuple(dict.fromkeys(one.model for one in report.sources))
    deliveries = _deliveries(report)
    return load_template("page.html").render(
        report=report,
        title=table.model if table else _title(models),
        lead=f"The same scenes and questions, delivered in {deliveries} ways." if deliveries else "",
        benchmarks=" and ".join(BENCHMARKS[part.paper] for part in report.parts),
        names=BENCHMARKS,
        css=style_sheets(FOLDER / "page.css", FOLDER / "report.css"),
        contents_of=_contents(report, views),
        strip=[one for part in report.parts if part.field for one in headlines(part.field)],
        views=views,
        identities=_identities(report),
        definitions=_definitions(report),
        version=version("lvqa"),
        printed=PRINTED,
        table=table,
        **(_conditions(table) if table else {}),
    )


def flat(identity: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield the leaves of a nested mapping as (dotted key, text), in their order."""
    for key, value in identity.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{prefix}{key}.")
        elif isinstance(value, Sequence) and not isinstance(value, str):
            yield f"{prefix}{key}", ", ".join(map(str, value))
        else:
            yield f"{prefix}{key}", str(value)


def _title(models: Sequence[str]) -> str:
    return models[0] if len(models) == 1 else f"{len(models)} models"


def _deliveries(report: Report) -> int:
    """Return in how many ways scenes and questions were delivered; 0 without Layered-VQA."""
    if report.conditions is not None:
        return sum(not row.baseline for row in report.conditions.rows)
    return max((len(part.field) for part in report.parts), default=0)


def _conditions(table: ConditionTable) -> dict[str, Any]:
    """Return what the sections of one run's condition table are filled with."""
    return {
        "drawn": page_table(table),
        "contrast": contrast_sentences(table.contrast, PRINTED) if table.contrast else None,
        "depths": depths,
        "outcome_columns": list(OUTCOME_COLUMNS),
        "counted_as_wrong": COUNTED_AS_WRONG,
        "glyph_size": (WIDTH, HEIGHT),
        "links": {
            "conditions": file_links(table_paths(CONDITIONS)),
            "depths": file_links([f"{TABLES}/{DEPTHS}.csv"]),
        },
    }


def _contents(report: Report, views: Sequence[ExhibitView]) -> dict[str, list[Entry]]:
    """Return what is on the page, under the name of its benchmark; what belongs to none comes last."""
    groups: dict[str, list[Entry]] = {}
    if len(report.sources) > 1:
        groups["Runs"] = [Entry("runs", "Runs")]
    table = report.conditions
    if table is not None:
        own = groups.setdefault(BENCHMARKS["layered-vqa"], [Entry("by-condition", TITLE)])
        own += [Entry("by-depth", depths.TITLE)] if table.depths else []
        own.append(Entry("by-outcome", "Outcomes"))
    for view in views:
        shown = view.exhibit
        entry = Entry(view.anchor, shown.title, shown.label, shown.missing is not None)
        groups.setdefault(BENCHMARKS[shown.paper], []).append(entry)
    groups["About"] = [
        Entry("measured", "What was measured"),
        Entry("reading", "How to read it"),
        Entry("again", "How to make it again"),
    ]
    return groups


def _identities(report: Report) -> dict[str, list[tuple[str, str]]]:
    """Return everything that names each run, its judge's settings among them."""
    alone = len(report.sources) == 1
    return {
        f"Everything that names {'this run' if alone else one.run}": list(
            flat({**one.settings, "judges": one.judges})
        )
        for one in report.sources
    }


def _definitions(report: Report) -> dict[str, str]:
    table = report.conditions
    if table is None:
        return EXHIBITS
    baseline = any(row.baseline for row in table.rows)
    return DEFINITIONS | (BASELINE if baseline else {}) | (EXHIBITS if report.exhibits else {})
