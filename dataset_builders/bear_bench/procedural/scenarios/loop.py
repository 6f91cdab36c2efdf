"""Science: the number that a loop in a flowchart ends with, started as a table says for one setting."""

from dataclasses import dataclass

from dataset_builders.bear_bench.procedural.content import Arrow, Flowchart, Node
from dataset_builders.bear_bench.procedural.scenarios.draft import Draft, Label, Problem
from dataset_builders.bear_bench.procedural.worlds.study import Study

Page = Draft[Study]


@dataclass(frozen=True)
class _Setting:
    name: str
    start: int
    rounds: int


@dataclass(frozen=True)
class _Loop:
    """Even numbers are halved, odd ones multiplied by `factor`, with `plus` added."""

    factor: int
    plus: int

    def course(self, setting: _Setting) -> list[int]:
        """Return the number after each round."""
        x, numbers = setting.start, []
        for _ in range(setting.rounds):
            x = x // 2 if x % 2 == 0 else self.factor * x + self.plus
            numbers.append(x)
        return numbers


def make(page: Page) -> Problem:
    """Set flowchart and table, and ask."""
    rng = page.rng
    loop = _Loop(rng.choice((2, 3)), rng.choice((1, 3, 5)))
    names = "ABC" if page.small else "ABCDE"
    starts = rng.sample(range(5, 40), len(names))
    settings = [_Setting(name, start, rng.randint(2, 5)) for name, start in zip(names, starts, strict=True)]
    figure, table = page.label("figure"), page.label("table")
    page.heading("Generation of test sequences", "Порождение проверочных последовательностей")
    _tell(page, figure, table)
    page.add(_flowchart(page, loop, figure))
    _set(page, settings, table)
    return _ask(page, loop, rng.choice(settings), figure, table)


def _tell(page: Page, figure: Label, table: Label) -> None:
    page.text(
        page.say(
            f"Test sequences come from the procedure in {figure}. {table} has the start *s* and the number "
            "of rounds "
            "*n* of every setting.",
            f"Проверочные последовательности порождает процедура, показанная на рисунке {figure.number}. В "
            "таблице "
            f"{table.number} даны начальное число *s* и число кругов *n* для каждого режима.",
        ),
        page.say(
            "Division leaves no remainder, since only even numbers are halved.",
            "Деление выполняется без остатка: пополам делятся только чётные числа.",
        ),
    )


def _flowchart(page: Page, loop: _Loop, figure: Label) -> Flowchart:
    yes, no = page.say("yes", "да"), page.say("no", "нет")
    nodes = (
        Node("start", "x := s, k := 0", "start", 1, 0),
        Node("even", page.say("x even?", "x чётное?"), "choice", 1, 1),
        Node("half", "x := x / 2", "action", 0, 2),
        Node("more", f"x := {loop.factor}x + {loop.plus}", "action", 2, 2),
        Node("count", "k := k + 1", "action", 1, 3),
        Node("done", "k = n?", "choice", 1, 4),
        Node("end", page.say("Output x", "Вывод x"), "end", 1, 5),
    )
    arrows = (
        Arrow("start", "even"),
        Arrow("even", "half", yes),
        Arrow("even", "more", no),
        Arrow("half", "count"),
        Arrow("more", "count"),
        Arrow("count", "done"),
        Arrow("done", "end", yes),
        Arrow("done", "even", no, back=True),
    )
    return Flowchart(figure.text, page.say("Generation of a number", "Порождение числа"), nodes, arrows)


def _set(page: Page, settings: list[_Setting], table: Label) -> None:
    page.table(
        table,
        page.say("Settings", "Режимы"),
        (page.say("Setting", "Режим"), "s", "n"),
        ((one.name, str(one.start), str(one.rounds)) for one in settings),
    )
    page.text(
        page.say(
            "Settings were chosen so that no sequence grows without bound.",
            "Режимы выбраны так, чтобы числа не становились слишком большими.",
        )
    )


def _ask(page: Page, loop: _Loop, setting: _Setting, figure: Label, table: Label) -> Problem:
    course = loop.course(setting)
    question = page.either(
        page.say(
            f"Which number does the procedure output for setting {setting.name}?",
            f"Какое число выведет процедура в режиме {setting.name}?",
        ),
        page.say(
            f"Carry out the flowchart for setting {setting.name} of {table}. What is x at the end?",
            f"Выполните блок-схему для режима {setting.name} из таблицы {table.number}. Чему равно x в "
            "конце?",
        ),
    )
    steps = (
        f"{table}: s = {setting.start}, n = {setting.rounds}",
        *(f"{figure}: k = {number}, x = {x}" for number, x in enumerate(course, start=1)),
    )
    return page.problem("loop", question, str(course[-1]), steps)
