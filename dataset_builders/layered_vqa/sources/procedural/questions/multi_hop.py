"""Multi-hop questions: one object leads to another, which is asked about.

Sufficient sets: the layers of every object on the way. Each step is a reference that the question says
succeeds ("the other object of the same colour"), so no further layer is needed to see that it does.
"""

from collections.abc import Iterator
from itertools import pairwise

from dataset_builders.layered_vqa.sources.procedural.geometry import place
from dataset_builders.layered_vqa.sources.procedural.questions.candidate import Candidate, Piece
from dataset_builders.layered_vqa.sources.procedural.questions.occlusion import DOWN, UP, Way
from dataset_builders.layered_vqa.sources.procedural.questions.setting import (
    ASKED,
    NOUNS,
    Setting,
    ask,
    intent,
    layers_of,
    pair,
)
from dataset_builders.layered_vqa.sources.procedural.questions.spatial import (
    STRAIGHT,
    in_place,
    lone_place,
    only_way,
    place_pieces,
)
from dataset_builders.layered_vqa.sources.procedural.world import SceneObject

CATEGORY = "multi_hop"


def propose(setting: Setting) -> Iterator[Candidate]:
    """Yield the multi-hop questions about a world."""
    for anchor in setting.objects:
        for shared in ASKED:
            alike = setting.alike(anchor, shared)
            if len(alike) == 1:
                yield from _same_as(setting, anchor, alike[0], shared)
                yield from _same_as_found(setting, anchor, alike[0], shared)
            if alike:
                yield from _how_many_same(setting, anchor, alike, shared)
        for way in (UP, DOWN):
            yield from _chain(setting, anchor, way)
            yield from _place_of_found(setting, anchor, way)


def _same_as(setting: Setting, anchor: SceneObject, target: SceneObject, shared: str) -> Iterator[Candidate]:
    """Ask about the only other object that shares an attribute with a described one."""
    noun = NOUNS[shared]
    for asks in (*ASKED, "place"):
        reference = setting.refer(anchor, without=(shared,))
        answer = place(setting.world, target) if asks == "place" else target.look.get(asks)
        if asks == shared or reference is None or answer is None:
            continue
        question = setting.phrase(
            _ask(setting, asks, f"the other object with the same {noun} as {reference}"),
            f"One other object has the same {noun} as {reference}. {_ask(setting, asks, 'it')}",
        )
        pieces = (
            intent(setting, asks),
            (f"The object has the same {noun} as a second object.", pair(anchor, target)),
            *reference.pieces("The second object"),
        )
        yield _hop("same as", asks, question, answer, pieces, (anchor, target))


def _same_as_found(
    setting: Setting, anchor: SceneObject, target: SceneObject, shared: str
) -> Iterator[Candidate]:
    """Ask about the only other object that shares an attribute with one found in some other way."""
    noun = NOUNS[shared]
    same = (f"The object has the same {noun} as a second object.", pair(anchor, target))
    for found, pieces_of_found, origin in _finds(setting, anchor):
        if origin is target:
            continue
        path = (anchor, target) if origin is None else (origin, anchor, target)
        for asks in ASKED:
            if asks == shared:
                continue
            question = setting.phrase(
                f"Take {found}. {ask(setting, asks, f'the other object with the same {noun}')}",
                ask(setting, asks, f"the other object with the same {noun} as {found}"),
            )
            pieces = (intent(setting, asks), same, *pieces_of_found)
            yield _hop("same as found", asks, question, target.look.get(asks), pieces, path)


