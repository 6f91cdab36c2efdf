from collections import Counter
from pathlib import Path

import pytest
import yaml

from lvqa_eval.reports.reported import Unit, reported_row, reported_table, reported_tables
from lvqa_eval.reports.reported.papers import ReportedError, model_key, parse

SPEC = Path(__file__).resolve().parents[3] / ".." / "shared" / "spec" / "paper_results.yaml"


def numbers(node):
    """Return every number of a nested document; a note in words is none."""
    if isinstance(node, dict):
        return [number for value in node.values() for number in numbers(value)]
    if isinstance(node, list):
        return [number for value in node for number in numbers(value)]
    return [float(node)] if isinstance(node, int | float) else []


def figures(paper):
    return [
        figure
        for table in reported_tables()
        if table.paper == paper
        for row in table.rows
        for figure in row.figures.values()
    ]


def value(paper, table, column, **keys):
    (row,) = reported_table(paper, table).find(**keys)
    return row.figures[column].value


def test_how_many_figures_each_paper_has():
    assert len(figures("bear-bench")) == 9 + 4 + 16 * 9 + 4 * 2 + 5 + (100 * 3 - 10 * 2) + 2 + 4
    text = (8, 6, 9, 6, 4, 4, 3, 4, 10, 2)  # from the composition to what is ungrounded
    behaviour = (5, 10, 3, 3, 5)  # commitment, verbosity, attempts, unreliability
    judges, rest = (4, 3, 8, 1), (4, 6, 3)
    assert len(figures("layered-vqa")) == sum((*text, *behaviour, *judges, *rest)) == 111


def test_every_figure_is_marked_with_its_source():
    assert {one.source for one in figures("bear-bench")} == {"arXiv 2608.17895"}
    assert {one.source for one in figures("layered-vqa")} == {"arXiv 2609.38368"}
    assert {row.label for table in reported_tables() for row in table.rows} == {
        "reported, arXiv 2608.17895",
        "reported, arXiv 2609.38368",
    }


@pytest.mark.skipif(not SPEC.exists(), reason="the list of the papers' figures is not beside the repository")
@pytest.mark.parametrize(("paper", "section"), [("bear-bench", "bear_bench"), ("layered-vqa", "layered_vqa")])
def test_no_number_is_missing_and_none_is_added(paper, section):
    printed = yaml.safe_load(SPEC.read_text(encoding="utf-8"))[section]
    # The factors of the image's size are names of rows here.
    assert Counter(one.value for one in figures(paper)) == Counter(numbers(printed))


def test_figures_stand_where_they_are_printed():
    assert value("layered-vqa", "deliveries", "difference", condition="concat-v", reference="full") == -0.187
    assert value("layered-vqa", "deliveries", "high", condition="recap-v") == 0.373
    assert value("layered-vqa", "accuracy", "joint", condition="all-layers") == 0.09
    assert value("layered-vqa", "relational", "difference", kind="relational", condition="oracle") == -0.228
    assert value("layered-vqa", "verbosity", "accuracy", delivery="multi_turn", fifth="5") == 0.41
    assert value("layered-vqa", "judge-agreement", "kappa", between="two annotators") == 0.95
    assert value("bear-bench", "accuracy", "equations", model="Gemini 3.1 Pro") == 71.4
    assert value("bear-bench", "downsampling", "accuracy", factor="1.5") == 45.0
    signals = {"model": "Qwen3.5-27B", "detector": "model_as_judge"}
    assert value("bear-bench", "detectors", "balanced_accuracy", **signals) == 0.81


def test_a_figure_that_is_not_printed_is_not_there():
    (row,) = reported_table("layered-vqa", "deliveries").find(condition="concat-v")
    assert list(row.figures) == ["difference"]
    (row,) = reported_table("bear-bench", "detectors").find(model="Qwen3.5-9B", detector="model_as_judge")
    assert list(row.figures) == ["balanced_accuracy"]


def test_units_and_what_is_a_share():
    row = reported_row("Qwen/Qwen3.5-9B", "bear-bench", "accuracy")
    assert (row.figures["overall"].unit, row.figures["overall"].share) == (Unit.PER_CENT, 0.496)
    assert row.figures["median_answer_words"].unit is Unit.WORDS
    with pytest.raises(ReportedError, match="found a figure in words, needed a share"):
        _ = row.figures["median_answer_words"].share
    (cost,) = reported_table("layered-vqa", "deliveries").find(condition="oracle")
    assert cost.figures["difference"].share == -0.148


@pytest.mark.parametrize("name", ["Qwen/Qwen3-VL-4B", "qwen3-vl-4b", "QWEN3 VL 4B", "some/Qwen3_VL-4B"])
def test_a_model_is_found_by_any_spelling(name):
    assert reported_row(name, "layered-vqa", "grounding").figures["f1"].value == 0.346


@pytest.mark.parametrize("name", ["Qwen3-VL-4B-Instruct", "Qwen3-VL-40B", "Qwen3-VL", ""])
def test_another_model_is_not_taken_for_it(name):
    assert reported_row(name, "layered-vqa", "grounding") is None


def test_the_point_in_a_version_counts():
    assert model_key("google/gemini-3.1-pro") == "gemini3.1pro" != model_key("gemini-31-pro")


def test_what_no_paper_prints_is_refused():
    with pytest.raises(ReportedError, match="paper: found 'other', allowed: bear-bench, layered-vqa"):
        reported_table("other", "accuracy")
    with pytest.raises(ReportedError, match="table: found 'costs', allowed: composition, categories"):
        reported_table("layered-vqa", "costs")
    with pytest.raises(ReportedError, match="keys: found model, allowed: condition, reference"):
        reported_row("Qwen3-VL-4B", "layered-vqa", "deliveries")
    with pytest.raises(ReportedError, match=r"found 10 rows of 'Qwen.*9B', allowed: one"):
        reported_row("Qwen3.5-9B", "bear-bench", "detectors")


def test_all_problems_of_a_file_are_told_at_once():
    text = """
paper: p
title: t
source: s
tables:
- {id: a, caption: c, keys: [k], units: {x: share}, rows: [[one, 1], [one, 2], [two], [3, 4], [four, five]]}
- {id: a, caption: c, keys: [k], units: {x: share}, rows: []}
"""
    with pytest.raises(ReportedError) as told:
        parse(text)
    assert str(told.value).splitlines() == [
        "p: a: row 3: found 1 entries, allowed: 2",
        "p: a: row 4: keys: found [3.0], allowed: text",
        "p: a: row 5: figures: found ['five'], allowed: numbers and null",
        "p: a: found rows with the same keys, allowed: one of each",
        "p: a: found 2 times, allowed: once",
    ]
    with pytest.raises(ReportedError, match="metres"):
        parse(text.replace("x: share", "x: metres"))
