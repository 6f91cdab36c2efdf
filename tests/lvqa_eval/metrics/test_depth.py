"""Accuracy by depth by hand, from the verdicts in tests/support/dose_run.py.

sharded-v: depth 2 has + + in picture 0 and + - in picture 1, 3/4; depth 3 has + - and - -, 1/4; depth 4 has
- - in picture 0 alone, 0/2.
"""

from dataclasses import replace

import numpy as np
import pytest

from lvqa_eval.metrics.depth import depth_responses
from lvqa_eval.metrics.scores import score_run
from tests.support.dose_run import dose_run
from tests.support.small_run import small_run

WEIGHTS = np.array([[2.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
"""Three draws: picture 0 twice, picture 1 twice, each once."""


def scores_of(store):
    return score_run(store, store.read_conversations().records, store.read_judgements("exact-match").records)


@pytest.fixture
def responses(tmp_path):
    found = depth_responses(scores_of(dose_run(tmp_path / "run")), WEIGHTS)
    return {one.condition: one for one in found}


def test_all_cuts_of_a_picture_are_one_cluster(tmp_path):
    scores = scores_of(dose_run(tmp_path / "run"))
    assert scores.scenes == ("dose-s0-0000", "dose-s0-0001")
    assert scores.scene_of.tolist() == [0, 0, 0, 1, 1]


def test_levels_are_pooled_over_pictures_and_runs(responses):
    levels = responses["sharded-v"].levels
    assert responses["sharded-v"].depths == (2, 3, 4)
    assert [one.value for one in levels] == [0.75, 0.25, 0.0]
    assert [(one.n, one.scenes) for one in levels] == [(4, 2), (4, 2), (2, 1)]
    assert [one.value for one in responses["full"].levels] == [0.5, 0.5, 1.0]


def test_intervals_come_from_drawing_pictures(responses):
    """At depth 2 the draws give 1, 1/2 and 3/4: 2.5 % lies at 0.05 of the first step, 97.5 % mirrored."""
    first, _, last = responses["sharded-v"].levels
    assert (first.low, first.high) == pytest.approx((0.5 + 0.05 * 0.25, 1 - 0.05 * 0.25))
    assert np.isnan([last.low, last.high]).all()


def test_differences_are_paired_with_the_smallest_depth(responses):
    """Depth 3 less 2: picture 0 has 0 and -1, picture 1 has -1 and 0. Depth 4 less 2: -1 and -1."""
    nothing, third, fourth = responses["sharded-v"].differences
    assert nothing is None
    assert (third.value, third.n) == (-0.5, 4)
    assert (third.low, third.high) == (-0.5, -0.5)
    assert (fourth.value, fourth.n, fourth.scenes) == (-1.0, 2, 1)
    assert responses["full"].differences[2].value == 0.0


def test_other_scenes_have_no_response(tmp_path):
    assert depth_responses(scores_of(small_run(tmp_path / "run")), np.ones((1, 3))) == ()


def test_one_depth_is_no_response(tmp_path):
    scores = scores_of(dose_run(tmp_path / "run"))
    alone = [i for i, question in enumerate(scores.questions) if question.depth == 3]
    one_depth = replace(
        scores,
        questions=tuple(scores.questions[i] for i in alone),
        correct=scores.correct[:, alone],
        outcome=scores.outcome[:, alone],
    )
    assert depth_responses(one_depth, WEIGHTS) == ()
