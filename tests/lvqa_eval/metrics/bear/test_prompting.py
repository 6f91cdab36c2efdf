"""Two prompts, and five sizes of a picture."""

from dataclasses import replace

import numpy as np
import pytest

from lvqa_eval.metrics.bear.conditions import COT, DEFAULT
from lvqa_eval.metrics.bear.prompting import cot_gain, resolution
from tests.support.page_studies import page, page_study, random_page_study
from tests.support.studies import NAN, agrees, scipy_bootstrap, without

PAGES = [page(f"q{place}", f"d{place}") for place in range(4)]


def test_the_gain_is_taken_over_the_same_pages():
    """Pairs: q0 0->1, q1 1->1, q3 0->1; q2 has no verdict under cot. Levels 1/3 and 3/3, gain 2/3."""
    study = page_study([[[[0], [1], [1], [0]], [[1], [1], [NAN], [1]]]], [DEFAULT, COT], PAGES)
    found = cot_gain(study, study.weights(300))
    assert found.left_out == ()
    default, cot = (found.levels.at("m0", name) for name in (DEFAULT, COT))
    gain = found.gain.at("m0", "gain")
    assert (default.value, cot.value, gain.value) == pytest.approx((1 / 3, 1.0, 2 / 3))
    assert [one.n for one in (default, cot, gain)] == [3, 3, 3]
    assert (gain.planned, gain.scenes) == (4, 3)
    assert 0.0 <= gain.low < gain.value < gain.high == 1.0


def test_the_gain_agrees_with_scipy():
    study = random_page_study(seed=3)
    pairs = study.of([COT])[1, 0, :, 0] - study.of([DEFAULT])[1, 0, :, 0]
    weights, low, high = scipy_bootstrap(study, lambda drawn: np.nanmean(pairs[drawn]))
    agrees(cot_gain(study, weights).gain.at("org/model-9B", "gain"), np.nanmean(pairs), low, high)


def test_models_without_the_other_prompt_are_left_out():
    study = random_page_study(("a", "b", "c"), (DEFAULT, COT))
    found = cot_gain(without(study, "b", COT), study.weights(20))
    assert (found.gain.models, found.left_out) == (("a", "c"), ("b",))
    assert np.isfinite(found.gain.of_field("gain").value)
    assert cot_gain(random_page_study(conditions=(DEFAULT,)), study.weights(20)) is None
    assert cot_gain(random_page_study(conditions=(COT,)), study.weights(20)) is None


def test_the_resolution_curve_by_hand():
    """At 2: q0 right, q1 wrong, q2 not judged. Level 1/2; against factor 1 (1, 1, 1, 0): 0 and -1."""
    correct = [[[[1], [1], [1], [0]], [[1], [0], [NAN], [NAN]], [[0], [0], [0], [0]]]]
    study = page_study(correct, [DEFAULT, "downsample-2", "downsample-4"], PAGES)
    found = resolution(study, study.weights(50))
    assert (found.factors, found.levels.columns, found.changes.columns) == (
        (1.0, 2.0, 4.0),
        ("1", "2", "4"),
        ("2", "4"),
    )
    assert found.levels.cells.value.tolist() == [[0.75, 0.5, 0.0]]
    assert found.changes.cells.value.tolist() == [[-0.5, -0.75]]
    assert found.changes.cells.n.tolist() == [[2, 4]]


def test_a_model_that_lacks_a_factor_has_no_value_there_and_none_is_not_on_the_curve():
    study = random_page_study(("a", "b", "c"), (DEFAULT, "downsample-2", "downsample-3"))
    study = without(without(study, "b", "downsample-3"), "c", "downsample-2")
    study = without(study, "c", "downsample-3")
    found = resolution(study, study.weights(20))
    assert (found.levels.models, found.left_out) == (("a", "b"), ("c",))
    assert found.changes.lacking("3") == ("b",)
    assert np.isnan(found.changes.of_field("3").value)
    assert np.isfinite(found.changes.of_field("2").value)


def test_no_curve_from_one_size():
    study = random_page_study(conditions=(DEFAULT, COT))
    assert resolution(study, study.weights(20)) is None
    empty = replace(study, correct=np.full(study.correct.shape, NAN))
    assert cot_gain(empty, study.weights(20)) is None
