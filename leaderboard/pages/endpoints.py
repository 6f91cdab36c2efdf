"""Named endpoints: every table of the pages for programs that use Gradio's client."""

from collections.abc import Iterable
from inspect import Parameter, Signature
from typing import Any, Final

import gradio as gr
import orjson

from leaderboard.answers import Answers
from leaderboard.pages.shell import Page
from leaderboard.views import LANGUAGE, JunkError

_PLAIN_REQUESTS: Final = "/call/"
"""In the path of requests that are made without Gradio's client."""


def add_endpoints(pages: Iterable[Page], answers: Answers) -> None:
    """Add an endpoint for each table of the pages, called as the table is.

    Its arguments are the language and the fields of the page, as a link writes them; what is left out is as
    usual, and junk is an error. All share the controls that hold an argument, which nobody sees.
    """
    result = gr.JSON(visible=False, label="JSON")
    held: dict[str, gr.Textbox] = {}
    for page in pages:
        names = [LANGUAGE, *(one.name for one in page.fields)]
        for name in names:
            if name not in held:
                held[name] = gr.Textbox("", label=name, visible=False)
        for table in page.tables:
            gr.on(
                [],
                _function(page, table, names, answers),
                [held[name] for name in names],
                result,
                api_name=table,
                api_description=f"The table {table} of the page {page.name}; its fields are those of a link.",
                preprocess=False,
                postprocess=False,
                concurrency_limit=None,
            )


def _function(page: Page, table: str, names: list[str], answers: Answers) -> Any:
    def call(*given: Any) -> Any:
        *values, request = given
        told = {
            name: _text(value) for name, value in zip(names, values, strict=True) if value not in (None, "")
        }
        try:
            found = answers.data(page, table, told).plain
        except JunkError as error:
            raise gr.Error(str(error), print_exception=False) from error
        # Sent as it is, save to plain requests, whose route writes JSON in a way of its own.
        return orjson.loads(found) if _PLAIN_REQUESTS in request.url.path else orjson.Fragment(found)

    arguments = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in (*names, "request")]
    call.__annotations__ = {"request": gr.Request}
    call.__signature__ = Signature(arguments)  # type: ignore[attr-defined]
    return call


def _text(value: Any) -> str:
    """Return an argument as a link writes it, also one of another type."""
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    return str(int(value)) if isinstance(value, (bool, float)) else str(value)
