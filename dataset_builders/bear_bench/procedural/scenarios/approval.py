"""Business: how many days a request of a table takes through an approval flowchart."""

from dataclasses import dataclass
from decimal import Decimal

from dataset_builders.bear_bench.procedural.content import Arrow, Flowchart, Node
from dataset_builders.bear_bench.procedural.languages.numbers import NO_BREAK
from dataset_builders.bear_bench.procedural.languages.russian import counted
from dataset_builders.bear_bench.procedural.scenarios.draft import Draft, Label, Problem, UnluckyError
from dataset_builders.bear_bench.procedural.worlds.company import Company

Page = Draft[Company]


@dataclass(frozen=True)
class _Request:
    number: int
    amount: Decimal
    new: bool
    advance: int


@dataclass(frozen=True)
class _Rules:
    """Above which amount (in millions) and advance (in per cent) an office is asked; days of the steps."""

    limit: int
    advance: int
    days: tuple[int, ...]

    def asked(self, request: _Request) -> tuple[bool, bool, bool]:
        return request.amount > self.limit, request.new, request.advance > self.advance

    def time(self, request: _Request) -> list[int]:
        offices = [
            days for days, is_asked in zip(self.days[1:4], self.asked(request), strict=True) if is_asked
        ]
        return [self.days[0], *offices, self.days[4]]


def make(page: Page) -> Problem:
    """Set flowchart and table, and ask."""
    rng = page.rng
    rules = _Rules(
        rng.randrange(2, 9), rng.choice((20, 30, 40, 50)), tuple(rng.randint(1, 9) for _ in range(5))
    )
    requests = _draw(page, rules)
    figure, table = page.label("figure"), page.label("table")
    page.heading("Approval of purchases", "Согласование закупок")
    _tell(page, figure, table)
    page.add(_flowchart(page, rules, figure))
    _set_requests(page, requests, table)
    longer = [request for request in requests if any(rules.asked(request))]
    if not longer:
        raise UnluckyError
    return _ask(page, rules, rng.choice(longer), table)


def _draw(page: Page, rules: _Rules) -> list[_Request]:
    rng, first = page.rng, page.rng.randint(11, 60)
    amounts = [tenths for tenths in range(4, 120) if tenths != rules.limit * 10]
    advances = [share for share in range(0, 75, 5) if share != rules.advance]
    return [
        _Request(
            first + index, Decimal(rng.choice(amounts)).scaleb(-1), rng.random() < 0.5, rng.choice(advances)
        )
        for index in range(3 if page.small else 6)
    ]


def _tell(page: Page, figure: Label, table: Label) -> None:
    page.text(
        page.say(
            f"Every request follows the steps in {figure}, one after the other. The times are working days "
            "and are "
            "not shortened.",
            f"Каждая заявка проходит шаги, показанные на рисунке {figure.number}, один за другим. Сроки "
            "указаны в "
            "рабочих днях и не сокращаются.",
        ),
        page.say(
            f"{table} lists the requests that were received last.",
            f"В таблице {table.number} перечислены последние поступившие заявки.",
        ),
    )


def _steps(page: Page) -> tuple[str, ...]:
    return (
        page.say("Budget check", "Проверка бюджета"),
        page.say("Approval by the Board", "Согласование с правлением"),
        page.say("Security check of the supplier", "Проверка поставщика"),
        page.say("Opinion of the treasury", "Заключение казначейства"),
        page.say("Signature", "Подписание"),
    )


def _in_days(page: Page, number: int) -> str:
    unit = page.say("day" if number == 1 else "days", counted(number, "день|дня|дней"))
    return f"{number}{NO_BREAK}{unit}"


def _flowchart(page: Page, rules: _Rules, figure: Label) -> Flowchart:
    """Return three choices, each of which may send the request through one more office."""
    named = [f"{text}, {_in_days(page, days)}" for text, days in zip(_steps(page), rules.days, strict=True)]
    choices = (
        page.say(f"Amount above {rules.limit} million?", f"Сумма выше {rules.limit} млн?"),
        page.say("New supplier?", "Поставщик новый?"),
        page.say(f"Advance above {rules.advance}%?", f"Аванс выше {page.percent(rules.advance)}?"),
    )
    nodes, arrows = [Node("start", named[0], "start", 0, 0)], [Arrow("start", "c1")]
    yes, no = page.say("yes", "да"), page.say("no", "нет")
    for index, (choice, office) in enumerate(zip(choices, named[1:4], strict=True), start=1):
        after = f"c{index + 1}" if index < 3 else "end"
        nodes += [
            Node(f"c{index}", choice, "choice", 0, index),
            Node(f"a{index}", office, "action", 1, index),
        ]
        arrows += [
            Arrow(f"c{index}", f"a{index}", yes),
            Arrow(f"c{index}", after, no),
            Arrow(f"a{index}", after),
        ]
    nodes.append(Node("end", named[4], "end", 0, 4))
    caption = page.say("Approval of a purchase", "Порядок согласования закупки")
    return Flowchart(figure.text, caption, tuple(nodes), tuple(arrows))


def _set_requests(page: Page, requests: list[_Request], table: Label) -> None:
    page.table(
        table,
        page.say("Requests received", "Поступившие заявки"),
        (
            page.say("No.", "№"),
            page.say("Amount, million", "Сумма, млн"),
            page.say("Supplier", "Поставщик"),
            page.say("Advance, %", "Аванс, %"),
        ),
        (
            (
                str(one.number),
                page.number(one.amount),
                page.say("new" if one.new else "known", "новый" if one.new else "прежний"),
                str(one.advance),
            )
            for one in requests
        ),
    )
    page.text(
        page.say(
            "A request that is changed starts again from the beginning.",
            "Изменённая заявка рассматривается с начала.",
        ),
        page.say(
            "A supplier counts as known after its first completed order.",
            "Поставщик считается прежним после первого выполненного заказа.",
        ),
    )


def _ask(page: Page, rules: _Rules, request: _Request, table: Label) -> Problem:
    total = sum(rules.time(request))
    names, days = _steps(page), rules.days
    question = page.either(
        page.say(
            f"How many working days does request No. {request.number} take from the budget check to the "
            "signature, "
            "both included?",
            f"Сколько рабочих дней займёт заявка № {request.number} от проверки бюджета до подписания "
            "включительно?",
        ),
        page.say(
            f"Follow request No. {request.number} of {table} through the flowchart. How many working days "
            "pass in "
            "all?",
            f"Проведите заявку № {request.number} из таблицы {table.number} по блок-схеме. Сколько рабочих "
            "дней "
            "пройдёт всего?",
        ),
    )
    offices = (
        f"{name}: " + (f"+{own}" if is_asked else page.say("no", "нет"))
        for name, own, is_asked in zip(names[1:4], days[1:4], rules.asked(request), strict=True)
    )
    steps = (
        f"{names[0]}: {days[0]}",
        *offices,
        f"{names[4]}: {days[4]}",
        " + ".join(map(str, rules.time(request))) + f" = {total}",
    )
    unit = page.say("working days", counted(total, "рабочий день|рабочих дня|рабочих дней"))
    return page.problem("approval", question, str(total), steps, unit)
