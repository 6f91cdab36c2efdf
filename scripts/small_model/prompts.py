"""Conversations as `lvqa run` sends them, built by its own code, with the replies that are right.

What is trained is therefore what a run asks: its system prompts, labels, schedules and messages.
"""

from collections.abc import Coroutine, Iterator
from dataclasses import dataclass
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, TypeVar

import orjson

from dataset_builders.layered_vqa.conditions import CONDITIONS, ConditionOptions, Schedule
from dataset_builders.layered_vqa.example import Example
from dataset_builders.layered_vqa.rows import condition_row
from lvqa_eval.baselines import BASELINES
from lvqa_eval.benchmarks import LAYERED_VQA
from lvqa_eval.dataset import Row
from lvqa_eval.images import Picture, PictureKey
from lvqa_eval.prompts import Prompt
from lvqa_eval.serving.request import Message
from lvqa_eval.simulation.messages import text_message, turn_pictures, user_message

from .questions import Question

MORE_WORDS = "Can you tell me more?"
MORE_LAYERS = "Can you show me more?"
"""What the model asks while it lacks words, or layers."""

OPTIONS = ConditionOptions()
UNSURE_WEIGHT = 0.3
"""What a reply that asks back counts in training, against one that answers."""

SURE_BY_LAYERS = (95, 95, 85, 75, 65, 55)
"""The confidence to declare for an answer that rests on 0, 1, 2, … layers."""

Kept = TypeVar("Kept")


@dataclass(frozen=True)
class Exchange:
    """One user message as JSON has it, and the reply to give.

    `weight` is what the reply counts in training. `layers` are the pictures of the message, in order (None:
    the whole scene), `seen` the layers shown so far. `mentions` are the phrases of its text that pick out one
    object, as (end, layer).
    """

    message: dict[str, Any]
    reply: str
    weight: float
    layers: tuple[int | None, ...]
    seen: frozenset[int]
    mentions: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Conversation:
    """A system prompt and exchanges, about one question under one condition."""

    question: Question
    condition: str
    system: dict[str, Any]
    exchanges: tuple[Exchange, ...]


def conversation(question: Question, condition: str) -> Conversation:
    """Return a conversation about `question` as a run holds it under `condition`, with its right replies."""
    row = _row(question.example, condition)
    contract = LAYERED_VQA.contract(row)
    assert contract is not None
    system = _plain(text_message("system", _prompts()[contract].text))
    return Conversation(question, condition, system, tuple(_exchanges(question, row)))


def _row(example: Example, condition: str) -> Row:
    baseline = BASELINES.get(condition) if condition in BASELINES.names() else None
    name = (baseline.source or LAYERED_VQA.conditions[0]) if baseline else condition
    schedule: Schedule = CONDITIONS.get(name)(example, OPTIONS)
    row = Row.model_validate_json(orjson.dumps(condition_row(example, name, schedule)))
    return row.model_copy(update={"condition": condition, "turns": baseline.turns(row)}) if baseline else row


def _exchanges(question: Question, row: Row) -> Iterator[Exchange]:
    seen: set[int] = set()
    shards: set[int] = set()
    asked = False
    labels = [_prompts()[name] for name in LAYERED_VQA.labels]
    for index, turn in enumerate(row.turns):
        pictures = _now(turn_pictures(_NOWHERE, row, index, _PICTURES, *labels))
        message = _plain(user_message(pictures, turn.text))
        seen |= set(range(row.depth)) if turn.composite else set(turn.layers)
        shards |= set(turn.shards)
        asked |= turn.question or len(shards) == len(row.shards)
        reply = _reply(row, seen, asked, last=index == len(row.turns) - 1)
        mentions = [one for one in _mentions(question, row, turn.text, turn.shards) if one[1] in seen]
        layers = ((None,) if turn.composite else ()) + turn.layers
        weight = 1.0 if reply not in (MORE_WORDS, MORE_LAYERS) else UNSURE_WEIGHT
        yield Exchange(message, reply, weight, layers, frozenset(seen), tuple(mentions))


def _reply(row: Row, seen: set[int], asked: bool, *, last: bool) -> str:
    if LAYERED_VQA.contract(row) == "grounding":
        needed = ", ".join(map(str, row.gold_layers))
        sure = SURE_BY_LAYERS[min(len(row.gold_layers), len(SURE_BY_LAYERS) - 1)]
        return f"Answer: {row.answer}\nLayers: {needed}\nConfidence: {sure}\nWhy: These layers show it."
    if not last and not asked:
        return MORE_WORDS
    if not last and not any(seen >= set(minimal) for minimal in row.minimal_sets):
        return MORE_LAYERS
    return row.answer


def _mentions(question: Question, row: Row, text: str, shards: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    start = text.find(row.question)
    if start >= 0:
        yield from ((start + end, layer) for end, layer in question.mentions)
    end = -1
    for shard in shards:
        end += 1 + len(row.shards[shard - 1].text)
        if question.told[shard - 1]:
            yield end, question.told[shard - 1]


class _NamedPictures:
    """Stands where a run renders pictures: the part of a message says only which layer it shows."""

    async def picture(self, key: PictureKey, _find: object) -> Picture:
        return Picture("", 0, 0, orjson.dumps({"type": "image", "layer": key.layer}))


_PICTURES: Any = _NamedPictures()
_NOWHERE: Any = SimpleNamespace(picture=None)


@lru_cache(maxsize=1)
def _prompts() -> dict[str, Prompt]:
    return LAYERED_VQA.prompts()


def _plain(message: Message) -> dict[str, Any]:
    """Return a message as a server reads it."""
    read: dict[str, Any] = orjson.loads(
        b"".join(piece.part if isinstance(piece, Picture) else piece for piece in message)
    )
    return read


def _now(coroutine: Coroutine[Any, Any, Kept]) -> Kept:
    """Return what a coroutine gives that waits for nothing."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        kept: Kept = done.value
        return kept
    raise RuntimeError("the coroutine waits for something")
