"""An audit's scores in words and as plain JSON values."""

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from lvqa_eval.judging.audit.score import CONSENSUS, AuditScore, JudgeScore, PairOfAnnotators
from lvqa_eval.metrics.agreement import AgainstHumans, Agreement, Proportion
from lvqa_eval.reports.numerals import ASCII
from lvqa_eval.runs.terminal import Column, Labelled, print_labelled, print_table


def print_score(score: AuditScore) -> None:
    """Print the labels, their agreement, what was settled, and each judge against it."""
    print_labelled(_labels(score))
    if not score.judges:
        print_labelled([Labelled("", "No judge has judged the runs.")])
        return
    print_labelled([Labelled("", "Verdicts equal to the people's label, in per cent [95 %]")])
    print_table(*_judges(score))
    for one in _by_group(score.judges):
        print_labelled([Labelled("", f"{one.judge}, by group")])
        print_table(*_groups(one))
    print_labelled([Labelled("", note) for note in _notes(score)])


def as_json(score: AuditScore) -> dict[str, Any]:
    """Return the scores as plain values; what is undefined is None."""
    settled = asdict(score.settlement)
    del settled["labels"]  # item by item they stand in the folder
    return {
        "items": score.items,
        "labelled": dict(score.labelled),
        "annotators": [
            {
                "names": list(pair.names),
                "raw": _proportion(pair.raw),
                "kappa": _number(pair.agreement.kappa),
                "kappa_note": pair.agreement.note,
                "cannot_tell": pair.cannot_tell,
            }
            for pair in score.pairs
        ],
        "settlement": settled,
        "panel": list(score.panel),
        "failed": score.failed,
        "judges": {
            one.judge: {
                "all": _against(one.all),
                "unanimous": _against(one.unanimous),
                "divided": _against(one.divided),
                "groups": {group: _against(part) for group, part in one.groups.items()},
            }
            for one in score.judges
        },
    }


def _labels(score: AuditScore) -> list[Labelled]:
    settled = score.settlement
    told = ", ".join(f"{name} {count}" for name, count in score.labelled.items()) or "none"
    lines = [Labelled("items", str(score.items)), Labelled("labelled", told)]
    lines += [Labelled("agreement", _pair(pair)) for pair in score.pairs]
    lines += [
        Labelled(
            "settled",
            f"{settled.agreed + settled.adjudicated}: {settled.agreed} agreed on, "
            f"{settled.adjudicated} adjudicated",
        ),
        Labelled(
            "left out",
            f"{settled.cannot_tell} cannot be told, {settled.open} not adjudicated yet, "
            f"{settled.unlabelled} with fewer than two labels",
        ),
    ]
    return lines


def _pair(pair: PairOfAnnotators) -> str:
    found = f"{' and '.join(pair.names)}: "
    if not pair.raw.n:
        return found + "no item on which both ruled"
    same = round(pair.raw.value * pair.raw.n)
    return (
        f"{found}{same} of {pair.raw.n} ({_percent(pair.raw)} %), kappa {_kappa(pair.agreement)}; "
        f"cannot be told by either: {pair.cannot_tell}"
    )


def _judges(score: AuditScore) -> tuple[list[Column], list[list[str]]]:
    split = any(one.unanimous is not None for one in score.judges)
    heads = ["All", "n", "Kappa"] + (["Unanimous", "n", "Divided", "n"] if split else []) + ["Coverage"]
    rows = []
    for one in score.judges:
        row = [one.judge, _percent(one.all.accuracy), str(one.all.accuracy.n), _kappa(one.all.agreement)]
        for part in (one.unanimous, one.divided) if split else ():
            row += [_percent(part.accuracy), str(part.accuracy.n)] if part else [ASCII.dash, ASCII.dash]
        rows.append([*row, ASCII.coverage(one.all.verdicts.scored, one.all.verdicts.n)])
    return [Column("Judge"), *(Column(head, "right") for head in heads)], rows


def _groups(score: JudgeScore) -> tuple[list[Column], list[list[str]]]:
    columns = [
        Column("Group"),
        Column("Accuracy", "right"),
        Column("n", "right"),
        Column("Coverage", "right"),
    ]
    rows = [
        [
            group,
            _percent(part.accuracy),
            str(part.accuracy.n),
            ASCII.coverage(part.verdicts.scored, part.verdicts.n),
        ]
        for group, part in score.groups.items()
    ]
    return columns, rows


def _by_group(judges: Sequence[JudgeScore]) -> Sequence[JudgeScore]:
    """Return whose groups are printed: the consensus where there is one, for the others see the JSON."""
    return [one for one in judges if one.judge == CONSENSUS] or judges


def _notes(score: AuditScore) -> list[str]:
    notes = []
    if len(score.panel) > 1:
        notes.append(
            f"Unanimous: a quorum of {', '.join(score.panel)} voted, and all the same; "
            "divided: a quorum voted, and not all the same."
        )
    else:
        notes.append("Fewer than two judges vote, so there is no split by unanimity.")
    if score.failed:
        notes.append(f"Conversations that the model failed, wrong by rule without a judge: {score.failed}.")
    return notes


def _percent(found: Proportion) -> str:
    return ASCII.percent_with_interval(found.value, found.low, found.high)


def _kappa(found: Agreement) -> str:
    return found.note or f"{found.kappa:.2f}"


def _against(found: AgainstHumans | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "accuracy": _proportion(found.accuracy),
        "kappa": _number(found.agreement.kappa),
        "kappa_note": found.agreement.note,
        "labelled": found.verdicts.n,
        "judged": found.verdicts.scored,
    }


def _proportion(found: Proportion) -> dict[str, Any]:
    return {"n": found.n, **{key: _number(getattr(found, key)) for key in ("value", "low", "high")}}


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
