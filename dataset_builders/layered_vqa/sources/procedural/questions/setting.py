"""What question writing starts from: the world, the words for its objects, and a choice of phrases."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from random import Random

from dataset_builders.layered_vqa.sources.procedural.attributes import ATTRIBUTES
from dataset_builders.layered_vqa.sources.procedural.questions.candidate import Layers, Piece
from dataset_builders.layered_vqa.sources.procedural.world import SceneObject, World

ASKED = ("colour", "shape", "texture")
"""The attributes that are asked for; size is only used to tell objects apart."""

NOUNS = {"colour": "colour", "shape": "shape", "texture": "pattern", "size": "size"}

SHARED_NOUNS = {**NOUNS, "colour": "main colour"}
"""What several objects can have in common: patterned ones also share the white of their marks."""

LONGER_REFERENCE = 0.3
"""Chance that a reference names one attribute more than it needs."""

Attributes = tuple[str, ...]


@dataclass(frozen=True)
class Reference:
    """One object, described by some of its attributes so that nothing else in the world fits."""

    object: SceneObject
    attributes: Attributes

    @property
    def layer(self) -> int:
        """The layer of the object."""
        return self.object.layer

    def __str__(self) -> str:
        if not self.attributes:
            return "the only object shown"
        return f"the {describe(self.object, self.attributes)}"

    def pieces(self, subject: str) -> list[Piece]:
        """Return one piece for each attribute, about `subject`."""
        if not self.attributes:
            return [(f"{subject} is the only one in the picture.", (self.layer,))]
        return [
            (f"{subject} is {_predicate(attribute, self.object)}.", (self.layer,))
            for attribute in self.attributes
        ]


@dataclass(frozen=True)
class Setting:
    """A world, and the generator that chooses among equally good wordings."""

    world: World
    rng: Random = field(repr=False)

    @property
    def objects(self) -> tuple[SceneObject, ...]:
        """The objects of the world, bottom first."""
        return self.world.objects

    def at(self, layer: int) -> SceneObject:
        """Return the object drawn in `layer`."""
        return self.world.objects[layer - 1]

    def phrase(self, *choices: str) -> str:
        """Return one of several wordings that mean the same."""
        return self.rng.choice(choices)

    def refer(self, one: SceneObject, without: Collection[str] = ()) -> Reference | None:
        """Return a description of `one` that names none of the attributes `without`; None where none fits."""
        fitting = [
            attributes for attributes in self._minimal[one.layer] if not set(attributes) & set(without)
        ]
        if not fitting:
            return None
        chosen = self.rng.choice(fitting)
        spare = [name for name in ASKED if name not in chosen and name not in without]
        if chosen and len(chosen) < 3 and spare and self.rng.random() < LONGER_REFERENCE:
            chosen = _ordered((*chosen, self.rng.choice(spare)))
        return Reference(one, chosen)

    def unique_sets(self, one: SceneObject) -> list[Attributes]:
        """Return every set of attributes that together fit `one` alone."""
        return self._unique[one.layer]

    def alike(self, one: SceneObject, attribute: str) -> list[SceneObject]:
        """Return the other objects that share `attribute` with `one`."""
        value = one.look.get(attribute)
        return [other for other in self.objects if other is not one and other.look.get(attribute) == value]

    @cached_property
    def attributes(self) -> Attributes:
        """The attributes that can be told: nothing is large or small where all objects are of one size."""
        sizes = {one.look.size for one in self.objects}
        return tuple(name for name in ATTRIBUTES if name != "size" or len(sizes) > 1)

    def groups(self, most: int = 2) -> Iterator[tuple[Attributes, list[SceneObject]]]:
        """Yield every set of 1 to `most` attributes with each list of objects that agree in them."""
        for size in range(1, most + 1):
            for attributes in combinations(self.attributes, size):
                grouped: dict[tuple[str, ...], list[SceneObject]] = {}
                for one in self.objects:
                    grouped.setdefault(tuple(map(one.look.get, attributes)), []).append(one)
                yield from ((attributes, members) for members in grouped.values())

    @cached_property
    def _unique(self) -> dict[int, list[Attributes]]:
        found: dict[int, list[Attributes]] = {one.layer: [] for one in self.objects}
        for size in range(len(self.attributes) + 1):
            for attributes in combinations(self.attributes, size):
                values = [tuple(map(one.look.get, attributes)) for one in self.objects]
                for one, value in zip(self.objects, values, strict=True):
                    if values.count(value) == 1:
                        found[one.layer].append(attributes)
        return found

    @cached_property
    def _minimal(self) -> dict[int, list[Attributes]]:
        minimal = {
            layer: [one for one in sets if not any(set(other) < set(one) for other in sets)]
            for layer, sets in self._unique.items()
        }
        if len(self.objects) == 1:
            # Alone, an object needs no description, yet it may have one.
            minimal[1] = [(), *((name,) for name in ASKED)]
        return minimal


def describe(one: SceneObject, attributes: Attributes, plural: bool = False) -> str:
    """Return the words for `attributes` of an object, such as "striped red star" or "small objects"."""
    adjectives = [one.look.get(name) for name in attributes if name != "shape"]
    noun = one.look.shape if "shape" in attributes else "object"
    if plural:
        noun += "es" if noun.endswith("s") else "s"
    return " ".join([*adjectives, noun])


def layers_of(objects: Sequence[SceneObject]) -> Layers:
    """Return the layers of `objects`, ascending."""
    return tuple(sorted(one.layer for one in objects))


def pair(one: SceneObject | Reference, other: SceneObject | Reference) -> Layers:
    """Return the layers of two objects, ascending."""
    return min(one.layer, other.layer), max(one.layer, other.layer)


def ask(setting: Setting, asks: str, subject: str) -> str:
    """Return a question for the attribute `asks` of `subject` ("the striped star")."""
    noun = NOUNS[asks]
    short = f"What pattern does {subject} have?" if asks == "texture" else f"What {noun} is {subject}?"
    if subject == "it":
        return short
    general = (f"What is the {noun} of {subject}?", f"Can you tell me the {noun} of {subject}?")
    if " that " in subject:
        # A verb at the very end would be far from its subject.
        return setting.phrase(*general, *([] if asks == "texture" else [short]))
    return setting.phrase(*general, short, f"Which {noun} does {subject} have?")


def intent(setting: Setting, asks: str) -> Piece:
    """Return the first piece of a question for an attribute, a number or a place: the intent only."""
    if asks == "number":
        return setting.phrase("I need a number from this picture.", "I want something counted here."), ()
    if asks == "place":
        return setting.phrase("I want to know where an object is.", "I need to know where an object is."), ()
    noun = NOUNS[asks]
    return (
        setting.phrase(
            f"I need the {noun} of an object in this picture.",
            f"I want to know the {noun} of one object.",
            f"There is an object whose {noun} I would like to know.",
        ),
        (),
    )


def about_one_object(setting: Setting, asks: str, layer: int) -> list[Piece]:
    """Return the first two pieces of a question whose intent withholds what is asked for."""
    start = setting.phrase(
        "I have a question about one object in this picture.", "I am interested in one object."
    )
    wish = setting.phrase(f"I want to know its {NOUNS[asks]}.", f"What I need is its {NOUNS[asks]}.")
    return [(start, ()), (wish, (layer,))]


def _predicate(attribute: str, one: SceneObject) -> str:
    value = one.look.get(attribute)
    return f"a {value}" if attribute == "shape" else value


def _ordered(attributes: Attributes) -> Attributes:
    return tuple(name for name in ATTRIBUTES if name in attributes)
