"""Conversations as rows of tokens; those about one scene share the beginning that they have in common.

The pictures of a scene, and the words before them, then cost once what several questions use: each question
is a block that sees the shared beginning and itself, at the positions that it has when it stands alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dataset_builders.layered_vqa.scene import Pixels

from .prompts import Conversation
from .text import Layout
from .tokens import END, END_PICTURE, PICTURE, ROLES, START_PICTURE, Tokens

Layer = int | None
AnyLayer = TypeVar("AnyLayer", int, Layer)


@dataclass(frozen=True)
class Strand:
    """One conversation as tokens.

    `positions` is 3 x length (time, height, width). `weights` says what it counts to foresee each token,
    above 0 in replies alone. The others are pairs (index of a token, layer): `pictures` begin there;
    `mentions` are the last tokens of phrases that pick out an object; after those of `found` the answer
    about one is due.
    """

    ids: NDArray[np.int64]
    positions: NDArray[np.int64]
    weights: NDArray[np.float32]
    pictures: tuple[tuple[int, Layer], ...]
    mentions: tuple[tuple[int, int], ...]
    found: tuple[tuple[int, int], ...]


class _Writer:
    """Grows a strand token by token."""

    def __init__(self, tokens: Tokens, grid: int) -> None:
        self._tokens, self._grid = tokens, grid
        self.ids: list[int] = []
        self.weights: list[float] = []
        self.places: list[tuple[int, int, int]] = []
        self.pictures: list[int] = []
        self._next = 0

    def add(self, ids: Sequence[int], weight: float = 0.0) -> None:
        self.ids += ids
        self.weights += [weight] * len(ids)
        self.places += [(place, place, place) for place in range(self._next, self._next + len(ids))]
        self._next += len(ids)

    def special(self, token: str, weight: float = 0.0) -> None:
        self.add([self._tokens.ids[token]], weight)

    def picture(self) -> None:
        self.special(START_PICTURE)
        start, steps = self._next, range(self._grid)
        self.pictures.append(len(self.ids))
        self.ids += [self._tokens.ids[PICTURE]] * self._grid**2
        self.weights += [0.0] * self._grid**2
        self.places += [(start, start + row, start + column) for row in steps for column in steps]
        self._next += self._grid
        self.special(END_PICTURE)

    def text(self, text: str, marks: Sequence[tuple[int, int]] = ()) -> list[tuple[int, int]]:
        """Add `text`; returns its `marks`, (end in the text, layer) each, as (index of the token, layer)."""
        ids, ends = self._tokens.read(text)
        begin = len(self.ids)
        self.add(ids)
        return [(begin + ends.index(end), layer) for end, layer in marks if end in ends]

    def message(
        self, message: dict[str, object], marks: Sequence[tuple[int, int]] = ()
    ) -> list[tuple[int, int]]:
        """Add a message as the chat template does; the marks are those of its last text."""
        self.special(ROLES[str(message["role"])])
        content = message["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        placed: list[tuple[int, int]] = []
        assert isinstance(parts, list)
        for part in parts:
            if part["type"] == "text":
                placed = self.text(part["text"], marks if part is parts[-1] else ())
            else:
                self.picture()
        self.special(END)
        return placed


def strand(talk: Conversation, tokens: Tokens, grid: int, replies: Sequence[Sequence[int]] = ()) -> Strand:
    """Return a conversation as tokens; `replies`, as tokens without their end, stand in place of its own.

    `grid` is the side of a picture in tokens.
    """
    writer = _Writer(tokens, grid)
    mentions: list[tuple[int, int]] = []
    found: list[tuple[int, int]] = []
    writer.message(talk.system)
    for index, exchange in enumerate(talk.exchanges):
        mentions += writer.message(exchange.message, exchange.mentions)
        writer.special(ROLES["assistant"])
        target = talk.question.target
        if exchange.weight == 1.0 and target > 0 and target in exchange.seen:
            found.append((len(writer.ids) - 1, target))
        reply = tokens.read(exchange.reply)[0] if index >= len(replies) else replies[index]
        writer.add(reply, exchange.weight)
        writer.special(END, exchange.weight)
    layers = [layer for exchange in talk.exchanges for layer in exchange.layers]
    return Strand(
        np.array(writer.ids),
        np.array(writer.places).T,
        np.array(writer.weights, np.float32),
        tuple(zip(writer.pictures, layers, strict=True)),
        tuple(mentions),
        tuple(found),
    )


@dataclass(frozen=True)
class Row:
    """Strands about one scene that have the first `shared` tokens, and the pictures there, in common.

    A strand by itself is all beginning.
    """

    strands: tuple[Strand, ...]
    shared: int


def pack(strands: Sequence[Strand]) -> Row:
    """Return strands about one scene as a row."""
    first, *others = strands
    if not others:
        return Row((first,), len(first.ids))
    # Nothing that has to be foreseen is shared, nor the token before it.
    shared = min(int(np.argmax(one.weights > 0)) for one in strands) - 1
    for one in others:
        differs = np.flatnonzero(first.ids[:shared] != one.ids[:shared])
        shared = int(differs[0]) if len(differs) else shared
        unlike = [
            at for (at, ours), (_, its) in zip(first.pictures, one.pictures, strict=False) if ours != its
        ]
        shared = min([shared, *unlike])
    return Row(tuple(strands), shared)


@dataclass(frozen=True)
class Batch:
    """Rows as one flat list of tokens: all beginnings, then all rests of strands.

    `pictures` are those of all rows, each once; `shown` numbers them in the order of their slots, and `keys`
    has (row, layer) of each. `before` are the places whose next token counts, strand by strand, `due` those
    tokens, `weights` what they count, and `counts` how many belong to each of `strands`. `mentions` and
    `found` are (place, row, layer).
    """

    ids: Tensor
    positions: Tensor
    layout: Layout
    pictures: Tensor
    shown: Tensor
    keys: tuple[tuple[int, Layer], ...]
    before: Tensor
    due: Tensor
    weights: Tensor
    counts: tuple[int, ...]
    strands: tuple[Strand, ...]
    mentions: tuple[tuple[int, int, int], ...]
    found: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True)
class _Piece:
    """The stretch of a strand of row `row` from token `begin` on, and where it starts in the flat list."""

    strand: Strand
    row: int
    begin: int
    end: int
    start: int

    def __len__(self) -> int:
        return self.end - self.begin

    def placed(self, pairs: Sequence[tuple[int, AnyLayer]]) -> list[tuple[int, int, AnyLayer]]:
        """Return those pairs (index, layer) that lie in the stretch, as (place in the list, row, layer)."""
        moved = self.start - self.begin
        return [(index + moved, self.row, layer) for index, layer in pairs if self.begin <= index < self.end]


def batch(rows: Sequence[Row], look: Callable[[int, Layer], Pixels]) -> Batch:
    """Return rows as one batch; `look(row, layer)` gives a picture of a row's scene."""
    firsts, rests = _pieces(rows)
    pieces = [*firsts, *rests]
    slots = [(row, layer) for one in pieces for _, row, layer in one.placed(one.strand.pictures)]
    keys = list(dict.fromkeys(slots))
    number = {key: index for index, key in enumerate(keys)}
    last = [one for one in pieces if one.end == len(one.strand.ids)]
    foreseen = [one.begin + np.flatnonzero(one.strand.weights[one.begin :]) for one in last]
    pairs = list(zip(last, foreseen, strict=True))
    return Batch(
        ids=_joined([one.strand.ids[one.begin : one.end] for one in pieces]),
        positions=_joined([one.strand.positions[:, one.begin : one.end] for one in pieces]),
        layout=_layout(firsts, rests),
        pictures=_stacked([look(*key) for key in keys]),
        shown=torch.tensor([number[key] for key in slots], dtype=torch.long),
        keys=tuple(keys),
        before=_joined([places - one.begin + one.start - 1 for one, places in pairs]),
        due=_joined([one.strand.ids[places] for one, places in pairs]),
        weights=_joined([one.strand.weights[places] for one, places in pairs]),
        counts=tuple(map(len, foreseen)),
        strands=tuple(one.strand for one in last),
        mentions=tuple(place for one in pieces for place in one.placed(one.strand.mentions)),
        found=tuple(place for one in pieces for place in one.placed(one.strand.found)),
    )


