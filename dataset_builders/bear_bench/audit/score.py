"""Score filled forms of an audit: the share of pages with nothing wrong in them, by aspect and cell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dataset_builders.bear_bench.audit.aspects import ALLOWED, ASPECTS, label_of
from dataset_builders.bear_bench.forms import FormError, read_form
from lvqa_eval.judging.audit.items import ItemKey, read_keys
from lvqa_eval.judging.audit.labels import Label
from lvqa_eval.judging.audit.score import PairOfAnnotators, all_pairs, settle
from lvqa_eval.metrics.agreement import Proportion, proportion
from lvqa_eval.metrics.votes import NO_VOTE

Labels = Mapping[str, Label]


@dataclass(frozen=True)
class AspectScore:
    """One aspect: the share that is acceptable of the pages that were settled, with its Wilson interval.

    With one person that is what the person says; with several, what they agree on. `open` counts pages on
    which they do not, or of which one cannot tell; `missing` those without an answer (of at least two people,
    where there are two). `cells` has the share by cell. `pairs` is how far people agree.
    """

    name: str
    acceptable: Proportion
    open: int
    missing: int
    cells: Mapping[str, Proportion]
    pairs: tuple[PairOfAnnotators, ...]


def score_audit(folder: Path, forms: Sequence[Path]) -> tuple[AspectScore, ...]:
    """Return the score of every aspect that the forms have; each form is a person's, called by its file.

    Raises AuditError where `folder` is no audit, FormError with everything that is wrong with the forms.
    """
    keys = read_keys(folder)
    filled: dict[str, dict[str, dict[str, Label]]] = {}
    problems: list[str] = []
    for path in forms:
        if path.stem in filled:
            problems.append(f"{path}: found a second form called {path.stem}, allowed: one a person")
        try:
            filled[path.stem] = _read(path, {one.item for one in keys})
        except FormError as error:
            problems.append(str(error))
    if problems:
        raise FormError("\n".join(problems))
    return tuple(
        _score(
            one.name, keys, {name: labels[one.name] for name, labels in filled.items() if labels[one.name]}
        )
        for one in ASPECTS
        if any(labels[one.name] for labels in filled.values())
    )


def _read(path: Path, items: set[str]) -> dict[str, dict[str, Label]]:
    """Return aspect -> item -> what a person says of it."""
    found: dict[str, dict[str, Label]] = {one.name: {} for one in ASPECTS}
    problems: list[str] = []
    seen: set[str] = set()
    for line in read_form(path, ["item"], [one.name for one in ASPECTS]):
        # A spreadsheet takes 0007 for a number.
        item = line.cells["item"].zfill(4)
        if item not in items or item in seen:
            why = "found again" if item in seen else "which the audit does not have"
            problems.append(f"{line.where}: item: {item!r}, {why}")
        seen.add(item)
        for aspect in line.cells.keys() & found.keys():
            said = line.cells[aspect]
            label = label_of(said)
            if label is not None:
                found[aspect][item] = label
            elif said:
                problems.append(f"{line.where}: {aspect}: found {said!r}, allowed: {ALLOWED}, or nothing")
    if problems:
        raise FormError("\n".join(problems))
    return found


def _score(name: str, keys: Sequence[ItemKey], labels: Mapping[str, Labels]) -> AspectScore:
    items = [one.item for one in keys]
    if len(labels) == 1:
        (own,) = labels.values()
        votes = [_vote(own.get(item)) for item in items]
        unsettled = sum(own.get(item) is Label.CANNOT_TELL for item in items)
        missing = sum(item not in own for item in items)
    else:
        settlement = settle(items, labels, {})
        votes = settlement.labels.tolist()
        unsettled, missing = settlement.open, settlement.unlabelled
    cells = {
        cell: _share([vote for vote, one in zip(votes, keys, strict=True) if one.group == cell])
        for cell in sorted({one.group for one in keys})
    }
    return AspectScore(name, _share(votes), unsettled, missing, cells, all_pairs(labels))


def _vote(label: Label | None) -> int:
    return {Label.RIGHT: 1, Label.WRONG: 0}.get(label, NO_VOTE) if label else NO_VOTE


def _share(votes: Sequence[int]) -> Proportion:
    valid = [vote for vote in votes if vote != NO_VOTE]
    return proportion(sum(valid), len(valid))
