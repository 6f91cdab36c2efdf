"""Forms that people fill in a spreadsheet: CSV that such programs open and save without loss."""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lvqa_eval.errors import LvqaError
from lvqa_eval.files import write_whole

_SIGNED_NUMBER = re.compile(r"[-+][\d\s.,%]*")
_SEPARATORS = ",;\t"


class FormError(LvqaError, ValueError):
    """A form that cannot be read as it was filled in; every problem on a line of its own."""


@dataclass(frozen=True)
class Line:
    """A row of a form: its place, such as "form.csv: line 3", and its cells by column, stripped."""

    where: str
    cells: Mapping[str, str]


def write_form(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> None:
    """Write a form; a text that a spreadsheet would run as a formula gets an apostrophe before it."""
    text = io.StringIO()
    table = csv.DictWriter(text, columns, lineterminator="\r\n")
    table.writeheader()
    table.writerows({name: _harmless(row[name]) for name in columns} for row in rows)
    # With the mark at its start, spreadsheets take the file for what it is, UTF-8.
    write_whole(path, text.getvalue().encode("utf-8-sig"))


def read_form(path: Path, columns: Sequence[str], optional: Sequence[str] = ()) -> list[Line]:
    """Return the rows of a form, whose cells are separated by commas, semicolons or tabs.

    It has at least `columns`; of the `optional` ones a row has those that are there, and no others. Rows
    with nothing in them are left out. Raises FormError where it is not there, is not UTF-8, or lacks a
    column.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise FormError(f"{path}: not found") from error
    except UnicodeDecodeError as error:
        raise FormError(f"{path}: not UTF-8 ({error}); save it as CSV UTF-8") from error
    heading = text.partition("\n")[0]
    separator = max(_SEPARATORS, key=heading.count)
    table = csv.DictReader(io.StringIO(text, newline=""), delimiter=separator)
    named = table.fieldnames or ()
    missing = [name for name in columns if name not in named]
    if missing:
        raise FormError(f"{path}: columns: {', '.join(missing)} missing, found {heading.strip()[:200]!r}")
    wanted = [*columns, *(name for name in optional if name in named)]
    rows = (
        Line(f"{path}: line {table.line_num}", {name: (row.get(name) or "").strip() for name in wanted})
        for row in table
    )
    return [row for row in rows if any(row.cells.values())]


def _harmless(text: str) -> str:
    if text.startswith(("=", "@", "\t", "\r")):
        return f"'{text}"
    return f"'{text}" if text.startswith(("+", "-")) and not _SIGNED_NUMBER.fullmatch(text) else text
