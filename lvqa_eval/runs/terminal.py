"""Tables and labelled text on standard output: styled on a terminal, plain and unwrapped elsewhere."""

import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import click

if TYPE_CHECKING:
    from rich.text import Text

Side = Literal["left", "right"]

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Column(NamedTuple):
    """The head of a column, and the side on which its cells stand."""

    title: str
    side: Side = "left"


class Labelled(NamedTuple):
    """A text with a word before it that says what it is; without the word it is a heading."""

    label: str
    text: str
    style: str = ""


def print_table(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    """Print rows of one cell a column."""
    rows = [[printable(cell) for cell in row] for row in rows]
    if not sys.stdout.isatty():
        _print_plain(columns, rows)
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for place, column in enumerate(columns):
        # What names a row, and figures, stay whole; words wrap.
        whole = place == 0 or column.side == "right"
        table.add_column(column.title, justify=column.side, overflow="fold", no_wrap=whole)
    for row in rows:
        table.add_row(*(_text(cell) for cell in row))
    Console().print(table)


def print_labelled(lines: Sequence[Labelled]) -> None:
    """Print each text after its label, further lines of it below the first; headings after an empty line."""
    if not sys.stdout.isatty():
        _print_plain_labelled(lines)
        return
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    width = _label_width(lines)
    for label, text, style in lines:
        if not label:
            console.print()
            console.print(_text(printable(text), style or "bold"))
            continue
        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(width=width)
        grid.add_column(overflow="fold")
        grid.add_row(_text(label, "dim"), _text(printable(text), style))
        console.print(grid)


def printable(text: str) -> str:
    """Return `text` with control characters shown as U+FFFD: a reply must not command a terminal."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n"))


def _text(content: str, style: str = "") -> "Text":
    from rich.text import Text

    return Text(content, style)


def _print_plain(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    heads = [column.title for column in columns]
    widths = [max(map(len, cells)) for cells in zip(heads, *rows, strict=True)]
    for row in [heads, ["-" * width for width in widths], *rows]:
        cells = (
            cell.rjust(width) if column.side == "right" else cell.ljust(width)
            for cell, width, column in zip(row, widths, columns, strict=True)
        )
        click.echo("  ".join(cells).rstrip())


def _print_plain_labelled(lines: Sequence[Labelled]) -> None:
    width = _label_width(lines)
    for number, (label, text, _) in enumerate(lines):
        if not label:
            click.echo(("\n" if number else "") + printable(text))
            continue
        first, *others = printable(text).split("\n")
        click.echo(f"{label.ljust(width)}  {first}".rstrip())
        for other in others:
            click.echo(f"{' ' * width}  {other}".rstrip())


def _label_width(lines: Sequence[Labelled]) -> int:
    return max((len(line.label) for line in lines), default=0)
