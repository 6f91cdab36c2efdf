"""Groups of pages, and accuracy inside them."""

import numpy as np
import pandas as pd
import pytest

from lvqa_eval.metrics.bear.conditions import CONDITIONS, DEFAULT, at_factor
from lvqa_eval.metrics.bear.groups import (
    by_cell,
    by_content,
    by_domain,
    by_language,
    by_steps,
    inside,
    overall,
)
from lvqa_eval.metrics.groups import level_by_group
from tests.support.page_studies import page, page_study, random_page_study
from tests.support.studies import NAN, agrees, scipy_bootstrap

PAGES = [
    page("q0", "a", language="en", domain="science", reasoning_steps=2, contains_figures=True),
    page("q1", "b", language="ru", reasoning_steps=3, contains_figures=True, contains_code=True),
    page("q2", "b", language="ru", reasoning_steps=6),
    page("q3", "c", language="en", reasoning_steps=None),
    page("q4", "c", language="en", reasoning_steps=11, contains_equations=True),
]


def shown(groups):
    return {name: "".join(str(int(one)) for one in mask) for name, mask in groups.items()}


def test_pages_by_language_domain_and_cell():
    assert shown(overall(PAGES)) == {"overall": "11111"}
    assert shown(by_language(PAGES)) == {"ru": "01100", "en": "10011"}
    assert shown(by_domain(PAGES)) == {"business": "01111", "science": "10000"}
    # No Russian science: a group without a page is left out.
    assert shown(by_cell(PAGES)) == {"ru-business": "01100", "en-business": "00011", "en-science": "10000"}


def test_pages_by_content_overlap():
    assert shown(by_content(PAGES)) == {"figures": "11000", "equations": "00001", "code": "01000"}


def test_pages_by_steps():
    assert shown(by_steps(PAGES)) == {
        "under 3": "10000",
        "3": "01000",
        "6+": "00101",
        "not stated": "00010",
    }
    crossed = inside(by_language(PAGES), by_steps(PAGES))
    assert {name: shown(groups) for name, groups in crossed.items()} == {
        "ru": {"3": "01000", "6+": "00100"},
        "en": {"under 3": "10000", "6+": "00001", "not stated": "00010"},
    }


def test_conditions_of_the_factors():
    assert [at_factor(one) for one in (1, 1.5, 4.0)] == ["default", "downsample-1.5", "downsample-4"]
    assert list(CONDITIONS[:3]) == ["default", "cot", "downsample-1.5"]
    assert list(CONDITIONS[3:]) == ["downsample-2", "downsample-3", "downsample-4"]


def test_accuracy_by_group_is_over_what_counts_with_documents_as_clusters():
    """ru: q1 right twice, q2 wrong and not judged: 2 of 3, from one document, so without an interval."""
    correct = [[[[1, 1], [1, 1], [0, NAN], [0, 1], [0, 0]]]]
    study = page_study(correct, [DEFAULT], PAGES)
    assert (study.scenes, study.scene_of.tolist()) == (("a", "b", "c"), [0, 1, 1, 2, 2])
    table = level_by_group(study, DEFAULT, by_language(PAGES), study.weights(50))
    russian, english = table.at("m0", "ru"), table.at("m0", "en")
    assert russian.value == pytest.approx(2 / 3)
    assert (russian.n, russian.planned, russian.questions, russian.scenes) == (3, 4, 2, 1)
    assert np.isnan([russian.low, russian.high]).all()
    assert (english.value, english.n, english.scenes) == (0.5, 6, 2)


def test_accuracy_by_group_agrees_with_pandas_and_scipy():
    study = random_page_study()
    groups = {**overall(study.questions), **by_cell(study.questions), **by_content(study.questions)}
    asked = study.questions
    frame = pd.DataFrame(
        {
            "correct": study.of([DEFAULT])[0, 0, :, 0],
            "cell": [f"{one.language}-{one.domain}" for one in asked],
            "figures": [one.contains_figures for one in asked],
        }
    )
    weights, low, high = scipy_bootstrap(study, lambda drawn: frame.correct.iloc[drawn].mean())
    table = level_by_group(study, DEFAULT, groups, weights)
    agrees(table.at("org/model-4B", "overall"), frame.correct.mean(), low, high)
    for name, value in frame.groupby("cell").correct.mean().items():
        assert table.at("org/model-4B", name).value == pytest.approx(value)
    pictured = frame[frame.figures]
    found = table.at("org/model-4B", "figures")
    assert (found.value, found.n) == (pytest.approx(pictured.correct.mean()), pictured.correct.count())
    both = [table.at(model, "ru-science").value for model in study.models]
    assert table.of_field("ru-science").value == pytest.approx(sum(both) / 2)
