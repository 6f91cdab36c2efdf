"""The fields of a link to a conversation, and of one to two models compared."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from leaderboard.board.records import Board
from leaderboard.examples.choices import Choices
from leaderboard.examples.library import Wanted
from leaderboard.views import Choice, Field, Flag, JunkError, Value, Values, View, Whole

_FIRST_SHOWN: Final = "sharded-v"
"""The condition that shows best what a delivery is."""

Offer = Callable[[], Mapping[str, Choices]]
"""Gives what there is now, by benchmark."""

Among = Callable[[Values], Choices | None]
"""Gives what there is of the benchmark of a view, None for nothing."""


@dataclass(frozen=True)
class Model:
    """A submission by its short name; a link may have its whole id.

    One that stands `beside` another, the value of that field, is never the same and may be none, empty.
    """

    name: str
    among: Among
    beside: str = ""

    def default(self, board: Board, values: Values) -> str:
        """Return the best one, or the next best."""
        return next(iter(self.offered(values)), "")

    def read(self, text: str, board: Board, values: Values) -> str:
        """Return the short name of the submission that is called so; JunkError for none on offer."""
        if self.beside and not text:
            return ""
        choices = self.among(values)
        found = None if choices is None else choices.model(text)
        if found is None or found not in self.offered(values):
            raise JunkError(self.name, text, "the id of a submission with a run")
        return found

    def write(self, value: Value) -> str:
        """Return the short name."""
        return str(value)

    def offered(self, values: Values) -> Sequence[str]:
        """Return what may be chosen, in the order of the board."""
        choices = self.among(values)
        other = values.get(self.beside)
        return [] if choices is None else [one for one in choices.models if one != other]


def pair_fields(offer: Offer) -> tuple[Field, ...]:
    """Return benchmark, models and condition of two models compared."""
    among = among_of(offer)
    return (
        Choice("benchmark", lambda board, values: list(offer())),
        Model("a", among),
        Model("b", among, beside="a"),
        _condition(among),
    )


def example_fields(offer: Offer) -> tuple[Field, ...]:
    """Return all that a link to a conversation tells, in the order in which one depends on another."""
    among = among_of(offer)

    def scenes(board: Board, values: Values) -> Sequence[str]:
        choices = among(values)
        return [] if choices is None else list(choices.scenes)

    def questions(board: Board, values: Values) -> Sequence[str]:
        choices = among(values)
        return [] if choices is None else choices.scenes[str(values["scene"])]

    def runs(board: Board, values: Values) -> int:
        choices = among(values)
        return 1 if choices is None else choices.runs

    def turns(board: Board, values: Values) -> int:
        choices = among(values)
        if choices is None:
            return 1
        return choices.turns(str(values["condition"]), str(values["question"]))

    benchmark, a, b, condition = pair_fields(offer)
    return (
        benchmark,
        Choice("scene", scenes),
        Choice("question", questions),
        condition,
        a,
        b,
        Whole("run", runs),
        Whole("turn", turns),
        Flag("ev"),
        Choice("map", ("", "a", "b")),
    )


def wanted(view: View) -> Wanted:
    """Return the conversation that a view is of."""
    return Wanted(
        benchmark=view.text("benchmark"),
        question=view.text("question"),
        condition=view.text("condition"),
        a=view.text("a"),
        b=view.text("b"),
        run=view.whole("run"),
    )


def among_of(offer: Offer) -> Among:
    """Return what gives the choices of the benchmark of a view."""
    return lambda values: offer().get(str(values["benchmark"]))


def _condition(among: Among) -> Choice:
    def conditions(board: Board, values: Values) -> Sequence[str]:
        choices = among(values)
        return () if choices is None else choices.conditions

    return Choice("condition", conditions, _FIRST_SHOWN)
