"""Business: the growth of a segment as a share of all costs, from two tables."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from dataset_builders.bear_bench.procedural.languages.numbers import is_safe
from dataset_builders.bear_bench.procedural.scenarios.draft import Draft, Label, Problem, UnluckyError
from dataset_builders.bear_bench.procedural.worlds.company import Company

Page = Draft[Company]


@dataclass(frozen=True)
class _Growth:
    """A line of revenue and two years, by their places."""

    line: int
    first: int
    last: int

    def amounts(self, company: Company) -> tuple[Decimal, Decimal]:
        return company.revenue[self.line][self.first], company.revenue[self.line][self.last]

    def share(self, company: Company) -> Fraction:
        low, high = self.amounts(company)
        return Fraction(high - low) / Fraction(company.costs_of(company.year)) * 100


def make(page: Page) -> Problem:
    """Set both tables and ask."""
    revenue, costs = page.label("table"), page.label("table")
    growth = _draw(page)
    page.heading("Revenue and operating costs", "Выручка и операционные расходы")
    set_revenue(page, revenue)
    page.text(*_remarks(page, revenue))
    _set_costs(page, costs)
    return _ask(page, growth, revenue, costs)


def _draw(page: Page) -> _Growth:
    company, years = page.world, len(page.world.years)
    ways = [
        _Growth(line, first, last)
        for line in range(len(company.segments))
        for first in range(years)
        for last in range(first + 1, years)
    ]
    fitting = [way for way in ways if way.share(company) > 1 and is_safe(way.share(company), 1)]
    if not fitting:
        raise UnluckyError
    return page.rng.choice(fitting)


def set_revenue(page: Page, label: Label) -> None:
    """Add the table of revenue by segment."""
    company = page.world
    page.table(
        label,
        page.say(f"Revenue by segment, {company.currency}", f"Выручка по сегментам, {company.currency}"),
        (page.say("Segment", "Сегмент"), *map(str, company.years)),
        (
            (segment, *map(page.number, line))
            for segment, line in zip(company.segments, company.revenue, strict=True)
        ),
    )


def _remarks(page: Page, revenue: Label) -> tuple[str, ...]:
    company = page.world
    by_size = sorted(range(len(company.segments)), key=lambda line: company.revenue[line][-1])
    largest, smallest = company.segments[by_size[-1]], company.segments[by_size[0]]
    mark = page.footnote(
        page.say("Sales between segments have been eliminated.", "Операции между сегментами исключены.")
    )
    return (
        page.say(
            f"{revenue} breaks revenue down by segment{mark}.",
            f"В таблице {revenue.number} выручка показана по сегментам{mark}.",
        ),
        page.say(
            f"In {company.year} the largest of them was “{largest}”, the smallest “{smallest}”.",
            f"В {company.year} году самым крупным из них был сегмент «{largest}», самым небольшим — "
            f"«{smallest}».",
        ),
    )


def _set_costs(page: Page, label: Label) -> None:
    company = page.world
    lines = [
        (name, *map(page.number, line)) for name, line in zip(company.cost_items, company.costs, strict=True)
    ]
    totals = (page.say("Total", "Итого"), *(page.number(company.costs_of(year)) for year in company.years))
    page.table(
        label,
        page.say(f"Operating costs, {company.currency}", f"Операционные расходы, {company.currency}"),
        (page.say("Kind of cost", "Вид расходов"), *map(str, company.years)),
        (*lines, totals),
        totals=1,
    )
    page.text(
        page.say(
            f"Operating costs by kind are shown in {label}. Costs of {company.year} include no "
            "extraordinary items.",
            f"Операционные расходы по видам показаны в таблице {label.number}. Чрезвычайных расходов в "
            f"{company.year} году не было.",
        ),
        page.say(
            "Costs that segments share are not allocated to them.",
            "Расходы, общие для сегментов, между ними не распределяются.",
        ),
    )


def _ask(page: Page, growth: _Growth, revenue: Label, costs: Label) -> Problem:
    company, year = page.world, page.world.year
    (low, high), total = growth.amounts(company), company.costs_of(year)
    segment, start, end = (
        company.segments[growth.line],
        company.years[growth.first],
        company.years[growth.last],
    )
    answer = page.percent(growth.share(company), 1)
    question = page.either(
        page.say(
            f"By how much did the revenue of the segment “{segment}” grow from {start} to {end}? Give the "
            "amount as "
            f"a percentage of all operating costs of {year}, rounded to one decimal place.",
            f"На сколько выросла выручка сегмента «{segment}» с {start} по {end} год? Выразите прирост в "
            "процентах "
            f"от всех операционных расходов {year} года и округлите до одного знака после запятой.",
        ),
        page.say(
            f"Take the increase in revenue of “{segment}” between {start} and {end} ({revenue}). What "
            "percentage of "
            f"the total costs of {year} ({costs}) is it, to one decimal place?",
            f"Возьмите прирост выручки по строке «{segment}» между {start} и {end} годами (таблица "
            f"{revenue.number}). Сколько процентов он составляет от всех расходов {year} года (таблица "
            f"{costs.number})? Ответ с одним знаком после запятой.",
        ),
    )
    steps = (
        f"{revenue}: {segment}, {end} = {page.number(high)}",
        f"{revenue}: {segment}, {start} = {page.number(low)}",
        f"{page.number(high)} − {page.number(low)} = {page.number(high - low)}",
        f"{costs}: " + page.say("total", "итого") + f", {year} = {page.number(total)}",
        f"{page.number(high - low)} / {page.number(total)} = {answer}",
    )
    return page.problem("share of costs", question, answer, steps)
