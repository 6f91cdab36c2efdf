"""A baseline in the report: a row of its own after the conditions, and in no other figure."""

import csv
import io
from dataclasses import replace

import pytest

from lvqa_eval.reports.conditions.csv_table import comma_separated
from lvqa_eval.reports.conditions.formats import markdown, plain
from lvqa_eval.reports.conditions.rows import ConditionRow
from lvqa_eval.reports.conditions.table import condition_table
from lvqa_eval.reports.page import page
from lvqa_eval.statuses import Status
from tests.support.made_reports import made_part, made_report, made_source
from tests.support.scored_runs import conversation, judgement, question, write_run

QUESTIONS = [question(f"q{i}", f"s{i // 2}") for i in range(6)]
FULL, BLIND = (1, 1, 1, 1, 0, 0), (1, 0, 0, 0, 0, 0)


def run(folder, **settings):
    """Six questions under `full`, and under the baseline where it is planned; one of the latter timed out."""
    verdicts = {"full": FULL, "question-only": BLIND} if settings else {"full": FULL}
    conversations = [
        conversation(name, f"q{i}", status=Status.TIMEOUT if (name, i) == ("question-only", 5) else Status.OK)
        for name in verdicts
        for i in range(6)
    ]
    judgements = [
        judgement(name, f"q{i}", correct=bool(right))
        for name, of in verdicts.items()
        for i, right in enumerate(of)
    ]
    return write_run(folder, ["full"], 1, QUESTIONS, conversations, {"some-judge": judgements}, **settings)


def of_one(table):
    return page(made_report(made_part(sources=(made_source(),), conditions=table)), {})


@pytest.fixture
def table(tmp_path):
    return condition_table(run(tmp_path / "run", baselines={"question-only": "ab"}), "some-judge", draws=200)


def test_the_baseline_is_the_last_row_with_an_accuracy_and_no_difference(table):
    assert [row.condition for row in table.rows if row.measured] == ["full", "question-only"]
    last = table.rows[-1]
    assert last.baseline
    assert len(table.rows) == 17
    measured = last.measured
    assert (measured.accuracy.value, measured.accuracy.valid, measured.accuracy.planned) == (1 / 5, 5, 6)
    assert measured.difference is None
    # Scenes with 1 of 2, 0 of 2 and 0 of 1: no draw is above one half.
    assert (measured.interval.low, measured.interval.high) == (0.0, 0.5)
    assert table.rows[0].measured.accuracy.value == 4 / 6


def test_everything_else_is_as_without_it(table, tmp_path):
    without = condition_table(run(tmp_path / "other"), "some-judge", draws=200)
    assert table.rows[:16] == without.rows
    assert [one for one in table.cautions if one not in without.cautions] == []
    assert (table.contrast, table.depths) == (without.contrast, without.depths)


def test_its_conversations_are_within_the_plan_and_it_is_never_ranked(table):
    assert not any("plan does not have" in caution for caution in table.cautions)
    assert not any("not ranked" in caution for caution in table.cautions)
    rows = {row["condition"]: row for row in csv.DictReader(io.StringIO(comma_separated(table)))}
    blind = rows["question-only"]
    assert (blind["baseline"], blind["measured"], blind["ranked"]) == ("yes", "yes", "no")
    assert (blind["accuracy"], blind["n"], blind["difference_to_full"]) == ("0.200000", "5", "")
    assert (rows["full"]["baseline"], rows["full"]["ranked"]) == ("no", "yes")


def test_tables_name_it_a_baseline(table):
    (line,) = [line for line in plain(table).splitlines() if "baseline" in line]
    assert line.split()[:5] == ["question-only", "(baseline)", "20.0", "[0.0,", "50.0]"]
    assert "| question-only (baseline) | 20.0 [0.0, 50.0] |" in markdown(table)
    assert "Timed out, not counted: 1 of 12 conversations (8.3 %): question-only 1." in markdown(table)


def test_the_page_gives_it_a_family_and_says_what_it_is(table):
    text = of_one(table)
    assert text.index('class="pin">Diagnostic</th>') < text.index('class="pin">Baseline</th>')
    assert "delivered in 16 ways" in text
    assert "It is no delivery" in text
    rows = tuple(row for row in table.rows if not row.baseline)
    assert "It is no delivery" not in of_one(replace(table, rows=rows))
    further = (*table.rows, ConditionRow("shuffled-pixels", table.rows[-1].measured, baseline=True))
    assert "a baseline added to this project" in of_one(replace(table, rows=further))
