import click

from lvqa_eval.reports.conditions.formats import plain
from lvqa_eval.reports.conditions.table import condition_table
from lvqa_eval.reports.terminal import print_table
from tests.support.small_run import small_run


def test_the_printed_table_is_the_plain_one(tmp_path, capsys):
    table = condition_table(small_run(tmp_path / "run"), "exact-match", draws=100)
    print_table(table)
    assert capsys.readouterr().out == plain(table)


def test_on_a_terminal_the_head_is_bold_and_what_was_not_run_is_dim(tmp_path, monkeypatch):
    table = condition_table(small_run(tmp_path / "run"), "exact-match", draws=100)
    printed = []
    monkeypatch.setattr(click, "echo", printed.append)
    print_table(table)
    assert [click.unstyle(line) for line in printed] == plain(table).splitlines()
    bold = [line for line in printed if line.startswith("\x1b[1m")]
    assert len(bold) == 1
    assert "Condition" in bold[0]
    dim = {click.unstyle(line).split()[0] for line in printed if line.startswith("\x1b[2m")}
    assert dim == {row.condition for row in table.rows if row.measured is None}
