"""Directions and places that have a plain name; None wherever two people could disagree."""

from math import atan2, degrees, hypot

from dataset_builders.layered_vqa.sources.procedural.world import SceneObject, World

Point = tuple[float, float]

DIRECTIONS = ("right", "below right", "below", "below left", "left", "above left", "above", "above right")
"""The eight directions from 0 degrees on, clockwise in steps of 45 (the y axis of a picture points down)."""

SIDES = ("right", "bottom right", "bottom", "bottom left", "left", "top left", "top", "top right")
"""The eight sides of an object, in the order of `DIRECTIONS`."""

PLACES = (
    ("top left", "top centre", "top right"),
    ("centre left", "centre", "centre right"),
    ("bottom left", "bottom centre", "bottom right"),
)
"""The nine parts of a picture, row by row."""

SECTOR = 12.0
"""A direction is named when it is off by at most so many degrees."""

LEAST_APART = 0.2
"""Two objects have a direction when their centres are so far apart, as a share of the shorter side."""

CELL_CORE = 0.12
"""A place is named when the centre is off the middle of its cell by at most this share of the canvas."""


def angle_between(start: Point, end: Point) -> float:
    """Return the direction from `start` to `end` in degrees, 0 to 360, clockwise from the right."""
    return degrees(atan2(end[1] - start[1], end[0] - start[0])) % 360


def compass(start: Point, end: Point, least: float) -> int | None:
    """Return the index into `DIRECTIONS` of the way from `start` to `end`.

    None where they are less than `least` pixels apart or the way lies between two directions.
    """
    if hypot(end[0] - start[0], end[1] - start[1]) < least:
        return None
    angle = angle_between(start, end)
    index = round(angle / 45)
    return index % 8 if abs(angle - 45 * index) <= SECTOR else None


def direction(world: World, start: SceneObject, end: SceneObject) -> str | None:
    """Return the direction of `end` as seen from `start`, the same for whole and for visible areas."""
    least = LEAST_APART * min(world.width, world.height)
    whole = compass(start.centre, end.centre, least)
    visible = compass(start.visible_centre, end.visible_centre, least)
    return DIRECTIONS[whole] if whole is not None and whole == visible else None


def off_direction(start: SceneObject, end: SceneObject, name: str) -> float:
    """Return by how many degrees (0 to 180) the way from `start` to `end` misses the direction `name`."""
    difference = abs(angle_between(start.centre, end.centre) - 45 * DIRECTIONS.index(name)) % 360
    return min(difference, 360 - difference)


def place(world: World, one: SceneObject) -> str | None:
    """Return the part of the picture in which an object lies, the same for its whole and its visible area."""
    whole, visible = _cell(world, one.centre), _cell(world, one.visible_centre)
    return whole if whole == visible else None


def hidden_side(one: SceneObject) -> str | None:
    """Return the side on which an object is covered, where exactly one object covers it."""
    if len(one.covered_by) != 1:
        return None
    index = compass(one.centre, one.covered_at[0], 0.4 * one.pose.radius)
    return None if index is None else SIDES[index]


def _cell(world: World, point: Point) -> str | None:
    x, y = point[0] / world.width, point[1] / world.height
    column, row = min(2, int(3 * x)), min(2, int(3 * y))
    if max(abs(x - (column + 0.5) / 3), abs(y - (row + 0.5) / 3)) > CELL_CORE:
        return None
    return PLACES[row][column]
