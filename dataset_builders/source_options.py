"""The options of a scene source on the command line: one for each of its fields."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import click

_SOURCE = "source"


class SourceCommand(click.Command):
    """A command with `--source NAME` that takes that source's options too, and shows them in its help."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Find the source first: its fields are options of this very call."""
        ctx.meta[_SOURCE] = _named_source(args)
        return super().parse_args(ctx, args)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the command's own options, then those of the chosen source that they do not cover."""
        params = super().get_params(ctx)
        taken = {param.name for param in params}
        name = ctx.meta.get(_SOURCE) or self._default_source()
        return (
            params[:-1]
            + [one for one in options_of(_source_class(name)) if one.name not in taken]
            + params[-1:]
        )

    def _default_source(self) -> str:
        return next(str(param.default) for param in self.params if param.name == _SOURCE)


def read_source(name: str, values: Mapping[str, Any]) -> Any:
    """Return the source called `name` with its options; one clear error for all that are wrong."""
    return with_options(_source_class(name), values, f"--source {name}")


def with_options(kind: Any, values: Mapping[str, Any], asker: str) -> Any:
    """Return an object of the pydantic class `kind` with its options; one error for all that are wrong.

    `asker` names, in such an error, what needs an option that is missing.
    """
    from pydantic import ValidationError

    # An option not given is left to the source's own default.
    given = {
        key: value for key, value in values.items() if key in kind.model_fields and value not in (None, ())
    }
    try:
        return kind(**given)
    except ValidationError as error:
        lines = [_told(one, asker) for one in error.errors(include_url=False)]
        raise click.UsageError("\n".join(lines)) from error


def options_of(kind: Any) -> list[click.Parameter]:
    """Return the options of a pydantic class: one for each of its fields."""
    return [_option(field, info) for field, info in kind.model_fields.items()]


def _told(problem: Any, asker: str) -> str:
    if not problem["loc"]:  # of several options together
        return str(problem["msg"]).removeprefix("Value error, ")
    option = f"--{str(problem['loc'][0]).replace('_', '-')}"
    if problem["type"] == "missing":
        return f"{option}: needed by {asker}"
    return f"{option}: {problem['msg']}, found {problem['input']!r}"


def _named_source(args: list[str]) -> str | None:
    for index, arg in enumerate(args):
        if arg.startswith("--source="):
            return arg.removeprefix("--source=")
        if arg == "--source" and index + 1 < len(args):
            return args[index + 1]
    return None


def _source_class(name: str) -> Any:
    from dataset_builders.layered_vqa.sources.source import SCENE_SOURCES

    return SCENE_SOURCES.get(name)


def _option(field: str, info: Any) -> click.Option:
    kind, multiple = info.annotation, False
    if get_origin(kind) is tuple:
        kind, multiple = get_args(kind)[0], True
    choices = [one for one in get_args(kind) if one is not type(None)]
    shown = "" if info.is_required() or info.default in (None, ()) else f"  [default: {_shown(info.default)}]"
    flag = field.replace("_", "-")
    return click.Option(
        [f"--{flag}/--no-{flag}" if kind is bool else f"--{flag}"],
        type=_type_of(kind, choices),
        multiple=multiple,
        default=None,
        help=f"{info.description or ''}{shown}",
    )


def _shown(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _type_of(kind: Any, choices: list[Any]) -> Any:
    if choices and get_origin(kind) is not Literal:
        kind, choices = choices[0], list(get_args(choices[0]))
    if get_origin(kind) is Literal:
        return click.Choice([str(one) for one in choices])
    return click.Path(path_type=Path) if kind is Path else kind
