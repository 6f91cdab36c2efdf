"""Business: the staff of the directorate whose budget grew most; a table and an organisation diagram."""

from dataclasses import dataclass
from fractions import Fraction

from dataset_builders.bear_bench.procedural.content import Organisation, Unit
from dataset_builders.bear_bench.procedural.languages.numbers import NO_BREAK
from dataset_builders.bear_bench.procedural.languages.russian import counted
from dataset_builders.bear_bench.procedural.scenarios.draft import Draft, Label, Problem, UnluckyError
from dataset_builders.bear_bench.procedural.worlds.company import Company

Page = Draft[Company]


@dataclass(frozen=True)
class _Budgets:
    """Budgets of the directorates in the year before and in this one."""

    before: tuple[int, ...]
    after: tuple[int, ...]

    def growth(self) -> list[Fraction]:
        return [Fraction(b - a, a) for a, b in zip(self.before, self.after, strict=True)]

    def grown_most(self) -> int:
        growth = self.growth()
        return growth.index(max(growth))


def make(page: Page) -> Problem:
    """Set diagram and table, and ask."""
    budgets = _draw(page)
    figure, table = page.label("figure"), page.label("table")
    page.heading("Organisation and budgets", "Структура и бюджеты")
    _set(page, budgets, figure, table)
    return _ask(page, budgets, figure, table)


def _draw(page: Page) -> _Budgets:
    rng = page.rng
    before = tuple(rng.randrange(40, 200, 5) for _ in page.world.directorates)
    drawn = _Budgets(before, tuple(one + rng.randrange(4, 60) for one in before))
    growth, rises = sorted(drawn.growth()), [b - a for a, b in zip(before, drawn.after, strict=True)]
    most = drawn.grown_most()
    # The largest rise in money lies elsewhere, so that one has to divide.
    if growth[-1] - growth[-2] < Fraction(2, 100) or rises[most] == max(rises):
        raise UnluckyError
    return drawn


def _set(page: Page, budgets: _Budgets, figure: Label, table: Label) -> None:
    company = page.world
    page.text(
        page.say(
            f"{figure} shows the directorates with their departments and the number of employees in each; "
            "the "
            "leaders of directorates are not counted.",
            f"На рисунке {figure.number} показаны дирекции, их отделы и численность каждого отдела; "
            "руководители "
            "дирекций в ней не учтены.",
        ),
        page.say(
            f"The budgets of the directorates for this year and the year before are in {table}.",
            f"Бюджеты дирекций на текущий и предыдущий годы приведены в таблице {table.number}.",
        ),
    )
    page.add(_diagram(page, figure))
    page.table(
        table,
        page.say(f"Budgets of the directorates, {company.currency}", f"Бюджеты дирекций, {company.currency}"),
        (page.say("Directorate", "Дирекция"), str(company.year - 1), str(company.year)),
        (
            (rank.name, str(a), str(b))
            for rank, a, b in zip(company.directorates, budgets.before, budgets.after, strict=True)
        ),
    )


def _diagram(page: Page, figure: Label) -> Organisation:
    company = page.world
    unit = page.say("employees", "чел.")
    units = tuple(
        Unit(
            rank.name,
            rank.leader,
            tuple(Unit(one.name, f"{one.staff}{NO_BREAK}{unit}") for one in rank.departments),
        )
        for rank in company.directorates
    )
    top = Unit(page.say("Chief executive", "Генеральный директор"), company.head, units)
    return Organisation(
        figure.text, page.say("Organisation of the company", "Организационная структура"), top
    )


def _ask(page: Page, budgets: _Budgets, figure: Label, table: Label) -> Problem:
    company = page.world
    before, after = company.year - 1, company.year
    found = company.directorates[budgets.grown_most()]
    total = sum(one.staff for one in found.departments)
    question = page.either(
        page.say(
            f"Which directorate had the largest percentage growth of its budget from {before} to {after}, "
            "and how "
            "many employees work in its departments altogether? Answer with the number of employees.",
            f"У какой дирекции бюджет с {before} по {after} год вырос сильнее всего в процентах и сколько "
            "человек "
            "всего работает в её отделах? В ответе укажите число работников.",
        ),
        page.say(
            "How many employees altogether work in the departments of the directorate whose budget grew "
            "most in per "
            "cent?",
            "Сколько всего человек работает в отделах той дирекции, бюджет которой вырос сильнее всего в "
            "процентах?",
        ),
    )
    steps = (
        *(
            f"{table}: {rank.name} +{page.percent(growth * 100, 1)}"
            for rank, growth in zip(company.directorates, budgets.growth(), strict=True)
        ),
        page.say("Largest growth: ", "Наибольший рост: ") + found.name,
        *(f"{figure}: {one.name} = {one.staff}" for one in found.departments),
        " + ".join(str(one.staff) for one in found.departments) + f" = {total}",
    )
    unit = page.say("employees", counted(total, "работник|работника|работников"))
    return page.problem("staff below", question, str(total), steps, unit)
