"""Science: the difference of two methods' means over the datasets that are large enough; two tables."""

from dataclasses import dataclass
from fractions import Fraction

from dataset_builders.bear_bench.procedural.languages.numbers import is_safe
from dataset_builders.bear_bench.procedural.scenarios.draft import Draft, Label, Problem, UnluckyError
from dataset_builders.bear_bench.procedural.worlds.study import Study

Page = Draft[Study]


@dataclass(frozen=True)
class _Comparison:
    """Two methods and the datasets with more than `limit` items, by their places."""

    limit: int
    large: tuple[int, ...]
    better: int
    worse: int

    def mean(self, study: Study, method: int) -> Fraction:
        return Fraction(sum(study.scores[method][index] for index in self.large)) / len(self.large)

    def gap(self, study: Study) -> Fraction:
        return self.mean(study, self.better) - self.mean(study, self.worse)


def make(page: Page) -> Problem:
    """Set both tables and ask."""
    comparison = _draw(page)
    sizes, scores = page.label("table"), page.label("table")
    page.heading("Main results", "Основные результаты")
    _tell(page, sizes, scores)
    _set(page, sizes, scores)
    return _ask(page, comparison, sizes, scores)


def _draw(page: Page) -> _Comparison:
    study, rng = page.world, page.rng
    least = sorted(study.sizes)[-3 if len(study.sizes) > 3 and rng.random() < 0.5 else -2]
    limit = least - (least % 100 or 10)
    large = tuple(index for index, size in enumerate(study.sizes) if size > limit)
    one, other = rng.sample(range(len(study.methods)), 2)
    drawn = _Comparison(limit, large, one, other)
    if drawn.gap(study) < 0:
        drawn = _Comparison(limit, large, other, one)
    if drawn.gap(study) == 0 or not is_safe(drawn.gap(study), 1):
        raise UnluckyError
    return drawn


def _tell(page: Page, sizes: Label, scores: Label) -> None:
    baseline = page.world.methods[0]
    mark = page.footnote(
        page.say(
            "Means over all runs; the standard deviations are below half a point.",
            "Средние по всем запускам; стандартные отклонения меньше половины пункта.",
        )
    )
    page.text(
        page.say(
            f"{sizes} describes the datasets, {scores} gives the accuracy{mark} of every method in per cent.",
            f"В таблице {sizes.number} описаны наборы данных, в таблице {scores.number} приведена "
            f"точность{mark} "
            "методов в процентах.",
        ),
        page.say(
            f"{baseline} is the baseline; it was not tuned for any of the datasets.",
            f"Метод {baseline} служит точкой отсчёта; под наборы данных он не настраивался.",
        ),
    )


def _set(page: Page, sizes: Label, scores: Label) -> None:
    study, rng = page.world, page.rng
    page.table(
        sizes,
        page.say("Datasets", "Наборы данных"),
        (page.say("Dataset", "Набор"), page.say("Items", "Объём"), page.say("Classes", "Классы")),
        (
            (name, page.number(size), str(rng.randint(2, 12)))
            for name, size in zip(study.datasets, study.sizes, strict=True)
        ),
    )
    page.table(
        scores,
        page.say("Accuracy, %", "Точность, %"),
        (page.say("Method", "Метод"), *study.datasets),
        ((name, *map(page.number, line)) for name, line in zip(study.methods, study.scores, strict=True)),
    )


def _ask(page: Page, comparison: _Comparison, sizes: Label, scores: Label) -> Problem:
    study, limit = page.world, page.number(comparison.limit)
    better, worse = study.methods[comparison.better], study.methods[comparison.worse]
    answer = page.number(comparison.gap(study), 1)
    question = page.either(
        page.say(
            f"Consider only the datasets with more than {limit} items. By how many percentage points does "
            "the mean "
            f"accuracy of {better} exceed that of {worse} on them? Round to one decimal place.",
            f"Рассмотрите только наборы данных объёмом более {limit}. На сколько процентных пунктов "
            "средняя точность "
            f"метода {better} на них выше, чем у метода {worse}? Округлите до одного знака после запятой.",
        ),
        page.say(
            f"Average the accuracy of {better} and of {worse} over all datasets that have more than "
            f"{limit} items. "
            "What is the difference of these two means in percentage points, to one decimal place?",
            f"Усредните точность методов {better} и {worse} по всем наборам данных, объём которых больше "
            f"{limit}. "
            "Какова разность этих двух средних в процентных пунктах, с одним знаком после запятой?",
        ),
    )
    means = [comparison.mean(study, method) for method in (comparison.better, comparison.worse)]
    sums = (
        " + ".join(page.number(study.scores[method][index]) for index in comparison.large)
        for method in (comparison.better, comparison.worse)
    )
    steps = (
        f"{sizes}: " + ", ".join(study.datasets[index] for index in comparison.large),
        *(
            f"{scores}: {name}: ({total}) / {len(comparison.large)} = {page.number(mean, 3)}"
            for name, total, mean in zip((better, worse), sums, means, strict=True)
        ),
        f"{page.number(means[0], 3)} − {page.number(means[1], 3)} = {answer}",
    )
    return page.problem("mean gain", question, answer, steps, page.say("percentage points", "п. п."))
