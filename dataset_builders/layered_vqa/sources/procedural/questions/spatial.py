"""Spatial questions: where an object lies, which object lies there, and how two objects lie to each other.

Sufficient sets: for a place, the layer of the object; for a direction between two objects, both layers; for
"the object directly left of", both as well, since the question says that there is such an object; for "the
furthest to the left" among some objects, all of these, since any one not seen could lie further out.
"""

from collections.abc import Iterator
from itertools import permutations

from dataset_builders.layered_vqa.sources.procedural.geometry import direction, off_direction, place
from dataset_builders.layered_vqa.sources.procedural.questions.candidate import Candidate, Piece
from dataset_builders.layered_vqa.sources.procedural.questions.setting import (
    ASKED,
    Attributes,
    Setting,
    about_one_object,
    ask,
    describe,
    intent,
    layers_of,
    pair,
)
from dataset_builders.layered_vqa.sources.procedural.world import SceneObject

CATEGORY = "spatial"

STRAIGHT = {"left": "to the left of", "right": "to the right of", "above": "above", "below": "below"}
CLEAR_OF_DIRECTION = 40.0
"""An object is clearly not in a direction when it misses it by at least so many degrees."""

LONE_PLACES = ("top left", "top right", "bottom left", "bottom right", "centre")
MOST_INTRUSION = 0.04
"""An object is alone in its part of the picture when others take at most this share of it."""

EDGES = {
    "furthest to the left": (0, 1),
    "furthest to the right": (0, -1),
    "highest up": (1, 1),
    "lowest down": (1, -1),
}
"""For each way to be outermost: the axis (x, y) and the sign that makes the outermost object the smallest."""

CLEARLY_FURTHER = 0.08
"""Least lead of the outermost object, as a share of the canvas."""

MOST_COMPARED = 5


def propose(setting: Setting) -> Iterator[Candidate]:
    """Yield the spatial questions about a world."""
    yield from _place_of_object(setting)
    yield from _object_at_place(setting)
    for start, end in permutations(setting.objects, 2):
        yield from _direction(setting, start, end)
        yield from _object_in_direction(setting, start, end)
    pools: list[tuple[Attributes, list[SceneObject]]] = [((), list(setting.objects))]
    pools += [one for one in setting.groups(most=1) if len(one[1]) < len(setting.objects)]
    for attributes, members in pools:
        if 2 <= len(members) <= MOST_COMPARED:
            yield from _outermost(setting, attributes, members)


def lone_place(setting: Setting, one: SceneObject) -> str | None:
    """Return the corner, or the centre, where `one` lies and no other object reaches; None without one."""
    where = place(setting.world, one)
    if where not in LONE_PLACES:
        return None
    width, height = setting.world.width, setting.world.height
    left = {"left": 0.0, "right": 2 / 3}.get(where.split()[-1], 1 / 3) * width
    top = {"top": 0.0, "bottom": 2 / 3}.get(where.split()[0], 1 / 3) * height
    inside = setting.world.topmost[int(top) : int(top + height / 3), int(left) : int(left + width / 3)]
    others = ((inside != 0) & (inside != one.layer)).sum()
    return where if others <= MOST_INTRUSION * inside.size else None


def in_place(where: str) -> str:
    """Return "in the top left corner of the picture" or "in the middle of the picture"."""
    return f"in the {'middle' if where == 'centre' else where + ' corner'} of the picture"


def place_pieces(where: str, subject: str, layer: int) -> list[Piece]:
    """Return the pieces that say where `subject` lies."""
    if where == "centre":
        return [(f"{subject} is in the middle of the picture.", (layer,))]
    vertical, horizontal = where.split()
    return [
        (f"{subject} is in a corner of the picture.", (layer,)),
        (f"The corner is one of the two at the {vertical}.", (layer,)),
        (f"The corner is one of the two on the {horizontal}.", (layer,)),
    ]


def only_way(setting: Setting, start: SceneObject, end: SceneObject) -> str | None:
    """Return the direction in which `end` is clearly the only object from `start`; None without one."""
    if end.layer in (*start.covered_by, *start.covers):
        return None
    way = direction(setting.world, start, end)
    others = [other for other in setting.objects if other is not start and other is not end]
    if way not in STRAIGHT or any(off_direction(start, one, way) < CLEAR_OF_DIRECTION for one in others):
        return None
    return way


