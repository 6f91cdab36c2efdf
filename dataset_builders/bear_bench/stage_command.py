"""What the commands of the stages share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from dataset_builders.bear_bench.counts import StageCount
from dataset_builders.bear_bench.work import Work

Command = TypeVar("Command", bound=Callable[..., Any])


def work_folder(command: Command) -> Command:
    """Give a command the argument WORK, its first, as a `Work`."""
    return click.argument(
        "work",
        metavar="WORK",
        type=click.Path(path_type=Path, file_okay=False),
        callback=lambda _context, _parameter, folder: Work(folder),
    )(command)


def workers_that(verb: str) -> Callable[[Command], Command]:
    """Give a command the option --workers, of processes that do what `verb` says."""
    told = f"Processes that {verb}; as many as cores by default."
    return click.option("--workers", type=click.IntRange(1), help=told)


def ocr_dpi(told: str) -> Callable[[Command], Command]:
    """Give a command the option --ocr-dpi with its help."""
    return click.option("--ocr-dpi", type=click.IntRange(50, 1200), default=150, show_default=True, help=told)


def show(count: StageCount) -> None:
    """Print what a stage kept and what it left out, and why."""
    for line in count.lines():
        click.echo(line)
