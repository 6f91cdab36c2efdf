"""What every page is built on: its frame, its controls, and the parts that are drawn anew when these change.

A page is native Gradio; but what it shows is fetched by its script (`shell.js`) as one plain request, which
`leaderboard.web` answers from memory: a session and an event of Gradio's own cost a hundred times as much.

    SEARCH = Text("q")

    def build(app: Shell) -> None:
        with app.page("history", (SEARCH,)) as page:
            page.control(SEARCH, gr.Textbox(), lambda view: {"label": view.words("control.search")})
            page.part(lambda view: history(found(view), view.words))
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import gradio as gr
import orjson
from fastapi import APIRouter
from gradio.components import Component
from gradio.components.navbar import Navbar

from leaderboard.answers import Answers
from leaderboard.board.downloads import Download
from leaderboard.board.records import Board, Standing
from leaderboard.html.escape import el, joined
from leaderboard.html.frame import page_head, part
from leaderboard.html.words import LANGUAGES, Words
from leaderboard.live import LiveBoard
from leaderboard.store.folder import BoardFolder
from leaderboard.views import LANGUAGE, Field, View, read_view

HOME: Final = "layered"
"""The page that the app opens with: its path is empty, those of the others are their names."""

Told = Callable[[View], Mapping[str, Any]]
"""Gives the properties of a control in the language of a view, such as its label and its choices."""

Draw = Callable[[View], Any]
"""Gives what a component shows as the browser takes it: for `gr.HTML` a string of `leaderboard.html`."""


@dataclass(frozen=True, eq=False)
class _Output:
    component: Component
    draw: Draw
    needs: frozenset[str] | None

    def depends_on(self, fields: frozenset[str]) -> bool:
        """Tell whether it is drawn anew when these fields change, as everything is with the language."""
        return LANGUAGE in fields or self.needs is None or bool(self.needs & fields)


@dataclass(frozen=True, eq=False)
class _Control(_Output):
    field: Field
    event: str


@dataclass(eq=False)
class Page:
    """One page while it is built, and what is drawn of it later.

    - `fields`: all that a link to a view of it may tell, beside the language.
    - `language`: the native control of its language, for events of Gradio's own that need it.
    """

    name: str
    fields: tuple[Field, ...]
    language: gr.Radio
    frame: list[_Output]
    controls: list[_Control] = field(default_factory=list)
    outputs: list[_Output] = field(default_factory=list)
    tables: dict[str, Callable[[View], Download]] = field(default_factory=dict)

    def control(
        self,
        of: Field,
        component: Component,
        told: Told,
        *,
        event: str = "input",
        follows: Sequence[str] = (),
    ) -> Component:
        """Let a component set a field: whenever its `event` comes, the page is drawn anew.

        A control that `follows` other fields gets its properties again whenever one of them changes.
        """

        def draw(view: View) -> dict[str, Any]:
            return updated(**told(view), value=_plain(view.values[of.name]))

        self.controls.append(_Control(component, draw, frozenset(follows), of, event))
        return component

    def part(self, draw: Callable[[View], str], needs: Sequence[str] | None = None, **props: Any) -> gr.HTML:
        """Add HTML that is drawn of a view; `needs` names the fields that it depends on, None for all.

        A button in it with `data-FIELD="value"` sets that field, as its control would.
        """
        component = gr.HTML(apply_default_css=False, **{"js_on_load": None, **props})
        self.output(component, draw, needs)
        return component

    def output(self, component: Component, draw: Draw, needs: Sequence[str] | None = None) -> None:
        """Let a component show what is drawn of a view, as `part` does; `updated` sets its properties."""
        self.outputs.append(_Output(component, draw, None if needs is None else frozenset(needs)))

    def table(self, name: str, make: Callable[[View], Download]) -> None:
        """Give a table as `downloads/NAME.csv` and `.json`, and from the named endpoint `/NAME`.

        The former take the query of a link, the latter an argument for the language and each field.
        """
        self.tables[name] = make

    @property
    def names(self) -> frozenset[str]:
        """The names of the language and of the fields, as a link has them."""
        return frozenset((LANGUAGE, *(one.name for one in self.fields)))

    def view(self, board: Board, told: Mapping[str, str], *, strict: bool = False) -> View:
        """Return the view that a link tells of, by the names of fields; see `read_view`."""
        return read_view(self.name, self.fields, board, told, strict=strict)

    def drawn(self, view: View, changed: Iterable[str] | None) -> dict[str, Any]:
        """Return what the script of the page needs to show a view.

        `link` restores it, `values` are those of the fields, and `shown` is by the place of an output: of
        everything, or of what depends on fields that have `changed`.
        """
        fields = self.names if changed is None else frozenset(changed)
        words = view.words
        return {
            "language": words.language,
            "title": words(f"page.{self.name}.title"),
            "link": view.link,
            "values": {name: _plain(value) for name, value in view.values.items()},
            "words": {name: words(f"shell.{name}") for name in ("pages", "copy", "copied", "address")},
            "shown": {
                str(place): one.draw(view) for place, one in enumerate(self._all()) if one.depends_on(fields)
            },
        }

    def wire(self, load: Callable[..., Any], head: gr.HTML) -> None:
        """Connect the controls, the `load` of the page and the buttons of parts with what they change."""
        told = {
            "page": self.name,
            "fields": [one.name for one in self.fields],
            "controls": [one.field.name for one in self.controls],
            "before": len(self.frame),
            "outputs": len(self._all()),
        }
        script = f"(...values) => lv.draw({orjson.dumps(told).decode()}, values)"
        changed = (getattr(one.component, one.event) for one in self.controls)
        gr.on(
            [load, self.language.input, head.click, *changed],
            None,
            [self.language, *(one.component for one in self.controls)],
            [one.component for one in self._all()],
            js=script,
            show_progress="hidden",
            trigger_mode="multiple",
            api_visibility="private",
        )

    def _all(self) -> list[_Output | _Control]:
        return [*self.frame, *self.controls, *self.outputs]


class Shell:
    """The app that pages are added to, inside `building`.

    - `live`: the board. `folder`: where it lies, None for one that takes no submissions.
    - `names`: the pages in the order of the navigation. `pages`: those that are built.
    - `router`: takes further routes, such as of pictures. `served`: folders whose files may be read by
      `gradio_api/file=`; nothing else is.
    """

    def __init__(self, live: LiveBoard, folder: BoardFolder | None, names: Sequence[str]) -> None:
        self.demo = gr.Blocks(title="lvqa", analytics_enabled=False, delete_cache=(600, 3600))
        self.live = live
        self.folder = folder
        self.names = tuple(names)
        self.answers = Answers(live)
        self.pages: dict[str, Page] = {}
        self.router = APIRouter()
        self.served: list[Path] = []

    @contextmanager
    def building(self) -> Iterator[None]:
        """Let pages be added; Gradio makes an application at the end of each block, so there is one."""
        for name in self.names:
            if path(name):
                self.demo.route(name, path(name), show_in_navbar=False)
        with self.demo:
            yield
            self.demo.current_page = ""

    @contextmanager
    def page(
        self,
        name: str,
        fields: Sequence[Field] = (),
        standing: Callable[[View], Standing | None] = lambda view: None,
    ) -> Iterator[Page]:
        """Open a page: what is made inside stands on it, below its head, which names the `standing`.

        Its title and sentence are the texts `page.NAME.title` and `page.NAME.lead`.
        """
        self.demo.current_page = path(name)
        navbar = Navbar(main_page_name=False)
        with gr.Row(elem_classes="lv-tools"):
            language = gr.Radio(
                [(one.upper(), one) for one in LANGUAGES], value=LANGUAGES[0], label="Language", min_width=0
            )
            theme = gr.Button("Dark", elem_id="lv-theme", size="sm", min_width=0)
        head = gr.HTML(apply_default_css=False, js_on_load="lv.attach(element, trigger)")
        theme.click(None, js="() => lv.theme()", api_visibility="private")
        frame = [
            _Output(navbar, lambda view: self._navigation(view.words), frozenset()),
            _Output(language, _language, frozenset()),
            _Output(theme, lambda view: updated(value=view.words("shell.dark")), frozenset()),
            _Output(head, lambda view: _head(name, view, standing(view)), None),
        ]
        page = Page(name, tuple(fields), language, frame)
        yield page
        page.wire(self.demo.load, head)
        self.pages[name] = page

    def _navigation(self, words: Words) -> list[tuple[str, str]]:
        link = f"?{LANGUAGE}={words.language}"
        return [(words(f"nav.{name}"), path(name) + link) for name in self.names]


def path(name: str) -> str:
    """Return where a page lies, from the root of the app."""
    return "" if name == HOME else name


def updated(**properties: Any) -> dict[str, Any]:
    """Return what sets properties of a component, among them its `value`, and leaves the others."""
    return {"__type__": "update", **properties}


def _head(name: str, view: View, standing: Standing | None) -> str:
    lost = el("p", view.words("shell.lost"), class_="lv-lost", role="alert")
    return joined([page_head(name, view.words, standing), part(view.words, lost)])


def _language(view: View) -> dict[str, Any]:
    return updated(label=view.words("shell.language"), value=view.words.language)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
