"""How the pages of one document look."""

from dataclasses import dataclass
from typing import Literal

from dataset_builders.bear_bench.procedural.languages.numbers import Language
from dataset_builders.bear_bench.procedural.typesetting.fonts import Face, Family

Colour = tuple[int, int, int]
BLACK: Colour = (22, 22, 24)
WHITE: Colour = (255, 255, 255)
GREY: Colour = (110, 112, 118)
RULE: Colour = (176, 178, 184)


@dataclass(frozen=True)
class Look:
    """The choices of a designer; lengths are pixels of a page at full size, 150 to the inch.

    `tables`: "ruled" has three rules, as papers do; "banded" a coloured head and bands; "boxed" all lines.
    """

    language: Language
    family: Family
    size: float
    width: int
    height: int
    margin: int
    columns: int
    justified: bool
    indented: bool
    tables: Literal["ruled", "banded", "boxed"]
    accent: Colour
    palette: tuple[Colour, ...]
    numbered_sections: bool

    @property
    def body(self) -> Face:
        """The face of running text."""
        return Face(self.family)

    @property
    def line(self) -> float:
        """The distance of base lines of running text."""
        return self.size * 1.38

    @property
    def gap(self) -> float:
        """The space between blocks."""
        return self.size * 0.9

    @property
    def small(self) -> float:
        """The size of captions, tables and charts."""
        return self.size * 0.88

    @property
    def gutter(self) -> float:
        """The space between columns."""
        return self.size * 1.9

    @property
    def column(self) -> float:
        """The width of a column."""
        inner = self.width - 2 * self.margin
        return (inner - (self.columns - 1) * self.gutter) / self.columns
