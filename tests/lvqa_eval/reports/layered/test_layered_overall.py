import math
from dataclasses import replace

import numpy as np
import pytest

from lvqa_eval.metrics.scores import OUTCOMES
from lvqa_eval.reports.layered import overall
from tests.support.studies import NAN, random_study, study_of, without
from tests.support.study_inputs import inputs_of
from tests.support.table_cells import at, table_of

# Two models under one condition, four questions in two runs each.
CORRECT = [
    [[[1, 1], [1, 0], [0, 0], [0, NAN]]],
    [[[1, 1], [1, 1], [1, 0], [0, 0]]],
]
FIELD = "Mean of 2 models"


def found(correct=CORRECT, conditions=("full",)):
    return overall.exhibit(inputs_of(study_of(correct, conditions)))


def test_accuracy_is_pooled_over_questions_and_runs():
    table = table_of(found(), "accuracy")
    figure = at(table, "m0", "full, %")
    assert (figure.value, figure.n, figure.planned) == (pytest.approx(3 / 7), 7, 8)
    assert figure.low < figure.value < figure.high
    assert at(table, FIELD, "full, %").value == pytest.approx((3 / 7 + 5 / 8) / 2)
    assert table.told[-1].startswith("* Coverage below 99 %")


def test_mean_and_sd_over_runs():
    mean, sd = (table_of(found(), f"accuracy-run-{one}") for one in ("mean", "sd"))
    # Runs: 2/4 and 1/3 of m0, 3/4 and 2/4 of m1.
    assert at(mean, "m0", "full, %") == pytest.approx(5 / 12)
    assert at(mean, "m1", "full, %") == pytest.approx(5 / 8)
    assert at(sd, "m0", "full, points") == pytest.approx((1 / 6) / math.sqrt(2))
    assert at(sd, "m1", "full, points") == pytest.approx((1 / 4) / math.sqrt(2))
    # The field: 5/8 in the first run, 5/12 in the second.
    assert at(mean, FIELD, "full, %") == pytest.approx(25 / 48)
    assert at(sd, FIELD, "full, points") == pytest.approx((5 / 24) / math.sqrt(2))


def test_one_run_has_no_spread():
    exhibit = found(np.array(CORRECT)[..., :1])
    assert [table.name for table in exhibit.tables] == ["accuracy", "accuracy-coverage", "accuracy-outcomes"]
    assert "One run: the spread over runs is not known." in exhibit.tables[0].notes


def test_coverage_is_of_what_the_model_planned():
    study = study_of(np.repeat(CORRECT, 2, axis=1), ("oracle", "full"))
    exhibit = overall.exhibit(inputs_of(without(study, "m1", "oracle")))
    table = table_of(exhibit, "accuracy-coverage")
    assert [head.title for head in table.heads] == ["Model", "full, %", "oracle, %", "all conditions, %"]
    assert table.rows[0] == ("m0", 7 / 8, 7 / 8, 14 / 16)
    assert [at(table, "m1", "full, %"), at(table, "m1", "all conditions, %")] == [1, 1]
    assert math.isnan(at(table, "m1", "oracle, %"))
    assert table.rows[2] == ("All 2 models", 15 / 16, 7 / 8, 22 / 24)


def test_outcomes_are_shares_of_what_was_planned():
    study = study_of(CORRECT, ["full"])
    outcome = study.outcome.copy()
    names = ["truncated", "refused", "timeout", "server_error", "judge_parse_error", "missing", "ok", "ok"]
    outcome[0, 0] = np.array([OUTCOMES.index(name) for name in names]).reshape(4, 2)
    table = table_of(overall.exhibit(inputs_of(replace(study, outcome=outcome))), "accuracy-outcomes")
    shares = {head.title: value for head, value in zip(table.heads, table.rows[0], strict=True)}
    assert shares == {
        "Model": "m0",
        "Planned": 8,
        "Judged, %": 2 / 8,
        "Truncated, %": 1 / 8,
        "Refused, %": 1 / 8,
        "Empty, %": 0,
        "Unparsable, %": 0,
        "Errors, %": 2 / 8,
        "Overflow, %": 0,
        "Unjudged, %": 1 / 8,
        "Missing, %": 1 / 8,
    }
    assert at(table, FIELD, "Judged, %") == (2 / 8 + 1) / 2
    assert math.isnan(at(table, FIELD, "Planned"))


def test_the_paper_stands_beside():
    # Questions 1 and 2 are relational: spatial and counting.
    correct = np.array([[[1, 1, 1, 0], [1, 1, 0, 0]], [[1, 0, 1, 0], [0, 1, 1, 0]]], dtype=float)[..., None]
    table = found(correct, ("full", "aligned-vq")).reported
    assert at(table, "full, all questions", "Reported, %") == 0.6
    assert at(table, "full, all questions", "Measured here, %").value == 0.625
    assert at(table, "aligned-vq, relational questions", "Reported, %") == 0.313
    assert at(table, "aligned-vq, relational questions", "Measured here, %").value == 0.75
    assert math.isnan(at(table, "evidence-last, all questions", "Measured here, %"))
    assert "Relational questions: those of spatial, counting, multi_hop." in table.notes


def test_one_model_has_no_row_below_it():
    exhibit = overall.exhibit(inputs_of(random_study(("full", "oracle"), models=1)))
    assert {len(table.rows) for table in exhibit.tables} == {1}
    assert {table.summary for table in exhibit.tables} == {0}
