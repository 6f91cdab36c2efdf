"""What people decided about flagged items: the form `flags.csv` of a work folder, and what follows."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields

from dataset_builders.bear_bench.forms import FormError, Line, read_form, write_form
from dataset_builders.bear_bench.records import Drop, Item
from dataset_builders.bear_bench.work import Work

STAGE = "quality"
FORM = "flags.csv"
FLAGGED = "flagged"
"""Why an item is left out: a person found that its reference cannot be mended."""

KEEP, CORRECT, DROP = "keep", "correct", "drop"
ALLOWED = (KEEP, CORRECT, DROP)


@dataclass(frozen=True)
class Decision:
    """A row of the form: a flagged item as it was asked, and what a person decided about it.

    `decision` is one of `ALLOWED`, empty while nobody has decided; `new_answer` is the reference from then on
    where it is "correct". A row is about one wording of the item: where a later one stands, it says nothing.
    """

    page_id: str
    picture: str
    question: str
    reference: str
    answer: str
    models: str
    others: str
    decision: str = ""
    new_answer: str = ""
    decided_by: str = ""
    note: str = ""

    @property
    def subject(self) -> tuple[str, ...]:
        """What the row is about, by which one decision is told from another."""
        return subject(self.page_id, self.question, self.reference, self.answer)


COLUMNS = tuple(field.name for field in fields(Decision))


@dataclass(frozen=True)
class Settled:
    """Items after what was decided about them, and those that were left out."""

    items: tuple[Item, ...]
    drops: tuple[Drop, ...]


def read_decisions(work: Work) -> list[Decision]:
    """Return the rows of the form, none where there is no form; FormError with every bad row."""
    path = work.folder / FORM
    if not path.exists():
        return []
    lines = read_form(path, COLUMNS)
    problems = [problem for line in lines for problem in _problems(line)]
    if problems:
        raise FormError("\n".join(problems))
    rows = [{**line.cells, "decision": line.cells["decision"].casefold()} for line in lines]
    return [Decision(**row) for row in rows]


def write_decisions(work: Work, decisions: Iterable[Decision]) -> None:
    """Write the form."""
    write_form(work.folder / FORM, COLUMNS, map(asdict, decisions))


def subject(*texts: str) -> tuple[str, ...]:
    """Return texts without what a form or a spreadsheet may do to them: an apostrophe before, white space."""
    return tuple(" ".join(text.removeprefix("'").split()) for text in texts)


def settle(work: Work, items: Sequence[Item]) -> Settled:
    """Return the items as people decided; those about which nobody has decided yet raise FormError.

    The rows of an item are followed in their order, so that an answer may be corrected again.
    """
    rows: dict[str, list[Decision]] = defaultdict(list)
    for one in read_decisions(work):
        rows[one.page_id].append(one)
    kept: list[Item] = []
    drops: list[Drop] = []
    open_ones: list[str] = []
    for item in items:
        standing: Item | None = item
        for row in rows[item.page_id]:
            if standing is None or not _is_about(row, standing):
                continue
            if not row.decision:
                open_ones.append(f"{work.folder / FORM}: {item.page_id}: decision: found nothing in it")
            elif row.decision == CORRECT:
                standing = standing.model_copy(update={"answer": row.new_answer})
            elif row.decision == DROP:
                drops.append(_drop(row))
                standing = None
        if standing is not None:
            kept.append(standing)
    if open_ones:
        count = f"{len(open_ones)} flagged items wait" if len(open_ones) > 1 else "1 flagged item waits"
        told = f"{count} for a person; decisions allowed: {', '.join(ALLOWED)}"
        raise FormError("\n".join([told, *open_ones]))
    return Settled(tuple(kept), tuple(sorted(drops, key=lambda drop: drop.id)))


def _is_about(row: Decision, item: Item) -> bool:
    return subject(row.question, row.reference) == subject(item.question, item.answer)


def _drop(row: Decision) -> Drop:
    told = f"by {row.decided_by}" + (f": {row.note}" if row.note else "")
    return Drop(id=row.page_id, stage=STAGE, reason=FLAGGED, detail=told)


def _problems(line: Line) -> Iterator[str]:
    decision = line.cells["decision"].casefold()
    if not decision:
        return
    if decision not in ALLOWED:
        found = line.cells["decision"]
        yield f"{line.where}: decision: found {found!r}, allowed: {', '.join(ALLOWED)}, or nothing yet"
    if not line.cells["decided_by"]:
        yield f"{line.where}: decided_by: found nothing in it, though there is a decision"
    if (decision == CORRECT) != bool(line.cells["new_answer"]):
        yield (
            f"{line.where}: new_answer: found {line.cells['new_answer'] or 'nothing'!r}; "
            f"it goes with {CORRECT}, and with nothing else"
        )
