"""`report.json`: everything that shaped a report, and every file of it."""

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import orjson

from lvqa_eval.reports.exhibit import Exhibit
from lvqa_eval.reports.report import Part, Report
from lvqa_eval.reports.sources import Source
from lvqa_eval.reports.stems import MANIFEST, figure_paths, table_paths, table_stems


def manifest(report: Report, files: Sequence[str]) -> bytes:
    """Return the file; `files` are all others of the report, relative to it."""
    content = {
        "lvqa": version("lvqa"),
        "runs": [_run(part, one) for part in report.parts for one in part.sources],
        "draws": report.choices.draws,
        "seed": report.choices.seed,
        "relational": list(report.choices.relational),
        "exhibits": [_exhibit(one) for one in report.exhibits],
        "files": sorted([*files, MANIFEST]),
    }
    return orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def written_files(folder: Path) -> set[str] | None:
    """Return the files that the report in `folder` says it has; None where there is no report."""
    try:
        content = orjson.loads((folder / MANIFEST).read_bytes())
        return {str(path) for path in content["files"]}
    except (OSError, orjson.JSONDecodeError, KeyError, TypeError):
        return None


def exhibit_paths(exhibit: Exhibit) -> list[str]:
    """Return the files of an exhibit, relative to the report."""
    tables = [path for name, _ in table_stems(exhibit) for path in table_paths(name)]
    return [*tables, *figure_paths(exhibit)]


def _run(part: Part, source: Source) -> dict[str, Any]:
    return {
        "run": source.run,
        "benchmark": part.paper,
        "model": source.model,
        "identity": source.digest,
        "dataset": source.settings.get("dataset"),
        "judge": part.judge,
        "post_hoc": part.post_hoc,
        "judges": dict(source.judge_digests),
    }


def _exhibit(exhibit: Exhibit) -> dict[str, Any]:
    return {
        "name": exhibit.name,
        "paper": exhibit.paper,
        "label": exhibit.label,
        "title": exhibit.title,
        "files": exhibit_paths(exhibit),
        "missing": exhibit.missing,
    }
