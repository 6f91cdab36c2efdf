"""Pies, with a legend beside them."""

from math import cos, pi, sin

from dataset_builders.bear_bench.procedural.content import Chart
from dataset_builders.bear_bench.procedural.languages.numbers import parsed
from dataset_builders.bear_bench.procedural.typesetting.fonts import Face, width
from dataset_builders.bear_bench.procedural.typesetting.marks import Mark, Shape, Text, centred, rectangle
from dataset_builders.bear_bench.procedural.typesetting.style import BLACK, WHITE, Colour, Look


def pie(chart: Chart, look: Look, wide: float, high: float) -> list[Mark]:
    """Draw a pie of one series; the share of each slice is printed on it."""
    size, face = look.small * 0.92, Face("sans")
    radius = high / 2 - 0.5 * size
    legend = 2.4 * size + max(width(name, face, size) for name in chart.categories)
    x, y = (wide - legend - size) / 2, high / 2
    shares = [float(parsed(value, look.language)) for value in chart.series[0].values]
    shapes: list[Mark] = []
    texts: list[Mark] = []
    angle = -90.0
    for index, (name, share) in enumerate(zip(chart.categories, shares, strict=True)):
        turn, colour = 360 * share / sum(shares), look.palette[index]
        shapes.append(
            Shape(
                "slice",
                ((x - radius, y - radius), (x + radius, y + radius)),
                WHITE,
                colour,
                2.0,
                (angle, angle + turn),
            )
        )
        middle = (angle + turn / 2) * pi / 180
        at = x + 0.68 * radius * cos(middle), y + 0.68 * radius * sin(middle) + 0.36 * size
        texts.append(centred(*at, chart.series[0].values[index], face.bolder(), size, _on(colour)))
        angle += turn
        row = y + (index - (len(shares) - 1) / 2) * 1.75 * size
        left = x + radius + 1.9 * size
        shapes.append(rectangle(left, row - 0.45 * size, left + 0.9 * size, row + 0.45 * size, None, colour))
        texts.append(Text(left + 1.5 * size, row + 0.36 * size, name, face, size))
    return [*shapes, *texts]


def _on(colour: Colour) -> Colour:
    """Return black or white, whichever can be read on `colour`."""
    return WHITE if 0.3 * colour[0] + 0.59 * colour[1] + 0.11 * colour[2] < 140 else BLACK
