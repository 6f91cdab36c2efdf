"""Agreement as tables on the terminal, and as plain data."""

import math
from typing import Any

import click

from dataset_builders.annotator.agreement import Agreed, Measure
from lvqa_eval.runs.terminal import Column, print_table


def show(found: Agreed) -> None:
    """Print everything: stages, agreement, then where authors and checkers differed."""
    print_table(
        [Column("Stage"), Column("Items", "right")], [[name, str(n)] for name, n in found.stages.items()]
    )
    if not found.checked:
        click.echo("no item is checked yet")
        return
    heads = [
        Column("Checked"),
        Column("Of"),
        *(Column(one, "right") for one in ("n", "Agreement %", "Kappa")),
    ]
    print_table(heads, [_row(one) for one in found.measures])
    names = [[author, check, str(n)] for (author, check), n in found.pairs.items()]
    print_table([Column("Author"), Column("Checked by"), Column("Items", "right")], names)
    for title, counts in (("Differs", found.differing), ("Draft", found.drafts)):
        if counts:
            print_table(
                [Column(title), Column("Items", "right")], [[one, str(n)] for one, n in counts.items()]
            )


def as_data(found: Agreed) -> dict[str, Any]:
    """Return everything as values that JSON has; None for what is undefined."""
    return {
        "checked": found.checked,
        "stages": dict(found.stages),
        "measures": [
            {
                "name": one.name,
                "unit": one.unit,
                "weighted": one.weighted,
                "n": one.found.n,
                "agreement": _number(one.found.raw),
                "kappa": _number(one.found.kappa),
            }
            for one in found.measures
        ],
        "pairs": [
            {"author": author, "check": check, "items": n} for (author, check), n in found.pairs.items()
        ],
        "differing": dict(found.differing),
        "drafts": dict(found.drafts),
    }


def _row(one: Measure) -> list[str]:
    name = f"{one.name}, squared weights" if one.weighted else one.name
    shares = (100 * one.found.raw, 1), (one.found.kappa, 3)
    return [name, one.unit, str(one.found.n), *(_cell(value, digits) for value, digits in shares)]


def _cell(value: float, digits: int) -> str:
    return "–" if math.isnan(value) else f"{value:.{digits}f}"


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
