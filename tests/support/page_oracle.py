"""Answers questions of procedural pages anew, from the question's words and what is printed on the page."""

import math
import re
from fractions import Fraction


def printed_number(text):
    """Read a printed number in either language: 1,234.5 / 1 234,5."""
    text = re.sub(r"[^\d,.\-−]", "", text).replace("−", "-")
    if re.fullmatch(r"-?\d{1,3}(,\d{3})+(\.\d+)?", text):
        text = text.replace(",", "")
    return Fraction(text.replace(",", "."))


def agrees(answer, value):
    """Tell whether a printed answer is `value`, rounded to the places that the answer has."""
    places = len(re.sub(r".*?[.,](?=\d{1,2}$)", "", answer)) if re.search(r"[.,]\d{1,2}$", answer) else 0
    exact = abs(printed_number(answer) - Fraction(value))
    return exact <= Fraction(1, 2 * 10**places)


class Sight:
    """What a reader sees on a page."""

    def __init__(self, blocks):
        self.blocks = blocks
        self.tables = [Grid(block) for block in blocks if block["block"] == "table"]
        self.charts = [block for block in blocks if block["block"] == "chart"]
        marked = " ".join(block["text"] for block in blocks if block["block"] == "paragraph")
        self.text = re.sub(r"\^\d+\^|\*", "", marked).replace("\u00a0", " ")

    def one(self, kind):
        (found,) = [block for block in self.blocks if block["block"] == kind]
        return found

    def table_with(self, row):
        (found,) = [table for table in self.tables if row in table.rows]
        return found

    def series(self, chart, number=0):
        values = map(printed_number, chart["series"][number]["values"])
        return dict(zip(chart["categories"], values, strict=True))


class Grid:
    """A table, by names of rows and columns."""

    def __init__(self, block):
        assert len({row[0] for row in block["rows"]}) == len(block["rows"])
        self.head = block["head"]
        self.rows = {row[0]: dict(zip(self.head, row, strict=True)) for row in block["rows"]}

    def number(self, row, column):
        return printed_number(self.rows[row][column])

    def column(self, name):
        return {row: printed_number(cells[name]) for row, cells in self.rows.items()}


def quoted(text):
    return re.search(r"[“«]([^”»]+)[”»]", text)[1]


def years(text):
    return re.findall(r"\b20\d\d\b", text)


def share_of_costs(question, page):
    segment, (start, end, year) = quoted(question), years(question)
    revenue = page.table_with(segment)
    (costs,) = [table for table in page.tables if table is not revenue]
    total = list(costs.rows)[-1]
    lines = [value for name, value in costs.column(year).items() if name != total]
    assert sum(lines) == costs.number(total, year)
    return (revenue.number(segment, end) - revenue.number(segment, start)) / costs.number(total, year) * 100


def plan_and_growth(question, page):
    start, end = years(question)
    bars = page.series(page.charts[0])
    plans = re.findall(
        r"from (\d+) to (\d+) the Board had planned growth of (\d+)%"
        r"|с (\d+) по (\d+) год совет директоров планировал рост на (\d+) %",
        page.text,
    )
    (plan,) = [a[2] or a[5] for a in plans if (a[0] or a[3], a[1] or a[4]) == (start, end)]
    growth = (bars[end] - bars[start]) / bars[start] * 100
    return abs(round(growth, 1) - int(plan))


def slice_of_revenue(question, page):
    region, (year,) = quoted(question), years(question)
    whole = sum(page.tables[0].column(year).values())
    share = page.series(page.charts[0])[region]
    taken = re.search(rf"[“«]{region}[”»],? (?:\w+ million )?(\d+) ", page.text)[1]
    return whole * share / 100 - int(taken)


def export_at_rate(question, page):
    rates = page.series(page.charts[0])
    pick = max if re.search("highest|высоким", question) else min
    month = pick(rates, key=rates.get)
    assert list(rates.values()).count(rates[month]) == 1
    return page.tables[0].number(month, quoted(question)) * rates[month] / 100


