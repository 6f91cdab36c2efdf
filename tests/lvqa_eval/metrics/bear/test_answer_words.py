"""Words of answers, their median under the bootstrap, and answers that were cut off."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lvqa_eval.metrics.bear.answer_length import answer_length, answer_words, words_with_thinking
from lvqa_eval.metrics.bear.conditions import DEFAULT
from lvqa_eval.metrics.medians import weighted_medians
from lvqa_eval.metrics.scores import OUTCOMES
from lvqa_eval.statuses import Status
from tests.support.page_studies import page, page_study, random_page_study
from tests.support.scored_runs import conversation, turn
from tests.support.studies import NAN, agrees, scipy_bootstrap

Q = page("q")


def said(reply, thinking=None, status=Status.OK):
    turns = (replace(turn(composite=True, reply=reply), thinking=thinking, status=status),)
    return conversation(DEFAULT, "q", status=status, turns=turns)


@pytest.mark.parametrize(
    ("reply", "thinking", "status", "alone", "together"),
    [
        ("The total is 42.", None, Status.OK, 4, 4),
        ("  42\n", "First, add\nthe rows.", Status.OK, 1, 5),
        ("выручка — 1 000 руб.", None, Status.OK, 5, 5),
        ("It begins", "so", Status.TRUNCATED, 2, 3),
        (None, "still thinking", Status.TRUNCATED, NAN, 2),
        ("I cannot say.", None, Status.REFUSED, NAN, NAN),
        (None, None, Status.EMPTY, NAN, NAN),
        (None, None, Status.SERVER_ERROR, NAN, NAN),
    ],
)
def test_words_are_what_white_space_separates(reply, thinking, status, alone, together):
    found = said(reply, thinking, status)
    np.testing.assert_equal(answer_words(Q, found), alone)
    np.testing.assert_equal(words_with_thinking(Q, found), together)


def length_study(words, outcomes, documents="abcd"):
    asked = [page(f"q{place}", documents[place]) for place in range(len(words[0]))]
    study = page_study(np.zeros((len(words), 1, len(asked), 1)), [DEFAULT], asked)
    codes = np.array([[OUTCOMES.index(name) for name in row] for row in outcomes], dtype=np.int8)
    return replace(study, outcome=codes[:, None, :, None]), np.array(words, dtype=float)[:, None, :, None]


def test_the_median_and_the_share_that_was_cut_off():
    study, words = length_study(
        [[2, 10, 100, NAN], [1, 3, NAN, NAN]],
        [["ok", "truncated", "not_judged", "truncated"], ["ok", "ok", "server_error", "empty"]],
    )
    found = answer_length(study, words, study.weights(100))
    first, second = (found.words.at(model, "median") for model in ("m0", "m1"))
    assert (first.value, first.n, first.planned) == (10.0, 3, 4)
    assert (second.value, second.n) == (2.0, 2)
    assert found.words.of_field("median").value == 6.0
    # Two of the first model's four replies were cut off; the second gave three, and none of them was.
    shares = [found.truncated.at(model, "truncated") for model in ("m0", "m1")]
    assert [(one.value, one.n, one.planned) for one in shares] == [(0.5, 4, 4), (0.0, 3, 4)]
    assert found.without_words == (1, 1)


def test_words_of_what_was_never_answered_do_not_count():
    study, words = length_study([[5, 50]], [["ok", "missing"]])
    assert answer_length(study, words, study.weights(20)).words.at("m0", "median").value == 5.0


def test_a_median_from_one_document_has_no_interval():
    study, words = length_study([[2, 10, 100]], [["ok"] * 3], documents="aaa")
    found = answer_length(study, words, study.weights(20)).words.at("m0", "median")
    assert (found.value, found.scenes) == (10.0, 1)
    assert np.isnan([found.low, found.high]).all()


def test_the_interval_of_the_median_agrees_with_scipy():
    study = random_page_study(conditions=(DEFAULT,))
    words = np.random.default_rng(1).integers(1, 40, study.correct.shape).astype(float)
    words[0, 0, 7] = NAN
    of_model = words[0, 0, :, 0]
    weights, low, high = scipy_bootstrap(study, lambda drawn: np.nanmedian(of_model[drawn]))
    found = answer_length(study, words, weights).words
    agrees(found.at("org/model-4B", "median"), np.nanmedian(of_model), low, high)


@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=8),
    st.lists(st.lists(st.integers(0, 3), min_size=8, max_size=8), min_size=1, max_size=4),
)
@settings(max_examples=60, deadline=None)
def test_a_weighted_median_is_that_of_the_values_written_out(values, rows):
    weights = np.array(rows, dtype=float)[:, : len(values)]
    found = weighted_medians(np.array(values, dtype=float), weights)
    for one, row in zip(found, weights.astype(int), strict=True):
        written = np.repeat(values, row)
        np.testing.assert_equal(one, np.median(written) if len(written) else NAN)
