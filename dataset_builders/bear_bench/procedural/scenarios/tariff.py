"""Business: the price that a listing computes for a consignment of a table."""

from dataclasses import dataclass

from dataset_builders.bear_bench.procedural.content import Code
from dataset_builders.bear_bench.procedural.scenarios.draft import Draft, Label, Problem, UnluckyError
from dataset_builders.bear_bench.procedural.worlds.company import Company

Page = Draft[Company]


@dataclass(frozen=True)
class _Consignment:
    number: int
    weight: int
    zone: int
    express: bool


@dataclass(frozen=True)
class _Tariff:
    """The constants of the tariff."""

    base: int
    zone: int
    free: int
    kilogram: int
    express: int
    limit: int
    discount: int

    def lines(self) -> tuple[str, ...]:
        return (
            "def price(weight, zone, express):",
            f"    total = {self.base} + {self.zone} * zone",
            f"    if weight > {self.free}:",
            f"        total += {self.kilogram} * (weight - {self.free})",
            "    if express:",
            f"        total += {self.express}",
            f"    if total > {self.limit}:",
            f"        total -= {self.discount}",
            "    return total",
        )

    def course(self, goods: _Consignment) -> list[int]:
        """Return the total after each of the four parts of the listing."""
        totals = [self.base + self.zone * goods.zone]
        totals.append(totals[-1] + self.kilogram * max(0, goods.weight - self.free))
        totals.append(totals[-1] + self.express * goods.express)
        totals.append(totals[-1] - self.discount * (totals[-1] > self.limit))
        return totals


def make(page: Page) -> Problem:
    """Set listing and table, and ask."""
    rng = page.rng
    tariff = _Tariff(
        base=rng.randrange(20, 90, 5),
        zone=rng.randrange(6, 20),
        free=rng.choice((5, 8, 10, 12)),
        kilogram=rng.randint(2, 6),
        express=rng.randrange(25, 60, 5),
        limit=rng.randrange(150, 260, 10),
        discount=rng.randrange(15, 40, 5),
    )
    first = rng.randint(101, 480)
    consignments = [
        _Consignment(first + 3 * index, rng.randint(2, 45), rng.randint(1, 6), rng.random() < 0.5)
        for index in range(3 if page.small else 6)
    ]
    heavy = [one for one in consignments if one.weight > tariff.free]
    if not heavy:
        raise UnluckyError
    listing, table = page.label("listing"), page.label("table")
    page.heading("Delivery tariff", "Тариф на доставку")
    _tell(page, listing, table)
    page.add(Code(listing.text, page.say("Price of a delivery", "Цена доставки"), tariff.lines()))
    _set_consignments(page, consignments, table)
    return _ask(page, tariff, rng.choice(heavy), table)


def _tell(page: Page, listing: Label, table: Label) -> None:
    page.text(
        page.say(
            f"{listing} is the rule by which the order portal computes the price of a delivery.",
            f"{listing} содержит правило, по которому портал заказов вычисляет цену доставки.",
        ),
        page.say(
            f"Weights in {table} are in kilograms; the last column tells whether express delivery was "
            "ordered.",
            f"Масса в таблице {table.number} указана в килограммах; последний столбец показывает, заказана "
            "ли "
            "срочная доставка.",
        ),
    )


def _set_consignments(page: Page, consignments: list[_Consignment], table: Label) -> None:
    page.table(
        table,
        page.say("Consignments", "Отправления"),
        (
            page.say("No.", "№"),
            page.say("Weight", "Масса"),
            page.say("Zone", "Зона"),
            page.say("Express", "Срочно"),
        ),
        ((str(one.number), str(one.weight), str(one.zone), _yes(page, one.express)) for one in consignments),
    )
    page.text(
        page.say("Prices do not include tax.", "Цены указаны без налога."),
        page.say(
            "The rule is applied to each consignment separately.",
            "Правило применяется к каждому отправлению отдельно.",
        ),
    )


def _yes(page: Page, holds: bool) -> str:
    return page.say("yes" if holds else "no", "да" if holds else "нет")


def _ask(page: Page, tariff: _Tariff, goods: _Consignment, table: Label) -> Problem:
    course = tariff.course(goods)
    question = page.either(
        page.say(
            f"What price does the function return for consignment No. {goods.number}?",
            f"Какую цену вернёт функция для отправления № {goods.number}?",
        ),
        page.say(
            f"Apply the listing to consignment No. {goods.number} of {table}: what is its price?",
            f"Примените листинг к отправлению № {goods.number} из таблицы {table.number}: какова его цена?",
        ),
    )
    steps = (
        f"{table}: weight = {goods.weight}, zone = {goods.zone}, express = {goods.express}",
        f"total = {tariff.base} + {tariff.zone} * {goods.zone} = {course[0]}",
        f"weight > {tariff.free}: total = {course[1]}",
        f"express = {goods.express}: total = {course[2]}",
        f"total > {tariff.limit}: {course[2] > tariff.limit}; total = {course[3]}",
    )
    return page.problem("tariff", question, str(course[3]), steps)
