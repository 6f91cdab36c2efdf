"""Figures 2 to 7 of BEAR-Bench."""

import math
from dataclasses import replace

import numpy as np
import pytest

from lvqa_eval.metrics.bear.conditions import DEFAULT
from lvqa_eval.reports.bear import (
    composition,
    error_types,
    model_size,
    resolution_figure,
    steps,
    steps_by_group,
)
from lvqa_eval.reports.bear.all_exhibits import EXHIBITS
from lvqa_eval.reports.plots.style import drawn, styled
from lvqa_eval.runs.records import Key
from tests.support.legible import faults
from tests.support.page_inputs import page_inputs
from tests.support.page_studies import page, page_study, random_page_study

MANY = (
    *("Qwen/Qwen3.5-0.8B", "Qwen/Qwen3-VL-4B-Thinking", "Qwen/Qwen3.5-4B", "google/gemma-4-31B-it"),
    *("Gemini 2.5 Pro", "Qwen/Qwen3.5-397B-A17B"),
)
PAGES = (
    page("q0", "a", language="ru", reasoning_steps=3),
    page("q1", "a", language="ru", reasoning_steps=3),
    page("q2", "b", domain="science", reasoning_steps=8),
    page("q3", "c", reasoning_steps=None, contains_tables=True, document_type="flowchart"),
)


def tagged(study, share=1.0):
    rng = np.random.default_rng(0)
    kinds = ["C1", "C2", "C3", "C4", "C5"]
    return {
        model: {
            Key(DEFAULT, one.question_id, 1): set(rng.choice(kinds, size=rng.integers(0, 3), replace=False))
            for one in study.questions
            if rng.random() < share
        }
        for model in study.models
    }


def row_of(table, *names):
    (row,) = [row for row in table.rows if row[: len(names)] == names]
    return row


def panels(exhibit):
    with styled():
        return drawn(exhibit.plot).axes


@pytest.mark.parametrize("models", [MANY[:1], MANY[:3], MANY], ids=["one", "three", "six"])
def test_every_figure_can_be_read(models):
    study = random_page_study(models, count=60)
    inputs = page_inputs(study, draws=60, tags=tagged(study))
    found = [one for make in EXHIBITS if (one := make(inputs)).plot is not None]
    assert [one.name for one in found] == [f"bear-figure-{n}" for n in range(2, 8)]
    for one in found:
        assert faults(one.plot) == [], one.name
        assert "nan" not in one.plot.alt
        assert one.plot.alt.endswith(".")


def test_the_composition_by_hand():
    study = page_study(np.ones((1, 1, 4, 1)), [DEFAULT], PAGES)
    found = composition.exhibit(page_inputs(study))
    cells, types, content, by_steps = found.tables
    assert cells.rows == (
        ("ru-business", 2, 1, 0.5, 2000.0),
        ("en-business", 1, 1, 0.25, 2000.0),
        ("en-science", 1, 1, 0.25, 2000.0),
    )
    assert types.rows == (("10-K", 3, 2, 2, 0, 1), ("flowchart", 1, 1, 0, 1, 0))
    assert content.rows == (("tables", 1, 1, 0.25, 2000.0),)
    assert [row[:2] for row in by_steps.rows] == [("3", 2), ("6+", 1), ("not stated", 1)]
    assert dict(found.basis)["Source documents"] == "3; no document has pages in two cells"
    assert row_of(found.reported, "ru-business") == ("ru-business", 352, 2)
    assert math.isnan(row_of(found.reported, "ru-science")[2])
    assert "By cell: ru-business 2, en-business 1, en-science 1. By content: tables 1." in found.plot.alt


def test_bars_are_stacked_by_language_and_rare_types_are_one_bar():
    asked = [
        page(f"q{place}", f"d{place}", document_type=f"type {place:02d}", language=("ru", "en")[place % 2])
        for place in range(12)
    ]
    study = page_study(np.ones((1, 1, 12, 1)), [DEFAULT], asked)
    axes = panels(composition.exhibit(page_inputs(study)))
    # These pages hold nothing, so that there is no fourth panel.
    titles = [one.get_title(loc="left") for one in axes if one.get_visible()]
    assert titles == ["Cell", "Document type", "Steps"]
    assert [patch.get_width() for patch in axes[2].patches] == [6, 6]
    assert [patch.get_x() for patch in axes[2].patches] == [0, 6]
    assert [text.get_text() for text in axes[2].texts] == ["12"]
    names = [label.get_text() for label in axes[1].get_yticklabels()]
    assert (len(names), names[-1]) == (8, "5 others")
    assert [text.get_text() for text in axes[1].texts][-1] == "5"


def test_accuracy_by_size_has_the_smallest_first():
    study = random_page_study(MANY)
    found = model_size.exhibit(page_inputs(study))
    (table,) = found.tables
    assert [row[0] for row in table.rows] == [
        "Qwen/Qwen3.5-0.8B",
        "Qwen/Qwen3-VL-4B-Thinking",
        "Qwen/Qwen3.5-4B",
        "google/gemma-4-31B-it",
        "Qwen/Qwen3.5-397B-A17B",
        "Gemini 2.5 Pro",
        "Mean of 6 models",
    ]
    assert row_of(table, "Qwen/Qwen3.5-397B-A17B")[1:3] == (397.0, 17.0)
    assert math.isnan(row_of(table, "Gemini 2.5 Pro")[1])
    assert dict(found.basis)["Size not stated"] == "Gemini 2.5 Pro"
    russian = [one.language == "ru" for one in study.questions]
    expected = np.nanmean(study.of([DEFAULT])[0, 0, russian])
    assert row_of(table, "Qwen/Qwen3.5-0.8B")[3].value == pytest.approx(expected)
    reported = dict(
        zip([head.title for head in found.reported.heads], row_of(found.reported, "Qwen3.5-4B"), strict=True)
    )
    assert (reported["ru reported, %"], reported["en reported, %"]) == (42.3, 59.0)
    assert math.isfinite(reported["ru, measured here, %"].value)
    sizes, others = panels(found)
    assert (sizes.get_xscale(), others.get_xlabel()) == ("log", "not stated")
    # Two models of 4 billion stand side by side.
    at = sorted({round(float(x), 2) for x in sizes.containers[0].lines[0].get_xdata()})
    assert len(at) == 5


