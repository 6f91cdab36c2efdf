"""Business: growth read off bars, compared with a plan that the text states."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from dataset_builders.bear_bench.procedural.languages.numbers import is_safe, rounded
from dataset_builders.bear_bench.procedural.scenarios.draft import Draft, Label, Problem, UnluckyError
from dataset_builders.bear_bench.procedural.worlds.company import Company

Page = Draft[Company]
Span = tuple[int, int]
"""The places of two years."""


@dataclass(frozen=True)
class _Orders:
    """Orders of each year; the plans that the text states, in per cent; the span of years asked about."""

    values: tuple[int, ...]
    plans: dict[Span, int]
    asked: Span

    def growth(self, span: Span) -> Fraction:
        return Fraction(self.values[span[1]] - self.values[span[0]], self.values[span[0]]) * 100


def make(page: Page) -> Problem:
    """Set the chart and the plans, and ask."""
    orders, figure = _draw(page), page.label("figure")
    page.heading("Performance against plan", "Выполнение плана")
    _set(page, orders, figure)
    return _ask(page, orders, figure)


def _draw(page: Page) -> _Orders:
    rng, value, values = page.rng, page.rng.randint(150, 260), list[int]()
    for _ in page.world.years:
        values.append(value)
        value += rng.choice((-14, 9, 12, 17, 21, 26, 33, 38))
    drawn = _Orders(tuple(values), {}, (0, 0))
    spans = [(first, last) for first in range(len(values)) for last in range(first + 1, len(values))]
    fitting = [span for span in spans if drawn.growth(span) > 2 and is_safe(drawn.growth(span), 1)]
    if len(fitting) < 2:
        raise UnluckyError
    told = sorted(rng.sample(fitting, min(3, len(fitting))))
    plans = {
        span: max(1, int(drawn.growth(span)) + rng.choice((-6, -5, -4, -3, 2, 3, 4, 5, 6))) for span in told
    }
    return _Orders(tuple(values), plans, rng.choice(told))


def _set(page: Page, orders: _Orders, figure: Label) -> None:
    company = page.world
    page.text(
        page.say(
            f"{figure} shows the order intake of each year at the prices of {company.year}.",
            f"На рисунке {figure.number} показан портфель заказов по годам в ценах {company.year} года.",
        ),
        page.say(
            "Orders that were cancelled within a month are left out.",
            "Заказы, отменённые в течение месяца, не учтены.",
        ),
    )
    caption = page.say("Order intake by year", "Портфель заказов по годам")
    page.bars(
        figure, caption, tuple(map(str, company.years)), tuple(map(str, orders.values)), company.currency, 50
    )
    page.text(
        *(
            page.say(
                f"For the time from {company.years[a]} to {company.years[b]} the Board had planned growth "
                f"of {plan}%.",
                f"На период с {company.years[a]} по {company.years[b]} год совет директоров планировал "
                "рост на "
                f"{page.percent(plan)}.",
            )
            for (a, b), plan in orders.plans.items()
        ),
        page.say(
            "The plans are not adjusted once they have been approved.",
            "После утверждения планы не корректируются.",
        ),
    )


def _ask(page: Page, orders: _Orders, figure: Label) -> Problem:
    first, last = orders.asked
    start, end = page.world.years[first], page.world.years[last]
    low, high, plan = orders.values[first], orders.values[last], orders.plans[orders.asked]
    grown: Decimal = rounded(orders.growth(orders.asked), 1)
    answer = page.number(abs(grown - plan))
    question = page.say(
        f"Compare the growth of order intake from {start} to {end} in per cent (rounded to one decimal "
        "place) with "
        "the growth that the Board had planned for this time. By how many percentage points do they differ?",
        f"Сравните рост портфеля заказов с {start} по {end} год в процентах (с округлением до одного знака "
        "после "
        "запятой) с ростом, который совет директоров планировал на этот период. На сколько процентных "
        "пунктов они "
        "различаются?",
    )
    steps = (
        f"{figure}: {start} = {low}",
        f"{figure}: {end} = {high}",
        f"({high} − {low}) / {low} = {page.percent(grown)}",
        page.say("Text: planned", "Текст: план") + f" {page.percent(plan)}",
        f"|{page.number(grown)} − {plan}| = {answer}",
    )
    return page.problem("plan and growth", question, answer, steps, page.say("percentage points", "п. п."))
