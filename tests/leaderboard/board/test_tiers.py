"""Rank tiers from paired draws, on boards made by hand and against a recomputation from raw verdicts."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from leaderboard.board.layered_figures import DELIVERY_CONDITIONS
from leaderboard.board.tiers import tiers
from lvqa_eval.metrics.bootstrap import DRAWS
from lvqa_eval.runs.store import RunStore


def of_scenes(*models, draws=400):
    """Return the draws of models that are right in so many of ten conversations of each scene."""
    rng = np.random.default_rng(5)
    drawn = rng.multinomial(len(models[0]), [1 / len(models[0])] * len(models[0]), size=draws)
    return [(drawn @ np.array(model) / 10 / len(model)).astype(np.float32) for model in models]


def test_a_board_made_by_hand():
    best = (9, 9, 9, 9, 9, 9)
    swaps = (10, 8, 9, 9, 10, 8)  # no better, no worse
    worse = (8, 8, 8, 8, 8, 8)  # one less in every scene, so in every draw
    mixed = (9, 7, 8, 8, 9, 7)  # as good as the one above, but for chance
    last = (1, 2, 1, 2, 1, 2)
    assert tiers(of_scenes(best, swaps, worse, mixed, last)) == [1, 1, 2, 2, 3]


def test_a_model_is_compared_with_the_first_of_its_tier_and_not_with_its_neighbour():
    steps = np.array([0.0, 0.5, 1.0, 1.5, 2.0])
    # Each draw moves each model by its own noise: neighbours are told apart by nothing, ends are.
    rng = np.random.default_rng(1)
    drawn = [rng.normal(-step, 0.3, DRAWS).astype(np.float32) for step in steps]
    assert tiers(drawn) == [1, 1, 2, 2, 3]


@pytest.mark.parametrize(("models", "expected"), [([], []), ([(5, 5)], [1]), ([(5, 5)] * 4, [1, 1, 1, 1])])
def test_none_one_and_equal_models(models, expected):
    assert tiers(of_scenes(*models) if models else []) == expected


def test_what_has_no_interval_cannot_be_told_apart():
    unknown = np.full(50, np.nan, dtype=np.float32)
    high, low = np.full(50, 0.9, dtype=np.float32), np.full(50, 0.1, dtype=np.float32)
    assert tiers([high, unknown, low]) == [1, 1, 2]
    assert tiers([unknown, high, low]) == [1, 1, 1]
    holed = high.copy()
    holed[:10] = np.nan
    assert tiers([holed, low]) == [1, 2]


def test_the_rounding_of_kept_draws_tells_nobody_apart():
    exact = np.full(100, 0.7)
    other = exact + np.resize([3e-9, -3e-9], 100)
    assert tiers([exact.astype(np.float32), other.astype(np.float32)]) == [1, 1]
    assert tiers([(exact + 1e-7).astype(np.float32), exact.astype(np.float32)]) == [1, 1]


@given(st.integers(1, 7).flatmap(lambda n: arrays(np.float32, (n, 40), elements=st.floats(0, 1, width=32))))
def test_tiers_count_up_by_one_and_each_rests_on_its_first(drawn):
    rows = sorted(drawn, key=lambda row: -row.mean())
    found = tiers(rows)
    assert found[0] == 1
    assert set(np.diff(found)) <= {0, 1}
    for place, tier in enumerate(found):
        first = rows[found.index(tier)].astype(np.float64)
        low, high = np.quantile(first - rows[place], [0.025, 0.975])
        if place == found.index(tier) or (low <= 0 <= high):
            continue
        assert min(abs(low), abs(high)) < 1e-6
    for one, other in pairwise(found):
        if other > one:
            place = found.index(other)
            gap = rows[found.index(one)].astype(np.float64) - rows[place]
            low, high = np.quantile(gap, [0.025, 0.975])
            assert low > 0 or high < 0


def test_the_tiers_of_a_board_are_those_of_its_raw_verdicts(small, assembled):
    """Draw scenes anew from the verdicts in the files, scene by scene, without the code of the metrics."""
    ranked = [row for row in assembled.layered.rows if row.entry.shown == "ranked"]
    sums = [by_scene(small.run(row.entry.id)) for row in ranked]
    scenes = sorted(sums[0]["full"])
    rng = np.random.Generator(np.random.PCG64(0))
    picked = rng.integers(len(scenes), size=(DRAWS, len(scenes)))
    drawn = [
        np.mean(
            [
                np.array([one[condition][scene] for scene in scenes])[picked].sum(axis=1)[:, 0]
                / np.array([one[condition][scene] for scene in scenes])[picked].sum(axis=1)[:, 1]
                for condition in DELIVERY_CONDITIONS
            ],
            axis=0,
        )
        for one in sums
    ]
    low, high = np.quantile(drawn[0] - drawn[1], [0.025, 0.975])
    assert [row.tier for row in ranked] == [1, 1 if low <= 0 <= high else 2]
    for row, draws in zip(ranked, drawn, strict=True):
        figure = row.figures["delivered"]
        assert (figure.low, figure.high) == pytest.approx(tuple(np.quantile(draws, [0.025, 0.975])))


def by_scene(folder):
    """Return (right, counted) by condition and scene of a run, by its consensus."""
    store = RunStore.open(folder)
    scene_of = {one.question_id: one.scene_id for one in store.questions().values()}
    found = {}
    for key, one in store.judgements("consensus").items():
        right, counted = found.setdefault(key.condition, {}).get(scene_of[key.question_id], (0, 0))
        told = (right + one.final_turn_correct, counted + 1)
        found[key.condition][scene_of[key.question_id]] = told
    return found
