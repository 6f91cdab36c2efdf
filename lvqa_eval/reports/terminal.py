"""A report on a terminal: its condition table, or that of the field, and what could not be made."""

import click

from lvqa_eval.reports.conditions.formats import COLUMNS, NOT_RUN, plain
from lvqa_eval.reports.conditions.table import ConditionTable
from lvqa_eval.reports.field import field_table
from lvqa_eval.reports.report import Part, Report
from lvqa_eval.reports.table import cells
from lvqa_eval.runs.terminal import Column, Labelled, print_labelled
from lvqa_eval.runs.terminal import print_table as print_columns


def print_tables(report: Report) -> None:
    """Print the condition table of a single run; of several what was measured, and the means over models."""
    for part in report.parts:
        if part.conditions is not None:
            print_table(part.conditions)
        else:
            _print_part(part)


def print_exhibits(report: Report) -> None:
    """Print how many tables and figures were made, and a line for each that lacks its input."""
    lacking = [one for part in report.parts for one in part.lacking]
    made = sum(one.missing is None for one in report.exhibits)
    click.echo(f"\n{made} of {len(report.exhibits)} exhibits made")
    for heading, missing in lacking:
        click.echo(f"not made: {heading}. {' '.join(missing.split())}")


def print_table(table: ConditionTable) -> None:
    """Print the table; on a terminal its head stands out and what was not run steps back."""
    skipped = {row.condition for row in table.rows if row.measured is None}
    for line in plain(table).splitlines():
        styled = line
        if line.startswith(COLUMNS[0]):
            styled = click.style(line, bold=True)
        elif NOT_RUN in line and line.split(" ", 1)[0] in skipped:
            styled = click.style(line, dim=True)
        click.echo(styled)


def _print_part(part: Part) -> None:
    print_labelled([Labelled(label, text) for label, text in part.header])
    tables = [field_table(part.field, len(part.sources))] if part.field else part.opening
    for table in tables:
        columns = [Column(head.title, "left" if head.kind == "text" else "right") for head in table.heads]
        click.echo(f"\n{table.title}")
        print_columns(columns, cells(table))
        for note in table.told:
            click.echo(note)
    for caution in part.cautions:
        click.echo(f"\n{caution}")
