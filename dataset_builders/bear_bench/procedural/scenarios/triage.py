"""Science: the total duration of the recordings of a table that end in one class of a decision tree."""

from dataclasses import dataclass

from dataset_builders.bear_bench.procedural.content import Arrow, Flowchart, Node
from dataset_builders.bear_bench.procedural.languages.russian import counted
from dataset_builders.bear_bench.procedural.scenarios.draft import Draft, Label, Problem, UnluckyError
from dataset_builders.bear_bench.procedural.worlds.study import Study

Page = Draft[Study]


@dataclass(frozen=True)
class _Recording:
    """Its code, signal-to-noise ratio in decibels, share of gaps in per cent, and duration in seconds."""

    code: str
    ratio: int
    gaps: int
    seconds: int


@dataclass(frozen=True)
class _Tree:
    """The limits of the three choices, and the names of the four ends from left to right."""

    ratio: int
    gaps: int
    seconds: int
    ends: tuple[str, ...]

    def end(self, recording: _Recording) -> str:
        if recording.ratio >= self.ratio:
            return self.ends[0 if recording.gaps <= self.gaps else 1]
        return self.ends[2 if recording.seconds >= self.seconds else 3]


def make(page: Page) -> Problem:
    """Set flowchart and table, and ask."""
    rng = page.rng
    ends = page.say("accept,repair,inspect,reject", "принять,исправить,осмотреть,отклонить").split(",")
    tree = _Tree(rng.randrange(8, 21, 2), rng.choice((5, 10, 15)), rng.choice((30, 40, 60)), tuple(ends))
    recordings, end = _draw(page, tree), rng.choice(ends)
    if not 2 <= sum(tree.end(one) == end for one in recordings) <= len(recordings) - 2:
        raise UnluckyError
    figure, table = page.label("figure"), page.label("table")
    page.heading("Selection of recordings", "Отбор записей")
    _tell(page, figure, table)
    page.add(_flowchart(page, tree, figure))
    page.table(
        table,
        page.say("Recordings of one session", "Записи одного сеанса"),
        (page.say("Code", "Код"), page.say("r, dB", "r, дБ"), "g, %", page.say("t, s", "t, с")),
        ((one.code, str(one.ratio), str(one.gaps), str(one.seconds)) for one in recordings),
    )
    return _ask(page, tree, recordings, end)


def _draw(page: Page, tree: _Tree) -> list[_Recording]:
    rng = page.rng
    ratios = [value for value in range(2, 31) if value != tree.ratio]
    gaps = [value for value in range(31) if value != tree.gaps]
    return [
        _Recording(f"R{number:02d}", rng.choice(ratios), rng.choice(gaps), rng.randrange(10, 96))
        for number in sorted(rng.sample(range(1, 60), 4 if page.small else 8))
    ]


def _tell(page: Page, figure: Label, table: Label) -> None:
    page.text(
        page.say(
            f"Recordings are sorted by the rules in {figure}, where *r* is the signal-to-noise ratio in "
            "decibels, *g* "
            "the share of gaps in per cent and *t* the duration in seconds.",
            f"Записи сортируются по правилам на рисунке {figure.number}, где *r* — отношение сигнала к "
            "шуму в "
            "децибелах, *g* — доля пропусков в процентах, *t* — длительность в секундах.",
        ),
        page.say(
            f"{table} lists the recordings of one session.",
            f"В таблице {table.number} перечислены записи одного сеанса.",
        ),
    )


def _flowchart(page: Page, tree: _Tree, figure: Label) -> Flowchart:
    yes, no = page.say("yes", "да"), page.say("no", "нет")
    nodes = (
        Node("r", f"r ≥ {tree.ratio}?", "choice", 3, 0),
        Node("g", f"g ≤ {tree.gaps}?", "choice", 1, 1),
        Node("t", f"t ≥ {tree.seconds}?", "choice", 5, 1),
        *(Node(f"e{index}", name, "end", 2 * index, 2) for index, name in enumerate(tree.ends)),
    )
    arrows = (
        *(Arrow("r", "g", yes), Arrow("r", "t", no), Arrow("g", "e0", yes), Arrow("g", "e1", no)),
        *(Arrow("t", "e2", yes), Arrow("t", "e3", no)),
    )
    return Flowchart(figure.text, page.say("Selection of recordings", "Отбор записей"), nodes, arrows)


def _ask(page: Page, tree: _Tree, recordings: list[_Recording], end: str) -> Problem:
    chosen = [one.seconds for one in recordings if tree.end(one) == end]
    total = sum(chosen)
    question = page.say(
        f"What is the total duration, in seconds, of the recordings that end at “{end}”?",
        f"Какова общая длительность (в секундах) записей, для которых результат — «{end}»?",
    )
    steps = (
        *(f"{one.code}: {tree.end(one)}" for one in recordings),
        " + ".join(map(str, chosen)) + f" = {total}",
    )
    return page.problem(
        "triage", question, str(total), steps, page.say("seconds", counted(total, "секунда|секунды|секунд"))
    )
