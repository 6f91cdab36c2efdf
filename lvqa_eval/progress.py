"""A progress bar on stderr, shown only on a terminal."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Advance(Protocol):
    """Counts one step of a bar; a `note` replaces the words behind it."""

    def __call__(self, note: str = "") -> None:
        """Count one step."""


@contextmanager
def progress(description: str, total: int | None = None) -> Iterator[Advance]:
    """Give a function that counts one step; the bar shows the share done and the time left.

    Without a `total` it shows the count alone.
    """
    if not sys.stderr.isatty():
        yield lambda note="": None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
        TextColumn("{task.fields[note]}"),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(description, total=total, note="")

        def advance(note: str = "") -> None:
            bar.update(task, advance=1, note=note)

        yield advance
