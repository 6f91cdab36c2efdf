"""Chat messages as finished JSON pieces: a picture is encoded once and only text is encoded anew."""

from collections.abc import Sequence
from functools import lru_cache

import orjson

from lvqa_eval.images import Picture, PictureStore
from lvqa_eval.prompts import Prompt
from lvqa_eval.scheduled import ScheduledDataset, ScheduledRow
from lvqa_eval.serving.request import Message


def text_message(role: str, text: str) -> Message:
    """Return a message of plain text."""
    return (orjson.dumps({"role": role, "content": text}),)


def user_message(pictures: Sequence[tuple[str | None, Picture]], text: str) -> Message:
    """Return a user message: each picture, after its label if it has one, in order, then the text."""
    if not pictures:
        return text_message("user", text)
    pieces: list[bytes | Picture] = []
    between = b'{"role":"user","content":['
    for label, picture in pictures:
        pieces += [between if label is None else between + _text_part(label) + b",", picture]
        between = b","
    return (*pieces, between + _text_part(text) + b"]}")


async def turn_pictures(
    dataset: ScheduledDataset,
    row: ScheduledRow,
    turn: int,
    store: PictureStore,
    *labels: Prompt,
    factor: float = 1.0,
) -> list[tuple[str | None, Picture]]:
    """Return the pictures of one turn, their sides divided by `factor`, each with its label.

    `labels` are that of a layer and that of the scene, filled with the picture's number in the message, from
    1; without them pictures have none.
    """
    pictures: list[tuple[str | None, Picture]] = []
    for key in row.pictures(turn):
        label = _label(labels[key.layer is None], len(pictures) + 1, key.layer) if labels else None
        picture = await store.picture(key._replace(factor=factor), dataset.picture)
        pictures.append((label, picture))
    return pictures


# A run fills the same few labels once a picture, hundreds of thousands of times.
@lru_cache(maxsize=4096)
def _label(prompt: Prompt, position: int, layer: int | None) -> str:
    return prompt.fill(position=position, layer=layer)


def _text_part(text: str) -> bytes:
    return b'{"type":"text","text":' + orjson.dumps(text) + b"}"
