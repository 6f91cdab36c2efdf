"""Tables 1 to 5 of BEAR-Bench."""

import math
from dataclasses import replace

import numpy as np
import pytest

from lvqa_eval.metrics.bear.conditions import COT, DEFAULT
from lvqa_eval.metrics.scores import OUTCOMES
from lvqa_eval.metrics.study import Study
from lvqa_eval.reports.bear import answer_length, chain_of_thought, downsampling, leaderboard, ocr_characters
from lvqa_eval.reports.bear.all_exhibits import EXHIBITS
from lvqa_eval.reports.bear.commands import RUN
from lvqa_eval.reports.bear.inputs import PageReadings
from lvqa_eval.reports.stems import check_names, stem
from lvqa_eval.reports.table import cells, comma_separated, latex
from tests.support.page_inputs import page_inputs
from tests.support.page_studies import page, page_study, random_page_study
from tests.support.studies import NAN, without

PAGES = (
    page("q0", "a", language="ru", ocr_characters=100, contains_figures=True),
    page("q1", "a", language="ru", ocr_characters=200),
    page("q2", "b", domain="science", ocr_characters=300, contains_figures=True),
    page("q3", "c", ocr_characters=1000, reasoning_steps=None),
)
MODELS = ("Qwen/Qwen3.5-9B", "new/model-2B")


def study_of(correct, conditions=(DEFAULT,), models=MODELS):
    found = page_study(correct, conditions, PAGES)
    return Study(models[: len(correct)], found.conditions, found.questions, found.correct, found.outcome)


def two_models():
    """The first is right about q0 and q2 of four; the second about three of four."""
    return study_of([[[[1], [0], [1], [0]]], [[[1], [1], [1], [0]]]])


def row_of(table, name):
    (row,) = [row for row in table.rows if row[0] == name]
    return dict(zip([head.title for head in table.heads], row, strict=True))


def test_names_labels_and_papers():
    found = [one(page_inputs(random_page_study())) for one in EXHIBITS]
    names = [f"bear-table-{n}" for n in range(1, 6)] + [f"bear-figure-{n}" for n in range(2, 8)]
    assert [one.name for one in found] == [stem(one) for one in found] == names
    assert [one.label for one in found][::5] == ["Table 1", "Figure 2", "Figure 7"]
    assert {one.paper for one in found} == {"bear-bench"}
    check_names(found)


def test_the_leaderboard_by_hand():
    found = leaderboard.exhibit(page_inputs(two_models()))
    whole, by_cell, content = found.tables
    # The best comes first, the mean last.
    assert [row[0] for row in whole.rows] == ["new/model-2B", "Qwen/Qwen3.5-9B", "Mean of 2 models"]
    assert whole.summary == 1
    shown = {name: round(figure.value, 4) for name, figure in list(row_of(whole, MODELS[0]).items())[1:]}
    assert shown == {
        "overall, %": 0.5,
        "ru, %": 0.5,
        "en, %": 0.5,
        "business, %": 0.3333,
        "science, %": 1.0,
    }
    assert row_of(whole, "Mean of 2 models")["overall, %"].value == 0.625
    assert [head.title for head in by_cell.heads] == [
        "Model",
        "ru-business, %",
        "en-business, %",
        "en-science, %",
    ]
    assert row_of(content, MODELS[0])["figures, %"].value == 1.0
    assert [head.title for head in content.heads] == ["Model", "figures, %"]
    assert dict(found.basis) == {
        "n": "8 of 8 planned conversations",
        "Coverage": "100.0 %",
        "Pages": "4",
        "Source documents": "3",
    }


def test_a_group_from_one_document_says_why_it_has_no_interval():
    whole = leaderboard.exhibit(page_inputs(two_models())).tables[0]
    assert math.isnan(row_of(whole, MODELS[0])["ru, %"].low)
    assert any(
        "from one source document, so without an interval: ru, science" in note for note in whole.notes
    )


