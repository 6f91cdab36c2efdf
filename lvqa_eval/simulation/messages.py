"""Chat messages as finished JSON pieces: a picture is encoded once and only text is encoded anew."""

from collections.abc import Sequence
from functools import lru_cache

import orjson

from lvqa_eval.dataset import Dataset, Row
from lvqa_eval.images import Picture, PictureKey, PictureStore
from lvqa_eval.prompts import Prompt
from lvqa_eval.serving.request import Message


def text_message(role: str, text: str) -> Message:
    """Return a message of plain text."""
    return (orjson.dumps({"role": role, "content": text}),)


def user_message(pictures: Sequence[tuple[str, Picture]], text: str) -> Message:
    """Return a user message: each picture after its label, in order, then the text."""
    if not pictures:
        return text_message("user", text)
    pieces: list[bytes | Picture] = []
    between = b'{"role":"user","content":['
    for label, picture in pictures:
        pieces += [between + _text_part(label) + b",", picture]
        between = b","
    return (*pieces, between + _text_part(text) + b"]}")


async def turn_pictures(
    dataset: Dataset, row: Row, turn: int, store: PictureStore, layer_label: Prompt, composite_label: Prompt
) -> list[tuple[str, Picture]]:
    """Return the labelled pictures of one turn: the scene, then layers; counted from 1 in each message."""
    scheduled = row.turns[turn]
    pictures = []
    if scheduled.composite:
        key = PictureKey(row.scene_id, None, row.composite_file_name)
        pictures.append((_label(composite_label, 1, None), await store.picture(key, dataset.picture)))
    for layer in scheduled.layers:
        label = _label(layer_label, len(pictures) + 1, layer)
        key = PictureKey(row.scene_id, layer, row.layers_file_names[layer])
        pictures.append((label, await store.picture(key, dataset.picture)))
    return pictures


# A run fills the same few labels once a picture, hundreds of thousands of times.
@lru_cache(maxsize=4096)
def _label(prompt: Prompt, position: int, layer: int | None) -> str:
    return prompt.fill(position=position, layer=layer)


def _text_part(text: str) -> bytes:
    return b'{"type":"text","text":' + orjson.dumps(text) + b"}"
