"""A comparison for the terminal, as Markdown and as CSV."""

import csv
import io
import math
from collections.abc import Iterable, Sequence
from textwrap import fill, shorten

import click

from lvqa_eval.metrics.bootstrap import Estimate
from lvqa_eval.reports.compare.comparison import Comparison
from lvqa_eval.reports.compare.flips import Answers, Flip
from lvqa_eval.reports.compare.pairing import PairedRow
from lvqa_eval.reports.markdown import escape_markdown, pipes
from lvqa_eval.reports.numerals import ASCII, PRINTED, Numerals
from lvqa_eval.runs.terminal import Column, Labelled, print_labelled, print_table, printable

WIDTH = 100
FIRST = 10
"""Flips that the terminal shows."""
REPLY = 400
"""Characters of a reply in Markdown; the CSV has it whole."""

COLUMNS = ("Compared", "A", "B", "B - A [95 %]", "n", "Cov. A", "Cov. B", "Gained", "Lost")
FLIP_COLUMNS = ("Change", "A right", "B right", "Condition", "Question", "Category")

DIFFERENCES_CSV = (
    *("kind", "name", "category", "a", "a_low", "a_high", "b", "b_low", "b_high"),
    *("difference", "difference_low", "difference_high", "n", "questions", "scenes"),
    *("a_valid", "a_planned", "b_valid", "b_planned", "gained", "lost"),
)
FLIPS_CSV = (
    *(
        "condition",
        "question_id",
        "scene_id",
        "category",
        "change",
        "a_right",
        "a_valid",
        "b_right",
        "b_valid",
    ),
    *("question", "reference", "answer_description", "a_run", "a_reply", "b_run", "b_reply"),
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def print_comparison(found: Comparison) -> None:
    """Print header, table, cautions, settings that differ and the first flips."""
    print_labelled([Labelled(*pair) for pair in found.header])
    click.echo()
    columns = [Column(COLUMNS[0]), *(Column(title, "right") for title in COLUMNS[1:])]
    print_table(columns, [cells(found, row, ASCII) for row in found.shown])
    for group in (found.cautions, tuple(f"differs: {change}" for change in found.settings)):
        if group:
            click.echo()
        for line in group:
            click.echo(fill(printable(line), WIDTH, subsequent_indent="  ", break_on_hyphens=False))
    click.echo()
    if not found.flips:
        click.echo("No question flipped.")
        return
    click.echo(_flip_title(found.flips, FIRST))
    columns = [Column(title, "right" if "right" in title else "left") for title in FLIP_COLUMNS]
    print_table(columns, [flip_cells(flip, ASCII) for flip in found.flips[:FIRST]])


def cells(found: Comparison, row: PairedRow, printed: Numerals) -> tuple[str, ...]:
    """Return the texts of one row under `COLUMNS`; shares in per cent, differences in points."""
    gained, lost = found.flipped(row)
    return (
        label(row),
        printed.percent(row.a.value),
        printed.percent(row.b.value),
        printed.points_with_interval(row.difference.value, row.difference.low, row.difference.high),
        str(row.difference.n),
        printed.coverage(row.coverage_a.valid, row.coverage_a.planned),
        printed.coverage(row.coverage_b.valid, row.coverage_b.planned),
        str(gained),
        str(lost),
    )


def label(row: PairedRow) -> str:
    """Return what names a row where its kind has no column."""
    kind = row.part.kind
    if kind in ("condition", "all"):
        return row.part.name
    return f"{row.part.name} (baseline)" if kind == "baseline" else f"{kind}: {row.part.name}"


def flip_cells(flip: Flip, printed: Numerals) -> tuple[str, ...]:
    """Return the texts of one flip under `FLIP_COLUMNS`."""
    return (
        printed.points(flip.change).removesuffix(".0"),
        tally(flip.a),
        tally(flip.b),
        flip.condition,
        flip.question.question_id,
        flip.question.category,
    )


def tally(answers: Answers) -> str:
    """Return how many of the runs that count are right, such as 2/3."""
    return f"{answers.right}/{answers.valid}"


def markdown(found: Comparison) -> str:
    """Return the comparison as a Markdown document, with both replies to every question that flipped."""
    lines = ["# Comparison of two runs", ""]
    lines += [f"- {name}: {escape_markdown(text)}" for name, text in found.header]
    lines += [f"- {escape_markdown(caution)}" for caution in found.cautions]
    lines += ["", pipes(COLUMNS), pipes(["---", *["---:"] * (len(COLUMNS) - 1)])]
    lines += [pipes(map(escape_markdown, cells(found, row, PRINTED))) for row in found.shown]
    if found.settings:
        lines += ["", "## Settings that differ", "", pipes(("Setting", "A", "B")), pipes(["---"] * 3)]
        lines += [pipes(map(escape_markdown, (one.path, *one.found.values()))) for one in found.settings]
    lines += ["", "## Questions that flipped", ""]
    if not found.flips:
        return "\n".join([*lines, "None."]) + "\n"
    head = (*FLIP_COLUMNS, "Asked", "Reference", "Reply of A", "Reply of B")
    lines += [pipes(head), pipes(["---"] * len(head))]
    for flip in found.flips:
        said = [shorten(one.typical.reply or "", REPLY, placeholder=" ...") for one in (flip.a, flip.b)]
        texts = (*flip_cells(flip, PRINTED), flip.question.question, flip.question.answer, *said)
        lines.append(pipes(map(escape_markdown, texts)))
    return "\n".join(lines) + "\n"


def differences_csv(found: Comparison) -> str:
    """Return every row as CSV, those of a condition within a category included; fractions of 1."""
    return _csv(DIFFERENCES_CSV, (_difference(found, row) for row in found.rows))


def flips_csv(found: Comparison) -> str:
    """Return every flip as CSV with its replies whole; of several runs that of the typical one.

    A text that a spreadsheet would take for a formula begins with an apostrophe.
    """
    return _csv(FLIPS_CSV, map(_flip, found.flips))


def _difference(found: Comparison, row: PairedRow) -> list[str]:
    part = row.part
    counts = (row.difference.n, row.questions, row.difference.scenes)
    coverage = (one for side in (row.coverage_a, row.coverage_b) for one in (side.valid, side.planned))
    estimates = (number for one in (row.a, row.b, row.difference) for number in _numbers(one))
    return [
        part.kind,
        part.name,
        part.category,
        *estimates,
        *map(str, (*counts, *coverage, *found.flipped(row))),
    ]


def _numbers(estimate: Estimate) -> list[str]:
    shares = (estimate.value, estimate.low, estimate.high)
    return [f"{share:.6f}" if math.isfinite(share) else "" for share in shares]


def _flip(flip: Flip) -> list[str]:
    question, sides = flip.question, (flip.a, flip.b)
    tallies = [str(number) for one in sides for number in (one.right, one.valid)]
    said = [text for one in sides for text in (str(one.typical.run), one.typical.reply or "")]
    named = [flip.condition, question.question_id, question.scene_id, question.category]
    asked = [question.question, question.answer, question.answer_description or ""]
    return [*named, f"{flip.change:.6f}", *tallies, *asked, *said]


def _csv(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([_no_formula(cell) for cell in row] for row in rows)
    return text.getvalue()


def _no_formula(text: str) -> str:
    """Return a text that spreadsheets show as it is: replies and ids come from outside."""
    if not text.startswith(_FORMULA):
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text


def _flip_title(found: Sequence[Flip], shown: int) -> str:
    gained = sum(flip.gained for flip in found)
    head = f"Questions that flipped: {gained} to right, {len(found) - gained} to wrong"
    return f"{head}; the first {shown}:" if len(found) > shown else f"{head}:"
