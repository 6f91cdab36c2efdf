import click

from lvqa_eval.reports.conditions.formats import plain
from lvqa_eval.reports.conditions.table import condition_table
from lvqa_eval.reports.field import FieldRow
from lvqa_eval.reports.terminal import print_exhibits, print_table, print_tables
from tests.support.made_reports import figure, made_part, made_report
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


def test_several_models_have_a_table_of_their_means_and_the_cautions(capsys):
    print_tables(made_report())
    shown = capsys.readouterr().out.splitlines()
    assert shown[:4] == [
        "Models   org/one-4b, org/other-72b",
        "Dataset  layered-vqa 1.0.0",
        "",
        "Mean of 2 models",
    ]
    assert shown[4].split("  ")[0] == "Condition"
    assert shown[6].split() == ["full", "60.0", "[58.0,", "62.0]", "-", "300", "100.0"]
    assert shown[7].split() == [
        "concat-q",
        "58.0",
        "[56.0,",
        "60.0]",
        "-2.0",
        "[-4.0,",
        "0.0]",
        "300",
        "100.0",
    ]
    assert shown[-1].startswith("12 scenes are few")


def test_low_coverage_is_marked_and_explained(capsys):
    rows = (FieldRow("full", figure(0.5, n=250), None),)
    print_tables(made_report(made_part(field=rows)))
    shown = capsys.readouterr().out
    assert "full       50.0* [48.0, 52.0]" in shown
    assert "* Coverage below 99 % of what was planned: not to be ranked." in shown


def test_what_was_not_made_has_a_line_each(capsys):
    missing = "No judge.\nLet one do so: lvqa judge runs/one --judge NAME@URL"
    print_exhibits(made_report(made_part(lacking=(("Table 4. First commitment", missing),))))
    assert capsys.readouterr().out.splitlines() == [
        "",
        "3 of 4 exhibits made",
        "not made: Table 4. First commitment. No judge. Let one do so: lvqa judge runs/one --judge NAME@URL",
    ]