def best_branch(question, page):
    table, on_time = page.tables[0], page.series(page.charts[0])
    staff = re.search(r"at least (\d+) employees|не менее (\d+) работников", page.text)
    share = re.search(r"at least (\d+)%|не менее (\d+) % поставок", page.text)
    least_staff, least_share = (int(found[1] or found[2]) for found in (staff, share))
    sales, people = table.column(table.head[1]), table.column(table.head[2])
    allowed = [name for name in sales if people[name] >= least_staff and on_time[name] >= least_share]
    return max(allowed, key=lambda name: sales[name] / people[name])


def walk(chart, choose):
    """Yield the boxes of a flowchart in the order in which they are passed."""
    boxes = {node["key"]: node for node in chart["nodes"]}
    key = next(
        node["key"] for node in chart["nodes"] if all(a["target"] != node["key"] for a in chart["arrows"])
    )
    for _ in range(100):
        yield boxes[key]["text"].replace("\u00a0", " ")
        ways = [arrow for arrow in chart["arrows"] if arrow["source"] == key]
        if not ways:
            return
        if len(ways) > 1:
            word = {True: ("yes", "да"), False: ("no", "нет")}[
                choose(boxes[key]["text"].replace("\u00a0", " "))
            ]
            ways = [arrow for arrow in ways if arrow["text"] in word]
        (way,) = ways
        key = way["target"]
    raise AssertionError("a walk without end")


def approval(question, page):
    number = re.search(r"(?:No\.|№)\s(\d+)", question)[1]
    row = list(page.tables[0].rows[number].values())

    def choose(text):
        if re.search("Amount|Сумма", text):
            return printed_number(row[1]) > printed_number(text)
        if re.search("supplier|Поставщик", text):
            return row[2] in ("new", "новый")
        return printed_number(row[3]) > printed_number(text)

    passed = list(walk(page.one("flowchart"), choose))
    return sum(int(found[1]) for text in passed if (found := re.search(r", (\d+) (?:day|д)", text)))


def staff_below(question, page):
    table = page.tables[0]
    before, after = (table.column(name) for name in table.head[1:])
    name = max(before, key=lambda one: after[one] / before[one])
    (unit,) = [one for one in page.one("organisation")["top"]["units"] if one["name"] == name]
    return sum(printed_number(one["holder"].rstrip("чел.")) for one in unit["units"])


def bonus(question, page):
    group = (
        "branch managers|руководителей"
        if re.search("manager|руководитель", question)
        else "office staff|работников"
    )
    found = re.search(rf"(?:{group}).*?b = ([\d,. ]+) (?:and|и) k = ([\d,.]+)\.", page.text)
    base, factor = printed_number(found[1]), printed_number(found[2])
    (place,) = [name for name in page.tables[0].rows if name in question]
    plan, result = (page.tables[0].number(place, name) for name in page.tables[0].head[1:])
    return base * (1 + factor * (result - plan) / plan)


def program(page):
    space = {}
    exec("\n".join(page.one("code")["lines"]), space)
    return space[re.match(r"def (\w+)", page.one("code")["lines"][0])[1]]


def tariff(question, page):
    number = re.search(r"(?:No\.|№)\s(\d+)", question)[1]
    _, weight, zone, express = page.tables[0].rows[number].values()
    return program(page)(int(weight), int(zone), express in ("yes", "да"))


def trace(question, page):
    sensor = re.search(r"\b[KMT]\d\b", question)[0]
    return program(page)([int(value) for value in list(page.tables[0].rows[sensor].values())[1:]])


def mean_gain(question, page):
    limit = printed_number(re.search(r"(?:more than|более|больше) ([\d,\u00a0]+\d)", question)[1])
    sizes, scores = page.tables
    large = [name for name, size in sizes.column(sizes.head[1]).items() if size > limit]
    first, second = sorted((name for name in scores.rows if name in question), key=question.index)
    means = [sum(scores.number(name, one) for one in large) / len(large) for name in (first, second)]
    return abs(means[0] - means[1])


def enough_gain(question, page):
    errors = list(page.series(page.charts[0]).values())
    claims = [int(found) for found in re.findall(r"(\d+) ?%", page.text)]
    strict = re.search("much better than|намного лучшим по", question)
    claim = max(claims) if strict else min(claims)
    return sum((errors[0] - error) * 100 >= claim * errors[0] for error in errors[1:])