def _finds(setting: Setting, one: SceneObject) -> Iterator[tuple[str, list[Piece], SceneObject | None]]:
    """Yield ways to find `one`: in words, in pieces ("the second object"), and the object to start from."""
    where = lone_place(setting, one)
    if where is not None:
        yield f"the object {in_place(where)}", place_pieces(where, "The second object", one.layer), None
    for other in setting.objects:
        if other is one:
            continue
        relations = [way.relation for way in (UP, DOWN) if way.from_object(other) == (one.layer,)]
        straight = only_way(setting, other, one)
        if straight is not None:
            relations.append(f"is directly {STRAIGHT[straight]}")
        for relation in relations:
            reference = setting.refer(other)
            if reference is not None:
                step = (f"The second object {relation} a third object.", pair(one, other))
                pieces = [step, *reference.pieces("The third object")]
                yield f"the object that {relation} {reference}", pieces, other


def _how_many_same(
    setting: Setting, anchor: SceneObject, alike: list[SceneObject], shared: str
) -> Iterator[Candidate]:
    reference = setting.refer(anchor, without=(shared,))
    if reference is None:
        return
    noun, evidence = NOUNS[shared], layers_of([anchor, *alike])
    question = setting.phrase(
        f"How many other objects have the same {noun} as {reference}?",
        f"Apart from {reference} itself, how many objects have its {noun}?",
    )
    yield Candidate(
        kind="how many same",
        category=CATEGORY,
        asks="number",
        question=question,
        answer=str(len(alike)),
        minimal_sets=(evidence,),
        pieces=(
            intent(setting, "number"),
            (f"It is a count of the objects with the same {noun} as a certain one.", evidence),
            ("That one is not counted itself.", (anchor.layer,)),
            *reference.pieces("That one"),
        ),
        dependencies=tuple((anchor.layer, layer) for layer in layers_of(alike)),
    )


def _chain(setting: Setting, anchor: SceneObject, way: Way) -> Iterator[Candidate]:
    """Follow two covers, upwards or downwards, each to the only object there."""
    first = way.from_object(anchor)
    middle = setting.at(first[0]) if len(first) == 1 else None
    second = () if middle is None else way.from_object(middle)
    reference = setting.refer(anchor)
    if middle is None or len(second) != 1 or reference is None:
        return
    target = setting.at(second[0])
    for asks in ASKED:
        found = f"the object that {way.relation} {reference}"
        question = setting.phrase(
            f"Find {found}. {ask(setting, asks, f'the object that {way.relation} it')}",
            f"Start from {found}. {ask(setting, asks, f'the object that in turn {way.relation} it')}",
        )
        pieces = (
            intent(setting, asks),
            (f"The object {way.relation} a second object.", pair(middle, target)),
            (f"The second object {way.relation} a third object.", pair(anchor, middle)),
            *reference.pieces("The third object"),
        )
        yield _hop("chain", asks, question, target.look.get(asks), pieces, (anchor, middle, target))


def _place_of_found(setting: Setting, anchor: SceneObject, way: Way) -> Iterator[Candidate]:
    others, reference = way.from_object(anchor), setting.refer(anchor)
    answer = place(setting.world, setting.at(others[0])) if len(others) == 1 else None
    if reference is None or answer is None:
        return
    target = setting.at(others[0])
    question = _ask(setting, "place", f"the object that {way.relation} {reference}")
    pieces = (
        intent(setting, "place"),
        (f"The object {way.relation} a second object.", pair(anchor, target)),
        *reference.pieces("The second object"),
    )
    yield _hop("place of found", "place", question, answer, pieces, (anchor, target))


def _ask(setting: Setting, asks: str, subject: str) -> str:
    if asks == "place":
        return setting.phrase(
            f"Where in the picture is {subject}?", f"In which part of the picture is {subject}?"
        )
    return ask(setting, asks, subject)


def _hop(
    kind: str, asks: str, question: str, answer: str, pieces: tuple[Piece, ...], path: tuple[SceneObject, ...]
) -> Candidate:
    """Return the candidate whose evidence is `path`, each object leading to the next."""
    dependencies = tuple((before.layer, after.layer) for before, after in pairwise(path))
    return Candidate(kind, CATEGORY, asks, question, answer, (layers_of(path),), pieces, dependencies)
