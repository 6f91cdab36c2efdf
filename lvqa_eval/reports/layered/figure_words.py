"""What the figures of a layered study share in words: names of rows, numbers in their descriptions."""

import math
from collections.abc import Sequence
from dataclasses import replace

from lvqa_eval.reports.layered.field_rows import field_name
from lvqa_eval.reports.numerals import PRINTED
from lvqa_eval.reports.plots.names import short_names
from lvqa_eval.reports.table import LOW_COVERAGE, Kind, Table, Value, cell


def model_axis(models: Sequence[str]) -> tuple[tuple[str, ...], int]:
    """Return the names of rows for models and their mean, and how many of these rows sum up the others."""
    several = len(models) > 1
    return (*short_names(models), *([field_name(models)] if several else [])), int(several)


def told(value: Value, kind: Kind) -> str:
    """Return a value as a description says it, with its interval; "not known" where it is not defined."""
    text = cell(value, kind, PRINTED).replace(LOW_COVERAGE, "")
    return "not known" if text.startswith(PRINTED.dash) else text


def side_by_side(one: Table, other: Table) -> Table:
    """Return two tables as one, rows by their first column; what a table does not have is NaN there."""
    left, right = ({str(row[0]): row[1:] for row in table.rows} for table in (one, other))
    blank_left, blank_right = ((math.nan,) * (len(table.heads) - 1) for table in (one, other))
    rows = tuple(
        (what, *left.get(what, blank_left), *right.get(what, blank_right))
        for what in dict.fromkeys((*left, *right))
    )
    notes = tuple(dict.fromkeys((*one.notes, *other.notes)))
    return replace(one, heads=(*one.heads, *other.heads[1:]), rows=rows, notes=notes)
