"""Business: the money behind a slice of a pie, less what the text takes off it; the whole is in a table."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from dataset_builders.bear_bench.procedural.languages.numbers import is_safe
from dataset_builders.bear_bench.procedural.scenarios.draft import Draft, Label, Problem, UnluckyError
from dataset_builders.bear_bench.procedural.scenarios.share_of_costs import set_revenue
from dataset_builders.bear_bench.procedural.worlds.company import Company

Page = Draft[Company]


@dataclass(frozen=True)
class _Contracts:
    """What came from public contracts, by the place of a region; the region asked about."""

    sums: dict[int, int]
    region: int


def make(page: Page) -> Problem:
    """Set table and pie, and ask."""
    contracts = _draw(page)
    revenue, figure = page.label("table"), page.label("figure")
    page.heading("Revenue by region", "Выручка по регионам")
    set_revenue(page, revenue)
    _set(page, contracts, revenue, figure)
    return _ask(page, contracts, revenue, figure)


def _part(company: Company, region: int) -> Decimal:
    return company.revenue_of(company.year) * company.shares[region] / 100


def _draw(page: Page) -> _Contracts:
    company, rng = page.world, page.rng
    told = sorted(rng.sample(range(len(company.regions)), 3))
    sums = {region: rng.randint(3, max(4, int(_part(company, region) / 4))) for region in told}
    region = rng.choice(told)
    if not is_safe(Fraction(_part(company, region)), 1):
        raise UnluckyError
    return _Contracts(sums, region)


def _set(page: Page, contracts: _Contracts, revenue: Label, figure: Label) -> None:
    company = page.world
    page.text(
        page.say(
            f"{figure} splits the whole revenue of {company.year} by region; {revenue} has the revenue of "
            "the "
            "segments.",
            f"На рисунке {figure.number} вся выручка {company.year} года разделена по регионам; выручка "
            "сегментов "
            f"дана в таблице {revenue.number}.",
        ),
        *(
            page.say(
                f"Of the revenue in the region “{company.regions[region]}”, {company.currency} {amount} "
                "came from "
                "public contracts.",
                f"Из выручки региона «{company.regions[region]}» {amount} {company.currency} получено по "
                "государственным контрактам.",
            )
            for region, amount in contracts.sums.items()
        ),
    )
    caption = page.say(f"Revenue of {company.year} by region", f"Выручка {company.year} года по регионам")
    page.pie(figure, caption, company.regions, company.shares)


def _ask(page: Page, contracts: _Contracts, revenue: Label, figure: Label) -> Problem:
    company, region = page.world, contracts.region
    year, name, share = company.year, company.regions[region], page.percent(company.shares[region])
    total, part, taken = company.revenue_of(year), _part(company, region), contracts.sums[region]
    answer = page.number(part - taken, 1)
    question = page.either(
        page.say(
            f"How much of the revenue of {year} in the region “{name}” did not come from public contracts? "
            "Answer in "
            f"{company.currency}, rounded to one decimal place.",
            f"Какая часть выручки {year} года в регионе «{name}» получена не по государственным "
            "контрактам? Ответ в "
            f"{company.currency}, с одним знаком после запятой.",
        ),
        page.say(
            f"Without public contracts, what was the revenue of {year} in the region “{name}”? Answer in "
            f"{company.currency}, rounded to one decimal place.",
            f"Какой была бы выручка {year} года в регионе «{name}» без государственных контрактов? Ответ в "
            f"{company.currency}, с одним знаком после запятой.",
        ),
    )
    column = " + ".join(page.number(line[-1]) for line in company.revenue)
    steps = (
        f"{revenue}, {year}: {column} = {page.number(total)}",
        f"{figure}: {name} = {share}",
        f"{page.number(total)} × {share} = {page.number(part, 3)}",
        page.say("Text: public contracts", "Текст: государственные контракты") + f" = {taken}",
        f"{page.number(part, 3)} − {taken} = {answer}",
    )
    return page.problem("slice of revenue", question, answer, steps, company.currency)
