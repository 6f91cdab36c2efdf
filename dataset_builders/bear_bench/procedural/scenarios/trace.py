"""Science: what a listing returns for one row of a table."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from dataset_builders.bear_bench.procedural.content import Code
from dataset_builders.bear_bench.procedural.scenarios.draft import Draft, Label, Problem
from dataset_builders.bear_bench.procedural.worlds.study import Study

Page = Draft[Study]


@dataclass(frozen=True)
class Program:
    """A function of a list of numbers: its lines for some constants, what it does, and its course.

    `run` returns the state after every pass of its loop, the last of which is the result.
    """

    name: tuple[str, str]
    lines: Callable[[int, int], tuple[str, ...]]
    run: Callable[[list[int], int, int], list[int]]


def _runs(values: list[int], limit: int, step: int) -> list[int]:
    states, score = [], 0
    for value in values:
        if value > limit:
            score += value - limit
        elif value % 2 == 0:
            score += step
        states.append(score)
    return states


def _balance(values: list[int], limit: int, step: int) -> list[int]:
    states, level = [], limit
    for index, value in enumerate(values):
        level = level + value if index % 2 == 0 else level - step
        if level > 3 * limit:
            level -= limit
        states.append(level)
    return states


def _longest(values: list[int], limit: int, step: int) -> list[int]:
    states, best, run = [], 0, 0
    for value in values:
        run = run + 1 if value >= limit else 0
        best = max(best, run * step)
        states.append(best)
    return states


def _mixing(values: list[int], limit: int, step: int) -> list[int]:
    states, key = [], step
    for value in values:
        key = (key * 2 + value) % (limit + 7)
        states.append(key)
    return states


PROGRAMS = (
    Program(
        ("Score of a sequence", "Оценка последовательности"),
        lambda limit, step: (
            "def score(values):",
            "    total = 0",
            "    for value in values:",
            f"        if value > {limit}:",
            f"            total += value - {limit}",
            "        elif value % 2 == 0:",
            f"            total += {step}",
            "    return total",
        ),
        _runs,
    ),
    Program(
        ("Level after all readings", "Уровень после всех отсчётов"),
        lambda limit, step: (
            "def level(values):",
            f"    level = {limit}",
            "    for index, value in enumerate(values):",
            "        if index % 2 == 0:",
            "            level += value",
            "        else:",
            f"            level -= {step}",
            f"        if level > {3 * limit}:",
            f"            level -= {limit}",
            "    return level",
        ),
        _balance,
    ),
    Program(
        ("Longest run of high values", "Самая длинная серия больших значений"),
        lambda limit, step: (
            "def longest(values):",
            "    best = run = 0",
            "    for value in values:",
            f"        if value >= {limit}:",
            "            run += 1",
            "        else:",
            "            run = 0",
            f"        best = max(best, run * {step})",
            "    return best",
        ),
        _longest,
    ),
    Program(
        ("Key of a sequence", "Ключ последовательности"),
        lambda limit, step: (
            "def key(values):",
            f"    key = {step}",
            "    for value in values:",
            f"        key = (key * 2 + value) % {limit + 7}",
            "    return key",
        ),
        _mixing,
    ),
)


def make(page: Page) -> Problem:
    """Set listing and table, and ask."""
    rng = page.rng
    program = rng.choice(PROGRAMS)
    limit, step = rng.randint(5, 9), rng.randint(2, 4)
    sensors = _sensors(rng, 3 if page.small else 5, 4 if page.small else 6)
    listing, table = page.label("listing"), page.label("table")
    page.heading("Implementation", "Реализация")
    _tell(page, listing, table)
    lines = program.lines(limit, step)
    page.add(Code(listing.text, page.say(*program.name), lines))
    _set(page, sensors, table)
    sensor = rng.choice(list(sensors))
    states = program.run(sensors[sensor], limit, step)
    name = lines[0].removeprefix("def ").partition("(")[0]
    question = page.either(
        page.say(
            f"What does {name} return for sensor {sensor}?",
            f"Что вернёт функция {name} для датчика {sensor}?",
        ),
        page.say(
            f"Trace {listing} on the readings of sensor {sensor}. Which number is returned?",
            f"Выполните листинг {listing.number} для отсчётов датчика {sensor}. Какое число будет "
            "возвращено?",
        ),
    )
    steps = (
        f"{table}: {sensor} = {sensors[sensor]}",
        *(f"{value} → {state}" for value, state in zip(sensors[sensor], states, strict=True)),
    )
    return page.problem("trace", question, str(states[-1]), steps)


def _sensors(rng: Random, count: int, wide: int) -> dict[str, list[int]]:
    names = sorted(rng.sample(("K1", "K2", "K3", "M1", "M2", "M3", "T1", "T2"), count))
    return {name: [rng.randint(0, 15) for _ in range(wide)] for name in names}


def _tell(page: Page, listing: Label, table: Label) -> None:
    page.text(
        page.say(
            f"{listing} is the function that turns the readings of a sensor into a single number.",
            f"{listing} содержит функцию, которая превращает отсчёты датчика в одно число.",
        ),
        page.say(
            f"It is called once for each row of {table}, with the readings from left to right.",
            f"Она вызывается один раз для каждой строки таблицы {table.number}; отсчёты берутся слева "
            "направо.",
        ),
    )


def _set(page: Page, sensors: dict[str, list[int]], table: Label) -> None:
    page.text(
        page.say(
            "Results are stored as whole numbers. Readings outside the range from 0 to 15 do not occur.",
            "Результаты хранятся как целые числа. Отсчёты вне диапазона от 0 до 15 не встречаются.",
        )
    )
    wide = len(next(iter(sensors.values())))
    page.table(
        table,
        page.say("Readings of the sensors", "Отсчёты датчиков"),
        (page.say("Sensor", "Датчик"), *(str(number) for number in range(1, wide + 1))),
        ((name, *map(str, values)) for name, values in sensors.items()),
    )
