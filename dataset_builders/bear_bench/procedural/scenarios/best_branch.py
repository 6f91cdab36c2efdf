"""Business: the branch with the highest sales a person among those that meet two conditions."""

from dataclasses import dataclass
from decimal import Decimal

from dataset_builders.bear_bench.procedural.scenarios.draft import Draft, Label, Problem, UnluckyError
from dataset_builders.bear_bench.procedural.worlds.company import Company

Page = Draft[Company]


@dataclass(frozen=True)
class _Branches:
    """Sales (in millions), staff and deliveries on time (in per cent) of each branch, and the rules."""

    places: tuple[str, ...]
    sales: tuple[Decimal, ...]
    staff: tuple[int, ...]
    on_time: tuple[int, ...]
    least_staff: int
    least_on_time: int

    def large(self) -> list[str]:
        return [
            place for place, staff in zip(self.places, self.staff, strict=True) if staff >= self.least_staff
        ]

    def punctual(self) -> list[str]:
        pairs = zip(self.places, self.on_time, strict=True)
        return [place for place, share in pairs if share >= self.least_on_time]

    def rates(self, places: list[str]) -> dict[str, Decimal]:
        """Return sales a person, the highest first."""
        lines = zip(self.places, self.sales, self.staff, strict=True)
        found = {place: sales / staff for place, sales, staff in lines if place in places}
        return dict(sorted(found.items(), key=lambda pair: -pair[1]))


def make(page: Page) -> Problem:
    """Set table, chart and rules, and ask."""
    branches = _draw(page)
    table, figure = page.label("table"), page.label("figure")
    page.heading("Branches", "Филиалы")
    _set(page, branches, table, figure)
    _set_rules(page, branches, figure)
    return _ask(page, branches, table, figure)


def _draw(page: Page) -> _Branches:
    rng, places = page.rng, page.world.places
    staff = tuple(rng.randint(8, 40) for _ in places)
    sales = tuple(Decimal(rng.randint(20, 96) * one).scaleb(-1) for one in staff)
    on_time = tuple(rng.randrange(60, 96, 5) for _ in places)
    drawn = _Branches(places, sales, staff, on_time, sorted(staff)[1] + 1, sorted(on_time)[2])
    taking_part = [place for place in drawn.large() if place in drawn.punctual()]
    rates = drawn.rates(taking_part)
    best = list(rates.values())
    everywhere = next(iter(drawn.rates(list(places))))
    if len(rates) < 2 or next(iter(rates)) == everywhere or best[0] - best[1] < Decimal("0.1"):
        raise UnluckyError
    return drawn


def _set(page: Page, branches: _Branches, table: Label, figure: Label) -> None:
    company = page.world
    mark = page.footnote(
        page.say(
            "Seasonal workers are converted to full positions.",
            "Сезонные работники пересчитаны в полные ставки.",
        )
    )
    page.text(
        page.say(
            f"{table} lists sales and employees{mark} of the branches in {company.year}.",
            f"В таблице {table.number} приведены продажи и численность{mark} филиалов за {company.year} год.",
        )
    )
    page.table(
        table,
        page.say(f"Branches in {company.year}", f"Филиалы в {company.year} году"),
        (
            page.say("Branch", "Филиал"),
            page.say(f"Sales, {company.currency}", f"Продажи, {company.currency}"),
            page.say("Employees", "Работники"),
        ),
        (
            (place, page.number(sales), str(staff))
            for place, sales, staff in zip(branches.places, branches.sales, branches.staff, strict=True)
        ),
    )
    caption = page.say("Deliveries on time by branch", "Доля поставок, выполненных в срок, по филиалам")
    page.bars(figure, caption, branches.places, tuple(map(str, branches.on_time)), "%", 20)


def _set_rules(page: Page, branches: _Branches, figure: Label) -> None:
    page.text(
        page.say(
            "The branch prize goes to the branch with the highest sales per employee. Only branches with "
            "at least "
            f"{branches.least_staff} employees take part, and only if at least {branches.least_on_time}% "
            "of their "
            f"deliveries ({figure}) were on time.",
            "Премия присуждается филиалу с наибольшими продажами на одного работника. Участвуют только "
            "филиалы, в "
            f"которых не менее {branches.least_staff} работников и в срок выполнено не менее "
            f"{page.percent(branches.least_on_time)} поставок (рисунок {figure.number}).",
        ),
        page.say(
            "The prize of the year before was shared by two branches.",
            "В предыдущем году премию разделили два филиала.",
        ),
    )


def _ask(page: Page, branches: _Branches, table: Label, figure: Label) -> Problem:
    large, punctual = branches.large(), branches.punctual()
    rates = branches.rates([place for place in large if place in punctual])
    answer = next(iter(rates))
    question = page.either(
        page.say(
            "Which branch receives the branch prize under the rules on this page?",
            "Какой филиал получит премию по правилам, описанным на этой странице?",
        ),
        page.say(
            f"To which branch does the prize go, going by {table} and {figure}?",
            f"Какому филиалу достанется премия, если судить по таблице {table.number} и рисунку "
            f"{figure.number}?",
        ),
    )
    steps = (
        f"{table}, ≥ {branches.least_staff}: {', '.join(large)}",
        f"{figure}, ≥ {page.percent(branches.least_on_time)}: {', '.join(punctual)}",
        *(f"{table}: {place} = {page.number(rate, 2)}" for place, rate in rates.items()),
        page.say("The highest of these: ", "Наибольшее из них: ") + answer,
    )
    return page.problem("best branch", question, answer, steps)