def test_only_models_without_a_size():
    found = model_size.exhibit(page_inputs(random_page_study(("Gemini 2.5 Pro", "Claude Opus 4.6"))))
    assert [one.get_xlabel() for one in panels(found)] == ["not stated"]


def test_error_types_by_hand():
    study = page_study([[[[0], [0], [0], [1]]]], [DEFAULT], PAGES)
    keys = [Key(DEFAULT, f"q{place}", 1) for place in range(4)]
    tags = {"m0": {keys[0]: {"C2"}, keys[2]: {"C2", "C5"}, keys[3]: {"C1"}}}
    found = error_types.exhibit(page_inputs(study, tags=tags))
    shares, counts = found.tables
    assert [head.title for head in shares.heads][1:3] == ["C1, %", "C2, %"]
    assert [one.value for one in shares.rows[0][1:]] == [0.0, 1.0, 0.0, 0.0, 0.5, 0.0]
    assert counts.rows == (("m0", 3, 2, 0, 2, 0, 0, 1, 0),)
    assert dict(found.basis) == {"Tagged": "2 of 3 wrong answers", "Tagged, but not wrong": "1"}
    assert "C2 counting 100.0" in found.plot.alt


def test_of_many_models_the_mean_is_drawn_over_them():
    study = random_page_study(MANY, count=60)
    inputs = page_inputs(study, draws=60, tags=tagged(study))
    for make in (error_types.exhibit, steps.exhibit, resolution_figure.exhibit):
        (axes,) = panels(make(inputs))
        assert axes.get_legend_handles_labels()[1] == ["single models", "Mean of 6 models"]
    (few,) = panels(steps.exhibit(page_inputs(random_page_study(MANY[:2]), draws=60)))
    assert few.get_legend_handles_labels()[1] == ["Qwen3.5-0.8B", "Qwen3-VL-4B-Thinking"]


def test_the_resolution_curve_is_table_4():
    study = random_page_study(MANY[:2])
    inputs = page_inputs(study, draws=60)
    found = resolution_figure.exhibit(inputs)
    (axes,) = panels(found)
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "1.5", "2", "3", "4"]
    assert axes.get_ylim()[0] == 0
    assert found.tables[0].rows == EXHIBITS[3](inputs).tables[0].rows


def test_accuracy_by_steps_by_hand():
    study = page_study([[[[1], [0], [1], [1]]], [[[1], [1], [0], [1]]]], [DEFAULT], PAGES)
    found = steps.exhibit(page_inputs(study))
    means, by_model = found.tables
    assert [row[:3] for row in means.rows] == [("3", 2, 1), ("6+", 1, 1), ("not stated", 1, 1)]
    assert [row[3].value for row in means.rows] == [0.75, 0.5, 1.0]
    assert [one.value for one in by_model.rows[0][1:]] == [0.5, 1.0, 1.0]
    assert dict(found.basis)["Pages"] == "1 to 2 in each column"
    assert "3 (2 pages) 75.0 %" in found.plot.alt
    # No line leads to what is not stated.
    (axes,) = panels(found)
    lines = [line for line in axes.lines if line.get_linestyle() != "None" and len(line.get_xdata()) > 1]
    assert {len(line.get_xdata()) for line in lines} == {2}


def test_accuracy_by_steps_inside_languages_and_domains():
    study = page_study([[[[1], [0], [1], [1]]], [[[1], [1], [0], [1]]]], [DEFAULT], PAGES)
    found = steps_by_group.exhibit(page_inputs(study))
    assert [(*row[:3], row[3].value) for row in found.tables[0].rows] == [
        ("ru", "3", 2, 0.75),
        ("en", "6+", 1, 0.5),
        ("en", "not stated", 1, 1.0),
        ("business", "3", 2, 0.75),
        ("business", "not stated", 1, 1.0),
        ("science", "6+", 1, 0.5),
    ]
    assert [table.name for table in found.tables[1:]] == [
        f"bear-figure-7-{name}" for name in ("ru", "en", "business", "science")
    ]
    language, domain = panels(found)
    assert [label.get_text() for label in language.get_xticklabels()] == ["3", "6+", "not\nstated"]
    assert language.get_legend_handles_labels()[1] == ["Russian", "English"]
    assert domain.get_legend_handles_labels()[1] == ["Business", "Science"]


def test_figures_are_the_same_twice():
    study = random_page_study(MANY[:2])
    inputs = page_inputs(study, draws=60, tags=tagged(study, 0.5))
    for make in EXHIBITS:
        one, again = make(inputs), make(inputs)
        # How a plot is drawn is a function, which equals itself alone.
        assert repr(replace(one, plot=None)) == repr(replace(again, plot=None))
        assert (one.plot and one.plot.alt) == (again.plot and again.plot.alt)
