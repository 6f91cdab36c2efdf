import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler

from lvqa_eval.detectors.mlp_probe import MlpProbe, fit_and_score
from lvqa_eval.detectors.probe import LogisticProbe, probe_data
from tests.support.probed_answers import answers_of, documents, noise, planted, signals_of, verdicts

COUNT = 60


def test_the_score_is_the_mean_of_five_networks_with_balanced_classes():
    wrong = verdicts(COUNT)
    states, others = planted(wrong, 1.0), noise(9, seed=8)
    scaler = StandardScaler().fit(states.astype(np.float64))
    learnt, asked = (scaler.transform(one.astype(np.float64)).astype(np.float32) for one in (states, others))
    weights = np.where(wrong, COUNT / 2 / wrong.sum(), COUNT / 2 / (~wrong).sum())
    expected = [
        MLPClassifier((256, 128, 64), early_stopping=True, random_state=seed)
        .fit(learnt, wrong, sample_weight=weights)
        .predict_proba(asked)[:, 1]
        for seed in range(5)
    ]
    found = fit_and_score(states, wrong, others)
    assert found == pytest.approx(np.mean(expected, axis=0), abs=1e-6)
    assert found.tobytes() == fit_and_score(states, wrong, others).tobytes()


def test_a_fold_is_scored_at_the_layer_of_the_logistic_probe():
    wrong = verdicts(COUNT)
    states = {2: noise(COUNT, seed=2), 3: planted(wrong, 6.0, seed=3), 4: noise(COUNT, seed=4)}
    states = {layer: found.copy() for layer, found in states.items()}
    for found in states.values():
        found[[4, 50]] = np.nan
    answers, signals = answers_of(wrong, documents(COUNT)), signals_of(states)
    train, test = np.arange(40), np.arange(40, COUNT)
    found = MlpProbe().read(answers, signals).fold(train, test)
    assert found.chosen == "layer 3"
    assert LogisticProbe().read(answers, signals).fold(train, test).chosen.startswith("layer 3, C")
    assert np.flatnonzero(np.isnan(found.train)).tolist() == [4]
    assert np.flatnonzero(np.isnan(found.test)).tolist() == [10]
    asked = np.delete(np.arange(40, COUNT), 10)
    assert roc_auc_score(wrong[asked], np.delete(found.test, 10)) > 0.95
    # Those of the training answers come from networks that had not seen them, nor their documents.
    seen = np.delete(train, 4)
    part = probe_data(answers, signals).at(seen)
    others, own = next(part.inner_parts())
    expected = fit_and_score(part.states[3][others], part.incorrect[others], part.states[3][own])
    assert found.train[seen[own]].tolist() == expected.tolist()


def test_a_class_of_one_answer_cannot_be_learnt():
    wrong = np.zeros(20, dtype=bool)
    wrong[7] = True
    assert np.isnan(fit_and_score(noise(20), wrong, noise(3))).all()


def test_few_answers_still_hold_two_out():
    wrong = np.array([True, False] * 3)
    assert np.isfinite(fit_and_score(noise(6), wrong, noise(3))).all()


def test_nobody_to_score():
    wrong = verdicts(20)
    assert fit_and_score(noise(20), wrong, noise(0)).shape == (0,)
    assert np.isnan(fit_and_score(noise(20), wrong, np.full((2, 12), np.nan, np.float32))).all()


def test_one_class_to_learn_from_gives_no_scores():
    wrong = np.array([True] * 10 + [False] * 10)
    read = MlpProbe().read(answers_of(wrong, documents(20)), signals_of(planted(wrong, 1.0)))
    found = read.fold(np.arange(10), np.arange(10, 20))
    assert np.isnan(found.train).all()
    assert np.isnan(found.test).all()


def test_what_it_is():
    assert (MlpProbe().name, MlpProbe().needs) == ("suq_probe_mlp", "hidden")
