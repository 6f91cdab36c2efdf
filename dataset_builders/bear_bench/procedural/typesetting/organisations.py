"""Organisation diagrams: one at the top, a row below, and a column below each of the row."""

from dataset_builders.bear_bench.procedural.content import Organisation, Unit
from dataset_builders.bear_bench.procedural.typesetting.captions import caption
from dataset_builders.bear_bench.procedural.typesetting.fonts import Face
from dataset_builders.bear_bench.procedural.typesetting.marks import Mark, Piece, Shape, Text, rectangle
from dataset_builders.bear_bench.procedural.typesetting.paragraphs import block_of_lines
from dataset_builders.bear_bench.procedural.typesetting.style import BLACK, GREY, WHITE, Colour, Look
from dataset_builders.bear_bench.procedural.typesetting.tables import look_dash

_LEADING = 1.2


def typeset(chart: Organisation, look: Look, wide: float) -> Piece:
    """Typeset an organisation diagram with its caption below it."""
    size = look.small * 0.9
    below = caption(f"{chart.label}{look_dash(look)}{chart.caption}", look, wide, in_the_middle=True)
    shapes: list[Mark] = []
    texts: list[Mark] = []
    slot = wide / len(chart.top.units)
    high = _box(chart.top, (wide / 2 - 9 * size, 2), 18 * size, look, 0, (shapes, texts))
    bus, row = high + 1.0 * size, high + 2.0 * size
    heads = [_height(unit, 0.92 * slot, look) for unit in chart.top.units]
    bottom = 0.0
    for index, unit in enumerate(chart.top.units):
        left = index * slot + 0.04 * slot
        middle = left + 0.46 * slot
        shapes.append(_line((middle, bus), (middle, row)))
        y = _box(unit, (left, row), 0.92 * slot, look, 1, (shapes, texts), max(heads))
        foot = y
        for below_it in unit.units:
            y += 0.7 * size
            high_of_it = _height(below_it, 0.82 * slot, look)
            shapes.append(
                _line((left + 0.05 * slot, y + high_of_it / 2), (left + 0.1 * slot, y + high_of_it / 2))
            )
            foot = y + high_of_it / 2
            y = _box(below_it, (left + 0.1 * slot, y), 0.82 * slot, look, 2, (shapes, texts))
        shapes.append(_line((left + 0.05 * slot, row + max(heads)), (left + 0.05 * slot, foot)))
        bottom = max(bottom, y)
    first, last = 0.5 * slot, wide - 0.5 * slot
    shapes += [_line((wide / 2, high), (wide / 2, bus)), _line((first, bus), (last, bus))]
    top = bottom + 0.5 * look.small
    return Piece(top + below.height, (*shapes, *texts, *below.at(0, top).marks), rise=0.6 * look.gap)


def _cell(unit: Unit, wide: float, look: Look) -> list[list[Text]]:
    size, face = look.small * 0.9, Face("sans")
    room = wide - 0.9 * size
    return [
        *block_of_lines(unit.name, face.bolder(), size, room, look.language),
        *block_of_lines(unit.holder, face, size, room, look.language),
    ]


def _height(unit: Unit, wide: float, look: Look) -> float:
    size = look.small * 0.9
    return len(_cell(unit, wide, look)) * _LEADING * size + 0.8 * size


def _box(
    unit: Unit,
    corner: tuple[float, float],
    wide: float,
    look: Look,
    level: int,
    out: tuple[list[Mark], list[Mark]],
    high: float = 0.0,
) -> float:
    """Draw the box of a unit, and return where it ends."""
    size, (left, top) = look.small * 0.9, corner
    cell = _cell(unit, wide, look)
    high = high or _height(unit, wide, look)
    tint: Colour = tuple(round(255 - (255 - part) * 0.16) for part in look.accent)  # type: ignore[assignment]
    fill = WHITE if level == 2 else tint
    out[0].append(rectangle(left, top, left + wide, top + high, GREY if level == 2 else BLACK, fill))
    first = top + (high - len(cell) * _LEADING * size) / 2 + 0.92 * size
    for number, line in enumerate(cell):
        shift = left + (wide - line[-1].box()[2]) / 2
        out[1].extend(mark.moved(shift, first + number * _LEADING * size) for mark in line)
    return top + high


def _line(start: tuple[float, float], end: tuple[float, float]) -> Shape:
    return Shape("line", (start, end), GREY, width=1.6)
