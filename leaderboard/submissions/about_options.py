"""What a submitter says of the model, as options of a command."""

from collections.abc import Callable, Mapping
from functools import reduce
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

if TYPE_CHECKING:
    from leaderboard.submissions.records import About
    from lvqa_eval.runs.store import RunStore

C = TypeVar("C", bound=Callable[..., Any])

_OPTIONS: Final = (
    click.option("--name", metavar="ORG/MODEL", help="What the model is called; as in the run if not given."),
    click.option("--revision", help="Of the weights, or of the service; the run's if not given."),
    click.option("--open/--closed", "open_weights", default=None, help="Whether the weights are public."),
    click.option(
        "--size", type=click.FloatRange(0, min_open=True), metavar="B", help="Parameters in billions."
    ),
    click.option("--link", metavar="URL", help="Of the model or its paper; shown as text."),
    click.option("--note", default="", help="One line for readers, at most 500 characters."),
)


def tells_of_the_model(command: C) -> C:
    """Give a command the options that `told_about` reads."""
    return reduce(lambda given, option: option(given), reversed(_OPTIONS), command)


def told_about(
    store: "RunStore",
    name: str | None,
    revision: str | None,
    open_weights: bool | None,
    size: float | None,
    link: str | None,
    note: str,
) -> "About":
    """Return what is said of the model of a run; its own settings where an option was not given."""
    from leaderboard.submissions.records import About

    model = store.identity.settings.get("model")
    known: Mapping[str, Any] = model if isinstance(model, Mapping) else {}
    weights = None if open_weights is None else "open" if open_weights else "closed"
    return About(
        str(name or known.get("name") or store.folder.name),
        revision or known.get("revision"),
        weights,  # type: ignore[arg-type]
        size,
        link,
        note,
    )
