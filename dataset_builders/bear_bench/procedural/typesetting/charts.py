"""Charts with an axis: bars and lines over a grid."""

from decimal import Decimal

from dataset_builders.bear_bench.procedural.content import Chart
from dataset_builders.bear_bench.procedural.languages.numbers import parsed, printed
from dataset_builders.bear_bench.procedural.typesetting.captions import caption
from dataset_builders.bear_bench.procedural.typesetting.fonts import Face, width
from dataset_builders.bear_bench.procedural.typesetting.marks import (
    Mark,
    Piece,
    Shape,
    Text,
    centred,
    flush_right,
    rectangle,
    rule,
)
from dataset_builders.bear_bench.procedural.typesetting.pies import pie
from dataset_builders.bear_bench.procedural.typesetting.style import BLACK, GREY, Colour, Look
from dataset_builders.bear_bench.procedural.typesetting.tables import look_dash

GRID: Colour = (216, 218, 223)


def typeset(chart: Chart, look: Look, wide: float) -> Piece:
    """Typeset a chart with its caption below it."""
    high = min(0.62 * wide, 17.5 * look.size)
    drawn = pie(chart, look, wide, high) if chart.kind == "pie" else _Axes(chart, look, wide, high).drawn()
    below = caption(f"{chart.label}{look_dash(look)}{chart.caption}", look, wide, in_the_middle=True)
    top = high + 0.4 * look.small
    return Piece(top + below.height, (*drawn, *below.at(0, top).marks), rise=0.5 * look.gap)


class _Axes:
    """The frame of a chart: where a value and a category lie."""

    def __init__(self, chart: Chart, look: Look, wide: float, high: float) -> None:
        self.chart, self.look = chart, look
        self.size = look.small * 0.92
        self.face = Face("sans")
        self.step = self.read(chart.step)
        values = [self.read(value) for series in chart.series for value in series.values]
        low = min(values) // self.step - 1 if chart.kind == "line" else Decimal(0)
        self.low = max(Decimal(0), low) * self.step
        self.high = (max(values) // self.step + 1) * self.step
        self.ticks = [
            self.low + self.step * index for index in range(int((self.high - self.low) / self.step) + 1)
        ]
        self.skip = 1 if len(self.ticks) <= 9 else 2
        widest = max(width(self._tick(tick), self.face, self.size) for tick in self.ticks)
        self.left = widest + 0.9 * self.size
        self.right = wide - 0.6 * self.size
        self.top = 2.2 * self.size + (1.6 * self.size if len(chart.series) > 1 else 0)
        self.bottom = high - 1.9 * self.size - (1.4 * self.size if chart.across else 0)
        self.wide = wide

    def read(self, text: str) -> Decimal:
        return parsed(text, self.look.language)

    def y(self, value: Decimal) -> float:
        return self.bottom - float((value - self.low) / (self.high - self.low)) * (self.bottom - self.top)

    def slot(self) -> float:
        return (self.right - self.left) / len(self.chart.categories)

    def x(self, index: int) -> float:
        return self.left + self.slot() * (index + 0.5)

    def drawn(self) -> list[Mark]:
        shapes: list[Mark] = [rule(self.left, self.right, self.y(tick), GRID) for tick in self.ticks]
        if self.chart.kind == "line":
            shapes += [
                rectangle(self.x(index), self.top, self.x(index), self.bottom, GRID, None)
                for index in range(len(self.chart.categories))
            ]
        texts: list[Mark] = [Text(0, self.size, self.chart.unit, self.face, self.size, GREY)]
        texts += self._legend(shapes)
        texts += self._tick_texts()
        if self.chart.kind == "bar":
            self._bars(shapes, texts)
        else:
            self._lines(shapes)
        shapes.append(rule(self.left, self.right, self.bottom, BLACK, 1.6))
        return [*shapes, *texts]

    def _tick(self, tick: Decimal) -> str:
        return printed(tick, self.look.language)

    def _tick_texts(self) -> list[Mark]:
        texts: list[Mark] = [
            flush_right(
                self.left - 0.45 * self.size,
                self.y(tick) + 0.36 * self.size,
                self._tick(tick),
                self.face,
                self.size,
            )
            for tick in reversed(self.ticks[:: self.skip])
        ]
        widest = max(width(name, self.face, self.size) for name in self.chart.categories)
        size = self.size * min(1.0, 0.94 * self.slot() / widest)
        texts += [
            centred(self.x(index), self.bottom + 1.3 * self.size, name, self.face, size)
            for index, name in enumerate(self.chart.categories)
        ]
        if self.chart.across:
            middle = (self.left + self.right) / 2
            texts.append(
                centred(middle, self.bottom + 2.75 * self.size, self.chart.across, self.face, self.size, GREY)
            )
        return texts

    def _legend(self, shapes: list[Mark]) -> list[Mark]:
        if len(self.chart.series) == 1:
            return []
        texts: list[Mark] = []
        x, base = self.left, 2.6 * self.size
        for index, series in enumerate(self.chart.series):
            colour, middle = self.look.palette[index], base - 0.34 * self.size
            if self.chart.kind == "bar":
                shapes.append(
                    rectangle(
                        x,
                        middle - 0.4 * self.size,
                        x + 0.8 * self.size,
                        middle + 0.4 * self.size,
                        None,
                        colour,
                    )
                )
            else:
                shapes.append(rule(x - 0.3 * self.size, x + 1.1 * self.size, middle, colour, 3))
                shapes.append(_marker(index, x + 0.4 * self.size, middle, 0.33 * self.size, colour))
            text = Text(x + 1.5 * self.size, base, series.name, self.face, self.size)
            texts.append(text)
            x = text.box()[2] + 1.6 * self.size
        return texts

    def _bars(self, shapes: list[Mark], texts: list[Mark]) -> None:
        many = len(self.chart.series)
        wide = min(0.74 * self.slot() / many, 3.4 * self.size)
        labels = [value for series in self.chart.series for value in series.values]
        size = self.size * min(
            1.0, 0.94 * (wide + 2) / max(width(one, self.face, self.size) for one in labels)
        )
        for number, series in enumerate(self.chart.series):
            for index, value in enumerate(series.values):
                left = self.x(index) + (number - many / 2) * wide
                top = self.y(self.read(value))
                shapes.append(
                    rectangle(left + 1, top, left + wide - 1, self.bottom, None, self.look.palette[number])
                )
                if self.chart.labelled:
                    texts.append(centred(left + wide / 2, top - 0.4 * size, value, self.face, size))

    def _lines(self, shapes: list[Mark]) -> None:
        for number, series in enumerate(self.chart.series):
            colour = self.look.palette[number]
            points = tuple(
                (self.x(index), self.y(self.read(value))) for index, value in enumerate(series.values)
            )
            shapes.append(Shape("line", points, colour, width=2.6))
            shapes += [_marker(number, x, y, 0.33 * self.size, colour) for x, y in points]


def _marker(number: int, x: float, y: float, reach: float, colour: Colour) -> Shape:
    """Return the sign of a series at a point: disc, square, diamond or triangle."""
    if number % 4 == 0:
        return Shape("disc", ((x - reach, y - reach), (x + reach, y + reach)), None, colour)
    corners = {
        1: ((-1, -1), (1, -1), (1, 1), (-1, 1)),
        2: ((0, -1.4), (1.4, 0), (0, 1.4), (-1.4, 0)),
        3: ((0, -1.3), (1.3, 1), (-1.3, 1)),
    }[number % 4]
    return Shape("polygon", tuple((x + reach * dx, y + reach * dy) for dx, dy in corners), None, colour)
