"""The papers' printed figures as typed tables, read from the YAML files beside this module."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path

import msgspec
import yaml

PAPERS = {"bear-bench": "bear_bench.yaml", "layered-vqa": "layered_vqa.yaml"}
"""The file of each paper, by the name of its benchmark."""

_HERE = Path(__file__).parent
_SEPARATORS = re.compile(r"[\s_-]+")


class Unit(StrEnum):
    """What a printed figure counts."""

    SHARE = "share"
    PER_CENT = "per cent"
    DIFFERENCE = "difference of shares"
    COUNT = "count"
    CHARACTERS = "characters"
    WORDS = "words"
    AREA = "area"
    KAPPA = "kappa"


_OF_ONE = {Unit.SHARE: 1.0, Unit.DIFFERENCE: 1.0, Unit.PER_CENT: 100.0}
"""The units that can be read as a share of 1, and what 1 is in each."""


class ReportedError(ValueError):
    """A table or a row that no paper prints, or a file of figures that is not in form."""


@dataclass(frozen=True)
class ReportedFigure:
    """One number as printed, with its unit and where it is from; never one of ours."""

    value: float
    unit: Unit
    source: str

    @property
    def share(self) -> float:
        """The figure as a share of 1, as measured ones are kept; ReportedError where it is no share."""
        if self.unit not in _OF_ONE:
            raise ReportedError(f"found a figure in {self.unit.value}, needed a share")
        return self.value / _OF_ONE[self.unit]


@dataclass(frozen=True)
class ReportedRow:
    """One row: what it is of by `keys`, and its figures by column; a column that it lacks is not there."""

    keys: Mapping[str, str]
    figures: Mapping[str, ReportedFigure]
    source: str

    @property
    def label(self) -> str:
        """What must stand beside these figures wherever they are shown."""
        return f"reported, {self.source}"


@dataclass(frozen=True)
class ReportedTable:
    """One table of one paper; `where` names it there, empty for figures of the text."""

    paper: str
    source: str
    name: str
    where: str
    caption: str
    keys: tuple[str, ...]
    units: Mapping[str, Unit]
    notes: tuple[str, ...]
    rows: tuple[ReportedRow, ...]

    def find(self, **keys: str) -> tuple[ReportedRow, ...]:
        """Return the rows that have all of `keys`; models are compared by `model_key`.

        Raises ReportedError for a key that the table does not have.
        """
        unknown = sorted(set(keys) - set(self.keys))
        if unknown:
            raise ReportedError(
                f"{self.paper} {self.name}: keys: found {', '.join(unknown)}, allowed: {', '.join(self.keys)}"
            )
        return tuple(
            row for row in self.rows if all(_same(key, row.keys[key], text) for key, text in keys.items())
        )


def reported_row(model: str, paper: str, table: str, **keys: str) -> ReportedRow | None:
    """Return what `paper` prints of `model` in `table`, None where it has no such row.

    `model` may be a Hub id; `keys` choose further where a table has several rows of a model. Raises
    ReportedError for an unknown paper or table, and where several rows are left.
    """
    found = reported_table(paper, table).find(model=model, **keys)
    if len(found) > 1:
        raise ReportedError(f"{paper} {table}: found {len(found)} rows of {model!r}, allowed: one; name keys")
    return found[0] if found else None


def reported_table(paper: str, table: str) -> ReportedTable:
    """Return one table; ReportedError, naming those that there are, for an unknown one."""
    if paper not in PAPERS:
        raise ReportedError(f"paper: found {paper!r}, allowed: {', '.join(PAPERS)}")
    tables = _read(paper)
    if table not in tables:
        raise ReportedError(f"{paper}: table: found {table!r}, allowed: {', '.join(tables)}")
    return tables[table]


def reported_tables() -> tuple[ReportedTable, ...]:
    """Return every table of both papers."""
    return tuple(table for paper in PAPERS for table in _read(paper).values())


def model_key(name: str) -> str:
    """Return what two spellings of one model share: no organisation, case, spaces, dashes or underscores."""
    return _SEPARATORS.sub("", name.rpartition("/")[2]).casefold()


def _same(key: str, one: str, other: str) -> bool:
    return model_key(one) == model_key(other) if key == "model" else one == other


@dataclass(frozen=True)
class _Table:
    """One table as it stands in a file; a row has the keys first, then a number or null for each unit."""

    id: str
    caption: str
    keys: tuple[str, ...]
    units: dict[str, Unit]
    rows: tuple[tuple[str | float | None, ...], ...]
    where: str = ""
    notes: tuple[str, ...] = field(default=())


@dataclass(frozen=True)
class _Paper:
    paper: str
    title: str
    source: str
    tables: tuple[_Table, ...]


@cache
def _read(paper: str) -> Mapping[str, ReportedTable]:
    return parse((_HERE / PAPERS[paper]).read_text(encoding="utf-8"))


def parse(text: str) -> Mapping[str, ReportedTable]:
    """Return the tables of a file by name; ReportedError with every problem of it."""
    try:
        paper = msgspec.convert(yaml.safe_load(text), _Paper)
    except (yaml.YAMLError, msgspec.ValidationError) as error:
        raise ReportedError(f"reported figures: {error}") from error
    problems = [problem for table in paper.tables for problem in _problems(table)]
    times = Counter(table.id for table in paper.tables)
    problems += [f"{name}: found {count} times, allowed: once" for name, count in times.items() if count > 1]
    if problems:
        raise ReportedError("\n".join(f"{paper.paper}: {problem}" for problem in problems))
    return {table.id: _typed(paper, table) for table in paper.tables}


def _problems(table: _Table) -> Iterator[str]:
    keys, width = len(table.keys), len(table.keys) + len(table.units)
    for number, row in enumerate(table.rows, start=1):
        place = f"{table.id}: row {number}"
        if len(row) != width:
            yield f"{place}: found {len(row)} entries, allowed: {width}"
        elif not all(isinstance(entry, str) for entry in row[:keys]):
            yield f"{place}: keys: found {list(row[:keys])}, allowed: text"
        elif any(isinstance(entry, str) for entry in row[keys:]):
            yield f"{place}: figures: found {list(row[keys:])}, allowed: numbers and null"
    named = [row[:keys] for row in table.rows]
    if len(set(named)) < len(named):
        yield f"{table.id}: found rows with the same keys, allowed: one of each"


def _typed(paper: _Paper, table: _Table) -> ReportedTable:
    return ReportedTable(
        paper=paper.paper,
        source=paper.source,
        name=table.id,
        where=table.where,
        caption=table.caption,
        keys=table.keys,
        units=table.units,
        notes=table.notes,
        rows=tuple(_row(paper.source, table, row) for row in table.rows),
    )


def _row(source: str, table: _Table, row: Sequence[str | float | None]) -> ReportedRow:
    entries = zip(table.units.items(), row[len(table.keys) :], strict=True)
    return ReportedRow(
        keys={key: str(text) for key, text in zip(table.keys, row, strict=False)},
        figures={
            column: ReportedFigure(float(value), unit, source)
            for (column, unit), value in entries
            if value is not None
        },
        source=source,
    )
