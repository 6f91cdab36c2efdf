"""Science: what training costs up to the first epoch at which one curve is above another."""

from dataclasses import dataclass
from fractions import Fraction
from random import Random

from dataset_builders.bear_bench.procedural.content import Chart, Series
from dataset_builders.bear_bench.procedural.languages.numbers import exact, is_exact
from dataset_builders.bear_bench.procedural.scenarios.draft import Draft, Label, Problem, UnluckyError
from dataset_builders.bear_bench.procedural.worlds.study import Study

Page = Draft[Study]


@dataclass(frozen=True)
class _Race:
    """Curves of the methods, in per cent by epoch, and the minutes that an epoch of each takes.

    The first method leads early, the second overtakes it once and for all.
    """

    methods: tuple[str, ...]
    curves: tuple[tuple[int, ...], ...]
    minutes: tuple[int, ...]

    def overtakes(self) -> list[int]:
        """Return the epochs, from 1, at which the second method is above the first."""
        pairs = enumerate(zip(self.curves[0], self.curves[1], strict=True), start=1)
        return [epoch for epoch, (early, late) in pairs if late > early]


def make(page: Page) -> Problem:
    """Set the chart and ask."""
    race = _draw(page)
    figure = page.label("figure")
    page.heading("Learning curves", "Кривые обучения")
    _tell(page, race, figure)
    _set(page, race, figure)
    return _ask(page, race, figure)


def _draw(page: Page) -> _Race:
    rng, epochs = page.rng, 6 if page.small else 10
    starts = ((55, 2), (40, 4)) if page.small else ((55, 2), (40, 4), (45, 2))
    methods = tuple(rng.sample(page.world.methods, len(starts)))
    curves = tuple(_curve(rng, epochs, start, most) for start, most in starts)
    drawn = _Race(methods, curves, tuple(rng.sample(range(6, 40, 2), len(starts))))
    above = drawn.overtakes()
    if not above or above[0] < 3 or above != list(range(above[0], epochs + 1)):
        raise UnluckyError
    return drawn


def _curve(rng: Random, epochs: int, start: int, most: int) -> tuple[int, ...]:
    """Draw a rising curve in steps of five that flattens."""
    value, values = start, []
    for epoch in range(epochs):
        values.append(min(value, 95))
        value += 5 * rng.randint(0, most if epoch < epochs // 2 else 1)
    return tuple(values)


def _tell(page: Page, race: _Race, figure: Label) -> None:
    mark = page.footnote(
        page.say("All curves are medians over the runs.", "Все кривые — медианы по запускам.")
    )
    page.text(
        page.say(
            f"{figure} shows the validation accuracy{mark} after each epoch.",
            f"На рисунке {figure.number} показана точность{mark} на контрольной части после каждой эпохи.",
        ),
        *(
            page.say(
                f"An epoch of {name} takes {minutes} minutes.",
                f"Одна эпоха метода {name} занимает {minutes} мин.",
            )
            for name, minutes in sorted(zip(race.methods, race.minutes, strict=True))
        ),
        page.say("Validation is not included in these times.", "Время контроля в эти величины не входит."),
    )


def _set(page: Page, race: _Race, figure: Label) -> None:
    page.add(
        Chart(
            "line",
            figure.text,
            page.say("Validation accuracy during training", "Точность на контрольной части при обучении"),
            tuple(map(str, range(1, len(race.curves[0]) + 1))),
            tuple(
                Series(name, tuple(map(str, curve)))
                for name, curve in zip(race.methods, race.curves, strict=True)
            ),
            page.say("Accuracy, %", "Точность, %"),
            "5",
            labelled=False,
            across=page.say("Epoch", "Эпоха"),
        )
    )
    page.text(
        page.say(
            "The order of the methods early in training says little about their order at the end.",
            "Порядок методов в начале обучения мало говорит о порядке в конце.",
        )
    )


def _ask(page: Page, race: _Race, figure: Label) -> Problem:
    slow, quick = race.methods[:2]
    epoch, minutes = race.overtakes()[0], race.minutes[1]
    total = epoch * minutes
    hours = Fraction(total, 60)
    in_hours = is_exact(hours, 2) and page.rng.random() < 0.7
    answer = page.number(exact(hours)) if in_hours else str(total)
    many = page.say("hours" if in_hours else "minutes", "часов" if in_hours else "минут")
    question = page.say(
        f"How many {many} of training does {quick} need to reach the end of the first epoch at which its "
        "accuracy is "
        f"higher than that of {slow}?",
        f"Сколько {many} обучения нужно методу {quick}, чтобы дойти до конца первой эпохи, в которой его "
        "точность "
        f"выше, чем у метода {slow}?",
    )
    steps = (
        page.say(
            f"{figure}: first epoch with {quick} above {slow}",
            f"{figure}: первая эпоха, где {quick} выше {slow}",
        )
        + f" = {epoch}",
        page.say(
            f"Text: an epoch of {quick} takes {minutes} minutes",
            f"Текст: эпоха {quick} занимает {minutes} мин",
        ),
        f"{epoch} × {minutes} = {total}",
        *([f"{total} / 60 = {answer}"] if in_hours else []),
    )
    unit = page.say("h" if in_hours else "min", "ч" if in_hours else "мин")
    return page.problem("overtaking", question, answer, steps, unit)
