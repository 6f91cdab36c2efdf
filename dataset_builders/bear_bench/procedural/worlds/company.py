"""A company: what a business document reports on, the same on all of its pages."""

from dataclasses import dataclass
from decimal import Decimal
from random import Random

from dataset_builders.bear_bench.procedural.languages.numbers import Language
from dataset_builders.bear_bench.procedural.worlds.names import PLACES, people


@dataclass(frozen=True)
class Department:
    """A department and its number of employees."""

    name: str
    staff: int


@dataclass(frozen=True)
class Directorate:
    """A part of the company: who leads it, and its departments."""

    name: str
    leader: str
    departments: tuple[Department, ...]


@dataclass(frozen=True)
class Company:
    """A company; sums of money are in millions, `revenue` and `costs` by line and year."""

    language: Language
    name: str
    currency: str
    years: tuple[int, ...]
    segments: tuple[str, ...]
    revenue: tuple[tuple[Decimal, ...], ...]
    cost_items: tuple[str, ...]
    costs: tuple[tuple[Decimal, ...], ...]
    regions: tuple[str, ...]
    shares: tuple[int, ...]
    places: tuple[str, ...]
    head: str
    directorates: tuple[Directorate, ...]

    @property
    def year(self) -> int:
        """The year of the report."""
        return self.years[-1]

    def revenue_of(self, year: int) -> Decimal:
        """Return the revenue of all segments in a year."""
        return sum((line[self.years.index(year)] for line in self.revenue), Decimal(0))

    def costs_of(self, year: int) -> Decimal:
        """Return all costs of a year."""
        return sum((line[self.years.index(year)] for line in self.costs), Decimal(0))


@dataclass(frozen=True)
class _Industry:
    names: tuple[str, ...]
    segments: tuple[str, ...]


_INDUSTRIES: dict[Language, tuple[_Industry, ...]] = {
    "en": (
        _Industry(
            ("Brackmoor Freight", "Tellwick Haulage", "Corvane Logistics"),
            (
                "Road freight",
                "Rail freight",
                "Warehousing",
                "Customs services",
                "Air cargo",
                "Parcels",
            ),
        ),
        _Industry(
            ("Ashlund Foods", "Quenby Dairies", "Hollimere Provisions"),
            ("Dairy products", "Bakery", "Frozen meals", "Beverages", "Cereals", "Preserves"),
        ),
        _Industry(
            ("Marlune Instruments", "Ostrey Precision", "Dunvale Optics"),
            ("Sensors", "Microscopes", "Balances", "Calibration", "Optics", "Spare parts"),
        ),
        _Industry(
            ("Farrowgate Textiles", "Lindhurst Weavers", "Penmarrow Cloth"),
            ("Home textiles", "Workwear", "Yarns", "Technical fabrics", "Carpets", "Dyeing"),
        ),
    ),
    "ru": (
        _Industry(
            ("АО «Таволга-Транс»", "АО «Кедрач-Логистик»", "ПАО «Зарянка-Экспедиция»"),
            (
                "Автоперевозки",
                "Хранение",
                "Экспедиция",
                "Оформление",
                "Авиагрузы",
                "Посылки",
            ),
        ),
        _Industry(
            ("АО «Морошка-Продукт»", "АО «Иволга-Пищепром»", "ПАО «Медуница-Агро»"),
            (
                "Выпечка",
                "Напитки",
                "Консервы",
                "Крупы",
                "Мороженое",
                "Сыры",
            ),
        ),
        _Industry(
            ("АО «Кедрач-Прибор»", "АО «Брусника-Оптика»", "ПАО «Чистотел-Точмаш»"),
            (
                "Датчики",
                "Микроскопы",
                "Весы",
                "Поверка",
                "Оптика",
                "Запчасти",
            ),
        ),
        _Industry(
            ("АО «Зарянка-Текстиль»", "АО «Лён-Василёк»", "ПАО «Иван-чай-Мануфактура»"),
            (
                "Спецодежда",
                "Пряжа",
                "Ковры",
                "Ткани",
                "Крашение",
                "Пледы",
            ),
        ),
    ),
}
_COSTS: dict[Language, tuple[str, ...]] = {
    "en": ("Staff", "Materials", "Energy", "Depreciation", "Rent", "Repairs", "Other costs"),
    "ru": ("Оплата труда", "Материалы", "Энергия", "Амортизация", "Аренда", "Ремонт", "Прочие расходы"),
}
_REGIONS: dict[Language, tuple[str, ...]] = {
    "en": ("North", "South", "Midlands", "Coast", "Islands", "Export"),
    "ru": ("Север", "Юг", "Центр", "Поволжье", "Урал", "Экспорт"),
}
_DIRECTORATES: dict[Language, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "en": (
        ("Operations", ("Planning", "Dispatch", "Workshops", "Safety")),
        ("Sales", ("Key accounts", "Tenders", "Service desk", "Marketing")),
        ("Finance", ("Accounting", "Treasury", "Reporting", "Tax")),
        ("Technology", ("Networks", "Software", "Data", "Support")),
        ("Procurement", ("Contracts", "Stores", "Imports", "Quality")),
    ),
    "ru": (
        ("Производство", ("Планирование", "Диспетчеры", "Мастерские", "Охрана труда")),
        ("Продажи", ("Крупные клиенты", "Торги", "Справочная", "Реклама")),
        ("Финансы", ("Бухгалтерия", "Казначейство", "Отчётность", "Налоги")),
        ("Технологии", ("Сети", "Разработка", "Данные", "Поддержка")),
        ("Снабжение", ("Договоры", "Склады", "Импорт", "Качество")),
    ),
}
_CURRENCIES: dict[Language, tuple[str, ...]] = {
    "en": ("EUR million", "USD million", "GBP million"),
    "ru": ("млн руб.",),
}


