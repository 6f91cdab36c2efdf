"""What stands on a page, as data: every block with the very words and numbers that are typeset.

Paragraphs carry light marks: `*italic*`, `**bold**`, backquotes for code, `^1^` for a footnote mark. A
no-break space holds words together.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Title:
    """The head of a document's first page; `lines` stand below the title: authors, or what kind of report."""

    text: str
    lines: tuple[str, ...]
    abstract: str = ""


@dataclass(frozen=True)
class Heading:
    """The head of a section."""

    text: str


@dataclass(frozen=True)
class Paragraph:
    """Running text."""

    text: str


@dataclass(frozen=True)
class Table:
    """A table: `head` names the columns, the first of which holds the names of the rows.

    The last `totals` rows are sums of those above and set off from them.
    """

    label: str
    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    totals: int = 0


@dataclass(frozen=True)
class Series:
    """One line or one set of bars of a chart: a value for each category, as text."""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Chart:
    """A chart of bars, lines or a pie (one series).

    Values are printed at bars and slices where `labelled`; where not, they lie on grid lines, `step` apart.
    """

    kind: Literal["bar", "line", "pie"]
    label: str
    caption: str
    categories: tuple[str, ...]
    series: tuple[Series, ...]
    unit: str
    step: str
    labelled: bool
    across: str = ""


@dataclass(frozen=True)
class Node:
    """A box of a flowchart in a grid: where it stands (column, row) and what kind of step it is."""

    key: str
    text: str
    kind: Literal["start", "action", "choice", "end"]
    column: int
    row: int


@dataclass(frozen=True)
class Arrow:
    """An arrow of a flowchart; `back` leads up again along the right side."""

    source: str
    target: str
    text: str = ""
    back: bool = False


@dataclass(frozen=True)
class Flowchart:
    """A flowchart."""

    label: str
    caption: str
    nodes: tuple[Node, ...]
    arrows: tuple[Arrow, ...]


@dataclass(frozen=True)
class Unit:
    """A box of an organisation diagram: two lines of text, and those below it."""

    name: str
    holder: str
    units: tuple["Unit", ...] = ()


@dataclass(frozen=True)
class Organisation:
    """An organisation diagram of three levels."""

    label: str
    caption: str
    top: Unit


@dataclass(frozen=True)
class Equation:
    """A displayed equation in TeX, with its number."""

    tex: str
    number: str


@dataclass(frozen=True)
class Code:
    """A listing."""

    label: str
    caption: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Footnote:
    """A note at the foot of the page."""

    mark: str
    text: str


Block = Title | Heading | Paragraph | Table | Chart | Flowchart | Organisation | Equation | Code | Footnote

CONTENT: dict[type, str] = {
    Table: "tables",
    Chart: "figures",
    Flowchart: "diagrams",
    Organisation: "diagrams",
    Equation: "equations",
    Code: "code",
}
"""The label (of `records.LABELS`) of a page on which such a block stands."""


def as_json(block: Block) -> dict[str, Any]:
    """Return a block as plain JSON, with its kind."""
    return {"block": type(block).__name__.lower(), **_plain(block)}


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    return [_plain(one) for one in value] if isinstance(value, tuple) else value


def labels_of(blocks: tuple[Block, ...]) -> Iterator[str]:
    """Yield the label of every block that has one."""
    return (CONTENT[type(block)] for block in blocks if type(block) in CONTENT)
