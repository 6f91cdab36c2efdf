"""`licences.csv`: what a person decided about documents, beside what their pages say."""

import csv
import io
from dataclasses import dataclass
from pathlib import Path

from dataset_builders.licences import NONE, spdx_of
from lvqa_eval.errors import LvqaError

SIDECAR = "licences.csv"
COLUMNS = ("file", "licence", "evidence", "decided_by")


class SidecarError(LvqaError, ValueError):
    """A table of licences that cannot be used; every problem on a line of its own."""


@dataclass(frozen=True)
class Decision:
    """A licence by its SPDX identifier, or `NONE` where a document may not be used; why, and who says so."""

    file: str
    licence: str
    evidence: str
    decided_by: str
    line: int


def read_sidecar(path: Path) -> dict[str, Decision]:
    """Return the decisions by the file that they name; SidecarError with everything that is wrong.

    The table has the columns `COLUMNS`, separated by commas or semicolons. `file` is a path below the folder
    that was collected, an address, or a document's id.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise SidecarError(f"{path}: not UTF-8: {error}") from error
    heading = text.partition("\n")[0]
    table = csv.DictReader(io.StringIO(text), delimiter=";" if ";" in heading and "," not in heading else ",")
    if sorted(table.fieldnames or ()) != sorted(COLUMNS):
        found = ", ".join(table.fieldnames or ()) or "none"
        raise SidecarError(f"{path}: columns: found {found}; needed are {', '.join(COLUMNS)}")
    decisions: dict[str, Decision] = {}
    problems: list[str] = []
    for row in table:
        where = f"{path}: line {table.line_num}"
        cells = {name: (row.get(name) or "").strip() for name in COLUMNS}
        problems += [f"{where}: {name}: found nothing in it" for name in COLUMNS if not cells[name]]
        licence = spdx_of(cells["licence"])
        if licence is None and cells["licence"]:
            allowed = f"an SPDX identifier such as CC-BY-4.0, LicenseRef- and a name, or {NONE}"
            problems.append(f"{where}: licence: found {cells['licence']!r}, allowed: {allowed}")
        if cells["file"] in decisions:
            problems.append(
                f"{where}: file: {cells['file']!r} stands in line {decisions[cells['file']].line} too"
            )
        decisions[cells["file"]] = Decision(
            cells["file"], licence or "", cells["evidence"], cells["decided_by"], table.line_num
        )
    if problems:
        raise SidecarError("\n".join(problems))
    return decisions
