"""Tables as files: CSV that a spreadsheet does not run, and JSON with what it was computed from.

Numbers are not rounded. Text that a spreadsheet would take for a formula has an apostrophe before it.
"""

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any, Final

import orjson

from leaderboard.board.columns import ENTRY_CELLS, Cell, Column, cell
from leaderboard.board.records import DetectorRow, Entry, JudgeBoard, Matrix, Row, Standing
from lvqa_eval.metrics.bootstrap import Estimate
from lvqa_eval.metrics.figures import Figure

FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""How text begins that a spreadsheet would compute; some programs take the wide signs for the plain ones."""

BOM: Final = "\ufeff"
"""By which some spreadsheets know UTF-8."""

_PARTS: Final = ("", "_low", "_high", "_n")

Texts = Mapping[str, str]
"""The words of a language by key, as `leaderboard.html.words.texts` returns them."""


@dataclass(frozen=True)
class Head:
    """One column of a file: its name there, its title and its definition in words, and its unit."""

    name: str
    title: str = ""
    definition: str = ""
    unit: str = ""


@dataclass(frozen=True)
class Download:
    """A table as it is handed out; every row has a cell for every head.

    `about`: the state of the board and the dataset that it is of.
    """

    name: str
    heads: tuple[Head, ...]
    rows: tuple[tuple[Cell, ...], ...]
    about: Mapping[str, Any] = field(default_factory=dict)

    def csv(self, bom: bool = False) -> bytes:
        """Return the table as CSV in UTF-8, its lines ended as RFC 4180 says; what is absent is empty."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\r\n")
        writer.writerow([_text(head.name) for head in self.heads])
        writer.writerows([_csv_cell(value) for value in row] for row in self.rows)
        return ((BOM if bom else "") + text.getvalue()).encode()

    def json(self) -> bytes:
        """Return the table as JSON: what it is of, its columns with their definitions, a mapping a row."""
        names = [head.name for head in self.heads]
        content = {
            "table": self.name,
            **self.about,
            "lvqa": version("lvqa"),
            "columns": self.heads,
            "rows": [dict(zip(names, row, strict=True)) for row in self.rows],
        }
        return orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def ranking_download(
    rows: Sequence[Row], columns: Sequence[Column], texts: Texts, standing: Standing, state: str
) -> Download:
    """Return a ranking with the columns given; a figure has its interval and its n beside it."""
    heads = [Head(name) for name in ("tier", "shown", "reason", "model", "id", "version", "source")]
    for one in columns:
        heads += [_head(one, one.key, texts)] if one.key in ENTRY_CELLS else _heads(one, texts)
    return Download(
        "ranking",
        tuple(heads),
        tuple((*_named(row), *(value for one in columns for value in _cells(row, one))) for row in rows),
        _about(standing, state),
    )


def history_download(
    entries: Sequence[Entry], scores: Mapping[str, Figure], standing: Standing, state: str
) -> Download:
    """Return every submission with its score in the ranking column."""
    names = (
        *("received", "model", "revision", "version", "newest", "badge", "shown", "reason"),
        *(f"score{part}" for part in _PARTS),
        *("coverage", "dataset_version", "harness", "judges", "id"),
    )
    rows = tuple(
        (
            *(one.received, one.model, one.revision, one.version, _yes(one.newest)),
            *(one.badge, one.shown, one.reason, *_figure(scores.get(one.id)), one.coverage),
            *(one.dataset_version, one.harness, ", ".join(one.judges), one.id),
        )
        for one in entries
    )
    return Download("history", tuple(map(Head, names)), rows, _about(standing, state))


def matrix_download(name: str, matrix: Matrix, row: str, standing: Standing, state: str) -> Download:
    """Return a matrix, a row a line; `row` is the name of the column of the rows' names."""
    heads = (row, *(f"{column}{part}" for column in matrix.columns for part in _PARTS))
    rows = tuple(
        (one, *(value for column in matrix.columns for value in _figure(matrix.cells.get((one, column)))))
        for one in matrix.rows
    )
    return Download(name, tuple(map(Head, heads)), rows, _about(standing, state))


def detectors_download(rows: Sequence[DetectorRow], state: str) -> Download:
    """Return detectors by the model whose answers they score, with every measure."""
    measures = ("balanced_accuracy", "auroc", "average_precision")
    names = (
        *("model", "benchmark", "condition", "detector", "source", "reported"),
        *(f"{measure}{part}" for measure in measures for part in _PARTS[:3]),
        *("prevalence", "random_precision", "n", "unscored", "median_words"),
    )
    lines = tuple(
        (
            *(one.model, one.benchmark, one.condition, one.detector, one.source, _yes(one.reported)),
            *(value for measure in measures for value in _figure(one.figures.get(measure))[:3]),
            *(_number(one.prevalence), _number(one.random_precision), one.n, one.unscored),
            _number(one.words),
        )
        for one in rows
    )
    return Download("detectors", tuple(map(Head, names)), lines, {"state": state})


def judges_download(board: JudgeBoard, state: str) -> Download:
    """Return leniency and self-preference of each judge."""
    names = ("judge", *(f"{trait}{part}" for trait in ("leniency", "self_preference") for part in _PARTS))
    judges = dict.fromkeys([*board.leniency, *board.self_preference])
    rows = tuple(
        (one, *_figure(board.leniency.get(one)), *_figure(board.self_preference.get(one))) for one in judges
    )
    return Download("judges", tuple(map(Head, names)), rows, {"state": state, "benchmark": board.benchmark})


def agreement_download(board: JudgeBoard, state: str) -> Download:
    """Return the agreement of judges with each other and with people."""
    names = ("first", "second", *(f"agreement{part}" for part in _PARTS), "kappa")
    rows = tuple((one, other, *_figure(figure), kappa) for one, other, figure, kappa in board.agreement)
    return Download(
        "agreement", tuple(map(Head, names)), rows, {"state": state, "benchmark": board.benchmark}
    )


def _about(standing: Standing, state: str) -> dict[str, Any]:
    return {
        "state": state,
        "benchmark": standing.benchmark,
        "dataset_version": standing.version,
        "manifest_sha256": standing.manifest_sha256,
    }


def _heads(one: Column, texts: Texts) -> list[Head]:
    return [_head(one, f"{one.key}{part}", texts) for part in _PARTS]


def _head(one: Column, name: str, texts: Texts) -> Head:
    return Head(name, texts[one.title], texts[f"term.{one.definition}.meaning"], one.unit)


def _named(row: Row) -> tuple[Cell, ...]:
    entry = row.entry
    tier = math.nan if row.tier is None else row.tier
    return tier, entry.shown, entry.reason or None, entry.model, entry.id or None, entry.version, entry.source


def _cells(row: Row, one: Column) -> tuple[Cell, ...]:
    return (cell(row, one.key),) if one.key in ENTRY_CELLS else _figure(row.figures.get(one.key))


def _figure(figure: Estimate | None) -> tuple[Cell, Cell, Cell, Cell]:
    if figure is None:
        return math.nan, math.nan, math.nan, math.nan
    return figure.value, figure.low, figure.high, figure.n


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _csv_cell(value: Cell) -> str | float:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return _text(value) if isinstance(value, str) else value


def _text(text: str) -> str:
    """Return text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(FORMULA) else text
