"""Science: how many methods cut the baseline's error by at least a share that the text states; bars."""

from dataclasses import dataclass
from fractions import Fraction

from dataset_builders.bear_bench.procedural.languages.russian import counted
from dataset_builders.bear_bench.procedural.scenarios.draft import Draft, Label, Problem, UnluckyError
from dataset_builders.bear_bench.procedural.worlds.study import Study

Page = Draft[Study]


@dataclass(frozen=True)
class _Errors:
    """Errors of the methods in per cent, the baseline first, and by how much better ones have to be."""

    methods: tuple[str, ...]
    values: tuple[int, ...]
    better: int
    much_better: int

    def drops(self) -> dict[str, Fraction]:
        """Return by which share of its value each method lowers the error of the baseline, in per cent."""
        base = self.values[0]
        lines = zip(self.methods[1:], self.values[1:], strict=True)
        return {name: Fraction(base - value, base) * 100 for name, value in lines}

    def passing(self, claim: int) -> list[str]:
        return [name for name, drop in self.drops().items() if drop >= claim]


def make(page: Page) -> Problem:
    """Set chart and definition, and ask."""
    errors, strict = _draw(page), page.rng.random() < 0.5
    claim = errors.much_better if strict else errors.better
    passing = errors.passing(claim)
    near = any(abs(drop - claim) < 1 and drop != claim for drop in errors.drops().values())
    if not passing or len(passing) == len(errors.drops()) or near:
        raise UnluckyError
    figure = page.label("figure")
    page.heading("Error rates", "Доля ошибок")
    _set(page, errors, figure)
    return _ask(page, errors, strict, figure)


def _draw(page: Page) -> _Errors:
    rng, methods = page.rng, page.world.methods
    base = rng.choice((20, 24, 25, 28, 30, 32, 36, 40))
    values = (base, *(rng.randint(base // 3, base + 3) for _ in methods[1:]))
    better, much_better = sorted(rng.sample((10, 15, 20, 25, 30, 40, 50), 2))
    return _Errors(methods, values, better, much_better)


def _set(page: Page, errors: _Errors, figure: Label) -> None:
    baseline = errors.methods[0]
    page.text(
        page.say(
            f"{figure} compares the error rates of all methods on the pooled test part. {baseline} is the "
            "baseline.",
            f"На рисунке {figure.number} сравниваются доли ошибок всех методов на объединённой проверочной "
            "части. "
            f"Метод {baseline} служит точкой отсчёта.",
        ),
        page.say(
            "We call a method *better* if it lowers the error rate of the baseline by at least "
            f"{errors.better}% of "
            f"its value, and *much better* if it lowers it by at least {errors.much_better}%.",
            "Метод называется *лучшим*, если он снижает долю ошибок точки отсчёта не менее чем на "
            f"{page.percent(errors.better)} её величины, и *намного лучшим*, если не менее чем на "
            f"{page.percent(errors.much_better)}.",
        ),
        page.say(
            "The reduction is relative, so that strong and weak baselines can be compared.",
            "Снижение относительное, чтобы можно было сравнивать сильные и слабые точки отсчёта.",
        ),
    )
    caption = page.say("Error rate on the pooled test part", "Доля ошибок на объединённой проверочной части")
    page.bars(figure, caption, errors.methods, tuple(map(str, errors.values)), "%", 10)


def _ask(page: Page, errors: _Errors, strict: bool, figure: Label) -> Problem:
    base, claim = errors.values[0], errors.much_better if strict else errors.better
    passing = errors.passing(claim)
    if strict:
        question = page.say(
            "How many methods are much better than the baseline by the definition in the text?",
            "Сколько методов относятся к намного лучшим по определению в тексте?",
        )
    else:
        question = page.say(
            "How many methods are better than the baseline by the definition in the text, those that are "
            "much "
            "better included?",
            "Сколько методов относятся к лучшим по определению в тексте, если считать и намного лучшие?",
        )
    steps = (
        page.say("Text: at least", "Текст: не менее") + f" {page.percent(claim)}",
        f"{figure}: {errors.methods[0]} = {base}",
        *(
            f"{figure}: {name}: ({base} − {value}) / {base} = {page.percent(errors.drops()[name], 1)}"
            for name, value in zip(errors.methods[1:], errors.values[1:], strict=True)
        ),
        f"{', '.join(passing)}: {len(passing)}",
    )
    unit = page.say(
        "methods" if len(passing) > 1 else "method", counted(len(passing), "метод|метода|методов")
    )
    return page.problem("enough gain", question, str(len(passing)), steps, unit)