def _place_of_object(setting: Setting) -> Iterator[Candidate]:
    for one in setting.objects:
        answer, reference = place(setting.world, one), setting.refer(one)
        if answer is None or reference is None:
            continue
        question = setting.phrase(
            f"In which part of the picture is {reference}?",
            f"Where in the picture is {reference}?",
            f"Which part of the picture does {reference} lie in?",
        )
        start = setting.phrase("I am looking for an object here.", "I have a question about an object.")
        wish = setting.phrase(
            "I want to know which part of the picture it is in.", "I need to know its place in the picture."
        )
        yield Candidate(
            kind="place",
            category=CATEGORY,
            asks="place",
            question=question,
            answer=answer,
            minimal_sets=((one.layer,),),
            pieces=((start, ()), (wish, (one.layer,)), *reference.pieces("The object")),
        )


def _object_at_place(setting: Setting) -> Iterator[Candidate]:
    for one in setting.objects:
        where = lone_place(setting, one)
        if where is None:
            continue
        for asks in ASKED:
            start = [intent(setting, asks)]
            if where == "centre":
                start = about_one_object(setting, asks, one.layer)
            yield Candidate(
                kind="at a place",
                category=CATEGORY,
                asks=asks,
                question=ask(setting, asks, f"the object {in_place(where)}"),
                answer=one.look.get(asks),
                minimal_sets=((one.layer,),),
                pieces=(*start, *place_pieces(where, "The object", one.layer)),
            )


def _direction(setting: Setting, start: SceneObject, end: SceneObject) -> Iterator[Candidate]:
    answer = direction(setting.world, start, end)
    origin, goal = setting.refer(start), setting.refer(end)
    if answer is None or origin is None or goal is None:
        return
    question = setting.phrase(
        f"In which direction does {goal} lie from {origin}?",
        f"Seen from {origin}, in which direction is {goal}?",
        f"Where does {goal} lie as seen from {origin}?",
    )
    yield Candidate(
        kind="direction",
        category=CATEGORY,
        asks="direction",
        question=question,
        answer=answer,
        minimal_sets=(pair(start, end),),
        pieces=(
            (setting.phrase("I need a direction from this picture.", "I want to know a direction."), ()),
            ("It is the direction from a first object to a second one.", pair(start, end)),
            *origin.pieces("The first object"),
            *goal.pieces("The second object"),
        ),
        dependencies=((start.layer, end.layer),),
    )


def _object_in_direction(setting: Setting, start: SceneObject, end: SceneObject) -> Iterator[Candidate]:
    way = only_way(setting, start, end)
    for asks in ASKED if way is not None else ():
        origin = setting.refer(start)
        if origin is None or way is None:
            continue
        yield Candidate(
            kind="in a direction",
            category=CATEGORY,
            asks=asks,
            question=ask(setting, asks, f"the object directly {STRAIGHT[way]} {origin}"),
            answer=end.look.get(asks),
            minimal_sets=(pair(start, end),),
            pieces=(
                intent(setting, asks),
                (f"The object is directly {STRAIGHT[way]} a second object.", pair(start, end)),
                *origin.pieces("The second object"),
            ),
            dependencies=((start.layer, end.layer),),
        )


def _outermost(setting: Setting, attributes: Attributes, members: list[SceneObject]) -> Iterator[Candidate]:
    for furthest in EDGES:
        one = _clearly_first(setting, members, furthest)
        for asks in ASKED:
            if one is None or asks in attributes or len({other.look.get(asks) for other in members}) == 1:
                continue
            group, layers = describe(one, attributes, plural=True), layers_of(members)
            question = setting.phrase(
                ask(setting, asks, f"the {describe(one, attributes)} {furthest} in the picture"),
                f"Of all the {group}, one is {furthest}. {ask(setting, asks, 'it')}",
            )
            yield Candidate(
                kind="outermost",
                category=CATEGORY,
                asks=asks,
                question=question,
                answer=one.look.get(asks),
                minimal_sets=(layers,),
                pieces=(
                    intent(setting, asks),
                    (f"All the {group} are compared.", layers),
                    (f"The object is the one {furthest}.", layers),
                ),
            )


def _clearly_first(setting: Setting, members: list[SceneObject], furthest: str) -> SceneObject | None:
    """Return the outermost member, by whole and by visible centres, where its lead is clear."""
    axis, sign = EDGES[furthest]
    margin = CLEARLY_FURTHER * (setting.world.width, setting.world.height)[axis]
    first, second = sorted(members, key=lambda one: sign * one.centre[axis])[:2]
    if sign * (second.centre[axis] - first.centre[axis]) < margin:
        return None
    nearest_shown = min(sign * one.visible_centre[axis] for one in members if one is not first)
    return first if nearest_shown - sign * first.visible_centre[axis] >= margin else None
