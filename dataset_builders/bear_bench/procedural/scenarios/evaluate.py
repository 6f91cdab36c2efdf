"""Science: the value of an equation, with constants for two settings in the text and arguments in a table."""

from dataclasses import dataclass
from fractions import Fraction

from dataset_builders.bear_bench.procedural.languages.numbers import NO_BREAK, exact, is_exact
from dataset_builders.bear_bench.procedural.scenarios.draft import Draft, Label, Problem, UnluckyError
from dataset_builders.bear_bench.procedural.scenarios.laws import LAWS, Law, Values
from dataset_builders.bear_bench.procedural.worlds.study import Study

Page = Draft[Study]


@dataclass(frozen=True)
class _Experiment:
    """A law with its constants in each setting, the argument of each series; which of them is asked about."""

    law: Law
    settings: dict[str, Values]
    series: dict[str, Fraction]
    setting: str
    row: str

    def result(self) -> Fraction:
        return self.law.value({**self.settings[self.setting], self.law.argument[0]: self.series[self.row]})


def make(page: Page) -> Problem:
    """Set equation, constants and table, and ask."""
    experiment, table = _draw(page), page.label("table")
    law = experiment.law
    page.heading("Model", "Модель")
    page.text(page.say("We use the following relation:", "Используется следующее соотношение:"))
    number = page.equation(law.tex)
    page.text(_where(page, law), *_constants(page, experiment))
    _set(page, experiment, table)
    page.text(
        page.say(
            f"Equation ({number}) was checked against the measurements of {table} and holds for all series.",
            f"Соотношение ({number}) проверено по измерениям из таблицы {table.number} и выполняется для "
            "всех серий.",
        )
    )
    return _ask(page, experiment, number, table)


def _draw(page: Page) -> _Experiment:
    rng = page.rng
    law = rng.choice(LAWS)
    names = page.say(*law.settings).split(",")
    drawn = {
        name: {symbol: rng.choice(about[2]) for symbol, about in law.constants.items()} for name in names
    }
    values = rng.sample(law.argument[3], 3 if page.small else 5)
    series = {f"S{index}": value for index, value in enumerate(values, start=1)}
    experiment = _Experiment(law, drawn, series, rng.choice(names), rng.choice(list(series)))
    alike = any(len({values[symbol] for values in drawn.values()}) == 1 for symbol in law.constants)
    if alike or experiment.result() <= 0 or not is_exact(experiment.result(), law.places):
        raise UnluckyError
    return experiment


def _where(page: Page, law: Law) -> str:
    """Say what the symbols are."""
    symbol, english, russian, _ = law.argument
    parts = [
        f"*{name}*" + page.say(f" is {about[0]}", f" — {about[1]}") for name, about in law.constants.items()
    ]
    told = page.say(
        f"Here *{law.result[0]}* is {law.result[1]} and *{symbol}* the {english}; ",
        f"Здесь *{law.result[0]}* — {law.result[2]}, *{symbol}* — {russian.partition(',')[0]}; ",
    )
    return told + ", ".join(parts) + "."


def _constants(page: Page, experiment: _Experiment) -> list[str]:
    """State the constants of every setting."""
    sentences = []
    for setting, known in experiment.settings.items():
        stated = ", ".join(
            f"*{name}*{NO_BREAK}={NO_BREAK}{page.number(exact(value))}" for name, value in known.items()
        )
        sentences.append(
            page.say(f"In the {setting} setting, {stated}.", f"{setting[0].upper()}{setting[1:]} {stated}.")
        )
    return [*sentences, page.say("The constants were estimated beforehand.", "Постоянные оценены заранее.")]


def _set(page: Page, experiment: _Experiment, table: Label) -> None:
    symbol, english, russian, _ = experiment.law.argument
    page.table(
        table,
        page.say("Series of experiments", "Серии опытов"),
        (
            page.say("Series", "Серия"),
            page.say(f"{symbol}, {english}", f"{symbol}, {russian}"),
            page.say("Repetitions", "Повторы"),
        ),
        (
            (name, page.number(int(value)), str(page.rng.randint(6, 30)))
            for name, value in experiment.series.items()
        ),
    )


def _ask(page: Page, experiment: _Experiment, number: str, table: Label) -> Problem:
    law, setting, row = experiment.law, experiment.setting, experiment.row
    answer = page.number(exact(experiment.result()))
    question = page.say(
        f"Compute {law.result[0]}, {law.result[1]}, in the {setting} setting for series {row}.",
        f"Вычислите {law.result[0]} ({law.result[2]}) {setting} для серии {row}.",
    )
    constants = experiment.settings[setting].items()
    steps = (
        page.say("Text", "Текст")
        + ": "
        + ", ".join(f"{name} = {page.number(exact(one))}" for name, one in constants),
        f"{table}: {row}: {law.argument[0]} = {page.number(int(experiment.series[row]))}",
        page.say("Equation", "Соотношение") + f" ({number}): {law.result[0]} = {answer}",
    )
    return page.problem("evaluate", question, answer, steps, page.say(*law.unit))