def draw_company(language: Language, rng: Random, small: bool) -> Company:
    """Draw a company; a `small` one has fewer years and lines, and whole numbers."""
    industry = rng.choice(_INDUSTRIES[language])
    lines, years = (3, 3) if small else (rng.randint(5, 6), rng.randint(4, 5))
    last = rng.randint(2017, 2024)
    names = people(language, 6, rng)
    ranks = rng.sample(_DIRECTORATES[language], 3 if small else 4)
    return Company(
        language=language,
        name=rng.choice(industry.names),
        currency=rng.choice(_CURRENCIES[language]),
        years=tuple(range(last - years + 1, last + 1)),
        segments=tuple(rng.sample(industry.segments, lines)),
        revenue=tuple(_course(rng, years, (60, 620), small) for _ in range(lines)),
        cost_items=_pick(_COSTS[language], lines, rng),
        costs=tuple(_course(rng, years, (30, 260), small) for _ in range(lines)),
        regions=_pick(_REGIONS[language], 3 if small else 5, rng),
        shares=_parts(rng, 3 if small else 5),
        places=tuple(rng.sample(PLACES[language], 4 if small else 7)),
        head=names[0],
        directorates=tuple(
            Directorate(name, leader, _departments(parts, 2 if small else rng.randint(3, 4), rng))
            for (name, parts), leader in zip(ranks, names[1:], strict=False)
        ),
    )


def _departments(names: tuple[str, ...], count: int, rng: Random) -> tuple[Department, ...]:
    return tuple(Department(name, rng.randint(6, 64)) for name in _pick(names, count, rng))


def _pick(words: tuple[str, ...], count: int, rng: Random) -> tuple[str, ...]:
    """Draw words, in the order in which they stand."""
    return tuple(words[index] for index in sorted(rng.sample(range(len(words)), count)))


def _course(rng: Random, years: int, start: tuple[int, int], whole: bool) -> tuple[Decimal, ...]:
    """Draw the course of a line: changes of -8 to 21 per cent a year."""
    value, values = Decimal(rng.randint(*start)), []
    for _ in range(years):
        values.append(value + (0 if whole else Decimal(rng.randint(0, 9)).scaleb(-1)))
        value = Decimal(round(int(value) * rng.randint(92, 121) / 100))
    return tuple(values)


def _parts(rng: Random, count: int) -> tuple[int, ...]:
    """Draw different whole shares that sum to 100, none of them under 8."""
    while True:
        cuts = sorted(rng.sample(range(8, 93), count - 1))
        parts = [after - before for before, after in zip([0, *cuts], [*cuts, 100], strict=True)]
        if min(parts) >= 8 and len(set(parts)) == count:
            return tuple(parts)
