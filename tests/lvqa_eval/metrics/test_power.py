import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lvqa_eval.metrics.bootstrap import bootstrap, scene_sums, scene_weights
from lvqa_eval.metrics.power import (
    PairedDesign,
    PowerError,
    independent_discordance,
    paired_pilot,
    scene_covariance,
    unrelated_pilot,
)

REACH = (1.959964 + 0.841621) ** 2  # 80 % at 5 %: 7.8489


def test_the_paired_comparison_of_proportions_by_hand():
    design = PairedDesign(discordance=0.2)
    # (1.959964 + 0.841621)^2 x (0.2 - 0.05^2) / 0.05^2 = 7.8489 x 79
    assert design.questions(0.05) == 621 == math.ceil(REACH * 79)
    assert design.questions(-0.05) == 621
    assert design.questions(0.05, power=0.9) == math.ceil((1.959964 + 1.281552) ** 2 * 79) == 831


def test_what_scenes_and_runs_do_by_hand():
    design = PairedDesign(0.2, instability=0.12, icc=0.25, runs=3, per_scene=3.0)
    # d: 0.2 - 0.0025 - 0.12 x 2/3 = 0.1175; design effect 1 + 2 x 0.25
    assert design.variance(0.05) == pytest.approx(0.1175)
    assert design.design_effect == 1.5
    assert design.questions(0.05) == math.ceil(REACH * 0.1175 * 1.5 / 0.0025) == 554
    assert design.scenes(554) == 185
    assert replace(design, scene_size=5.0).design_effect == 2.0
    assert design.standard_error(0.05, 554) == pytest.approx(math.sqrt(0.1175 * 1.5 / 554))


def test_statsmodels_gives_the_same_size():
    power = pytest.importorskip("statsmodels.stats.power")
    for discordance, difference, wanted, alpha in ((0.2, 0.05, 0.8, 0.05), (0.4, 0.03, 0.9, 0.01)):
        design = PairedDesign(discordance)
        size = difference / math.sqrt(design.variance(difference))
        # A ratio of 0 makes the test of two samples one of a single sample.
        needed = power.NormalIndPower(ddof=0).solve_power(size, alpha=alpha, power=wanted, ratio=0)
        assert design.questions(difference, wanted, alpha) == math.ceil(needed)
        reached = power.NormalIndPower(ddof=0).power(size, 500, alpha, ratio=0)
        assert design.power(difference, 500, alpha) == pytest.approx(reached, abs=1e-9)


@given(st.floats(0.05, 1), st.floats(0, 1), st.floats(0, 0.9), st.integers(1, 5), st.floats(1, 8), st.data())
def test_size_power_and_detectable_difference_agree(discordance, noise, icc, runs, per_scene, data):
    design = PairedDesign(discordance, noise * discordance, icc, runs, per_scene)
    difference = data.draw(st.floats(0.02, discordance))
    needed = design.questions(difference)
    if needed > 2:
        assert design.power(difference, needed) >= 0.8 - 1e-6
        assert design.power(difference, needed - 1) < 0.8 + 1e-3
        assert design.detectable(needed) <= difference + 1e-9
        assert not design.detectable(needed - 1) <= difference - 1e-9
    assert design.questions(difference, power=0.9) >= needed
    assert replace(design, runs=runs + 1).questions(difference) <= needed


def test_all_discordance_may_be_noise_of_single_runs():
    design = PairedDesign(0.2, instability=0.2, runs=4)
    assert design.variance(0.1) == pytest.approx((0.2 - 0.01) / 4)
    found = design.detectable(300)
    assert design.power(found, 300) == pytest.approx(0.8, abs=1e-6)


def test_too_few_questions_show_no_difference_that_can_be():
    assert math.isnan(PairedDesign(0.05).detectable(20))


def test_models_that_err_independently():
    assert independent_discordance(0.6, 0.03) == pytest.approx(0.6 * 0.37 + 0.63 * 0.4)
    with pytest.raises(PowerError, match=r"accuracy: found 0\.98 and 1\.03"):
        independent_discordance(0.98, 0.05)


def test_plans_that_cannot_be_are_refused_whole():
    with pytest.raises(PowerError) as told:
        PairedDesign(1.2, instability=1.5, icc=-0.1, runs=0)
    assert [line.split(":")[0] for line in str(told.value).splitlines()] == [
        "discordance",
        "instability",
        "icc",
        "runs, per_scene",
    ]
    with pytest.raises(PowerError, match=r"difference: found 0\.3, allowed: up to the discordance, 0\.2"):
        PairedDesign(0.2).questions(0.3)
    with pytest.raises(PowerError, match=r"power, alpha: found 1, 0\.05"):
        PairedDesign(0.2).questions(0.1, power=1.0)


def test_covariance_inside_scenes_by_hand():
    # Scenes {1, 3}, {5, 7}: between 16/1, within 4/2, two questions each: (16 - 2) / 2.
    values, scene_of = np.array([1.0, 3.0, 5.0, 7.0]), np.array([0, 0, 1, 1])
    assert scene_covariance(values, scene_of) == pytest.approx(7.0)
    # Sizes 1 and 2: between 6 (means 1, 4, grand 3), within 2/1, typical size 3 - 5/3.
    values, scene_of = np.array([1.0, 3.0, 5.0]), np.array([0, 2, 2])
    assert scene_covariance(values, scene_of) == pytest.approx((6 - 2) / (3 - 5 / 3))
    assert scene_covariance(np.array([1.0, 2.0]), np.array([0, 1])) == 0.0


