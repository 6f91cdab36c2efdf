"""Controls by which a conversation or two models are chosen, and the runs of the board that pages share."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final
from weakref import WeakKeyDictionary

import gradio as gr
from gradio.components import Component

from leaderboard.examples.choices import Choices
from leaderboard.examples.fields import Model, Offer, among_of
from leaderboard.examples.library import Library
from leaderboard.examples.pictures import PictureFolder
from leaderboard.pages.shell import Page, Shell
from leaderboard.views import Field, View

PICTURES: Final = "pictures"
"""The folder of the pictures of pages, inside a board's."""

_TITLES: Final = {"layered-vqa": "page.layered.title", "bear-bench": "page.bear.title"}
_LETTERS: Final = 100
"""Of a question, in the list of those of a scene."""

_libraries: "WeakKeyDictionary[Shell, Library]" = WeakKeyDictionary()


def library_of(app: Shell) -> Library | None:
    """Return the runs of the board of an app, one for all pages; None for a board without a folder."""
    board = app.folder
    if board is None:
        return None
    if app not in _libraries:
        _libraries[app] = Library(board, _pictures(board.folder), app.live.now)
    return _libraries[app]


def offer_of(library: Library | None) -> Offer:
    """Return what gives the choices of a library, none without one."""
    return (lambda: {}) if library is None else library.choices


def add_chooser(page: Page, field: Field, offer: Offer) -> Component:
    """Add the control of a field that is chosen from a list, which is that of the view."""
    if field.name == "benchmark":
        names = gr.Dropdown(filterable=False, min_width=120)
        return page.control(field, names, lambda view: _benchmarks(view, list(offer())))
    told, among = _TOLD[field.name], among_of(offer)

    def shown(view: View) -> dict[str, Any]:
        choices = among(view.values)
        if choices is None:
            return {"label": "", "choices": [], "visible": False}
        return told(field, view, choices)

    names = gr.Dropdown(min_width=120, elem_classes=f"lv-chooses-{field.name}")
    return page.control(field, names, shown, follows=_FOLLOWS[field.name])


def _benchmarks(view: View, names: Sequence[str]) -> dict[str, Any]:
    choices = [(view.words(_TITLES[name]), name) for name in names]
    return {"label": view.words("example.benchmark"), "choices": choices, "visible": len(names) > 1}


def _scenes(_: Field, view: View, choices: Choices) -> dict[str, Any]:
    label = view.words("example.scene" if choices.layered else "example.page")
    return {"label": label, "choices": [(name, name) for name in choices.scenes]}


def _questions(_: Field, view: View, choices: Choices) -> dict[str, Any]:
    names = choices.scenes.get(view.text("scene"), ())
    listed = [(_short(choices.questions[name].question), name) for name in names]
    return {"label": view.words("example.question"), "choices": listed, "visible": choices.layered}


def _conditions(_: Field, view: View, choices: Choices) -> dict[str, Any]:
    names = choices.conditions
    listed = [(name, name) for name in names]
    return {"label": view.words("example.condition"), "choices": listed, "visible": len(names) > 1}


def _models(field: Field, view: View, choices: Choices) -> dict[str, Any]:
    names = field.offered(view.values) if isinstance(field, Model) else ()
    listed = [(choices.title(name, view.words), name) for name in names]
    if isinstance(field, Model) and field.beside:
        listed.append((view.words("example.nobody"), ""))
    return {"label": view.words("example.model", letter=field.name.upper()), "choices": listed}


def _runs(_: Field, view: View, choices: Choices) -> dict[str, Any]:
    listed = [(str(number), number) for number in range(1, choices.runs + 1)]
    return {"label": view.words("example.run"), "choices": listed, "visible": choices.runs > 1}


_TOLD: Final[Mapping[str, Callable[[Field, View, Choices], dict[str, Any]]]] = {
    "scene": _scenes,
    "question": _questions,
    "condition": _conditions,
    "a": _models,
    "b": _models,
    "run": _runs,
}

_FOLLOWS: Final[Mapping[str, Sequence[str]]] = {
    **dict.fromkeys(("scene", "condition", "a", "run"), ("benchmark",)),
    "question": ("benchmark", "scene"),
    "b": ("benchmark", "a"),
}
"""The fields that say what a control offers."""


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _LETTERS else f"{words[: _LETTERS - 1].rstrip()}…"


def _pictures(board: Path) -> PictureFolder:
    """Return the folder of pictures of a board; one that nobody may write to has it elsewhere."""
    try:
        return PictureFolder(board / PICTURES)
    except OSError:
        return PictureFolder(Path(mkdtemp(prefix="lvqa-pictures-")))
