"""A question to draft, with a good reply to each of the three calls."""

import copy
import io
import json

from PIL import Image

from dataset_builders.layered_vqa.annotation.records import Asked
from lvqa_eval.serving.request import whole
from lvqa_eval.simulation.replies import Reply
from lvqa_eval.statuses import Status
from tests.support.chat_server import completion, says
from tests.support.examples import scene

ASKED = Asked(
    question_id="q1",
    scene_id="s1",
    question="What colour is the circle left of the square?",
    answer="red",
    answer_description="one colour word",
    category="spatial",
    captions=("wall", "circle", "square", "star", "moon"),
    composite="composite.png",
    layers=tuple(f"layer-{index}.png" for index in range(5)),
)

SHARDS = {
    "units": [
        {"id": 1, "source": "What colour", "occurrence": 1},
        {"id": 2, "source": "circle", "occurrence": 1},
        {"id": 3, "source": "left of the square", "occurrence": 1},
    ],
    "shards": [
        {"role": "intent", "text": "I want to know a colour.", "units": [1]},
        {"role": "detail", "text": "It is that of the circle.", "units": [2]},
        {"role": "detail", "text": "The one left of the square, I mean.", "units": [3]},
    ],
}

EVIDENCE = {
    "notes": "A circle and a square lie side by side.",
    "gold_layers": [1, 2],
    "minimal_sets": [[1, 2]],
    "roles": [{"layer": 1, "role": "target"}, {"layer": 2, "role": "anchor"}],
    "support": [
        {"shard": 1, "layers": []},
        {"shard": 2, "layers": [1]},
        {"shard": 3, "layers": [2, 1]},
    ],
    "dependencies": [{"before": 2, "after": 1}],
    "distractors": [0, 3, 4],
    "confidence": 90,
}

PASS = {"issues": [], "annotation": SHARDS | EVIDENCE, "verdict": "pass"}

ISSUE = {"field": "gold_layers", "problem": "The star is needed too."}

REVISED = {
    "issues": [ISSUE],
    "annotation": SHARDS
    | EVIDENCE
    | {
        "gold_layers": [1, 2, 3],
        "minimal_sets": [[1, 2, 3]],
        "roles": [*EVIDENCE["roles"], {"layer": 3, "role": "context"}],
        "support": [*EVIDENCE["support"][:2], {"shard": 3, "layers": [1, 2, 3]}],
        "distractors": [0, 4],
    },
    "verdict": "revised",
}


def changed(reply, *path_and_value):
    """Return a copy of `reply` in which what stands at a path (keys and indices) is another value."""
    *path, last, value = path_and_value
    made = copy.deepcopy(reply)
    place = made
    for step in path:
        place = place[step]
    place[last] = value
    return made


def said(*replies):
    """Return replies as models write them; what is text already stays."""
    return [one if isinstance(one, str) else json.dumps(one) for one in replies]


def find(name):
    """Return the bytes of a picture of the scene, by the file names of `ASKED`."""
    drawn = scene("s1", 5)
    number = name.partition(".")[0].rpartition("-")[2]
    pixels = drawn.composite() if number == "composite" else drawn.layers[int(number)]
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, format="PNG")
    return stream.getvalue()


class DraftingModel:
    """A speaker that gives these replies in turn, the last for ever, and keeps what it was asked."""

    def __init__(self, *replies):
        self.replies = [one if isinstance(one, Reply) else Reply(Status.OK, said(one)[0]) for one in replies]
        self.messages, self.seeds, self.bodies = [], [], []

    async def complete(self, messages, *, seed, route=None, body=None):
        self.messages.append([json.loads(whole(message)) for message in messages])
        self.seeds.append(seed)
        self.bodies.append(json.loads(b"".join(body.fragments([], seed))))
        return self.replies[min(len(self.messages), len(self.replies)) - 1]


def drafting_steps(*replies):
    """Return the steps of a server that replies so; what is a step already stays."""
    return [one if callable(one) else says(body=completion(said(one)[0])) for one in replies]
