"""The report as one HTML page that needs nothing else: no script, no request, light and dark."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from shlex import quote
from typing import Any

from lvqa_eval.judging.panel_members import MEMBERS
from lvqa_eval.reports.axes import SHARES, Axis, IntervalBar, difference_axis, interval_bar
from lvqa_eval.reports.conditions import depths
from lvqa_eval.reports.conditions.formats import contrast_sentences
from lvqa_eval.reports.conditions.outcomes import COUNTED_AS_WRONG, OUTCOME_COLUMNS, outcome_counts
from lvqa_eval.reports.conditions.rows import ConditionRow, Measured
from lvqa_eval.reports.conditions.table import ConditionTable
from lvqa_eval.reports.definitions import BASELINE, DEFINITIONS
from lvqa_eval.reports.deliveries import Delivery, delivery, families
from lvqa_eval.reports.glyphs import HEIGHT, WIDTH, Glyph, glyph
from lvqa_eval.reports.numerals import PRINTED

_HERE = Path(__file__).parent
STRIP = ("full", "concat-q", "sharded-q", "concat-v", "sharded-v")
"""The conditions whose figures stand at the head of the page."""


@dataclass(frozen=True)
class PageRow:
    """One condition or baseline as the page draws it; `measured` is None where it was not run."""

    condition: str
    delivery: Delivery
    glyph: Glyph | None
    measured: Measured | None
    bar: IntervalBar | None
    difference_bar: IntervalBar | None
    outcomes: tuple[tuple[int, str], ...]


def _judge_command(table: ConditionTable, run: str) -> str:
    """Return the command that makes the verdicts; a model's server is for the reader to name."""
    settings = table.identity.get("judge", {})
    if MEMBERS in settings:
        return f"lvqa panel {quote(run)}"
    protocol = f" --protocol {settings['protocol']}" if settings.get("protocol") else ""
    name = f"{settings['judge']}@URL" if protocol else table.judge
    return f"lvqa judge {quote(run)} --judge {quote(name)}{protocol}"


def page(table: ConditionTable, run: str) -> str:
    """Return the page; `run` is the name of the run folder, for the commands that make the page again."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FileSystemLoader(_HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    differences = [row.measured.difference for row in table.rows if row.measured and row.measured.difference]
    axis = difference_axis(differences)
    deliveries = sum(not row.baseline for row in table.rows)
    rows = {row.condition: _page_row(row, axis) for row in table.rows}
    return environment.get_template("page.html").render(
        table=table,
        css=Markup((_HERE / "page.css").read_text(encoding="utf-8")),
        families={
            name: [rows[condition] for condition in group] for name, group in families(table.rows).items()
        },
        deliveries=deliveries,
        strip=[rows[condition] for condition in STRIP],
        axes={"accuracy": SHARES, "difference": axis},
        contrast=contrast_sentences(table.contrast, PRINTED) if table.contrast else None,
        depths=depths,
        outcome_columns=list(OUTCOME_COLUMNS),
        counted_as_wrong=COUNTED_AS_WRONG,
        definitions=DEFINITIONS | (BASELINE if deliveries < len(table.rows) else {}),
        identity=list(flat(table.identity)),
        run=quote(run),
        judge_command=_judge_command(table, run),
        version=version("lvqa"),
        printed=PRINTED,
        glyph_size=(WIDTH, HEIGHT),
    )


def flat(identity: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield the leaves of a nested mapping as (dotted key, text), in their order."""
    for key, value in identity.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{prefix}{key}.")
        elif isinstance(value, Sequence) and not isinstance(value, str):
            yield f"{prefix}{key}", ", ".join(map(str, value))
        else:
            yield f"{prefix}{key}", str(value)


def _page_row(row: ConditionRow, axis: Axis) -> PageRow:
    measured = row.measured
    bar = difference_bar = None
    outcomes: tuple[tuple[int, str], ...] = ()
    if measured is not None:
        bar = interval_bar(SHARES, measured.interval)
        if measured.difference is not None:
            difference_bar = interval_bar(axis, measured.difference)
        planned = measured.accuracy.planned
        counts = outcome_counts(measured.accuracy.counts)
        outcomes = tuple((count, PRINTED.percent(count / planned)) for count in counts)
    return PageRow(
        row.condition, delivery(row), glyph(row.condition), measured, bar, difference_bar, outcomes
    )
