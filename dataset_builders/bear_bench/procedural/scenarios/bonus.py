"""Business: a bonus by a formula, with constants in the text and plan and result in a table."""

from dataclasses import dataclass
from fractions import Fraction

from dataset_builders.bear_bench.procedural.languages.numbers import exact, is_exact
from dataset_builders.bear_bench.procedural.scenarios.draft import Draft, Label, Problem, UnluckyError
from dataset_builders.bear_bench.procedural.worlds.company import Company

Page = Draft[Company]


@dataclass(frozen=True)
class _Group:
    """A group of employees: what its members and one of them are called, its base amount and its factor."""

    members: str
    member: str
    base: int
    factor: Fraction


@dataclass(frozen=True)
class _Branches:
    places: tuple[str, ...]
    plans: tuple[int, ...]
    results: tuple[int, ...]

    def ratio(self, index: int) -> Fraction:
        return Fraction(self.results[index] - self.plans[index], self.plans[index])


def make(page: Page) -> Problem:
    """Set formula and table, and ask."""
    groups, branches = _draw_groups(page), _draw_branches(page)
    table = page.label("table")
    page.heading("Variable pay", "Премирование")
    _set(page, groups, table)
    page.table(
        table,
        page.say(f"Plans and results, {page.world.currency}", f"Планы и результаты, {page.world.currency}"),
        (page.say("Branch", "Филиал"), page.say("Plan", "План"), page.say("Result", "Результат")),
        (
            (place, str(plan), str(result))
            for place, plan, result in zip(branches.places, branches.plans, branches.results, strict=True)
        ),
    )
    group, index = page.rng.choice(groups), page.rng.randrange(len(branches.places))
    return _ask(page, group, branches, index, table)


def _draw_groups(page: Page) -> tuple[_Group, _Group]:
    rng = page.rng
    return (
        _Group(
            page.say("branch managers", "руководителей филиалов"),
            page.say("a branch manager", "руководитель филиала"),
            rng.randrange(1200, 4000, 200),
            Fraction(rng.choice((12, 15, 16, 18)), 10),
        ),
        _Group(
            page.say("office staff", "работников аппарата"),
            page.say("a member of the office staff", "работник аппарата"),
            rng.randrange(1100, 3000, 200),
            Fraction(rng.choice((5, 8, 9, 10)), 10),
        ),
    )


def _draw_branches(page: Page) -> _Branches:
    rng, places = page.rng, page.world.places[: 3 if page.small else 6]
    plans = tuple(rng.choice((40, 60, 80, 100, 120, 160, 200)) for _ in places)
    changes = (-20, -10, -5, 5, 10, 15, 20, 25, 30)
    return _Branches(places, plans, tuple(plan + plan * rng.choice(changes) // 100 for plan in plans))


def _set(page: Page, groups: tuple[_Group, ...], table: Label) -> None:
    page.text(
        page.say(
            "The yearly bonus depends on the result of a branch and on its plan:",
            "Годовая премия зависит от результата филиала и от его плана:",
        )
    )
    number = page.equation(r"B = b\,\left(1 + k\cdot\dfrac{F - P}{P}\right)")
    page.text(
        page.say(
            "Here *B* is the bonus, *b* the base amount, *k* the factor of the group, *F* the actual "
            "result and *P* "
            "the plan.",
            "Здесь *B* — премия, *b* — базовая сумма, *k* — коэффициент группы, *F* — фактический "
            "результат, *P* — "
            "план.",
        ),
        *(
            page.say(
                f"For {one.members}, *b* = {page.number(one.base)} and *k* = {page.number(one.factor)}.",
                f"Для {one.members} *b* = {page.number(one.base)} и *k* = {page.number(one.factor)}.",
            )
            for one in groups
        ),
        page.say(
            f"Plans and results of the branches are in {table}. Equation ({number}) also holds where a "
            "plan is "
            "missed; the bonus is then lower than the base amount.",
            f"Планы и результаты филиалов приведены в таблице {table.number}. Формула ({number}) действует "
            "и при "
            "невыполнении плана: тогда премия меньше базовой суммы.",
        ),
    )


def _ask(page: Page, group: _Group, branches: _Branches, index: int, table: Label) -> Problem:
    place, ratio = branches.places[index], branches.ratio(index)
    value = group.base * (1 + group.factor * ratio)
    if not is_exact(value, 1):
        raise UnluckyError
    answer, money = page.number(exact(value)), page.say(page.world.currency.split()[0], "руб.")
    question = page.say(
        f"What bonus does {group.member} of the branch {place} receive by the equation on this page? "
        "Amounts of "
        f"bonuses are in {money}.",
        f"Какую премию по формуле на этой странице получит {group.member}, если филиал — {place}? Суммы "
        "премий "
        "указаны в рублях.",
    )
    steps = (
        page.say("Text", "Текст") + f": b = {page.number(group.base)}, k = {page.number(group.factor)}",
        f"{table}: {place}: P = {branches.plans[index]}, F = {branches.results[index]}",
        f"(F − P) / P = {page.number(ratio)}",
        f"1 + k · {page.number(ratio)} = {page.number(1 + group.factor * ratio)}",
        f"B = {answer}",
    )
    return page.problem("bonus", question, answer, steps, money)
