"""Counting: how many objects of a kind, how many different shapes, which value comes more than once.

Sufficient sets: all objects counted (that none is missing is taken for granted: an object that is not of the
kind adds nothing). For "how many different shapes", one object of each shape is enough, and for "which shape
do more than one have", any two of them: such questions have several minimal sets.
"""

from collections.abc import Iterator
from itertools import combinations, product

from dataset_builders.layered_vqa.sources.procedural.questions.candidate import Candidate, Layers, Piece
from dataset_builders.layered_vqa.sources.procedural.questions.setting import (
    ASKED,
    NOUNS,
    SHARED_NOUNS,
    Attributes,
    Setting,
    describe,
    intent,
    layers_of,
)
from dataset_builders.layered_vqa.sources.procedural.world import SceneObject

CATEGORY = "counting"
MOST_MINIMAL_SETS = 6


def propose(setting: Setting) -> Iterator[Candidate]:
    """Yield the counting questions about a world."""
    yield _everything(setting)
    yield from _groups(setting)
    yield from _not_of_a_kind(setting)
    yield from _either(setting)
    yield from _different_shapes(setting)
    yield from _repeated(setting)


def _number(kind: str, question: str, count: int, sets: tuple[Layers, ...], pieces: list[Piece]) -> Candidate:
    return Candidate(kind, CATEGORY, "number", question, str(count), sets, tuple(pieces))


def _start(setting: Setting, counted: Layers) -> list[Piece]:
    return [intent(setting, "number"), ("It is a count of objects.", counted)]


def _everything(setting: Setting) -> Candidate:
    layers = layers_of(setting.objects)
    question = setting.phrase(
        "How many objects are there in all, not counting the background?",
        "Leaving the background out, how many objects does the picture show?",
        "How many objects lie on the background altogether?",
    )
    pieces = [
        *_start(setting, layers),
        ("Every object counts, whatever it looks like.", layers),
        ("The background does not count.", layers),
    ]
    return _number("everything", question, len(layers), (layers,), pieces)


def _groups(setting: Setting) -> Iterator[Candidate]:
    for attributes, members in setting.groups():
        if len(setting.objects) > 1 and len(members) == len(setting.objects):
            continue
        group, layers = describe(members[0], attributes, plural=True), layers_of(members)
        question = setting.phrase(
            f"How many {group} are there?",
            f"How many {group} can you see in the picture?",
            f"What is the number of {group} in the picture?",
            f"Count the {group}. How many are there?",
        )
        pieces = [*_start(setting, layers)]
        for name in attributes:
            only = describe(members[0], (name,), plural=True)
            pieces.append((f"Only {only} count.", layers))
        yield _number("group", question, len(members), (layers,), pieces)


def _not_of_a_kind(setting: Setting) -> Iterator[Candidate]:
    for attributes, members in setting.groups(most=1):
        others = [one for one in setting.objects if one not in members]
        if not others:
            continue
        layers = layers_of(others)
        (name,) = attributes
        value = members[0].look.get(name)
        negated = (
            f"not {value}" if name != "shape" else f"not {describe(members[0], attributes, plural=True)}"
        )
        question = setting.phrase(
            f"How many objects are {negated}?",
            f"How many of the objects in the picture are {negated}?",
        )
        pieces = [*_start(setting, layers), (f"Only objects that are {negated} count.", layers)]
        yield _number("not of a kind", question, len(others), (layers,), pieces)


def _either(setting: Setting) -> Iterator[Candidate]:
    for name in ASKED:
        groups = [members for (attribute,), members in setting.groups(most=1) if attribute == name]
        for one, other in combinations(groups, 2):
            first, second = (_plural_or_value(name, members) for members in (one, other))
            layers = layers_of([*one, *other])
            question = setting.phrase(
                f"How many objects are either {first} or {second}?",
                f"How many objects in the picture are {first} or {second}?",
            )
            noun, article = NOUNS[name], "the " if name == "shape" else ""
            pieces = [
                *_start(setting, layers),
                (f"Objects of two {noun}s count.", layers),
                (f"One of the two {noun}s is {article}{one[0].look.get(name)}.", layers_of(one)),
                (f"One of the two {noun}s is {article}{other[0].look.get(name)}.", layers_of(other)),
            ]
            yield _number("either", question, len(layers), (layers,), pieces)


def _plural_or_value(name: str, members: list[SceneObject]) -> str:
    return describe(members[0], (name,), plural=True) if name == "shape" else members[0].look.get(name)


def _different_shapes(setting: Setting) -> Iterator[Candidate]:
    pools: list[tuple[Attributes, list[SceneObject]]] = [((), list(setting.objects))]
    pools += [(names, members) for names, members in setting.groups(most=1) if names != ("shape",)]
    for attributes, members in pools:
        by_shape: dict[str, list[int]] = {}
        for one in members:
            by_shape.setdefault(one.look.shape, []).append(one.layer)
        sets = tuple(sorted(tuple(sorted(chosen)) for chosen in product(*by_shape.values())))
        if len(members) < 2 or len(sets) > MOST_MINIMAL_SETS:
            continue
        group, layers = describe(members[0], attributes, plural=True), layers_of(members)
        question = setting.phrase(
            f"How many different shapes are there among the {group}?",
            f"How many different shapes do the {group} have?",
        )
        pieces = [intent(setting, "number"), ("It is the number of different shapes.", layers)]
        pieces.append(
            (f"Only the {group} are looked at." if attributes else "All objects are looked at.", layers)
        )
        yield _number("different shapes", question, len(by_shape), sets, pieces)


def _repeated(setting: Setting) -> Iterator[Candidate]:
    for name in ASKED:
        groups = [members for (attribute,), members in setting.groups(most=1) if attribute == name]
        repeated = [members for members in groups if len(members) > 1]
        if len(repeated) != 1 or len(repeated[0]) > 4:
            continue
        layers, noun = layers_of(repeated[0]), SHARED_NOUNS[name]
        question = setting.phrase(
            f"Which {noun} does more than one object have?",
            f"Which {noun} occurs at least twice among the objects?",
            f"Only one {noun} is found on more than one object. Which {noun} is it?",
        )
        pieces: tuple[Piece, ...] = (
            (f"I need a {NOUNS[name]} from this picture.", ()),
            (f"It is the {noun} of an object.", layers),
            ("More than one object has it.", layers),
        )
        answer = repeated[0][0].look.get(name)
        yield Candidate("repeated", CATEGORY, name, question, answer, tuple(combinations(layers, 2)), pieces)
