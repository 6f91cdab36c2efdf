"""The small messages and pictures that preflight sends, and what a shown prompt tells of their order."""

import base64
import io
from typing import Any

import orjson

from lvqa_eval.serving.request import Message


def text(words: str) -> dict[str, Any]:
    """Return a text part of a message."""
    return {"type": "text", "text": words}


def picture(side: int, number: int) -> dict[str, Any]:
    """Return an image part: a square of one colour, `side` pixels wide, a colour for each number."""
    from PIL import Image

    colour = (number * 67 % 256, number * 131 % 256, number * 29 % 256)
    buffer = io.BytesIO()
    Image.new("RGB", (side, side), colour).save(buffer, "PNG")
    url = "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()
    return {"type": "image_url", "image_url": {"url": url}}


def message(role: str, *parts: dict[str, Any]) -> Message:
    """Return one message."""
    return (orjson.dumps({"role": role, "content": parts}),)


def image_order(bare: str, shown: str, labels: tuple[str, str]) -> str | None:
    """Tell from two prompts whether pictures stay behind their labels.

    `bare` is the prompt of the two labels alone, `shown` that of label, small picture, label, large picture.
    Whatever a picture is written as, it makes the prompt longer where it stands. Returns "kept", words for
    what went wrong, or None where the prompts do not show it.
    """
    without, with_pictures = _lengths(bare, labels), _lengths(shown, labels)
    if without is None or with_pictures is None:
        return None
    ahead, first, second = (now - then for now, then in zip(with_pictures, without, strict=True))
    if (ahead, first, second) == (0, 0, 0):
        return None
    if ahead > 0:
        return "the server puts pictures before the text"
    if first <= 0:
        return "the server puts pictures behind the text"
    if second <= 0:
        return "the server puts both pictures at the first label"
    return "kept" if first <= second else "the server swaps the pictures"


def _lengths(prompt: str, labels: tuple[str, str]) -> tuple[int, int, int] | None:
    """Return the lengths of a prompt before, between and after the labels, None unless each is there once."""
    if any(prompt.count(label) != 1 for label in labels):
        return None
    ahead, rest = prompt.split(labels[0])
    if labels[1] not in rest:
        return None
    between, after = rest.split(labels[1])
    return len(ahead), len(between), len(after)
