"""Every column of the big tables: what it is called, what its figures are, and which direction is better."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from leaderboard.board.layered_figures import DELIVERED, GROUNDING, LOSSES, RETAINED
from leaderboard.board.measured import FAILURES
from leaderboard.board.page_figures import OVERALL
from leaderboard.board.records import BenchmarkBoard, Entry, Row
from lvqa_eval.metrics.bear.conditions import CONDITIONS, DEFAULT
from lvqa_eval.metrics.bear.groups import CONTENT, DOMAINS, LANGUAGES
from lvqa_eval.metrics.delivery import FULL
from lvqa_eval.reports.deliveries import DELIVERIES

Better = Literal["higher", "lower", "neither"]
Cell = float | str | None
"""What a row has in a column: a number, NaN for none; or a text, None for none."""

DEPTHS: Final = tuple(range(2, 9))
"""Numbers of layers that have columns; deeper scenes are in the figure of depths alone."""


@dataclass(frozen=True)
class Column:
    """One column.

    - `key`: its name among a row's figures, or in `ENTRY_CELLS` for what an entry says of itself.
    - `unit`: as `Words.figure` takes it; "text" and "date" for what is no number.
    - `definition`: the term of the texts that tells what it is, with every denominator.
    - `group`: the key of the title that it shares with columns beside it, empty for one of its own.
    - `opens`: whether its title opens the definition: of columns of one definition the first does.
    """

    key: str
    unit: str
    definition: str
    better: Better = "higher"
    group: str = ""
    opens: bool = True

    @property
    def title(self) -> str:
        """The key of its title."""
        return f"column.{self.key}"

    @property
    def term(self) -> str:
        """The term that its title opens, empty for none."""
        return self.definition if self.opens else ""

    @property
    def descending(self) -> bool:
        """Whether the order that puts the best first begins with the greatest."""
        return self.better != "lower"

    @property
    def numeric(self) -> bool:
        """Whether its cells are numbers."""
        return self.unit not in ("text", "date")


def _alike(keys: Iterable[str], unit: str, definition: str, better: Better, group: str) -> tuple[Column, ...]:
    """Return columns of one definition, which the title of the first opens."""
    return tuple(
        Column(key, unit, definition, better, group, opens=not place) for place, key in enumerate(keys)
    )


_FAILED: Final = _alike(FAILURES, "share", "failed", "lower", "group.failed")
_ABOUT: Final = (
    Column("coverage", "coverage", "coverage"),
    *_FAILED,
    Column("parameters", "number", "parameters", "neither"),
    Column("weights", "text", "weights", "neither"),
    Column("badge", "text", "badge", "neither"),
    Column("received", "date", "received", "neither"),
    Column("revision", "text", "revision", "neither"),
    Column("harness", "text", "harness", "neither"),
    Column("judges", "text", "judges", "neither"),
    Column("runs", "count", "runs", "neither"),
    Column("conversations", "count", "conversations", "neither"),
    *_alike(("prompt_tokens", "completion_tokens"), "count", "tokens", "lower", ""),
)

_OTHERS: Final = tuple(one for one in DELIVERIES if one != FULL)

LAYERED: Final = (
    Column(DELIVERED, "share", "delivered"),
    Column(FULL, "share", "full"),
    *_alike(RETAINED.values(), "per cent", "retained", "higher", "group.retained"),
    Column("joint", "share", "joint"),
    Column(GROUNDING["F1"], "ratio", "grounding_f1"),
    Column("ungrounded", "share", "ungrounded", "lower"),
    Column("unreliability", "share", "unreliability", "lower"),
    *_alike((f"delta_{one}" for one in _OTHERS), "difference", "delta", "higher", "group.delta"),
    *_alike(_OTHERS, "share", "accuracy", "higher", "group.accuracy"),
    *_alike(("restored_question", "restored_scene"), "difference", "restored", "higher", "group.restored"),
    *_alike(
        (f"depth_{loss}_{depth}" for loss in LOSSES for depth in DEPTHS),
        "difference",
        "depth",
        "higher",
        "group.depth",
    ),
    *_alike(
        (key for name, key in GROUNDING.items() if name != "F1"),
        "ratio",
        "grounding",
        "higher",
        "group.grounding",
    ),
    Column("grounded", "share", "grounded"),
    Column("aptitude", "share", "aptitude"),
    *_ABOUT,
)

_SMALLER: Final = tuple(one for one in CONDITIONS if one != DEFAULT)

BEAR: Final = (
    Column(OVERALL, "share", "overall"),
    *_alike(reversed(LANGUAGES), "share", "language", "higher", "group.language"),
    Column("gap", "difference", "gap", "neither", "group.language"),
    *_alike(DOMAINS, "share", "domain", "higher", "group.domain"),
    *_alike(
        (f"{domain}-{language}" for domain in DOMAINS for language in reversed(LANGUAGES)),
        "share",
        "cell",
        "higher",
        "group.cell",
    ),
    *_alike(CONTENT, "share", "content", "higher", "group.content"),
    *_alike(
        (f"steps_{one}" for one in ("under_3", "3", "4", "5", "6", "not_stated")),
        "share",
        "steps",
        "higher",
        "group.steps",
    ),
    *_alike(_SMALLER, "share", "prompt_and_size", "higher", "group.conditions"),
    *_alike((f"delta_{one}" for one in _SMALLER), "difference", "delta_default", "higher", "group.changes"),
    Column("words", "words", "words", "neither"),
    *_ABOUT,
)

_COLUMNS: Final = {"layered-vqa": LAYERED, "bear-bench": BEAR}

ENTRY_CELLS: Final[dict[str, Callable[[Entry], Cell]]] = {
    "model": lambda one: one.model,
    "parameters": lambda one: math.nan if one.parameters is None else one.parameters,
    "weights": lambda one: one.weights,
    "badge": lambda one: one.badge,
    "received": lambda one: one.received or None,
    "revision": lambda one: one.revision,
    "harness": lambda one: one.harness or None,
    "judges": lambda one: ", ".join(one.judges) or None,
    "runs": lambda one: one.runs or math.nan,
    "conversations": lambda one: one.conversations or math.nan,
    "prompt_tokens": lambda one: math.nan if one.prompt_tokens is None else one.prompt_tokens,
    "completion_tokens": lambda one: math.nan if one.completion_tokens is None else one.completion_tokens,
}
"""What an entry says of itself, by column."""


def columns_of(board: BenchmarkBoard) -> tuple[Column, ...]:
    """Return the columns in which some row of a board has anything, in the order of the table.

    What the reader of the table must find is always there: the ranking column and what entries say.
    """
    held = {key for row in board.rows for key in row.figures} | {board.order, *ENTRY_CELLS}
    return tuple(one for one in _COLUMNS[board.standing.benchmark] if one.key in held)


def column(benchmark: str, key: str) -> Column:
    """Return a column of a benchmark; KeyError for none."""
    return {one.key: one for one in _COLUMNS[benchmark]}[key]


def cell(row: Row, key: str) -> Cell:
    """Return what a row has in a column."""
    if key in ENTRY_CELLS:
        return ENTRY_CELLS[key](row.entry)
    figure = row.figures.get(key)
    return math.nan if figure is None else figure.value


def sorted_rows(rows: Sequence[Row], key: str, descending: bool | None = None) -> list[Row]:
    """Return rows in the order of a column, as numbers where it has numbers; equals as they stood.

    What is missing comes last in both directions. Without a direction the best comes first, text from A.
    """
    if descending is None:
        known = (one for of in _COLUMNS.values() for one in of if one.key == key)
        found = next(known, None)
        descending = found is not None and found.descending and found.numeric
    held: list[tuple[float | str, Row]] = []
    missing: list[Row] = []
    for row in rows:
        value = cell(row, key)
        if value is None or (isinstance(value, float) and math.isnan(value)):
            missing.append(row)
        else:
            held.append((value.casefold() if isinstance(value, str) else value, row))
    # Python keeps equals as they stood in either direction.
    ordered = sorted(held, key=lambda pair: pair[0], reverse=descending)
    return [*(row for _, row in ordered), *missing]