def test_all_that_the_paper_prints_stands_beside_ours():
    table = leaderboard.exhibit(page_inputs(two_models())).reported
    assert len(table.rows) == 16
    reported = [head.title for head in table.heads if head.reported]
    assert reported[:3] == ["overall reported, %", "business reported, %", "science reported, %"]
    assert len(reported) == 8
    ours = row_of(table, "Qwen3.5-9B")
    assert (ours["Weights"], ours["overall reported, %"], ours["equations reported, %"]) == (
        "open",
        49.6,
        40.7,
    )
    assert ours["overall, measured here, %"].value == 0.5
    assert math.isnan(row_of(table, "Gemini 3.1 Pro")["overall, measured here, %"])
    assert cells(table)[0][:3] == ["Qwen3.5-397B-A17B", "proprietary", "75.4"]


def test_a_model_that_misses_too_much_is_not_ranked_and_what_is_missing_is_said():
    study = study_of([[[[1], [0], [1], [0]]], [[[1], [1], [NAN], [0]]]])
    outcome = study.outcome.copy()
    outcome[0, 0, 1] = OUTCOMES.index("truncated")
    found = leaderboard.exhibit(page_inputs(replace(study, outcome=outcome)))
    assert [row[0] for row in found.tables[0].rows][:2] == ["Qwen/Qwen3.5-9B", "new/model-2B"]
    basis = dict(found.basis)
    assert basis["Coverage"] == "87.5 % (75.0 % in the cell with the least)"
    assert basis["Do not count"] == "1 not judged"
    assert basis["Wrong without a verdict"] == "1 truncated"


def test_one_model_has_no_mean():
    table = leaderboard.exhibit(page_inputs(two_models().only(MODELS[:1]))).tables[0]
    assert (len(table.rows), table.summary) == (1, 0)


def test_the_gain_of_steps_by_hand():
    correct = [[[[1], [0], [0], [0]], [[1], [1], [NAN], [1]]], [[[1], [1], [1], [1]], [[NAN]] * 4]]
    inputs = page_inputs(study_of(correct, (DEFAULT, COT)))
    found = chain_of_thought.exhibit(inputs)
    (table,) = found.tables
    row = row_of(table, MODELS[0])
    assert [row[name].value for name in ("default, %", "cot, %", "gain, points")] == pytest.approx(
        [1 / 3, 1.0, 2 / 3]
    )
    assert cells(table)[0][3].startswith("+66.7* [")
    basis = dict(found.basis)
    assert basis["n"] == "3 of 4 planned pairs of conversations"
    assert basis["Left out"] == (
        f"new/model-2B: no answers with both prompts ({RUN} --conditions default,cot)"
    )
    ours = row_of(found.reported, "Qwen3.5-9B")
    assert (ours["default reported, %"], ours["cot reported, %"]) == (49.6, 49.3)
    assert ours["cot, measured here, %"].value == 1.0
    assert math.isnan(row_of(found.reported, "Qwen3.5-4B")["default, measured here, %"])


def test_accuracy_by_factor_by_hand():
    correct = [[[[1], [1], [1], [0]], [[1], [0], [0], [0]], [[0], [0], [NAN], [0]]]]
    study = study_of(correct, (DEFAULT, "downsample-1.5", "downsample-4"))
    found = downsampling.exhibit(page_inputs(study))
    levels, changes = found.tables
    assert [head.title for head in levels.heads] == ["Model", "factor 1, %", "factor 1.5, %", "factor 4, %"]
    assert [figure.value for figure in levels.rows[0][1:]] == [0.75, 0.25, 0.0]
    assert [figure.value for figure in changes.rows[0][1:]] == pytest.approx([-0.5, -2 / 3])
    at_factor = {row[1]: row[2:] for row in found.reported.rows}
    assert {factor: printed for factor, (printed, _) in at_factor.items()} == {
        "1": 49.6,
        "1.5": 45.0,
        "2": 33.0,
        "3": 12.6,
        "4": 4.7,
    }
    assert at_factor["1.5"][1].value == 0.25
    assert math.isnan(at_factor["2"][1])
    assert any("49.3" in note for note in found.reported.notes)


