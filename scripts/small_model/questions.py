"""Questions of the procedural source as training needs them: which object each phrase of a question means."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from dataset_builders.layered_vqa.example import CATEGORIES, Example
from dataset_builders.layered_vqa.sources.procedural.attributes import COLOURS, SIZES, TEXTURES
from dataset_builders.layered_vqa.sources.procedural.questions import candidates
from dataset_builders.layered_vqa.sources.procedural.questions.candidate import Candidate
from dataset_builders.layered_vqa.sources.procedural.questions.setting import Setting
from dataset_builders.layered_vqa.sources.procedural.questions.spatial import EDGES, lone_place
from dataset_builders.layered_vqa.sources.procedural.shapes import SHAPES
from dataset_builders.layered_vqa.sources.procedural.world import World

KEPT_A_CATEGORY = 8
"""Most questions of one category that are kept about one world."""

_KIND_OF = {
    **dict.fromkeys(SIZES, "size"),
    **dict.fromkeys(TEXTURES, "texture"),
    **dict.fromkeys(COLOURS, "colour"),
    **dict.fromkeys(SHAPES, "shape"),
}
_WORDS = "|".join(_KIND_OF)
_NAMED = re.compile(rf"\b[Tt]he ((?:(?:{_WORDS}) )*(?:object\b|{'|'.join(SHAPES)})(?!e?s\b))")
_BOTH = re.compile(rf"\bthe object that is both ({_WORDS}) and ({_WORDS})\b")
_ALONE = re.compile(r"\bthe only object shown\b")
_PLACED = re.compile(r"\bthe object in the (?:(middle)|(top|bottom) (left|right) corner) of the picture\b")
_TOLD = re.compile(rf"(.+) is (?:a )?({_WORDS})\.")
_TOLD_ALONE = re.compile(r".+ is the only one in the picture\.")
_TOLD_PLACE = re.compile(r".+ (?:in the (middle) of the picture|at the (top|bottom)|on the (left|right))\.")
_FOUND_LAST = {"object above", "object below", "object of both", "in a direction"}
_FOUND_LAST |= {"same as", "same as found", "chain", "place of found"}


@dataclass(frozen=True)
class Question:
    """One question: `example` has the words and the evidence.

    `mentions` are the phrases of its words that pick out one object, as (end, layer), `told` the same for its
    shards (0 where none is complete), and `target` is the layer of what is asked about (-1 if it is not one).
    """

    kind: str
    example: Example
    mentions: tuple[tuple[int, int], ...]
    told: tuple[int, ...]
    target: int


def question_of(world: World, candidate: Candidate, question_id: str) -> Question:
    """Return `candidate`, a question about `world`, with the objects that its phrases mean."""
    example = candidate.example(question_id, "training", world.depth)
    return Question(
        candidate.kind,
        example,
        tuple(_mentions(world, candidate.question)),
        tuple(_told(world, [text for text, _ in candidate.pieces])),
        _target(world, candidate),
    )


def _mentions(world: World, text: str) -> list[tuple[int, int]]:
    found = [(phrase.end(), _only(world, _values(phrase[1].split()))) for phrase in _NAMED.finditer(text)]
    found += [(phrase.end(), _only(world, _values(phrase.groups()))) for phrase in _BOTH.finditer(text)]
    found += [(phrase.end(), 1) for phrase in _ALONE.finditer(text)]
    found += [(phrase.end(), _at(world, *phrase.groups())) for phrase in _PLACED.finditer(text)]
    return sorted((end, layer) for end, layer in found if layer)


def _told(world: World, pieces: list[str]) -> list[int]:
    said: dict[str, dict[str, str]] = {}
    place: list[str | None] = [None, None, None]
    layers = []
    for text in pieces:
        layer = 1 if _TOLD_ALONE.fullmatch(text) else 0
        if match := _TOLD.fullmatch(text):
            values = said.setdefault(match[1], {})
            values |= _values([match[2]])
            layer = _only(world, values)
        elif match := _TOLD_PLACE.fullmatch(text):
            place = [new or old for new, old in zip(match.groups(), place, strict=True)]
            layer = _at(world, *place)
        layers.append(layer)
    return layers


def _values(words: Iterable[str]) -> dict[str, str]:
    return {_KIND_OF[word]: word for word in words if word in _KIND_OF}


def _at(world: World, middle: str | None, vertical: str | None, horizontal: str | None) -> int:
    """Return the layer of the only object in a corner or the middle; 0 without one, or half a corner."""
    if not middle and not (vertical and horizontal):
        return 0
    where = "centre" if middle else f"{vertical} {horizontal}"
    setting = Setting(world, Random(0))
    return next((one.layer for one in world.objects if lone_place(setting, one) == where), 0)


def _only(world: World, values: dict[str, str]) -> int:
    """Return the layer of the only object that looks like `values`; 0 without any, or with several."""
    fitting = [one.layer for one in world.objects if all(one.look.get(k) == v for k, v in values.items())]
    return fitting[0] if values and len(fitting) == 1 else 0


def _target(world: World, candidate: Candidate) -> int:
    if candidate.kind in _FOUND_LAST:
        return candidate.dependencies[-1][1]
    if candidate.kind == "outermost":
        axis, sign = next(edge for name, edge in EDGES.items() if name in candidate.question)
        return min(candidate.minimal_sets[0], key=lambda layer: sign * world.objects[layer - 1].centre[axis])
    only = candidate.minimal_sets[0] if len(candidate.minimal_sets) == 1 else ()
    one_thing = candidate.asks != "number" and len(only) == 1
    return only[0] if one_thing else -1


@dataclass
class Choice:
    """Which of the questions about a world are kept: of many kinds, rare answers before common ones."""

    answers: Counter[tuple[str, str]] = field(default_factory=Counter)

    def of(self, world: World, name: str, rng: Random) -> list[Question]:
        """Return the questions kept about `world`, whose ids begin with `name`."""
        kept: list[Question] = []
        for category in CATEGORIES:
            for candidate in self._chosen(candidates(world, category, rng), rng):
                kept.append(question_of(world, candidate, f"{name}-{len(kept)}"))
        return kept

    def _chosen(self, offered: list[Candidate], rng: Random) -> list[Candidate]:
        chosen: list[Candidate] = []
        kinds: Counter[str] = Counter()
        while offered and len(chosen) < KEPT_A_CATEGORY:
            best = min(offered, key=lambda one: (kinds[one.kind], self._cost(one) * (1 + rng.random())))
            offered.remove(best)
            chosen.append(best)
            kinds[best.kind] += 1
            self.answers[best.kind, best.answer] += 1
        return chosen

    def _cost(self, one: Candidate) -> int:
        return 1 + self.answers[one.kind, one.answer]


def as_plain(question: Question) -> dict[str, Any]:
    """Return `question` as plain values, for a file."""
    example = question.example
    return {
        "kind": question.kind,
        "question": example.question,
        "answer": example.answer,
        "category": example.category,
        "sets": example.minimal_sets,
        "needs": example.dependencies,
        "pieces": [(shard.text, shard.support) for shard in example.shards],
        "mentions": question.mentions,
        "told": question.told,
        "target": question.target,
    }


def from_plain(plain: dict[str, Any], question_id: str, depth: int) -> Question:
    """Return the question that `as_plain` wrote."""
    candidate = Candidate(
        plain["kind"],
        plain["category"],
        "number",  # names only how a judge is told about the answer, and nobody judges here
        plain["question"],
        plain["answer"],
        tuple(map(tuple, plain["sets"])),
        tuple((text, tuple(layers)) for text, layers in plain["pieces"]),
        tuple(map(tuple, plain["needs"])),
    )
    return Question(
        plain["kind"],
        candidate.example(question_id, "training", depth),
        tuple(map(tuple, plain["mentions"])),
        tuple(plain["told"]),
        plain["target"],
    )
