"""What a panel tells of its judges, as tables."""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from lvqa_eval.judging.consensus import consensus, without_judge
from lvqa_eval.judging.panel import STATUSES, Panel
from lvqa_eval.metrics.agreement import Agreement, Retest, agreement, krippendorff_alpha, pairwise_agreement
from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.judges import additive_fit, cross_matrix, cross_sums
from lvqa_eval.metrics.votes import count_votes, parse_rates
from lvqa_eval.reports.table import Head, Kind, Table, Value
from lvqa_eval.statuses import JudgeStatus


def summary_table(panel: Panel) -> Table:
    """Return what the panel is and how it decided."""
    asked = panel.asked
    found = consensus(asked.votes, asked.size)
    decided = int(found.decided.sum())
    rows: list[tuple[Value, ...]] = [
        ("judges", len(panel.judges)),
        ("size of the panel (quorum: more than half)", panel.size),
        ("conversations put before judges", len(asked.keys)),
        ("failed by the model: wrong, not put before judges", int((panel.failed & ~panel.baseline).sum())),
        ("decided by the panel", decided),
        ("without a quorum", len(asked.keys) - decided),
        ("ties (wrong)", int(found.ties.sum())),
        ("unanimous", int(found.unanimous.sum())),
        ("unanimous, share of those decided", float(found.unanimous.sum() / decided) if decided else np.nan),
        ("Krippendorff's alpha", krippendorff_alpha(asked.votes)),
    ]
    notes = (
        "Consensus: correct where more than half of the valid votes say so; an even split is wrong. A quorum "
        "is more than half of the panel. Unanimous: a quorum voted, and all valid votes are the same.",
        "Alpha: nominal, over conversations with two valid votes or more. Baselines are in no figure.",
    )
    return Table("panel", "The panel", (Head("Of the panel"), Head("Figure", "ratio")), tuple(rows), notes)


def judges_table(asked: Panel) -> Table:
    """Return coverage, parse rate, leniency and agreement of each judge, on what judges were asked about."""
    whole = consensus(asked.votes, asked.size).verdict
    fit = additive_fit(cross_matrix(cross_sums(asked.votes, asked.assistant_of, len(asked.assistants))))
    rates = parse_rates(_status_counts(asked, by_assistant=False))
    rows: list[tuple[Value, ...]] = []
    for place, judge in enumerate(asked.judges):
        counted = count_votes(asked.votes[place])
        found = agreement(asked.votes[place], whole)
        others = agreement(asked.votes[place], without_judge(asked.votes, place, asked.size).verdict)
        rows.append(
            (
                judge,
                counted.n,
                counted.coverage,
                float(rates[place]),
                counted.accuracy,
                float(fit.leniency[place]),
                found.raw,
                _kappa(found),
                _kappa(others),
            )
        )
    heads = (
        Head("Judge"),
        Head("n", "count"),
        Head("Coverage", "coverage"),
        Head("Parse rate", "coverage"),
        Head("Correct", "share"),
        Head("Leniency", "points"),
        Head("Agreement", "share"),
        Head("Kappa", "ratio"),
        Head("Kappa, others", "ratio"),
    )
    notes = (
        "n: conversations put before judges. Coverage: those with a verdict. Parse rate: of the replies that "
        "came, those that could be read. Correct: of the verdicts, those that are favourable.",
        "Leniency: the judge's effect in the additive model of verdicts, in points; its mean is 0.",
        "Agreement, kappa (Cohen): with the consensus, which the judge is part of, over conversations that "
        "both decide. Kappa, others: with the consensus of the panel without the judge.",
    )
    return Table("judges", "Judges", heads, tuple(rows), notes)


def parse_rates_table(asked: Panel) -> Table:
    """Return how many replies could be read, by judge and assistant."""
    rates = parse_rates(_status_counts(asked, by_assistant=True))
    return by_judge(
        "parse_rates",
        "Parse rate by judge and assistant",
        "coverage",
        asked,
        rates.T,
        "Share of a judge's replies on an assistant's conversations that could be read; failures of the "
        "transport are no replies.",
    )


def pairs_table(asked: Panel) -> Table:
    """Return the kappa of each pair of judges."""
    found = pairwise_agreement(asked.votes)

    def kappas(row: int) -> Iterator[Value]:
        for column in range(len(asked.judges)):
            yield "" if row == column else _kappa(found.at(row, column))

    rows: list[tuple[Value, ...]] = [(judge, *kappas(row)) for row, judge in enumerate(asked.judges)]
    heads = (Head("Judge"), *(Head(judge, "ratio") for judge in asked.judges))
    note = "Cohen's kappa of two judges, over the conversations that both have a verdict on."
    return Table("kappas", "Kappa of each pair of judges", heads, tuple(rows), (note,))


def by_judge(name: str, title: str, kind: Kind, panel: Panel, values: Floats, note: str) -> Table:
    """Return a table of `values` (assistants, judges)."""
    rows: list[tuple[Value, ...]] = [
        (assistant, *map(float, values[row])) for row, assistant in enumerate(panel.assistants)
    ]
    heads = (Head("Assistant"), *(Head(judge, kind) for judge in panel.judges))
    return Table(name, title, heads, tuple(rows), (note,))


def retests_table(retests: Mapping[str, Retest]) -> Table:
    """Return how often each judge changed its verdict in a second pass."""
    rows = tuple(
        (
            judge,
            found.agreement.n,
            found.flips.value,
            found.flips.low,
            found.flips.high,
            _kappa(found.agreement),
            found.lost,
            found.gained,
        )
        for judge, found in retests.items()
    )
    heads = (
        Head("Judge"),
        Head("n", "count"),
        Head("Flips", "share"),
        Head("Flips low", "share"),
        Head("Flips high", "share"),
        Head("Kappa", "ratio"),
        Head("Lost", "count"),
        Head("Gained", "count"),
    )
    notes = (
        "A judge's second pass with other seeds. Flips: of the n conversations with a verdict in both, those "
        "whose verdict changed, with the 95 % interval of Wilson. Lost, gained: a verdict in one pass alone.",
    )
    return Table("retest", "Test and retest", heads, rows, notes)


def _status_counts(panel: Panel, *, by_assistant: bool) -> dict[JudgeStatus, NDArray[np.intp]]:
    """Return how many judgements ended so, by judge or by (judge, assistant)."""
    size = len(panel.assistants)
    group = panel.assistant_of if by_assistant else np.zeros_like(panel.assistant_of)
    counts = {
        status: np.stack([np.bincount(group[row == code], minlength=size) for row in panel.statuses])
        for code, status in enumerate(STATUSES)
    }
    return counts if by_assistant else {status: count[:, 0] for status, count in counts.items()}


def _kappa(found: Agreement) -> float | str:
    return found.note or found.kappa
