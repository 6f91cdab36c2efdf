"""Attribute binding: the object is picked out by two or more attributes from others that are like it.

Sufficient sets: the layer of the object described, and no other.
"""

from collections.abc import Iterator

from dataset_builders.layered_vqa.sources.procedural.questions.candidate import Candidate
from dataset_builders.layered_vqa.sources.procedural.questions.setting import (
    ASKED,
    Attributes,
    Reference,
    Setting,
    ask,
    intent,
)
from dataset_builders.layered_vqa.sources.procedural.world import SceneObject

CATEGORY = "attribute_binding"


def propose(setting: Setting) -> Iterator[Candidate]:
    """Yield the questions about objects that have a look-alike with another answer."""
    for one in setting.objects:
        for asks in ASKED:
            fitting = [
                attributes
                for attributes in setting.unique_sets(one)
                if len(attributes) in (2, 3)
                and asks not in attributes
                and _needed(setting, one, attributes, asks)
            ]
            if not fitting:
                continue
            reference = Reference(one, setting.rng.choice(fitting))
            pieces = (intent(setting, asks), *reference.pieces(setting.phrase("The object", "It")))
            question = ask(setting, asks, _both(setting, reference))
            yield Candidate("bound", CATEGORY, asks, question, one.look.get(asks), ((one.layer,),), pieces)


def _needed(setting: Setting, one: SceneObject, attributes: Attributes, asks: str) -> bool:
    """Tell whether, for some attribute described, another object shares it and has another answer."""
    return any(
        other.look.get(asks) != one.look.get(asks)
        for name in attributes
        for other in setting.alike(one, name)
    )


def _both(setting: Setting, reference: Reference) -> str:
    """Return the reference in words, sometimes as "the object that is both small and red"."""
    if "shape" in reference.attributes or len(reference.attributes) != 2 or setting.rng.random() < 0.5:
        return str(reference)
    first, second = (reference.object.look.get(name) for name in reference.attributes)
    return f"the object that is both {first} and {second}"
