"""One conversation as pages show it, held with one or two models: what each turn sent, and the replies."""

from dataclasses import dataclass
from typing import Final, Literal

from leaderboard.html.escape import Markup, el, outer
from leaderboard.html.words import Words
from lvqa_eval.statuses import Status

Ruling = Literal["right", "wrong", "asks", "unknown"]
"""What a judge makes of a reply: an attempt that is right or wrong, no attempt, or not said."""

SIGNS: Final[dict[Ruling, str]] = {
    "right": "\N{CHECK MARK}",
    "wrong": "\N{BALLOT X}",
    "asks": "?",
    "unknown": "\N{EN DASH}",
}
"""Stands before the word of a ruling, so that none is a colour alone."""

SIDES: Final = ("A", "B")


@dataclass(frozen=True)
class Picture:
    """A picture as the page loads it: a path of this server, its size in pixels, and the hash of its file."""

    source: str
    width: int
    height: int
    sha256: str = ""


@dataclass(frozen=True)
class Reply:
    """What one model said in a turn.

    - `asked`: the user's words where this model was told others than the turn has, empty otherwise.
    - `ungrounded`: it was the first right answer, and came before the evidence was complete.
    """

    text: str
    ruling: Ruling
    status: Status = Status.OK
    asked: str = ""
    ungrounded: bool = False


@dataclass(frozen=True)
class Turn:
    """One turn: the user's words, what they bring, the pictures in the order of sending, and the replies.

    `pictures` are pairs of the label above a picture, empty for none, and the picture. `replies` has one for
    each model, None where its conversation had ended.
    """

    user: str
    question: bool = False
    shards: tuple[int, ...] = ()
    layers: tuple[int, ...] = ()
    composite: bool = False
    pictures: tuple[tuple[str, Picture], ...] = ()
    replies: tuple[Reply | None, ...] = ()


@dataclass(frozen=True)
class Exchange:
    """A conversation under one condition, side by side for `models` (one or two, as A and B).

    - `finals`: the ruling on each model's final turn.
    - `gold`: the layers that hold the evidence. `complete`: the turn (from 1) in which the last of it comes.
    """

    condition: str
    turns: tuple[Turn, ...]
    models: tuple[str, ...]
    finals: tuple[Ruling, ...]
    gold: tuple[int, ...] = ()
    complete: int | None = None


def ruling(name: Ruling, words: Words) -> Markup:
    """Return a ruling: its sign, and its word, which narrow cells leave to those who hear the page."""
    word = el("span", words(f"ruling.{name}"), class_="word")
    return el("span", el("span", SIGNS[name]), " ", word, class_=f"lv-v {name}")


def letter(side: int) -> Markup:
    """Return the letter of a model: A filled, B outlined."""
    return el("span", SIDES[side], class_="lv-ab a" if side == 0 else "lv-ab")


def picture(shown: Picture, alt: str, class_: str = "lv-pic") -> Markup:
    """Return a picture whose place is kept before it is there."""
    return el(
        "img",
        src=shown.source,
        width=shown.width,
        height=shown.height,
        alt=alt,
        class_=class_,
        data_sha=shown.sha256 or None,
    )


def quoted(text: str) -> Markup:
    """Return what someone said, its lines kept; long ones scroll in a box of their own."""
    long = len(text) > 1200 or text.count("\n") > 16
    return outer(text, class_="lv-said long" if long else "lv-said", tabindex="0" if long else None)
