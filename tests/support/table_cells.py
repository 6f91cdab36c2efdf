"""Cells of a report's tables by the names of their row and column."""

from lvqa_eval.reports.exhibit import Exhibit
from lvqa_eval.reports.table import Table, Value


def table_of(exhibit: Exhibit, name: str) -> Table:
    """Return the table of this name, the reported one among them."""
    (found,) = [one for one in (*exhibit.tables, exhibit.reported) if one is not None and one.name == name]
    return found


def at(table: Table, row: str, head: str) -> Value:
    """Return the value in the row that begins with `row`, under the head with this title."""
    column = [one.title for one in table.heads].index(head)
    (found,) = [one for one in table.rows if one[0] == row]
    return found[column]