def missed_in_sample(question, page):
    name = quoted(question)
    whole = printed_number(re.search(r"(?:test part has|часть содержит) ([\d,]+)", page.text)[1])
    share = page.series(page.charts[0])[name]
    return whole * share / 100 * (100 - page.tables[0].number(name, page.tables[0].head[1])) / 100


def overtaking(question, page):
    chart = page.charts[0]
    curves = {one["name"]: [int(value) for value in one["values"]] for one in chart["series"]}
    quick, slow = sorted((name for name in curves if name in question), key=question.index)
    epoch = next(
        n for n, (a, b) in enumerate(zip(curves[quick], curves[slow], strict=True), start=1) if a > b
    )
    minutes = re.search(rf"{quick} (?:takes|занимает) (\d+) м?(?:minutes|ин)", page.text)
    total = Fraction(epoch * int(minutes[1]))
    return total / 60 if re.search("hours|часов", question) else total


def loop(question, page):
    setting = re.search(r"\b[A-E]\b(?! (?:Table|таб))", question.partition("Table")[0] or question)[0]
    names = {"s": int(page.tables[0].number(setting, "s")), "n": int(page.tables[0].number(setting, "n"))}

    def choose(text):
        return names["x"] % 2 == 0 if text.startswith("x") else names["k"] == names["n"]

    for text in walk(page.one("flowchart"), choose):
        for name, value in re.findall(r"(\w) := ([^,]+)", text):
            names[name] = int(eval(re.sub(r"(\d)x", r"\1*x", value), {}, dict(names)))
    return names["x"]


def triage(question, page):
    table, end, total = page.tables[0], quoted(question), 0
    for row in table.rows.values():
        values = {head[0]: printed_number(cell) for head, cell in list(row.items())[1:]}

        def choose(text, values=values):
            name, sign, limit = re.match(r"(\w) ([≥≤]) (\d+)", text).groups()
            return values[name] >= int(limit) if sign == "≥" else values[name] <= int(limit)

        total += values["t"] * (list(walk(page.one("flowchart"), choose))[-1] == end)
    return total


LAWS = {
    "log_{10}": lambda v: v["L₀"] + 10 * v["n"] * math.log10(v["d"] / v["d₀"]),
    "2^{-t/T}": lambda v: v["N₀"] * 2 ** (-v["t"] / v["T"]),
    "log_2": lambda v: v["B"] * math.log2(1 + v["S"] / v["N"]),
    "gamma": lambda v: v["η₀"] * v["γ"] ** math.floor(v["t"] / v["s"]),
    "k^2": lambda v: (v["k"] * v["k"] * v["c"] + 1) * v["m"],
    "{1}{f}": lambda v: 1 / (1 / v["f"] - 1 / v["a"]),
}


def evaluate(question, page):
    (law,) = [law for sign, law in LAWS.items() if sign in page.one("equation")["tex"]]
    settings = {
        *("indoor", "outdoor", "small", "large", "в помещении", "на открытом месте", "для малой модели"),
        "для большой модели",
    }
    (setting,) = [name for name in settings if name in question]
    stated = re.search(rf"{setting}(?: setting,)? ([^.]*= .*?\d)\.(?: |$)", page.text, re.I)[1]
    values = {
        name: float(printed_number(one)) for name, one in re.findall(r"(\S+) = (\d+(?:[.,]\d+)*)", stated)
    }
    series = re.search(r"S\d", question)[0]
    head = page.tables[0].head[1]
    values[head.partition(",")[0]] = float(page.tables[0].number(series, head))
    return Fraction(law(values)).limit_denominator(10**6)


SOLVERS = {
    "share of costs": share_of_costs,
    "plan and growth": plan_and_growth,
    "slice of revenue": slice_of_revenue,
    "export at rate": export_at_rate,
    "best branch": best_branch,
    "approval": approval,
    "staff below": staff_below,
    "bonus": bonus,
    "tariff": tariff,
    "trace": trace,
    "mean gain": mean_gain,
    "enough gain": enough_gain,
    "missed in sample": missed_in_sample,
    "overtaking": overtaking,
    "loop": loop,
    "triage": triage,
    "evaluate": evaluate,
}
