from dataclasses import replace

import numpy as np
import pytest

from lvqa_eval.metrics.scores import OUTCOMES, Scores
from lvqa_eval.metrics.study import NOT_PLANNED, Study, StudyError
from lvqa_eval.runs.records import Key
from tests.support.scored_runs import conversation, question
from tests.support.studies import NAN, random_study, study_of, without

OK = OUTCOMES.index("ok")


def scores(conditions, correct, asked):
    cells = np.array(correct, dtype=float)
    return Scores(tuple(conditions), tuple(asked), cells, np.full(cells.shape, OK, dtype=np.int8))


ASKED = [question("q1", "s1"), question("q2", "s2")]


def test_runs_are_joined_by_the_names_of_their_conditions():
    found = Study.join(
        {
            "a": scores(["full", "oracle"], [[[1, 0], [1, 1]], [[0, 0], [0, 1]]], ASKED),
            "b": scores(["oracle", "sharded-v"], [[[1], [0]], [[0], [0]]], ASKED),
        }
    )
    assert (found.models, found.conditions) == (("a", "b"), ("full", "oracle", "sharded-v"))
    assert found.correct.shape == (2, 3, 2, 2)
    np.testing.assert_array_equal(found.of(["oracle"])[1, 0], [[1, NAN], [0, NAN]])
    assert np.isnan(found.of(["full"])[1]).all()
    # The second run had no `full`, and no second repetition of anything.
    assert (found.outcome[1, 0] == NOT_PLANNED).all()
    assert found.planned.sum(axis=(2, 3)).tolist() == [[4, 4, 0], [0, 2, 2]]
    assert np.isnan(found.of(["recap-v"])).all()
    assert not found.planned_of(["recap-v"]).any()


def test_every_difference_of_the_questions_is_named():
    others = [replace(ASKED[0], answer="blue", depth=7), question("q3", "s3")]
    with pytest.raises(StudyError) as caught:
        Study.join({"a": scores(["full"], [[[1], [1]]], ASKED), "b": scores(["full"], [[[1], [1]]], others)})
    assert str(caught.value).splitlines()[1:] == [
        "  q1: depth: a has 4, b has 7",
        "  q1: answer: a has 'a red circle', b has 'blue'",
        "  q2: b does not have it",
        "  q3: a does not have it",
    ]


def test_shards_that_an_older_run_does_not_have_are_no_difference():
    newer = [replace(one, shards=("What?", "The red one.")) for one in ASKED]
    pair = {"a": scores(["full"], [[[1], [1]]], ASKED), "b": scores(["full"], [[[1], [1]]], newer)}
    assert Study.join(pair).models == ("a", "b")


def test_no_run_is_no_study():
    with pytest.raises(StudyError, match="found no run"):
        Study.join({})


def test_cuts_of_one_picture_are_one_cluster():
    asked = [
        question("q1", "dose-s0-0003-both-d02"),
        question("q2", "dose-s0-0003-both-d04"),
        question("q3", "s"),
    ]
    study = study_of(np.ones((1, 1, 3, 1)), ["full"], asked=asked)
    assert study.scenes == ("dose-s0-0003", "s")
    assert study.scene_of.tolist() == [0, 0, 1]
    assert study.weights(draws=5).shape == (5, 2)


def test_the_intersection_of_what_counts():
    correct = [[[[1, NAN], [0, 1]], [[1, 1], [NAN, 0]]], [[[1, 1], [0, 1]], [[1, NAN], [0, 0]]]]
    study = study_of(correct, ["full", "oracle"])
    inside = study.common(["full", "oracle"])
    assert np.isfinite(inside.correct[0]).tolist() == [[[True, False], [False, True]]] * 2
    assert np.isfinite(inside.correct[1]).tolist() == [[[True, False], [True, True]]] * 2
    across = study.common(["full", "oracle"], across_models=True)
    assert np.isfinite(across.correct).sum(axis=(2, 3)).tolist() == [[2, 2], [2, 2]]
    assert (across.planned == study.planned).all()


def test_conditions_are_pooled_only_where_a_model_has_all():
    study = without(random_study(["full", "oracle"], count=4, runs=2), "m1", "oracle")
    pooled = study.pooled(study.correct, ["full", "oracle"])
    assert pooled.shape == (2, 4, 4)
    np.testing.assert_array_equal(pooled[0], np.hstack([study.correct[0, 0], study.correct[0, 1]]))
    assert np.isnan(pooled[1]).all()
    assert study.complete(["full", "oracle"]).tolist() == [True, False]
    assert study.planned_together(["full", "oracle"]).sum(axis=(1, 2)).tolist() == [16, 8]
    assert study.held(["oracle", "recap-v", "full"]) == ("oracle", "full")


def test_models_alone_keep_their_draws():
    study = random_study(["full"], models=3)
    alone = study.only(["m2", "m0"])
    assert alone.models == ("m2", "m0")
    np.testing.assert_array_equal(alone.correct, study.correct[[2, 0]])
    assert (alone.weights(20) == study.weights(20)).all()


def test_readings_stand_where_their_conversation_does():
    study = study_of(np.ones((1, 2, 2, 2)), ["full", "oracle"])
    records = {
        record.key: record
        for record in [
            conversation("oracle", "q01", run=2),
            conversation("full", "q00"),
            conversation("recap-v", "q00"),
            conversation("full", "q99"),
            conversation("full", "q00", run=3),
        ]
    }
    found = study.grid(records, lambda asked, record: asked.depth * 10 + record.run)
    np.testing.assert_array_equal(found, [[[31, NAN], [NAN, NAN]], [[NAN, NAN], [NAN, 42]]])
    wide = study.grid(records, lambda asked, record: range(record.run + 1), width=2)
    assert wide.shape == (2, 2, 2, 2)
    assert wide[0, 0, 0].tolist() == [0, 1]
    assert wide[1, 1, 1].tolist() == [0, 1]
    assert np.isnan(study.grid({Key("full", "q00", 1): None}, lambda *_: (), width=1)).all()
