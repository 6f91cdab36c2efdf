"""Occlusion: what covers an object, what it covers, how many, and on which side.

Sufficient sets: the layers of both objects, the one that covers and the one that is covered: only together
do they show that they overlap, and their numbers say which is on top. For "how many cover", the object and
all those that cover it; for "covers both", all three.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from dataset_builders.layered_vqa.sources.procedural.geometry import hidden_side
from dataset_builders.layered_vqa.sources.procedural.questions.candidate import Candidate, Layers
from dataset_builders.layered_vqa.sources.procedural.questions.setting import (
    ASKED,
    NOUNS,
    Setting,
    ask,
    intent,
    layers_of,
    pair,
)
from dataset_builders.layered_vqa.sources.procedural.world import SceneObject

CATEGORY = "occlusion"


@dataclass(frozen=True)
class Way:
    """One way through the stack from a described object, up or down, with the words for it."""

    upwards: bool
    relation: str
    found: tuple[str, str]
    told: str
    found_by_both: str
    related_to_both: str
    counted: str
    count_questions: tuple[str, str]

    def from_object(self, one: SceneObject) -> Layers:
        """Return the layers of the objects that overlap `one` from above, or from below."""
        return one.covered_by if self.upwards else one.covers


UP = Way(
    upwards=True,
    relation="partly covers",
    found=("the object that partly covers {}", "the object lying on top of part of {}"),
    told="Another object partly hides {}.",
    found_by_both="the object that partly covers both {} and {}",
    related_to_both="The object partly covers two others.",
    counted="that partly cover",
    count_questions=("How many objects partly cover {}?", "How many objects lie on top of some part of {}?"),
)
DOWN = Way(
    upwards=False,
    relation="is partly covered by",
    found=("the object that {} partly covers", "the object lying partly underneath {}"),
    told="Another object is partly hidden by {}.",
    found_by_both="the object that both {} and {} partly cover",
    related_to_both="The object is partly covered by two others.",
    counted="that are partly covered by",
    count_questions=("How many objects does {} partly cover?", "How many objects are partly hidden by {}?"),
)


def propose(setting: Setting) -> Iterator[Candidate]:
    """Yield the occlusion questions about a world."""
    for way in (UP, DOWN):
        yield from _found(setting, way)
        yield from _how_many(setting, way)
        yield from _found_by_both(setting, way)
    yield from _side(setting)


def _found(setting: Setting, way: Way) -> Iterator[Candidate]:
    for start in setting.objects:
        if len(way.from_object(start)) != 1:
            continue
        target = setting.at(way.from_object(start)[0])
        for asks in ASKED:
            reference = setting.refer(start)
            if reference is None:
                continue
            question = setting.phrase(
                *(ask(setting, asks, found.format(reference)) for found in way.found),
                f"{way.told.format(reference)} What {NOUNS[asks]} does that object have?",
            )
            yield Candidate(
                kind=f"object {'above' if way.upwards else 'below'}",
                category=CATEGORY,
                asks=asks,
                question=question,
                answer=target.look.get(asks),
                minimal_sets=(pair(start, target),),
                pieces=(
                    intent(setting, asks),
                    (f"The object {way.relation} a second object.", pair(start, target)),
                    *reference.pieces("The second object"),
                ),
                dependencies=((start.layer, target.layer),),
            )


def _how_many(setting: Setting, way: Way) -> Iterator[Candidate]:
    for one in setting.objects:
        others, reference = way.from_object(one), setting.refer(one)
        if not others or reference is None:
            continue
        evidence = layers_of([one, *map(setting.at, others)])
        yield Candidate(
            kind="how many",
            category=CATEGORY,
            asks="number",
            question=setting.phrase(*way.count_questions).format(reference),
            answer=str(len(others)),
            minimal_sets=(evidence,),
            pieces=(
                intent(setting, "number"),
                (f"It is a count of the objects {way.counted} a certain one.", evidence),
                *reference.pieces("That one"),
            ),
            dependencies=tuple((one.layer, other) for other in others),
        )


def _found_by_both(setting: Setting, way: Way) -> Iterator[Candidate]:
    for one, other in combinations(setting.objects, 2):
        shared = set(way.from_object(one)) & set(way.from_object(other))
        first, second = setting.refer(one), setting.refer(other)
        if len(shared) != 1 or first is None or second is None:
            continue
        target = setting.at(min(shared))
        evidence = layers_of([one, other, target])
        for asks in ASKED:
            yield Candidate(
                kind="object of both",
                category=CATEGORY,
                asks=asks,
                question=ask(setting, asks, way.found_by_both.format(first, second)),
                answer=target.look.get(asks),
                minimal_sets=(evidence,),
                pieces=(
                    intent(setting, asks),
                    (way.related_to_both, evidence),
                    *first.pieces("One of these two"),
                    *second.pieces("The other of these two"),
                ),
                dependencies=((one.layer, target.layer), (other.layer, target.layer)),
            )


def _side(setting: Setting) -> Iterator[Candidate]:
    for below in setting.objects:
        side = hidden_side(below)
        if side is None:
            continue
        above = setting.at(below.covered_by[0])
        covered, covering = setting.refer(below), setting.refer(above)
        if covered is None or covering is None:
            continue
        question = setting.phrase(
            f"Which side of {covered} is hidden by {covering}?",
            f"On which side does {covering} cover {covered}?",
            f"{str(covering).capitalize()} hides one side of {covered}. Which side?",
        )
        wish = setting.phrase("I want to know which side of an object is hidden.", "I need the hidden side.")
        yield Candidate(
            kind="side",
            category=CATEGORY,
            asks="side",
            question=question,
            answer=side,
            minimal_sets=(pair(below, above),),
            pieces=(
                (wish, ()),
                *covered.pieces("The hidden object"),
                *covering.pieces("The object that hides it"),
            ),
            dependencies=((below.layer, above.layer),),
        )
