"""What the pages of both benchmarks have in common: the version, the ranking, and all of its columns."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import gradio as gr

from leaderboard.board.columns import Column, column, columns_of
from leaderboard.board.downloads import Download, ranking_download
from leaderboard.board.records import BenchmarkBoard, Board, Standing
from leaderboard.filters import FILTERS, found
from leaderboard.html.columns import Sorted
from leaderboard.html.escape import el
from leaderboard.html.frame import part
from leaderboard.html.ranking import Ranking, ordered, ranking
from leaderboard.html.whole import BACK, Whole, whole_table
from leaderboard.html.words import texts
from leaderboard.pages.shell import Page, updated
from leaderboard.pages.toolbar import filters, order, search, take_home
from leaderboard.views import Choice, Field, Flag, Values, View

WHOLE: Final = Flag("all")
"""Whether the table of all columns is open."""

ROWS: Final = ("version", *(one.name for one in FILTERS))
"""What says which rows are shown."""


@dataclass(frozen=True, eq=False)
class Ranked:
    """How a benchmark is ranked on its page.

    - `of`: its board, None where there is none. `columns`: keys of those that stand in the ranking, after the
      one that it is in the order of. `source`: the text that says what the small figures are.
    - `under`: what stands below the titles of columns.
    """

    name: str
    of: Callable[[Board], BenchmarkBoard | None]
    columns: Sequence[str]
    source: str
    under: Callable[[View, BenchmarkBoard], dict[str, str]] = lambda _view, _board: {}

    @property
    def version(self) -> Choice:
        """The field of the version of the dataset, the newest by default."""
        return Choice("version", lambda board, _values: [one.standing.version for one in self._all(board)])

    @property
    def order(self) -> Choice:
        """The field of the column that rows are in the order of."""
        return Choice("order", lambda board, _values: [one.key for one in self.shown(board)])

    @property
    def by(self) -> Choice:
        """The field of the column that the table of all columns is sorted by, and which way around."""

        def keys(board: Board, _values: Values) -> list[str]:
            now = self.of(board)
            held = [] if now is None else [one.key for one in columns_of(now)]
            return [*held, *(f"{BACK}{key}" for key in held)]

        return Choice("by", keys)

    @property
    def fields(self) -> tuple[Field, ...]:
        """The fields of the page."""
        return (self.version, self.order, *FILTERS, WHOLE, self.by)

    def standing(self, view: View) -> Standing | None:
        """Return what data the tables of a view are of; None for a board that has none."""
        found = self.chosen(view)
        return found.standing if found is not None and found.standing.questions else None

    def chosen(self, view: View) -> BenchmarkBoard | None:
        """Return the board of the version that is shown."""
        version = view.text("version")
        every = self._all(view.board)
        return next((one for one in every if one.standing.version == version), next(iter(every), None))

    def shown(self, board: Board) -> list[Column]:
        """Return the columns of the ranking, the one that it is in the order of first."""
        now = self.of(board)
        if now is None:
            return []
        keys = dict.fromkeys((now.order, *self.columns))
        return [column(now.standing.benchmark, key) for key in keys]

    def _all(self, board: Board) -> list[BenchmarkBoard]:
        now = self.of(board)
        return [] if now is None else [now, *now.older]


def ranked_page(page: Page, of: Ranked) -> None:
    """Add the controls, the ranking, and the table of all columns."""
    with gr.Row(elem_classes="lv-filters"):
        page.control(
            of.version, gr.Dropdown(filterable=False, min_width=120), lambda view: _versions(of, view)
        )
        search(page)
        order(page, of.order, of.shown)
        filters(page)
        with gr.Row(elem_classes="lv-take"):
            take_home(page, of.name)
    page.part(lambda view: _ranking(of, view), (*ROWS, "order"))
    _all_columns(page, of)
    page.table(of.name, lambda view: _download(of, view))


def _versions(of: Ranked, view: View) -> dict[str, Any]:
    known = of.version.allowed
    names = known(view.board, {}) if callable(known) else known
    return {
        "label": view.words("control.version"),
        "choices": [(one, one) for one in names],
        "visible": len(names) > 1,
    }


def _ranking(of: Ranked, view: View) -> str:
    board = of.chosen(view)
    if board is None:
        return part(view.words, el("p", view.words("control.no_board"), class_="lv-note"))
    lead, *others = of.shown(view.board)
    chosen = column(board.standing.benchmark, view.text("order"))
    return ranking(
        Ranking(
            rows=found(board.rows, view),
            lead=lead,
            columns=others,
            sort=Sorted(chosen.key, chosen.descending),
            title="ranking.title",
            source=of.source,
            under=of.under(view, board),
            all_rows=board.rows,
        ),
        view.words,
    )


def _download(of: Ranked, view: View) -> Download:
    board = of.chosen(view)
    if board is None:
        return Download(of.name, (), ())
    chosen = column(board.standing.benchmark, view.text("order"))
    rows = ordered(found(board.rows, view), Sorted(chosen.key, chosen.descending))
    return ranking_download(
        rows, columns_of(board), texts(view.words.language), board.standing, view.board.state
    )


def _all_columns(page: Page, of: Ranked) -> None:
    """Add a table of every column, drawn when it is opened, which is sorted by any of them."""
    with gr.Accordion("", open=False, elem_classes="lv-all") as whole:
        page.part(lambda view: _whole(of, view), (*ROWS, WHOLE.name, "by"))
    page.output(whole, _opened, ())
    whole.expand(None, js="() => lv.change({ all: true })", api_visibility="private")
    whole.collapse(None, js="() => lv.change({ all: false })", api_visibility="private")


def _opened(view: View) -> dict[str, Any]:
    return updated(label=view.words("control.all_columns"), open=view.flag(WHOLE.name))


def _whole(of: Ranked, view: View) -> str:
    board = of.chosen(view)
    if board is None or not view.flag(WHOLE.name):
        return ""
    rows = found(board.rows, view)
    return whole_table(Whole(rows, columns_of(board), view.text("by"), "control.all_columns"), view.words)
