"""Business: exports of the month with the highest or lowest rate, at that rate; a line chart and a table."""

from dataclasses import dataclass
from fractions import Fraction

from dataset_builders.bear_bench.procedural.content import Chart, Series
from dataset_builders.bear_bench.procedural.languages.numbers import exact, is_exact
from dataset_builders.bear_bench.procedural.scenarios.draft import Draft, Label, Problem, UnluckyError
from dataset_builders.bear_bench.procedural.worlds.company import Company

Page = Draft[Company]


@dataclass(frozen=True)
class _Exports:
    """Rates and sums of each month; the month and the good asked about, by their places."""

    months: tuple[str, ...]
    rates: tuple[int, ...]
    goods: tuple[str, ...]
    sums: tuple[tuple[int, ...], ...]
    highest: bool
    good: int

    @property
    def month(self) -> int:
        return self.rates.index(max(self.rates) if self.highest else min(self.rates))

    def amount(self) -> Fraction:
        return Fraction(self.sums[self.month][self.good] * self.rates[self.month], 100)


def make(page: Page) -> Problem:
    """Set chart and table, and ask."""
    exports = _draw(page)
    figure, table = page.label("figure"), page.label("table")
    page.heading("Exports and exchange rates", "Экспорт и курс валюты")
    _set_rates(page, exports, figure)
    _set_exports(page, exports, table)
    return _ask(page, exports, figure, table)


def _draw(page: Page) -> _Exports:
    rng = page.rng
    names = page.say("Jan Feb Mar Apr May Jun Jul Aug", "янв. февр. март апр. май июнь июль авг.").split()
    months = tuple(names[: 4 if page.small else 8])
    base = rng.choice((80, 90, 100, 110, 120))
    rates = tuple(base + 2 * rng.randint(-5, 5) for _ in months)
    goods = page.world.segments[:3]
    sums = tuple(tuple(rng.randrange(40, 900, 5) for _ in goods) for _ in months)
    drawn = _Exports(months, rates, goods, sums, rng.random() < 0.5, rng.randrange(len(goods)))
    alone = rates.count(max(rates)) == rates.count(min(rates)) == 1
    if not alone or not is_exact(drawn.amount(), 1) or 100 in (max(rates), min(rates)):
        raise UnluckyError
    return drawn


def _set_rates(page: Page, exports: _Exports, figure: Label) -> None:
    company = page.world
    page.text(
        page.say(
            f"Exports are invoiced in crowns. {figure} shows the rate at the end of each month.",
            f"Экспортные счета выставляются в кронах. На рисунке {figure.number} показан курс на конец "
            "каждого "
            "месяца.",
        ),
        page.say(
            "Invoices of a month are converted at the rate at the end of that month.",
            "Счета каждого месяца пересчитываются по курсу на конец этого месяца.",
        ),
    )
    page.add(
        Chart(
            "line",
            figure.text,
            page.say(f"Exchange rate in {company.year}", f"Курс кроны в {company.year} году"),
            exports.months,
            (Series("", tuple(map(str, exports.rates))),),
            page.say(f"Rate, {company.currency.split()[0]} per 100 crowns", "Курс за 100 крон, руб."),
            "2",
            labelled=False,
        )
    )


def _set_exports(page: Page, exports: _Exports, table: Label) -> None:
    page.table(
        table,
        page.say("Exports invoiced, thousand crowns", "Выставленные экспортные счета, тыс. крон"),
        (page.say("Month", "Месяц"), *exports.goods),
        ((month, *map(str, line)) for month, line in zip(exports.months, exports.sums, strict=True)),
    )
    page.text(
        page.say(
            f"{table} lists invoices before discounts, in thousand crowns.",
            f"В таблице {table.number} приведены суммы счетов до скидок, в тысячах крон.",
        ),
        page.say(
            "Where a customer pays in advance, the rate of the day of payment is used in the contract, but "
            "not here.",
            "При предоплате в договоре применяется курс дня оплаты, но здесь он не используется.",
        ),
    )


def _ask(page: Page, exports: _Exports, figure: Label, table: Label) -> Problem:
    month, good = exports.month, exports.goods[exports.good]
    rate, amount = exports.rates[month], exports.sums[month][exports.good]
    answer = page.number(exact(exports.amount()))
    unit = page.say(f"thousand {page.world.currency.split()[0]}", "тыс. руб.")
    which = page.say(
        "highest" if exports.highest else "lowest", "самым высоким" if exports.highest else "самым низким"
    )
    question = page.say(
        f"Find the month in which the exchange rate was {which}. What was invoiced for “{good}” in this "
        "month, "
        f"converted at that rate? Answer in {unit}.",
        f"Найдите месяц, в котором курс был {which}. На какую сумму в этом месяце выставлены счета по статье "
        f"«{good}», если пересчитать её по этому курсу? Ответ в {unit}",
    )
    steps = (
        page.say(f"{figure}: {which} rate: ", f"{figure}: курс был {which}: ") + exports.months[month],
        f"{figure}: {exports.months[month]} = {rate}",
        f"{table}: {good}, {exports.months[month]} = {amount}",
        f"{amount} × {rate} / 100 = {answer}",
    )
    return page.problem("export at rate", question, answer, steps, unit)
