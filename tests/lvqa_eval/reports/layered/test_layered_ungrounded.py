import math

import numpy as np
import pytest

from lvqa_eval.reports.layered import ungrounded
from lvqa_eval.reports.table import latex
from tests.support.studies import NAN, study_of
from tests.support.study_inputs import inputs_of, readings_of, rulings_of
from tests.support.table_cells import at, table_of

CONDITIONS = ("sharded-v", "evidence-last", "aligned-vq")
# Evidence is complete in turn 3. Right answers come in turns 1, 3, nowhere (the judge of turns sees none).
CORRECT = [1, 1, 1, 0]
FIRST = {
    "sharded-v": [1, 3, 0, 0],
    "evidence-last": [1, 2, 3, 0],
    "aligned-vq": [3, 3, NAN, 1],
}


def inputs(models=1, correct=CORRECT, **given):
    cells = np.array([[correct] * 3] * models, dtype=float)[..., None]
    study = study_of(cells, CONDITIONS)
    first = np.array([[FIRST[one] for one in CONDITIONS]] * models, dtype=float)[..., None]
    standing = {
        "readings": readings_of(study, evidence=np.full(cells.shape, 3.0)),
        "rulings": rulings_of(study, first_correct_attempt=first),
        "post_hoc": "j.post-hoc",
    }
    return inputs_of(study, **{**standing, **given})


def test_pooled_by_model():
    table = table_of(ungrounded.exhibit(inputs()), "table-6")
    (row,) = table.rows
    # Nine of twelve are right; of seven that are located three came before turn 3.
    assert [cell.value for cell in row[1:]] == pytest.approx([9 / 12, 3 / 7, 9 / 12 * 4 / 7])
    assert (row[2].n, row[2].planned) == (7, 9)


def test_by_family_and_by_condition_with_what_is_not_located():
    found = ungrounded.exhibit(inputs())
    families = table_of(found, "table-6-families")
    assert [row[0] for row in families.rows] == [
        *("all pooled", "layers in stack order", "layers in evidence order", "shards with layers")
    ]
    assert [row[4] for row in families.rows] == [2, 1, 0, 1]
    assert at(families, "layers in evidence order", "ungrounded, %").value == pytest.approx(2 / 3)
    assert families.notes[0] == "all pooled: sharded-v, evidence-last, aligned-vq."
    conditions = table_of(found, "table-6-conditions")
    assert [row[0] for row in conditions.rows] == list(CONDITIONS)
    assert [row[2].value for row in conditions.rows] == pytest.approx([1 / 2, 2 / 3, 0])
    assert [row[3].value for row in conditions.rows] == pytest.approx([0.375, 0.25, 0.75])


def test_basis():
    basis = dict(ungrounded.exhibit(inputs()).basis)
    assert basis["accuracy"].startswith("n = 12 of 12 planned conversations; coverage 100.0 %")
    assert basis["right answers"].startswith("n = 7 of 9 planned conversations; coverage 77.7 %")
    assert basis["Not located"] == "2 right answers"
    assert basis["Post-hoc judge"] == "j.post-hoc"
    assert basis["Conditions"] == (
        "sharded-v, evidence-last, aligned-vq (not run: recap-v, snowball-v, evidence-first, misaligned-vq)"
    )


def test_what_the_question_alone_reaches_is_told_where_it_is_known():
    study = inputs().study
    base = study_of(
        np.array([[[1, 0, 0, 0]]], dtype=float)[..., None], ["question-only"], asked=study.questions
    )
    found = ungrounded.exhibit(inputs(baselines=base))
    table = table_of(found, "table-6-question-only")
    assert [cell.value for cell in table.rows[0][1:]] == [0.25, 0.5, 0.5, 0.5]
    assert [head.kind for head in table.heads] == ["text", "share", "points", "points", "points"]
    assert table.notes[0] == (
        "Without any picture 25.0 % are right (m0 alone): so much of what is right needs no evidence, "
        "whenever it was said."
    )
    without = ungrounded.exhibit(inputs())
    assert "table-6-question-only" not in {one.name for one in without.tables}
    assert without.tables[0].notes[0].startswith("Not every run has the baseline question-only, so how much ")
    assert not any("question-only" in note for note in found.tables[0].notes)


def test_both_accounts_of_the_paper_stand_beside_ours_under_their_names():
    reported = ungrounded.exhibit(inputs()).reported
    rows = {row[0]: row[1:] for row in reported.rows}
    assert rows["section 5, all: ungrounded"][0] == 0.393
    assert rows["section 5, all: ungrounded"][1].value == pytest.approx(3 / 7)
    assert rows["section 5, all: accuracy"][0] == 0.42
    assert rows["section 5, all: grounded accuracy"][0] == 0.27
    assert rows["appendix A6, all: accuracy"][0] == 0.401
    assert rows["appendix A6, all: grounded accuracy"][0] == 0.287
    fixed = rows["appendix A6, layers on a fixed schedule: ungrounded"]
    assert (fixed[0], fixed[1].value) == (0.352, 0.5)
    joint = rows["appendix A6, joint: ungrounded"]
    assert (joint[0], joint[1].value) == (0.153, 0)
    assert math.isnan(rows["appendix A6, strongest open model: ungrounded"][1])
    assert math.isnan(rows["Gemini-3.7-Flash: accuracy"][1])
    assert "The two passages cannot both describe one set of conditions and models." in reported.notes


def test_the_weakest_model_is_ours_and_a_model_of_the_paper_is_itself():
    from dataclasses import replace

    both = inputs(models=2)
    both.study.correct[1, :, 1] = 0
    named = replace(both, study=replace(both.study, models=("google/gemini-3.7-flash", "weak")))
    rows = {row[0]: row[1:] for row in ungrounded.exhibit(named).reported.rows}
    weakest = rows["appendix A6, weakest model (here weak): ungrounded"]
    # Of its right answers located are those in turn 1 (twice) and in turn 3 (twice).
    assert (weakest[0], weakest[1].value) == (0.421, 0.5)
    assert rows["Gemini-3.7-Flash: accuracy"][1].value == 0.75


def test_without_rulings_or_conditions_it_says_what_makes_them():
    found = ungrounded.exhibit(inputs(rulings=None, post_hoc=None))
    assert found.missing.endswith(": lvqa judge runs/m0 --judge NAME@URL --protocol post-hoc")
    assert found.reported is None
    single = inputs_of(study_of(np.array([[CORRECT]])[..., None], ["full"]))
    assert ungrounded.exhibit(single).missing.startswith("None of runs/m0 has any of sharded-v, recap-v, ")


def test_latex():
    assert r"\midrule" in latex(table_of(ungrounded.exhibit(inputs()), "table-6-conditions"))
