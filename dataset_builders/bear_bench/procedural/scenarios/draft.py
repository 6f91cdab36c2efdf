"""A page in the making: the blocks that must stand on it, in the words of its language."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Generic, TypeVar

from dataset_builders.bear_bench.procedural.content import (
    Block,
    Chart,
    Equation,
    Footnote,
    Heading,
    Paragraph,
    Series,
    Table,
)
from dataset_builders.bear_bench.procedural.languages.numbers import NO_BREAK, Language, Number, printed

World = TypeVar("World")

_TOGETHER = re.compile(
    r"(?<=\b[Tt]able) (?=\d)|(?<=\bFigure) (?=\d)|(?<=\bListing) (?=\d)|(?<=\bEquation) (?=\()|(?<=№) "
    r"|(?<=таблиц[аеуы]) (?=\d)|(?<=рисунк[ае]) (?=\d)|(?<=рисунок) (?=\d)|(?<=[Лл]истинг) (?=\d)"
    r"|(?<=\d) (?=(?:minutes|items|employees|мин|млн|тыс|руб|работ)\b)| (?=—)"
    r"|(?<=\*) (?== )|(?<==) (?=\d)"
)
"""Spaces at which no line ends: before numbers of tables and figures, after numbers, before dashes."""
_LABELS: Mapping[str, Mapping[Language, str]] = {
    "table": {"en": "Table", "ru": "Таблица"},
    "figure": {"en": "Figure", "ru": "Рисунок"},
    "listing": {"en": "Listing", "ru": "Листинг"},
}


@dataclass
class Numbering:
    """The numbers that a document has given so far to its sections, tables, figures, …"""

    given: dict[str, int] = field(default_factory=dict)

    def next(self, kind: str) -> int:
        """Give the next number of a kind."""
        self.given[kind] = self.coming(kind)
        return self.given[kind]

    def coming(self, kind: str) -> int:
        """Return the number of a kind that would be given next."""
        return self.given.get(kind, 0) + 1


@dataclass(frozen=True)
class Label:
    """What a table, a figure or a listing is called, such as Table 3, and its number."""

    text: str
    number: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Problem:
    """A question with its answer.

    `accepted` are further ways to write the answer, `steps` the way to it, one line for each thing to read or
    to compute.
    """

    kind: str
    question: str
    answer: str
    accepted: tuple[str, ...]
    steps: tuple[str, ...]


class UnluckyError(Exception):
    """What was drawn has no clear answer; another draw will have one."""


class Draft(Generic[World]):
    """What must stand on a page, in order."""

    def __init__(
        self, language: Language, world: World, rng: Random, numbering: Numbering, small: bool
    ) -> None:
        self.language, self.world, self.rng, self.small = language, world, rng, small
        self.numbering = numbering
        self.blocks: list[Block] = []

    def say(self, english: str, russian: str) -> str:
        """Return the one in the language of the page."""
        return russian if self.language == "ru" else english

    def number(self, value: Number, places: int | None = None) -> str:
        """Return a number as it is printed."""
        return printed(value, self.language, places)

    def percent(self, value: Number, places: int | None = None) -> str:
        """Return a percentage as it is printed."""
        return self.number(value, places) + self.say("%", f"{NO_BREAK}%")

    def heading(self, english: str, russian: str) -> None:
        """Add the heading of a section."""
        self.blocks.append(Heading(f"{self.numbering.next('section')}. {self.say(english, russian)}"))

    def text(self, *sentences: str) -> None:
        """Add a paragraph."""
        self.blocks.append(Paragraph(_TOGETHER.sub(NO_BREAK, " ".join(sentences))))

    def footnote(self, text: str) -> str:
        """Add a footnote, and return the mark that refers to it; small pages have none."""
        if self.small:
            return ""
        mark = str(self.numbering.next("footnote"))
        self.blocks.append(Footnote(mark, text))
        return f"^{mark}^"

    def label(self, kind: str) -> Label:
        """Return the next label of a kind: table, figure or listing."""
        number = str(self.numbering.next(kind))
        return Label(f"{_LABELS[kind][self.language]}{NO_BREAK}{number}", number)

    def add(self, block: Block) -> None:
        """Add a block that is made elsewhere."""
        self.blocks.append(block)

    def table(
        self, label: Label, caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], totals: int = 0
    ) -> None:
        """Add a table; its last `totals` rows are sums."""
        self.add(Table(label.text, caption, tuple(head), tuple(map(tuple, rows)), totals))

    def bars(
        self,
        label: Label,
        caption: str,
        categories: Sequence[str],
        values: Sequence[str],
        unit: str,
        step: int,
    ) -> None:
        """Add a bar chart with its values printed on it."""
        series = (Series("", tuple(values)),)
        self.add(Chart("bar", label.text, caption, tuple(categories), series, unit, str(step), labelled=True))

    def pie(self, label: Label, caption: str, categories: Sequence[str], shares: Sequence[int]) -> None:
        """Add a pie of shares in per cent."""
        series = (Series("", tuple(map(self.percent, shares))),)
        self.add(Chart("pie", label.text, caption, tuple(categories), series, "%", "1", labelled=True))

    def equation(self, tex: str) -> str:
        """Add a displayed equation and return its number."""
        number = str(self.numbering.next("equation"))
        self.add(Equation(tex, number))
        return number

    def either(self, *ways: str) -> str:
        """Return one of several ways to say the same."""
        return self.rng.choice(ways)

    def problem(self, kind: str, question: str, answer: str, steps: Sequence[str], unit: str = "") -> Problem:
        """Return the problem; an answer may be given with its unit, and in Russian with a decimal point."""
        forms = [answer]
        if self.language == "ru":
            forms += [answer.replace(NO_BREAK, " "), answer.replace(NO_BREAK, ""), answer.replace(",", ".")]
        if unit:
            forms += [f"{form} {unit}" for form in list(forms)]
        if answer.endswith("%"):
            bare = answer.removesuffix("%").rstrip()
            forms += [f"{bare}%", f"{bare} %", bare]
        accepted = tuple(form for form in dict.fromkeys(forms) if form != answer)
        return Problem(kind, question, answer, accepted, tuple(steps))