def _pieces(rows: Sequence[Row]) -> tuple[list[_Piece], list[_Piece]]:
    firsts: list[_Piece] = []
    rests: list[_Piece] = []
    start = 0
    for number, row in enumerate(rows):
        firsts.append(_Piece(row.strands[0], number, 0, row.shared, start))
        start += row.shared
    for number, row in enumerate(rows):
        for one in row.strands if row.shared < len(row.strands[0].ids) else ():
            rests.append(_Piece(one, number, row.shared, len(one.ids), start))
            start += len(one.ids) - row.shared
    return firsts, rests


def _layout(firsts: Sequence[_Piece], rests: Sequence[_Piece]) -> Layout:
    first, first_is = _padded(firsts)
    rest, rest_is = _padded(rests)
    row = np.array([one.row for one in rests], np.int64)
    length = rest.shape[1]
    own = np.tril(np.ones((length, length), bool))
    allowed = np.concatenate(
        [np.repeat(first_is[row][:, None], length, 1), np.repeat(own[None], len(rests), 0)], 2
    )
    mask = np.where(allowed, np.float32(0), np.float32("-inf"))[:, None]
    flat = (first, np.flatnonzero(first_is), rest, np.flatnonzero(rest_is), row, mask)
    return Layout(*map(torch.from_numpy, flat))


def _padded(pieces: Sequence[_Piece]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the places of pieces as rows of one length, and which of them are no padding."""
    length = max(map(len, pieces), default=0)
    steps = np.arange(length)
    real = steps < np.array([len(one) for one in pieces], np.int64).reshape(-1, 1)
    starts = np.array([one.start for one in pieces], np.int64).reshape(-1, 1)
    return np.where(real, starts + steps, 0), real


def _joined(parts: Sequence[NDArray[Any]]) -> Tensor:
    return torch.from_numpy(np.concatenate(parts, -1))


def _stacked(pictures: Sequence[Pixels]) -> Tensor:
    return torch.from_numpy(np.stack(pictures) if pictures else np.zeros((0, 1, 1, 3), np.uint8))
