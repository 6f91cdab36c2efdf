"""The controls of a table: search, order and filters, files to take home, and the link to the view."""

from collections.abc import Callable, Sequence

import gradio as gr

from leaderboard.board.columns import Column
from leaderboard.board.records import Board
from leaderboard.filters import ANY_SIZE, NO_SIZE, OPEN, OPENNESS, SEARCH, SIZE, SIZES, VERIFIED
from leaderboard.html.words import Words
from leaderboard.pages.shell import Page, updated
from leaderboard.views import Choice, View


def search(page: Page) -> None:
    """Add the field that is typed in."""
    # The event `input` of a Textbox misses what is pasted.
    page.control(
        SEARCH,
        gr.Textbox(elem_classes="lv-search", min_width=120),
        lambda view: {"label": view.words("control.search")},
        event="change",
    )


def order(page: Page, field: Choice, columns: Callable[[Board], Sequence[Column]]) -> None:
    """Add the choice of the column that rows are in the order of."""

    def told(view: View) -> dict[str, object]:
        choices = [(heading(one, view.words), one.key) for one in columns(view.board)]
        return {"label": view.words("control.order"), "choices": choices}

    page.control(field, gr.Dropdown(filterable=False, min_width=120), told)


def filters(page: Page) -> None:
    """Add the filters by size, openness and verification; none of them changes a rank."""

    def sizes(view: View) -> dict[str, object]:
        names = (ANY_SIZE, *SIZES, NO_SIZE)
        choices = [(view.words(f"control.sizes.{name}"), name) for name in names]
        return {"label": view.words("control.size"), "choices": choices}

    def openness(view: View) -> dict[str, object]:
        choices = [(view.words(f"model.{name}"), name) for name in OPENNESS]
        return {"label": view.words("control.weights"), "choices": choices}

    page.control(SIZE, gr.Dropdown(filterable=False, min_width=120), sizes)
    page.control(OPEN, gr.CheckboxGroup(elem_classes="lv-boxes", min_width=120), openness)
    page.control(
        VERIFIED,
        gr.Checkbox(elem_classes="lv-boxes", min_width=120),
        lambda view: {"label": view.words("control.verified")},
    )


def take_home(page: Page, table: str, *, link: bool = True) -> None:
    """Add the buttons that load a table as a file, and one that copies the link to the view."""
    for kind in ("csv", "json"):
        button = gr.Button(kind.upper(), size="sm", min_width=0, elem_classes="lv-plain-button")
        button.click(None, js=f"() => lv.download({f'{table}.{kind}'!r})", api_visibility="private")
    if link:
        copy = gr.Button("Copy link to this view", size="sm", min_width=0, elem_classes="lv-plain-button")
        page.output(copy, lambda view: updated(value=view.words("shell.copy")), ())
        copying = copy.click(None, outputs=copy, js="() => lv.copy()", api_visibility="private")
        copying.then(None, outputs=copy, js="() => lv.copyable()", api_visibility="private")


def heading(column: Column, words: Words) -> str:
    """Return the title of a column where it stands alone: that of its group before its own."""
    title = words(column.title)
    return f"{words(column.group)}: {title}" if column.group else title
