"""The scores of an audit of the set as tables and as plain values."""

import math
from collections.abc import Sequence
from typing import Any

import click

from dataset_builders.bear_bench.audit.score import AspectScore
from lvqa_eval.metrics.agreement import Proportion
from lvqa_eval.reports.numerals import ASCII
from lvqa_eval.reports.reported import reported_table
from lvqa_eval.runs.terminal import Column, Labelled, print_labelled, print_table


def print_score(scores: Sequence[AspectScore]) -> None:
    """Print the shares with Wilson intervals, what the paper prints, the cells, and how far people agree."""
    reported = _reported()
    print_labelled([Labelled("", "Pages in which people found nothing wrong, in per cent [95 %, Wilson]")])
    heads = ["Acceptable", "n", "Open", "Missing", "Reported"]
    print_table(
        [Column("Of"), *(Column(head, "right") for head in heads)],
        [
            [
                one.name,
                _percent(one.acceptable),
                str(one.acceptable.n),
                str(one.open),
                str(one.missing),
                f"{reported[one.name]:.1f}" if one.name in reported else ASCII.dash,
            ]
            for one in scores
        ],
    )
    cells = list(dict.fromkeys(cell for one in scores for cell in one.cells))
    click.echo()
    print_labelled([Labelled("", "By cell")])
    print_table(
        [Column("Of"), *(Column(cell, "right") for cell in cells)],
        [
            [one.name, *(f"{_percent(one.cells[cell])}, n {one.cells[cell].n}" for cell in cells)]
            for one in scores
        ],
    )
    if lines := [Labelled(one.name, words) for one in scores for words in _agreement(one)]:
        click.echo()
        print_labelled([Labelled("", "Agreement of people"), *lines])


def as_json(scores: Sequence[AspectScore]) -> dict[str, Any]:
    """Return the scores as plain values; what is undefined is None."""
    reported = _reported()
    return {
        one.name: {
            "acceptable": _plain(one.acceptable),
            "open": one.open,
            "missing": one.missing,
            "reported_per_cent": reported.get(one.name),
            "cells": {cell: _plain(share) for cell, share in one.cells.items()},
            "annotators": [
                {"names": list(pair.names), "raw": _plain(pair.raw), "kappa": _number(pair.agreement.kappa)}
                for pair in one.pairs
            ],
        }
        for one in scores
    }


def _reported() -> dict[str, float]:
    printed = reported_table("bear-bench", "quality-audit")
    return {row.keys["of"]: row.figures["acceptable"].value for row in printed.rows}


def _agreement(one: AspectScore) -> list[str]:
    return [
        f"{' and '.join(pair.names)}: {_percent(pair.raw)} of {pair.raw.n}, kappa "
        f"{pair.agreement.note or format(pair.agreement.kappa, '.2f')}"
        for pair in one.pairs
    ]


def _percent(share: Proportion) -> str:
    return ASCII.percent_with_interval(share.value, share.low, share.high)


def _plain(share: Proportion) -> dict[str, Any]:
    return {"n": share.n, **{name: _number(getattr(share, name)) for name in ("value", "low", "high")}}


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
