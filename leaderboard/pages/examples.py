"""The page of examples: one conversation, turn by turn as models saw it, and what two of them replied."""

from pathlib import Path
from typing import Any, Final

import gradio as gr
from fastapi import HTTPException
from fastapi.responses import FileResponse

from leaderboard.board.downloads import Download
from leaderboard.examples.conversation_table import TABLE, conversation_table
from leaderboard.examples.drawn import drawn, nothing
from leaderboard.examples.fields import Offer, among_of, example_fields, wanted
from leaderboard.examples.library import Library
from leaderboard.examples.pictures import ROUTE
from leaderboard.pages.choosing import add_chooser, library_of, offer_of
from leaderboard.pages.shell import Page, Shell, updated
from leaderboard.pages.toolbar import take_home
from leaderboard.views import Field, View

SCRIPT: Final = Path(__file__).with_suffix(".js")

_FOREVER: Final = {"cache-control": "public, max-age=31536000, immutable"}
"""A file that is named by its content never changes."""

_STEPS: Final = {
    key: f"() => document.dispatchEvent(new CustomEvent('lv-step', {{ detail: {by} }}))"
    for key, by in (("previous", -1), ("next", 1))
}
"""What the buttons tell the script of the part."""


def build(app: Shell) -> None:
    """Add the page, and the route of its pictures."""
    library = library_of(app)
    offer = offer_of(library)
    fields = {one.name: one for one in example_fields(offer)}
    with app.page("examples", tuple(fields.values())) as page:
        with gr.Row(elem_classes="lv-filters"):
            for name in ("benchmark", "scene", "question", "condition"):
                add_chooser(page, fields[name], offer)
        with gr.Row(elem_classes="lv-filters"):
            for name in ("a", "b", "run"):
                add_chooser(page, fields[name], offer)
            _more(page, fields["ev"], fields["map"], offer)
            with gr.Row(elem_classes="lv-turning"):
                _turns(page, fields["turn"], offer)
        page.part(lambda view: _part(library, view), js_on_load=SCRIPT.read_text(encoding="utf-8"))
        with gr.Row(elem_classes="lv-take"):
            take_home(page, TABLE)
        page.table(TABLE, lambda view: _table(library, view))
    if library is not None:
        _serve_pictures(app, library)


def _part(library: Library | None, view: View) -> str:
    if library is None or not view.text("benchmark"):
        return nothing(view.words)
    example = library.example(wanted(view), view.words)
    turn, evidence = view.whole("turn"), view.flag("ev")
    return drawn(example, turn, view.words, evidence=evidence, patches=view.text("map"))


def _table(library: Library | None, view: View) -> Download:
    if library is None or not view.text("benchmark"):
        return Download(TABLE, (), ())
    asked = wanted(view)
    example = library.example(asked, view.words)
    return conversation_table(example, asked, view.board.state, reference=view.flag("ev"))


def _more(page: Page, evidence: Field, patches: Field, offer: Offer) -> None:
    """Add what is shown on demand: the evidence, and for pages the map of patches."""
    among = among_of(offer)

    def sides(view: View) -> dict[str, Any]:
        choices = among(view.values)
        names = [name for name in ("a", "b") if view.text(name)]
        listed = [(view.words("example.patches.side", letter=name.upper()), name) for name in names]
        return {
            "label": view.words("example.patches.title"),
            "choices": [(view.words("example.patches.none"), ""), *listed],
            "visible": choices is not None and not choices.layered,
        }

    box = gr.Checkbox(elem_classes="lv-boxes", min_width=120)
    page.control(evidence, box, lambda view: {"label": view.words("example.evidence")})
    page.control(
        patches, gr.Dropdown(filterable=False, min_width=120), sides, follows=("benchmark", "a", "b")
    )


def _turns(page: Page, field: Field, offer: Offer) -> None:
    """Add the buttons and the slider that step through the turns; the arrow keys do the same."""
    among, needs = among_of(offer), ("benchmark", "scene", "question", "condition")

    def last(view: View) -> int:
        choices = among(view.values)
        return 1 if choices is None else choices.turns(view.text("condition"), view.text("question"))

    def told(view: View) -> dict[str, Any]:
        return {"label": view.words("example.turn"), "maximum": last(view), "visible": last(view) > 1}

    def mover(key: str, shown: str) -> None:
        button = gr.Button(shown, size="sm", min_width=0, elem_classes="lv-step", elem_id=f"lv-{key}")
        button.click(None, js=_STEPS[key], api_visibility="private")
        page.output(button, lambda view: _moving(view, key, shown, last(view)), needs)

    mover("previous", "\N{LEFTWARDS ARROW} {}")
    page.control(
        field, gr.Slider(1, 2, step=1, elem_classes="lv-turn", min_width=160, buttons=[]), told, follows=needs
    )
    mover("next", "{} \N{RIGHTWARDS ARROW}")


def _moving(view: View, key: str, shown: str, last: int) -> dict[str, Any]:
    """Return how a button that steps is shown: not at all where there is one turn alone."""
    return updated(value=shown.format(view.words(f"example.{key}")), visible=last > 1)


def _serve_pictures(app: Shell, library: Library) -> None:
    @app.router.get(f"/{ROUTE}/{{name}}")
    def picture(name: str) -> FileResponse:
        path = library.pictures.file(name)
        if path is None:
            raise HTTPException(404)
        return FileResponse(path, media_type="image/png", headers=_FOREVER)
