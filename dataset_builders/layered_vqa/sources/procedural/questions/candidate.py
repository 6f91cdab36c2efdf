"""A question that could be asked: its words, its answer and its evidence."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from dataset_builders.layered_vqa.example import MAX_SHARDS, MIN_SHARDS, Example, Shard
from dataset_builders.layered_vqa.sources.procedural.attributes import TEXTURES
from dataset_builders.layered_vqa.sources.procedural.geometry import DIRECTIONS, PLACES, SIDES
from dataset_builders.layered_vqa.sources.procedural.shapes import SHAPES

Layers = tuple[int, ...]
Piece = tuple[str, Layers]
"""One shard: its words and the layers that support it."""


def _any_of(values: Iterable[str]) -> str:
    *most, last = values
    return f"{', '.join(most)} or {last}"


ANSWER_DESCRIPTIONS = {
    "colour": "The name of the object's main colour. The marks of its pattern and its outline do not count.",
    "background colour": "The name of the background's colour. The word 'light' may be left out.",
    "shape": f"The name of a shape: {_any_of(SHAPES)}.",
    "texture": f"The name of a pattern: {_any_of(TEXTURES)}. Plain means one solid colour.",
    "number": "A whole number, as a digit or a word.",
    "place": f"A part of the picture: {_any_of(name for row in PLACES for name in row)}.",
    "direction": f"A direction as seen in the picture: {_any_of(DIRECTIONS)}.",
    "side": f"A side of the object as seen in the picture: {_any_of(SIDES)}.",
}
"""What a valid answer looks like, for each sort of answer."""


@dataclass(frozen=True)
class Candidate:
    """One question that could be asked about a world.

    `kind` names the way of asking and `asks` the sort of answer (a key of `ANSWER_DESCRIPTIONS`).
    `pieces` are the shards in order, `minimal_sets` all inclusion-minimal sufficient sets, gold first.
    """

    kind: str
    category: str
    asks: str
    question: str
    answer: str
    minimal_sets: tuple[Layers, ...]
    pieces: tuple[Piece, ...]
    dependencies: tuple[tuple[int, int], ...] = ()

    def is_usable(self) -> bool:
        """Tell whether the question has a lawful number of shards and does not give its answer away."""
        said = " ".join([self.question, *(text for text, _ in self.pieces)]).lower()
        # Looking for the bare answer first is much faster, and mostly enough.
        told = self.answer in said and re.search(rf"\b{re.escape(self.answer)}\b", said) is not None
        return MIN_SHARDS <= len(self.pieces) <= MAX_SHARDS and not told

    def example(self, question_id: str, scene_id: str, depth: int) -> Example:
        """Return the question as an example about a scene of `depth` layers."""
        evidence = {layer for minimal in self.minimal_sets for layer in minimal}
        return Example(
            question_id=question_id,
            scene_id=scene_id,
            depth=depth,
            question=self.question,
            answer=self.answer,
            answer_description=ANSWER_DESCRIPTIONS[self.asks],
            category=self.category,
            gold_layers=self.minimal_sets[0],
            minimal_sets=self.minimal_sets,
            dependencies=self.dependencies,
            shards=tuple(Shard(i, text, layers) for i, (text, layers) in enumerate(self.pieces, start=1)),
            distractors=tuple(layer for layer in range(depth) if layer not in evidence),
        )
