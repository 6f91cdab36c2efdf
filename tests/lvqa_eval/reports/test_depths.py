import csv
import io
from html.parser import HTMLParser

import pytest

from lvqa_eval.reports.conditions.depths import NOTE, comma_separated
from lvqa_eval.reports.conditions.formats import markdown
from lvqa_eval.reports.conditions.table import condition_table
from lvqa_eval.reports.page import page
from lvqa_eval.reports.write import render_report
from tests.support.dose_run import dose_run
from tests.support.made_reports import made_part, made_report, made_source
from tests.support.small_run import small_run

SECTION = f"""
## Accuracy by depth

| Condition | Cut | 2 | 3 | 4 | 4 minus 2 |
| --- | --- | ---: | ---: | ---: | ---: |
| full | both | 50.0 [0.0, 100.0] | 50.0 [0.0, 100.0] | 100.0 – | 0.0 – |
| sharded-v | both | 75.0 [50.0, 100.0] | 25.0 [0.0, 50.0] | 0.0 – | −100.0 – |

{NOTE}
"""


class Cells(HTMLParser):
    """Collects the texts of the cells of every table, row by row."""

    def __init__(self):
        super().__init__()
        self.rows, self.inside = [], False

    def handle_starttag(self, tag, attrs):
        if tag == "tr":
            self.rows.append([])
        if tag in {"td", "th"}:
            self.rows[-1].append([])
            self.inside = True

    def handle_endtag(self, tag):
        self.inside = self.inside and tag not in {"td", "th"}

    def handle_data(self, data):
        if self.inside and data.strip():
            self.rows[-1][-1].append(data.strip())


def of_one(table):
    return made_report(made_part(sources=(made_source(),), conditions=table, exhibits=()))


@pytest.fixture
def table(tmp_path):
    return condition_table(dose_run(tmp_path / "run"), "exact-match", draws=500, seed=1)


def test_markdown_ends_with_the_table(table):
    assert markdown(table).endswith(SECTION)
    assert ("Questions", "5 in 2 scenes") in table.header


def test_csv_has_a_row_for_each_depth(table):
    rows = list(csv.DictReader(io.StringIO(comma_separated(table))))
    assert [(row["condition"], row["depth"]) for row in rows] == [
        (condition, depth) for condition in ("full", "sharded-v") for depth in "234"
    ]
    last = rows[-1]
    assert (last["cut"], last["accuracy"], last["n"], last["accuracy_low"]) == ("both", "0.000000", "2", "")
    assert (last["difference_to_smallest_depth"], last["difference_n"]) == ("-1.000000", "2")
    assert (rows[3]["difference_to_smallest_depth"], rows[3]["difference_n"]) == ("", "")
    assert (last["model"], last["judge"], last["draws"]) == ("some/model-4b", "exact-match", "500")


def test_the_page_has_the_table(table):
    reader = Cells()
    reader.feed(page(of_one(table), {}))
    assert [["Condition"], ["Cut"], ["2"], ["3"], ["4"], ["4 minus 2"]] in reader.rows
    assert [
        ["sharded-v"],
        ["both"],
        ["75.0", "[50.0, 100.0]"],
        ["25.0", "[0.0, 50.0]"],
        ["0.0", "–"],
        ["−100.0", "–"],
    ] in reader.rows


def test_a_run_over_other_scenes_has_no_such_table(tmp_path):
    other = condition_table(small_run(tmp_path / "run"), "exact-match", draws=100)
    assert "tables/depths.csv" not in render_report(of_one(other))
    assert "Accuracy by depth" not in markdown(other) + page(of_one(other), {})


def test_a_run_over_cut_scenes_has_the_file(table):
    assert render_report(of_one(table))["tables/depths.csv"] == comma_separated(table)
