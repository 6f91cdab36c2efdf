"""Science: how many items of a class were missed; a total in the text, shares in a pie, rates in a table."""

from dataclasses import dataclass
from fractions import Fraction
from random import Random

from dataset_builders.bear_bench.procedural.languages.numbers import is_exact
from dataset_builders.bear_bench.procedural.languages.russian import counted
from dataset_builders.bear_bench.procedural.scenarios.draft import Draft, Label, Problem, UnluckyError
from dataset_builders.bear_bench.procedural.worlds.study import Study

Page = Draft[Study]


@dataclass(frozen=True)
class _Sample:
    """Items of both parts; shares, rates and false alarms of the classes of the test part, in per cent."""

    test: int
    training: int
    classes: tuple[str, ...]
    shares: tuple[int, ...]
    found: tuple[int, ...]
    alarms: tuple[int, ...]

    def items(self, index: int) -> Fraction:
        return Fraction(self.test * self.shares[index], 100)

    def missed(self, index: int) -> Fraction:
        return self.items(index) * (100 - self.found[index]) / 100


def make(page: Page) -> Problem:
    """Set pie and table, and ask."""
    sample = _draw(page)
    index = page.rng.randrange(len(sample.classes))
    if not (is_exact(sample.items(index), 0) and is_exact(sample.missed(index), 0)):
        raise UnluckyError
    figure, table = page.label("figure"), page.label("table")
    page.heading("Composition of the test part", "Состав проверочной части")
    _set(page, sample, figure, table)
    return _ask(page, sample, index, figure, table)


def _draw(page: Page) -> _Sample:
    rng = page.rng
    names = page.say(
        "quiet,periodic,transient,drifting,unclear", "спокойный,периодический,импульсный,дрейфующий,неясный"
    )
    classes = tuple(names.split(","))[: 3 if page.small else 5]
    return _Sample(
        test=rng.randrange(800, 6000, 200),
        training=rng.randrange(7000, 9000, 200),
        classes=classes,
        shares=_shares(rng, len(classes)),
        found=tuple(rng.randrange(50, 96, 5) for _ in classes),
        alarms=tuple(rng.randint(1, 9) for _ in classes),
    )


def _shares(rng: Random, count: int) -> tuple[int, ...]:
    """Draw shares in steps of five per cent, at most two of them alike and none of them under 10."""
    while True:
        cuts = sorted(rng.sample(range(10, 95, 5), count - 1))
        parts = [after - before for before, after in zip([0, *cuts], [*cuts, 100], strict=True)]
        if min(parts) >= 10 and len(set(parts)) >= count - 1:
            return tuple(parts)


def _set(page: Page, sample: _Sample, figure: Label, table: Label) -> None:
    page.text(
        page.say(
            f"The test part has {page.number(sample.test)} items, the training part "
            f"{page.number(sample.training)}.",
            f"Проверочная часть содержит {page.number(sample.test)} объектов, обучающая — "
            f"{page.number(sample.training)}.",
        ),
        page.say(
            f"{figure} shows the classes of the test part, and {table} how many of its items the detector "
            "found.",
            f"На рисунке {figure.number} показаны классы проверочной части, а в таблице {table.number} — "
            "какую долю "
            "её объектов нашёл детектор.",
        ),
        page.say(
            "Every item belongs to exactly one class.", "Каждый объект относится ровно к одному классу."
        ),
    )
    page.pie(
        figure,
        page.say("Classes of the test part", "Классы проверочной части"),
        sample.classes,
        sample.shares,
    )
    page.table(
        table,
        page.say("Results of the detector, %", "Результаты детектора, %"),
        (page.say("Class", "Класс"), page.say("Found", "Найдено"), page.say("False alarms", "Ложные")),
        (
            (name, str(rate), str(alarms))
            for name, rate, alarms in zip(sample.classes, sample.found, sample.alarms, strict=True)
        ),
    )


def _ask(page: Page, sample: _Sample, index: int, figure: Label, table: Label) -> Problem:
    name, items, missed = sample.classes[index], int(sample.items(index)), int(sample.missed(index))
    answer = page.number(missed)
    question = page.either(
        page.say(
            f"How many items of the class “{name}” in the test part did the detector miss?",
            f"Сколько объектов класса «{name}» в проверочной части детектор не нашёл?",
        ),
        page.say(
            f"In numbers of items, how many of the class “{name}” in the test part were not found?",
            f"Сколько объектов класса «{name}» проверочной части остались ненайденными?",
        ),
    )
    total, share, lost = page.number(sample.test), sample.shares[index], 100 - sample.found[index]
    steps = (
        page.say("Text: test part", "Текст: проверочная часть") + f" = {total}",
        f"{figure}: {name} = {page.percent(share)}",
        f"{total} × {page.percent(share)} = {page.number(items)}",
        f"{table}: {name} = {page.percent(sample.found[index])}",
        f"{page.number(items)} × {page.percent(lost)} = {answer}",
    )
    unit = page.say("items", counted(missed, "объект|объекта|объектов"))
    return page.problem("missed in sample", question, answer, steps, unit)
