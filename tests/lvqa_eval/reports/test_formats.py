"""The figures of the golden files by hand, from the letters in tests/support/small_run.py.

full 10/12, both runs 5/6. sharded-v: run 1 1/6, run 2 1/3, so 2/9 pooled, strict 2/12, sd (1/6)/sqrt(2).
aligned-vq 6/12. misaligned-vq 1/6 and 2/6. The contrast leaves out q0: 4/10 against 1/10.
"""

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest

from lvqa_eval.reports.conditions.csv_table import comma_separated
from lvqa_eval.reports.conditions.formats import latex, markdown, plain
from lvqa_eval.reports.conditions.table import condition_table
from tests.support.small_run import small_run

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def table(tmp_path):
    return condition_table(small_run(tmp_path / "run"), "exact-match", draws=500, seed=1)


@pytest.mark.parametrize(
    ("write", "name"),
    [
        (plain, "conditions.txt"),
        (markdown, "conditions.md"),
        (latex, "conditions.tex"),
        (comma_separated, "conditions.csv"),
    ],
)
def test_as_the_golden_file(table, write, name):
    assert write(table) == (GOLDEN / name).read_text(encoding="utf-8")


def test_plain_is_ascii(table):
    assert plain(table).isascii()


def test_plain_leaves_out_the_strict_accuracy_where_it_is_the_accuracy(table):
    complete = tuple(row for row in table.rows if row.condition != "sharded-v")
    assert "Strict" in plain(table)
    assert "Strict" not in plain(replace(table, rows=complete))


def test_csv_reads_back_and_leaves_undefined_figures_empty(table):
    rows = {row["condition"]: row for row in csv.DictReader(io.StringIO(comma_separated(table)))}
    assert len(rows) == 16
    sharded = rows["sharded-v"]
    assert float(sharded["accuracy"]) == pytest.approx(2 / 9, abs=1e-6)
    assert (sharded["n"], sharded["planned"], sharded["ranked"]) == ("9", "12", "no")
    assert (sharded["truncated"], sharded["timeout"], sharded["missing"]) == ("1", "1", "1")
    assert rows["full"]["difference_to_full"] == ""
    assert (rows["oracle"]["measured"], rows["oracle"]["accuracy"]) == ("no", "")


def test_names_are_no_markup(table):
    hostile = replace(table, model="[a](http://b) | <b>_x_ & 50%\n# new")
    assert r"- Model: [a]\(http://b) \| \<b\>\_x\_ & 50% # new" in markdown(hostile)
    first, second, *_ = latex(hostile).splitlines()
    assert first.startswith("% Model: [a](http://b)")
    assert second.startswith("% Dataset: ")
    renamed = replace(table, rows=(replace(table.rows[0], condition="a_b&c"),))
    assert r"a\_b\&c & 83.3" in latex(renamed)