def test_median_words_beside_what_was_cut_off():
    study = two_models()
    outcome = study.outcome.copy()
    outcome[0, 0, 1] = OUTCOMES.index("truncated")
    words = np.array([[[[2], [NAN], [10], [4]]], [[[1], [1], [3], [3]]]], dtype=float)
    readings = PageReadings(words, np.where(np.isfinite(words), words + 100, 7.0))
    found = answer_length.exhibit(page_inputs(replace(study, outcome=outcome), readings=readings))
    (table,) = found.tables
    assert [head.title for head in table.heads] == [
        "Model",
        "answer, words",
        "answer and thinking, words",
        "truncated, %",
    ]
    assert [one.value for one in table.rows[0][1:]] == [4.0, 103.0, 0.25]
    assert [one.value for one in table.rows[2][1:]] == [3.0, 102.5, 0.125]
    assert dict(found.basis)["Replies without an answer to measure"] == "Qwen/Qwen3.5-9B 1"
    assert dict(found.basis)["Answer"].startswith("n: 7 of 8 planned conversations; coverage: 87.5 %")
    ours = row_of(found.reported, "Qwen3.5-9B")
    assert (ours["Reported, words"], ours["Measured here, words"].value) == (1162, 4.0)
    assert ours["Truncated here, %"].value == 0.25
    assert cells(found.reported)[0] == ["Qwen3.5-397B-A17B", "2", "-", "-"]


def test_characters_of_an_image_by_benchmark():
    inputs = page_inputs(two_models(), ocr={"DocVQA": [10, 20, 60], "Another": [5] * 300})
    found = ocr_characters.exhibit(inputs)
    (table,) = found.tables
    assert [row[:3] for row in table.rows] == [("Another", 300, 200), ("DocVQA", 3, 3), ("BEAR-Bench", 4, 4)]
    assert [(row[3].value, row[4].value) for row in table.rows] == [(5.0, 5.0), (30.0, 20.0), (400.0, 250.0)]
    assert table.rows[2][3].scenes == 3
    assert table.notes == ("All 4 pages here: mean 400.0 characters.",)
    ours = row_of(found.reported, "DocVQA")
    assert (ours["Reported, characters"], ours["Mean measured here, characters"].value) == (1113.0, 30.0)
    assert len(found.reported.rows) == 9
    alone = ocr_characters.exhibit(page_inputs(two_models()))
    assert [row[0] for row in alone.tables[0].rows] == ["BEAR-Bench"]
    assert alone.tables[0].notes[1] == (
        "No other benchmark was counted. This does: "
        "lvqa build bear compare NAME=PLACE, then lvqa report RUN… --ocr ocr-characters.json"
    )


@pytest.mark.parametrize(
    ("place", "says", "command"),
    [
        (1, "None of runs/Qwen3.5-9B, runs/model-2B has the condition default.", RUN),
        (2, "No model of runs/Qwen3.5-9B, runs/model-2B", "--model NAME --conditions default,cot"),
        (3, "has answers to smaller pictures", "--model NAME --conditions default,downsample-2"),
        (4, "has the condition default", RUN),
        (6, "has the condition default", RUN),
        (7, "has a tag. People give them in:", "error-tags.jsonl"),
        (8, "has answers to smaller pictures", "--model NAME --conditions default,downsample-2"),
        (9, "has the condition default", RUN),
        (10, "has the condition default", RUN),
    ],
)
def test_what_lacks_its_input_names_the_command(place, says, command):
    found = EXHIBITS[place](page_inputs(study_of(two_models().correct, (COT,))))
    assert says in found.missing
    assert f" {command}" in found.missing
    assert (found.tables, found.plot, found.reported) == ((), None, None)


def test_a_factor_that_a_model_lacks_has_a_dash_a_note_and_no_mean():
    study = without(random_page_study(MODELS), MODELS[1], "downsample-3")
    found = downsampling.exhibit(page_inputs(study))
    row = row_of(found.tables[1], "Mean of 2 models")
    assert math.isnan(row["factor 3, points"].value)
    assert math.isfinite(row["factor 2, points"].value)
    assert any("new/model-2B" in note and "factor 3" in note for note in found.tables[1].notes)


def test_tables_as_latex_and_csv():
    table = leaderboard.exhibit(page_inputs(two_models().only(MODELS[:1]))).tables[2]
    assert "Qwen/Qwen3.5-9B & 100.0 [100.0, 100.0] \\\\" in latex(table)
    assert comma_separated(table).splitlines() == [
        'Model,"figures, %","figures, % low","figures, % high","figures, % n","figures, % coverage"',
        "Qwen/Qwen3.5-9B,1.000000,1.000000,1.000000,2,1.000000",
    ]
