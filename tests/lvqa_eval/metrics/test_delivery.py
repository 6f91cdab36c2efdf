"""Accuracy, cost and what is retained, against scipy's bootstrap over the same drawn scenes."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lvqa_eval.metrics.delivery import (
    accuracy_table,
    cell_accuracy,
    cost_of_delivery,
    retained,
    run_spread,
)
from tests.support.studies import NAN, agrees, random_study, scipy_bootstrap, study_of, without

CONDITIONS = ("full", "concat-v", "sharded-v")
FAMILY = {"layers": ("concat-v", "sharded-v")}


def accuracy_of(study, row, condition):
    return lambda asked: np.nanmean(study.of([condition])[row, 0, asked])


def change_of(study, row, condition):
    pairs = study.of([condition])[row, 0] - study.of(["full"])[row, 0]
    return lambda asked: np.nanmean(pairs[asked])


def retained_of(study, row):
    def value(asked):
        levels = [accuracy_of(study, row, condition)(asked) for condition in CONDITIONS]
        return 100 * np.mean(levels[1:]) / levels[0]

    return value


def over_models(of, study, *names):
    return lambda asked: np.mean([of(study, row, *names)(asked) for row in range(len(study.models))])


@pytest.fixture(scope="module")
def study():
    return random_study(CONDITIONS, seed=4, models=3)


def everything(study):
    return list(range(len(study.questions)))


@pytest.mark.parametrize(
    ("of", "names", "table", "column"),
    [
        (accuracy_of, ["sharded-v"], accuracy_table, "sharded-v"),
        (change_of, ["sharded-v"], cost_of_delivery, "sharded-v"),
        (retained_of, [], lambda study, weights: retained(study, weights, FAMILY), "layers"),
    ],
    ids=["accuracy", "cost", "retained"],
)
def test_model_and_field_agree_with_scipy(study, of, names, table, column):
    one, field = of(study, 1, *names), over_models(of, study, *names)
    for value, pick in ((one, lambda t: t.at("m1", column)), (field, lambda t: t.of_field(column))):
        weights, low, high = scipy_bootstrap(study, value)
        agrees(pick(table(study, weights)), value(everything(study)), low, high)


def test_a_cell_by_hand():
    study = study_of([[[[1, 0, 1], [1, 1, NAN], [0, NAN, 0]]]], ["full"], scenes=[0, 0, 1])
    found = accuracy_table(study, np.array([[2.0, 0.0], [1.0, 1.0], [0.0, 2.0]])).at("m0", "full")
    assert found.value == 4 / 7
    # The draws give 4/5, 4/7 and 0: 2.5 % lies at 0.05 of the first step, 97.5 % mirrored.
    assert found.low == pytest.approx(0.05 * 4 / 7, abs=1e-12)
    assert found.high == pytest.approx(0.8 - 0.05 * (0.8 - 4 / 7), abs=1e-12)
    assert (found.n, found.questions, found.scenes, found.planned) == (7, 3, 2, 9)
    assert found.coverage == 7 / 9


def test_cost_is_paired_and_says_of_how_many_pairs():
    study = study_of([[[[1, 1], [1, NAN], [1, 0]], [[0, 1], [1, 1], [NAN, 0]]]], ["full", "concat-v"])
    table = cost_of_delivery(study, study.weights(100))
    found = table.at("m0", "concat-v")
    assert table.columns == ("concat-v",)
    assert found.value == -1 / 4
    assert (found.n, found.questions, found.planned) == (4, 3, 6)


def test_what_is_retained_is_relative_to_a_models_own_full():
    """Model 0 has 1.0 under full and 3/4, 1/4 under the family: 50 %. Model 1 has 1/2, and 1/4, 1/2: 75 %."""
    correct = [
        [[[1], [1], [1], [1]], [[1], [1], [1], [0]], [[1], [0], [0], [0]]],
        [[[1], [1], [0], [0]], [[1], [0], [0], [0]], [[1], [1], [0], [0]]],
    ]
    study = study_of(correct, CONDITIONS)
    table = retained(study, study.weights(500), FAMILY)
    assert table.unit == "per cent"
    assert table.cells.value[:, 0] == pytest.approx([50.0, 75.0])
    assert table.of_field("layers").value == pytest.approx(62.5)
    # A draw of four questions in which model 1 has none of its two right under full: (1/2)^4.
    assert 15 < table.at("m1", "layers").dropped < 55
    assert table.of_field("layers").dropped == table.at("m1", "layers").dropped


def test_nothing_can_be_retained_of_nothing():
    study = study_of([[[[0], [0]], [[1], [0]], [[0], [0]]]], CONDITIONS)
    found = retained(study, study.weights(10), FAMILY).at("m0", "layers")
    assert np.isnan([found.value, found.low, found.high]).all()
    assert found.dropped == 10


def test_a_field_without_a_model_is_no_field():
    """The mean of the other models would stand in a column beside means of all."""
    study = without(random_study(CONDITIONS, models=3), "m1", "sharded-v")
    weights = study.weights(50)
    for table, column in (
        (accuracy_table(study, weights), "sharded-v"),
        (cost_of_delivery(study, weights), "sharded-v"),
        (retained(study, weights, FAMILY), "layers"),
    ):
        assert np.isnan(table.of_field(column).value)
        assert np.isnan(table.of_field(column).low)
        assert table.lacking(column) == ("m1",)
    assert np.isfinite(accuracy_table(study, weights).of_field("concat-v").value)
    whole = study.only(["m0", "m2"])
    found = accuracy_table(whole, weights).of_field("sharded-v")
    assert found.value == pytest.approx(
        accuracy_table(study, weights).cells.value[[0, 2], 2].mean(), abs=1e-12
    )


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_perfect_and_zero_have_an_interval_without_width(value):
    study = study_of(np.full((2, 2, 12, 1), value), ["full", "oracle"])
    weights = study.weights(200)
    agrees(accuracy_table(study, weights).at("m1", "full"), value, value, value)
    agrees(accuracy_table(study, weights).of_field("oracle"), value, value, value)
    agrees(cost_of_delivery(study, weights).of_field("oracle"), 0.0, 0.0, 0.0)


def test_one_scene_has_no_interval():
    study = random_study(CONDITIONS, scenes=1)
    weights = study.weights(20)
    for table in (
        accuracy_table(study, weights),
        cost_of_delivery(study, weights),
        retained(study, weights, FAMILY),
    ):
        assert np.isfinite(table.cells.value).all()
        assert np.isnan([table.cells.low, table.cells.high]).all()
        assert np.isnan([table.field.low, table.field.high]).all()


def test_a_difference_is_drawn_in_pairs():
    """Each of forty questions is lost: the difference is one in every draw, however accuracy would vary."""
    rng = np.random.default_rng(0)
    gone = (rng.random(40) < 0.5).astype(float)
    study = study_of(np.stack([gone, gone - 1])[None, ..., None], ["full", "oracle"])
    agrees(cost_of_delivery(study, study.weights(300)).at("m0", "oracle"), -1.0, -1.0, -1.0)


def test_cells_on_the_same_conversations_differ_by_the_paired_difference():
    study = random_study(CONDITIONS, seed=9)
    pair = ["full", "sharded-v"]
    weights = study.weights(30)
    levels = accuracy_table(study.common(pair), weights, pair).cells.value
    costs = cost_of_delivery(study, weights).cells.value[:, 1]
    np.testing.assert_allclose(levels[:, 1] - levels[:, 0], costs, atol=1e-12)


def test_conversations_without_a_verdict_are_in_view():
    study = study_of([[[[1], [0], [NAN], [1], [NAN]]]], ["full"])
    found = cell_accuracy(study, "m0", "full")
    assert (found.planned, found.valid, found.coverage) == (5, 3, 0.6)
    assert (found.value, found.strict) == (2 / 3, 2 / 5)
    figure = accuracy_table(study, study.weights(10)).at("m0", "full")
    assert (figure.value, figure.n, figure.coverage) == (2 / 3, 3, 0.6)


def test_runs_that_were_not_planned_are_not_missing():
    study = random_study(["full"], runs=3)
    outcome = study.outcome.copy()
    outcome[0, 0, :, 2] = -1
    correct = study.correct.copy()
    correct[0, 0, :, 2] = NAN
    found = cell_accuracy(replace(study, correct=correct, outcome=outcome), "m0", "full")
    assert found.planned == 2 * 18
    assert len(found.by_run) == 2


def test_spread_over_runs_of_the_field_by_hand():
    """Run 1: (1/2 + 1)/2 = 3/4; run 2: (0 + 1/2)/2 = 1/4. Deviations of 1/4 each: sd = sqrt(1/8)."""
    study = study_of([[[[1, 0], [0, 0]]], [[[1, 1], [1, 0]]]], ["full"])
    found = run_spread(study)
    assert found.by_run.tolist() == [[0.75, 0.25]]
    assert found.mean == pytest.approx([0.5])
    assert found.sd == pytest.approx([np.sqrt(1 / 8)])
    assert np.isnan(run_spread(study_of([[[[1], [0]]]], ["full"])).sd).all()


@settings(max_examples=25)
@given(st.randoms(use_true_random=False), st.integers(0, 1000))
def test_the_order_of_questions_models_and_runs_changes_nothing(random, seed):
    study = random_study(CONDITIONS, seed=seed, count=9, scenes=3)
    asked, models, runs = ([*range(size)] for size in (9, 2, 3))
    for order in (asked, models, runs):
        random.shuffle(order)
    turned = replace(
        study,
        models=tuple(study.models[row] for row in models),
        questions=tuple(study.questions[place] for place in asked),
        correct=study.correct[np.ix_(models, range(3), asked, runs)],
        outcome=study.outcome[np.ix_(models, range(3), asked, runs)],
    )
    weights = study.weights(15)
    for table in (accuracy_table, cost_of_delivery, lambda s, w: retained(s, w, FAMILY)):
        here, there = table(study, weights), table(turned, weights)
        for field in ("value", "low", "high"):
            np.testing.assert_allclose(
                getattr(here.cells, field)[models], getattr(there.cells, field), rtol=0, atol=1e-9
            )
            np.testing.assert_allclose(
                getattr(here.field, field), getattr(there.field, field), rtol=0, atol=1e-9
            )
