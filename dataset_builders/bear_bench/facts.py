"""What manifest and card say about a built dataset."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version as package_version
from typing import Any

from dataset_builders.bear_bench.records import LABELS
from dataset_builders.bear_bench.rows import CANARY
from dataset_builders.licences import ANNOTATIONS
from dataset_builders.publishing.licensing import MIXED, Licensing, licensing
from lvqa_eval.pages import CELLS, PageRow

TITLE = "BEAR-Bench"
NAME = "bear-bench"
DESCRIPTION = (
    "Pages of business and science documents in English and Russian, each with one question of several steps "
    "and a short answer that the page alone gives. A benchmark; not for training."
)


PROCEDURAL = "procedural"
"""The source of pages that this project typesets; they are never mixed with collected ones."""

_COLLECTED = """\
Documents were collected, and used only where they say themselves that they may be, or where a person put
down why: first and last five pages were searched for the marks of a filing with the Securities and Exchange
Commission, for open licences and for the public domain, in both languages. Pages were drawn, labelled by
what they contain, and kept where they show diagrams, equations or code and are dense in text for their
language. A person then wrote the question, checked the labels and stated the steps."""

_TYPESET = """\
**These pages are typeset by this project, with invented companies, people and figures.** They stand in for
collected ones where there are none, with questions, answers, labels and steps that are true by
construction. Results on them say nothing about results on collected pages, and are not comparable with
them."""


def manifest_facts(
    rows: Sequence[PageRow], version: str, sources: Iterable[str], drops: Mapping[str, Mapping[str, int]]
) -> dict[str, Any]:
    """Return the manifest but for the hashes.

    `sources` names the source of every document; `drops` has stage -> reason -> how many were left out.
    """
    cells = Counter(row.cell for row in rows)
    return {
        "dataset": NAME,
        "version": version,
        "canary": CANARY,
        "builder": {"lvqa": package_version("lvqa"), "pyarrow": package_version("pyarrow")},
        "sources": _counted(sources),
        "cells": {cell: cells[cell] for cell in CELLS},
        "counts": counts(rows),
        "drops": {stage: dict(reasons) for stage, reasons in drops.items()},
    }


def counts(rows: Sequence[PageRow]) -> dict[str, Any]:
    """Return how the pages spread."""
    steps = Counter(row.reasoning_steps for row in rows if row.reasoning_steps is not None)
    return {
        "pages": len(rows),
        "documents": len({row.source_document for row in rows}),
        "by_content": {label: sum(_contains(row, label) for row in rows) for label in LABELS},
        "by_document_type": _counted(row.document_type for row in rows),
        "by_licence": _counted(row.licence for row in rows),
        "reasoning_steps": {str(number): count for number, count in sorted(steps.items())},
        "without_reasoning_steps": len(rows) - sum(steps.values()),
    }


def licence_of_all(rows: Iterable[PageRow], annotations: str, allow_unknown: bool) -> Licensing:
    """Return what may be done with pages and questions together.

    A page is shown as it is in its document, so that licences which forbid changed forms allow it.
    """
    pages = {row.id: row.licence for row in rows}
    return licensing(pages, annotations, allow_unknown, work="page", changed=False)


def citation(version: str) -> str:
    """Return the project's BibTeX entry; the paper has its authors' own, so the card names its title."""
    return (
        "@misc{lvqa_bear,\n"
        "  title = {{LVQA}: evaluating vision-language models on pages of documents},\n"
        "  author = {{The LVQA developers}},\n"
        f"  note = {{BEAR-Bench, version {version}}}\n"
        "}"
    )


def card_facts(facts: Mapping[str, Any], rows: Sequence[PageRow]) -> dict[str, Any]:
    """Return what fills the holes of the card's template."""
    spread = facts["counts"]
    steps = [*spread["reasoning_steps"].items(), ("not stated", spread["without_reasoning_steps"])]
    return {
        "version": facts["version"],
        "pages": spread["pages"],
        "documents": spread["documents"],
        "canary": CANARY,
        "made": _TYPESET if set(facts["sources"]) == {PROCEDURAL} else _COLLECTED,
        "cells": _cells(rows),
        "content": _table("the page contains", "pages", spread["by_content"].items()),
        "document_types": _table("document type", "pages", spread["by_document_type"].items()),
        "steps": _table("steps to the answer", "pages", steps),
        "licences": _table("licence", "pages", spread["by_licence"].items()),
        "sources": _table("source", "documents", facts["sources"].items()),
        "drops": _drops(facts["drops"]),
        "annotations_licence": ANNOTATIONS,
        "together": _together(licence_of_all(rows, ANNOTATIONS, True)),
        "citation": citation(facts["version"]),
    }


def _contains(row: PageRow, label: str) -> bool:
    return bool(getattr(row, f"contains_{label}"))


def _counted(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items(), key=lambda pair: (-pair[1], pair[0])))


def _cells(rows: Sequence[PageRow]) -> str:
    lines = ["| cell | pages | documents |", "|---|---:|---:|"]
    for cell in CELLS:
        inside = [row for row in rows if row.cell == cell]
        lines.append(f"| `{cell}` | {len(inside)} | {len({row.source_document for row in inside})} |")
    return "\n".join(lines)


def _drops(drops: Mapping[str, Mapping[str, int]]) -> str:
    lines = ["| stage | left out because of | how many |", "|---|---|---:|"]
    for stage, reasons in drops.items():
        lines += [f"| {stage} | {_cell(reason)} | {count} |" for reason, count in reasons.items()]
    return "\n".join(lines) if len(lines) > 2 else "No stage left anything out."


def _together(licence: Licensing) -> str:
    terms = ", ".join(licence.terms) or "nothing"
    if licence.whole != MIXED:
        return f"Together they can be passed on under the strictest of these, **{licence.whole}** ({terms})."
    return (
        "No single one of these covers the set as a whole, so each page keeps its own. Together those whose "
        f"terms are known ask for: {terms}."
    )


def _table(name: str, value: str, lines: Iterable[tuple[str, int]]) -> str:
    return "\n".join([f"| {name} | {value} |", "|---|---:|", *_lines(lines)])


def _lines(lines: Iterable[tuple[str, int]]) -> Iterator[str]:
    yield from (f"| {_cell(name)} | {count} |" for name, count in lines)


def _cell(value: str) -> str:
    """Write a text so that it stays one cell of a Markdown table."""
    return " ".join(value.split()).replace("|", "\\|")
