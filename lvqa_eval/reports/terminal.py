"""The condition table on a terminal."""

import click

from lvqa_eval.reports.conditions.formats import COLUMNS, NOT_RUN, plain
from lvqa_eval.reports.conditions.table import ConditionTable


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