def test_a_pilot_by_hand():
    a = np.array([[1.0, 1, 0], [1, 0, np.nan], [0, 0, 0], [np.nan, np.nan, np.nan]])
    b = np.array([[1.0, 1, 1], [0, 0, 0], [1, 0, 0], [1, 1, 1]])
    pilot = paired_pilot(a, b, np.array([0, 0, 1, 1]))
    assert (pilot.questions, pilot.scenes, pilot.runs) == (3, 2, 3)
    # Shares of right runs: A 2/3, 1/2, 0; B 1, 0, 1/3.
    assert pilot.difference == pytest.approx((1 / 3 - 1 / 2 + 1 / 3) / 3)
    assert pilot.discordance == pytest.approx((1 / 3 + 1 / 2 + 1 / 3) / 3)
    # Pairs of runs that differ: A 2/3, 1, 0; B 0, 0, 2/3.
    assert pilot.instability == pytest.approx((5 / 9 + 2 / 9) / 2)
    assert pilot.scene_size == pytest.approx(5 / 3)


def test_a_pilot_of_one_run_takes_nothing_off_for_more():
    pilot = paired_pilot(np.array([[1.0], [0], [1]]), np.array([[0.0], [0], [1]]), np.array([0, 1, 2]))
    assert pilot.instability is None
    assert pilot.design(3).variance(0) == pilot.design(1).variance(0) == pytest.approx(1 / 3)


def test_a_pilot_tells_nothing_of_one_scene_or_of_what_never_differs():
    same = np.ones((4, 2))
    with pytest.raises(PowerError, match="scenes with valid data of both: found 1"):
        paired_pilot(same, same, np.zeros(4, dtype=np.intp))
    with pytest.raises(PowerError, match="discordance: found 0"):
        paired_pilot(same, same, np.array([0, 0, 1, 1])).design()


# The stated model: a question is of one of four kinds, which fix how often A and B are right. With
# probability COPY it has the kind of its scene, else one of its own.
KINDS = np.array([[0.9, 0.95], [0.1, 0.7], [0.8, 0.3], [0.05, 0.15]])
SHARES = np.array([0.4, 0.25, 0.2, 0.15])
COPY = 0.8
PER_SCENE = 3


def truth(runs):
    """Return difference and design of the model, from its probabilities alone."""
    right_a, right_b = KINDS.T
    change = right_b - right_a
    difference = float(SHARES @ change)
    discordance = float(SHARES @ (right_a * (1 - right_b) + right_b * (1 - right_a)))
    instability = float(SHARES @ (right_a * (1 - right_a) + right_b * (1 - right_b)))
    covariance = COPY**2 * float(SHARES @ (change - difference) ** 2)
    variance = PairedDesign(discordance, instability, runs=runs).variance(difference)
    return difference, PairedDesign(discordance, instability, covariance / variance, runs, PER_SCENE)


def simulate(rng, times, scenes, runs):
    """Return scores of A and B, each (times, questions, runs), and the scene of each question."""
    questions = scenes * PER_SCENE
    scene_of = np.repeat(np.arange(scenes), PER_SCENE)
    of_scene = rng.choice(len(SHARES), size=(times, scenes), p=SHARES)[:, scene_of]
    own = rng.choice(len(SHARES), size=(times, questions), p=SHARES)
    kind = np.where(rng.random((times, questions)) < COPY, of_scene, own)
    chances = KINDS[kind][..., None, :]
    drawn = rng.random((times, questions, runs, 2)) < chances
    return drawn[..., 0].astype(float), drawn[..., 1].astype(float), scene_of


@pytest.mark.parametrize("runs", [1, 3])
def test_the_planned_power_is_reached_on_the_stated_model(runs):
    difference, design = truth(runs)
    scenes = design.scenes(design.questions(difference))
    planned = design.power(difference, scenes * PER_SCENE)
    a, b, scene_of = simulate(np.random.default_rng(20), 1500, scenes, runs)
    change = b.mean(axis=-1, keepdims=True) - a.mean(axis=-1, keepdims=True)
    found = bootstrap(scene_sums(change, scene_of, scenes), scene_weights(scenes, draws=500, seed=5))
    assert 0.8 <= planned < 0.81
    assert np.mean(found.low > 0) == pytest.approx(planned, abs=0.03)
    assert np.std(found.value) == pytest.approx(design.standard_error(difference, len(scene_of)), rel=0.05)


def test_a_pilot_finds_the_design_of_the_stated_model():
    difference, design = truth(3)
    a, b, scene_of = simulate(np.random.default_rng(7), 300, 100, 3)
    pilots = [paired_pilot(*one, scene_of) for one in zip(a, b, strict=True)]
    assert np.mean([one.difference for one in pilots]) == pytest.approx(difference, abs=0.003)
    assert np.mean([one.discordance for one in pilots]) == pytest.approx(design.discordance, abs=0.003)
    assert np.mean([one.instability for one in pilots]) == pytest.approx(design.instability, abs=0.003)
    covariance = design.icc * design.variance(difference)
    assert np.mean([one.covariance for one in pilots]) == pytest.approx(covariance, abs=0.0005)
    # From three runs to one: the scene's share of a larger variance is smaller.
    assert truth(1)[1].icc < design.icc
    needed = np.median([one.design(1).questions(0.05) for one in pilots])
    assert needed == pytest.approx(truth(1)[1].questions(0.05), rel=0.05)


def test_models_without_a_common_cause_are_the_cautious_case():
    a, b, scene_of = simulate(np.random.default_rng(3), 1, 200, 3)
    together, apart = paired_pilot(a[0], b[0], scene_of), unrelated_pilot(a[0], scene_of)
    right = a[0].mean()
    assert apart.discordance == pytest.approx(2 * right * (1 - right))
    assert apart.covariance == pytest.approx(2 * scene_covariance(a[0].mean(axis=1), scene_of))
    assert apart.design().questions(0.05) > together.design().questions(0.05)
