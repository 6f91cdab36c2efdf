import numpy as np
import pytest

from lvqa_eval.metrics.overall import Overall, overall, overall_in_common

TASKS = ("a", "b", "c", "d")


def test_a_mean_over_what_is_there_is_no_overall_value():
    found = overall({"a": 0.9, "b": 0.8}, TASKS)
    assert np.isnan(found.value)
    assert (found.over, found.missing) == (("a", "b"), ("c", "d"))


def test_all_tasks_have_the_same_weight():
    assert overall(dict(zip(TASKS, (0.1, 0.2, 0.3, 0.8), strict=True)), TASKS) == Overall(
        pytest.approx(0.35), TASKS, ()
    )
    assert overall({"a": 0.5, "z": 1.0}, ["a"]).value == 0.5


def test_an_undefined_score_is_a_missing_one():
    assert overall({"a": 0.5, "b": float("nan")}, ["a", "b"]).missing == ("b",)


def test_no_task_is_no_value():
    assert np.isnan(overall({}, ()).value)


def test_rows_are_compared_on_the_tasks_that_all_have():
    rows = {
        "x": {"a": 0.9, "b": 0.8},
        "y": {"a": 0.5, "b": 0.7, "c": 0.1, "d": 0.1},
        "z": {"b": 0.2, "a": 0.2},
    }
    found = overall_in_common(rows, TASKS)
    assert {name: one.over for name, one in found.items()} == dict.fromkeys(rows, ("a", "b"))
    assert [one.value for one in found.values()] == pytest.approx([0.85, 0.6, 0.2])


def test_rows_without_a_common_task_are_not_compared():
    found = overall_in_common({"x": {"a": 1.0}, "y": {"b": 1.0}}, TASKS)
    assert all(np.isnan(one.value) for one in found.values())
