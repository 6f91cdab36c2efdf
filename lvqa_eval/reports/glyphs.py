"""The delivery glyph: the question above the line, the scene below, one column a turn.

A picture of the schedule at four shards and four layers, drawn beside a condition's name.
"""

from dataclasses import dataclass

WIDTH, HEIGHT = 46, 24
_MIDDLE = HEIGHT / 2
_LANE = 8.0
_GAP = 1.5
_COLUMN, _BAR, _PIECE = 11.0, 7.0, 2.0

# One word a turn, one sign a bar; "." brings nothing. Wide bars: # whole, - one piece, 1 to 4 so many pieces,
# g a layer with evidence, o one without. Narrow bars, side by side: | ; , pieces (whose order may differ),
# ! a layer with evidence.
_HEIGHTS = {"#": 1, "-": 0.35, "1": 0.25, "2": 0.5, "3": 0.75, "4": 1, "g": 1, "o": 1}
_NARROW_HEIGHTS = {"|": 1, ";": 0.75, ",": 0.5, "!": 1}
_SCHEDULES = {
    "full": ("#", "#"),
    "concat-q": ("|||", "#"),
    "shuffled-concat": (",|;", "#"),
    "sharded-q": ("- - - -", "# . . ."),
    "recap-q": ("- - - #", "# . . ."),
    "snowball-q": ("1 2 3 4", "# . . ."),
    "concat-v": ("#", "||||"),
    "sharded-v": ("# . . .", "- - - -"),
    "recap-v": ("# . . .", "- - - #"),
    "snowball-v": ("# . . .", "1 2 3 4"),
    "evidence-first": (". . . #", "g g o o"),
    "evidence-last": ("# . . .", "o o g g"),
    "aligned-vq": ("- - - -", "- - - -"),
    "misaligned-vq": ("- - - -", "- - - -"),
    "all-layers": ("#", "#||||"),
    "oracle": ("#", "!!"),
    "question-only": ("#", "."),
}
_PARTNERS = {"aligned-vq": (0, 1, 2, 3), "misaligned-vq": (1, 0, 3, 2)}
"""For each shard the turn of the layers that it speaks of."""


@dataclass(frozen=True)
class Bar:
    """One rectangle. `kind`: question, scene, evidence or other (a layer without evidence)."""

    kind: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Glyph:
    """The bars of one condition and, where words and layers are paired, the lines between them (x1, x2)."""

    bars: tuple[Bar, ...]
    links: tuple[tuple[float, float], ...] = ()


def glyph(condition: str) -> Glyph | None:
    """Return the glyph of a published condition or a baseline; None for one that others added."""
    if condition not in _SCHEDULES:
        return None
    question, scene = _SCHEDULES[condition]
    partners = _PARTNERS.get(condition, ())
    outward = bool(partners)
    bars = [*_lane(question, True, outward), *_lane(scene, False, outward)]
    centres = [1 + turn * _COLUMN + _BAR / 2 for turn in range(len(partners))]
    return Glyph(tuple(bars), tuple((centres[turn], centres[other]) for turn, other in enumerate(partners)))


def _lane(schedule: str, above: bool, outward: bool) -> list[Bar]:
    """Return the bars of one lane; `outward` puts them at the edges and leaves room for lines between."""
    bars = []
    for turn, signs in enumerate(schedule.split()):
        x = 1 + turn * _COLUMN
        for sign in signs.replace(".", ""):
            height = _LANE * (_HEIGHTS | _NARROW_HEIGHTS)[sign]
            width = _PIECE if sign in _NARROW_HEIGHTS else _BAR
            near = _LANE + _GAP - height if outward else _GAP
            y = _MIDDLE - near - height if above else _MIDDLE + near
            bars.append(Bar(_kind(sign, above), x, round(y, 2), width, round(height, 2)))
            x += width + 1
    return bars


def _kind(sign: str, above: bool) -> str:
    if above:
        return "question"
    return {"g": "evidence", "!": "evidence", "o": "other"}.get(sign, "scene")
