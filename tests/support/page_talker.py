"""A model that answers about the pages of `page_folder`, and judges, by a plan that a test can count."""

import base64
import io
import re

import numpy as np
from PIL import Image

from tests.support.page_folder import SIZES, answer, question

RIGHT = {
    "default": {"business-en-1", "business-ru-1", "science-en-1"},
    "cot": {*SIZES} - {"business-en-1"},
    "downsample-2": {"business-en-1"},
}
"""What the model knows, by condition; other conditions are all wrong."""

WRONG = "none of it"
CUT, SILENT, REFUSED = "business-ru-2", "science-en-2", "science-ru-2"
"""The pages about which the model fails in the default condition, one in each way."""

THINKING = "one two three four"


class Talker:
    """Replies by condition and page; keeps every body of a conversation, by condition and page."""

    def __init__(self):
        self.bodies = {}

    def __call__(self, body):
        if body["model"] != "talker":
            return _said(verdict(body))
        page = asked(body)
        if page is None:  # of the preflight
            return _said("yes")
        condition = condition_of(body, page)
        self.bodies[condition, page] = body
        if condition == "default" and page in (CUT, SILENT, REFUSED):
            return {
                CUT: _said("It begins with", "length"),
                SILENT: _said(""),
                REFUSED: _said("I will not.", "content_filter"),
            }[page]
        thinking = THINKING if (condition, page) == ("default", "business-ru-1") else None
        return _said(answer(page) if page in RIGHT.get(condition, ()) else WRONG, thinking=thinking)


def verdict(body):
    """Return what a judge replies: right is what holds the reference; `lenient` finds all right."""
    said = body["messages"][-1]["content"]
    if not isinstance(said, str):  # of the preflight
        return "yes"
    found = re.search(r"<reference>\n(.*)\n</reference>.*<answer>\n(.*)\n</answer>", said, re.DOTALL)
    assert found is not None, said
    right = body["model"] == "lenient" or found[1] in found[2]
    return f"<explanation>By the reference.</explanation><verdict>{'' if right else 'in'}correct</verdict>"


def asked(body):
    """Return the page that a request is about, None for another request."""
    return next((name for name in SIZES if question(name) in str(body["messages"][-1]["content"])), None)


def picture_of(body):
    """Return the PNG of a request, None where it has no picture."""
    content = body["messages"][-1]["content"]
    parts = [part for part in content if part["type"] == "image_url"] if isinstance(content, list) else []
    return base64.b64decode(parts[0]["image_url"]["url"].partition(",")[2]) if parts else None


def shown(png):
    """Return the pixels of a PNG."""
    with Image.open(io.BytesIO(png)) as picture:
        return np.asarray(picture)


def condition_of(body, page):
    """Return the condition of a request, as far as the request tells it."""
    png = picture_of(body)
    if png is None:
        return "question-only"
    if body["messages"][0]["role"] == "system":
        return "cot"
    width = shown(png).shape[1]
    factors = {round(SIZES[page][0] / factor): factor for factor in (4, 3, 2, 1.5)}
    return f"downsample-{factors[width]:g}" if width in factors else "default"


def _said(text, finish_reason="stop", thinking=None):
    message = {"role": "assistant", "content": text}
    if thinking is not None:
        message["reasoning_content"] = thinking
    usage = {"prompt_tokens": 100, "completion_tokens": 10}
    return {"choices": [{"message": message, "finish_reason": finish_reason}], "usage": usage}
