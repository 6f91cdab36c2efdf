import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from lvqa_eval.detectors import probe as module
from lvqa_eval.detectors.folds import assign_folds
from lvqa_eval.detectors.layers import MissingLayersError
from lvqa_eval.detectors.logistic import fit_logistic
from lvqa_eval.detectors.probe import COSTS, Choice, LogisticProbe, ProbeData, choose, fit_probe
from tests.support.probed_answers import (
    LAYERS,
    answers_of,
    documents,
    noise,
    planted,
    signals_of,
    verdicts,
)

COUNT = 90


def data_of(states, wrong, each=2):
    return ProbeData(states, wrong, np.arange(len(wrong)) // each)


def out_of_fold(answers, signals):
    """Score every answer by the probe of the other folds, and return what each fold gave."""
    fold = LogisticProbe().read(answers, signals).fold
    scores, given = np.full(len(answers), np.nan), []
    for train, test in assign_folds(answers.incorrect, answers.cluster_of, 3).parts():
        given.append((train, test, fold(train, test)))
        scores[test] = given[-1][2].test
    return scores, given


def plain(cost=1.0):
    head = LogisticRegression(C=cost, class_weight="balanced", tol=1e-10, max_iter=10_000)
    return make_pipeline(StandardScaler(), head)


def test_a_planted_signal_is_found_and_noise_is_not():
    wrong = verdicts(COUNT)
    answers = answers_of(wrong, documents(COUNT))
    found, _ = out_of_fold(answers, signals_of(planted(wrong, 4.0)))
    assert roc_auc_score(wrong, found) > 0.95
    nothing, _ = out_of_fold(answers, signals_of(noise(COUNT, width=200)))
    assert 0.35 < roc_auc_score(wrong, nothing) < 0.65


def test_the_layer_with_the_signal_is_chosen():
    wrong = verdicts(COUNT)
    states = {2: noise(COUNT, seed=2), 3: planted(wrong, 4.0, seed=3), 4: noise(COUNT, seed=4)}
    _, given = out_of_fold(answers_of(wrong, documents(COUNT)), signals_of(states))
    assert {scores.chosen.split(",")[0] for _, _, scores in given} == {"layer 3"}


def test_the_choice_is_that_of_a_grid_search_over_the_same_folds():
    wrong = verdicts(COUNT)
    # In double precision, which scikit-learn would keep to the single one of states.
    states = {2: planted(wrong, 0.5, 150, seed=2), 4: planted(wrong, 1.0, 150, seed=3)}
    data = data_of({layer: found.astype(np.float64) for layer, found in states.items()}, wrong)
    parts = list(data.inner_parts())
    assert len(parts) == 3
    found = {}
    for layer, states in data.states.items():
        grid = {"logisticregression__C": list(COSTS)}
        search = GridSearchCV(plain(), grid, scoring="roc_auc", cv=parts, refit=False).fit(states, wrong)
        found |= {
            (layer, cost): area
            for cost, area in zip(COSTS, search.cv_results_["mean_test_score"], strict=True)
        }
    best = max(found, key=found.get)
    choice = choose(data)
    assert (choice.layer, choice.cost) == best
    assert choice.auroc == pytest.approx(found[best], abs=1e-12)
    expected = cross_val_predict(
        plain(choice.cost), data.states[choice.layer], wrong, cv=parts, method="decision_function"
    )
    assert choice.out_of_fold == pytest.approx(expected, abs=1e-4)
    final = plain(choice.cost).fit(data.states[choice.layer], wrong)
    scores = fit_probe(data).score(data, np.arange(COUNT))
    assert scores == pytest.approx(final.decision_function(data.states[choice.layer]), abs=1e-4)


def test_ties_go_to_the_smaller_cost_and_the_earlier_layer():
    wrong = verdicts(COUNT)
    perfect = planted(wrong, 100.0, width=4)  # every layer and cost has an area of 1
    choice = choose(data_of({4: perfect, 2: perfect, 3: perfect}, wrong))
    assert (choice.layer, choice.cost, choice.auroc) == (2, 1e-3, 1.0)


@pytest.mark.parametrize(
    ("areas", "expected"),
    [
        ({(2, 1.0): 0.8, (4, 1e-3): 0.8}, (4, 1e-3)),
        ({(2, 1.0): 0.8 + 1e-15, (4, 1e-3): 0.8}, (4, 1e-3)),
        ({(2, 1.0): 0.8 + 1e-6, (4, 1e-3): 0.8}, (2, 1.0)),
        ({(2, 1e-3): math.nan, (4, 1.0): 0.3}, (4, 1.0)),
        ({(4, 1e-3): math.nan, (2, 1e-3): math.nan}, (2, 1e-3)),
    ],
)
def test_the_cost_goes_before_the_layer_and_the_area_before_both(monkeypatch, areas, expected):
    def choices(data, layer, parts):
        return [Choice(at, cost, area, np.empty(0)) for (at, cost), area in areas.items() if at == layer]

    monkeypatch.setattr(module, "_choices", choices)
    choice = choose(data_of({2: noise(9), 4: noise(9)}, verdicts(9)))
    assert (choice.layer, choice.cost) == expected


def test_the_inner_folds_keep_documents_together():
    """States know the document alone, and answers of one document are alike: no other document tells them."""
    rng = np.random.default_rng(5)
    kind = rng.permutation(np.arange(30) % 2 == 0)
    wrong = np.repeat(kind, 6) ^ (rng.random(180) < 0.1)
    states = np.repeat(rng.normal(size=(30, 60)), 6, axis=0) + rng.normal(size=(180, 60)) * 0.1
    data = data_of(dict.fromkeys(LAYERS, states.astype(np.float32)), wrong, each=6)
    for train, test in data.inner_parts():
        assert not set(data.cluster_of[train]) & set(data.cluster_of[test])
    choice = choose(data)
    assert choice.auroc < 0.65
    assert roc_auc_score(wrong, choice.out_of_fold) < 0.65
    # The same without regard to documents.
    leaking = cross_val_predict(
        plain(),
        states,
        wrong,
        cv=StratifiedKFold(3, shuffle=True, random_state=0),
        method="decision_function",
    )
    assert roc_auc_score(wrong, leaking) > 0.85


def test_scores_of_training_answers_come_from_fits_that_had_not_seen_them():
    """A wide fit parts its own training answers, noise or not: a threshold from there would tell nothing."""
    wrong = verdicts(COUNT)
    states = noise(COUNT, width=400)
    (own,) = fit_logistic(states, wrong, [1.0])
    assert roc_auc_score(wrong, own.score(states)) == 1.0
    _, given = out_of_fold(answers_of(wrong, documents(COUNT)), signals_of(states))
    for train, _, scores in given:
        assert 0.3 < roc_auc_score(wrong[train], scores.train) < 0.75


def test_nothing_of_the_other_fold_reaches_the_fit():
    wrong = verdicts(COUNT)
    states = planted(wrong, 1.0)
    train, test = np.arange(60), np.arange(60, COUNT)
    here = LogisticProbe().read(answers_of(wrong, documents(COUNT)), signals_of(states)).fold(train, test)
    changed, others = wrong.copy(), states.copy()
    changed[test], others[test[1:]] = ~wrong[test], 1e6
    there = LogisticProbe().read(answers_of(changed, documents(COUNT)), signals_of(others)).fold(train, test)
    assert here.train.tobytes() == there.train.tobytes()
    assert here.chosen == there.chosen
    assert here.test[0] == pytest.approx(there.test[0], abs=1e-12)


def test_answers_without_a_state_are_neither_fitted_nor_scored():
    wrong = verdicts(COUNT)
    states = planted(wrong, 1.0)
    states[[3, 20, 70]] = np.nan
    train, test = np.arange(60), np.arange(60, COUNT)
    found = LogisticProbe().read(answers_of(wrong, documents(COUNT)), signals_of(states)).fold(train, test)
    assert np.flatnonzero(np.isnan(found.train)).tolist() == [3, 20]
    assert np.flatnonzero(np.isnan(found.test)).tolist() == [10]

    kept = np.delete(np.arange(COUNT), [3, 20, 70])
    names = documents(COUNT)
    fewer = answers_of(wrong[kept], [names[place] for place in kept])
    alone = LogisticProbe().read(fewer, signals_of(states[kept])).fold(np.arange(58), np.arange(58, 87))
    assert alone.train.tobytes() == np.delete(found.train, [3, 20]).tobytes()
    assert alone.test == pytest.approx(np.delete(found.test, 10), abs=1e-12)


@pytest.mark.parametrize("kind", [True, False])
def test_one_class_to_learn_from_gives_no_scores(kind):
    wrong = np.array([kind] * 20 + [True, False] * 5)
    states = planted(wrong, 1.0)
    states[20] = np.nan  # the only training answer of the other class, or one more, has no state
    read = LogisticProbe().read(answers_of(wrong, documents(30)), signals_of(states))
    found = read.fold(np.arange(20 + kind), np.arange(22, 30))
    assert np.isnan(found.train).all()
    assert np.isnan(found.test).all()
    assert found.chosen == ""


def test_one_document_to_learn_from_gives_no_choice_and_no_threshold():
    wrong = np.array([True, False] * 10)
    read = LogisticProbe().read(answers_of(wrong, ["a"] * 12 + ["b"] * 8), signals_of(planted(wrong, 3.0)))
    found = read.fold(np.arange(12), np.arange(12, 20))
    assert found.chosen == "layer 1, C 0.001"
    assert np.isnan(found.train).all()
    assert np.isfinite(found.test).all()


def test_an_inner_fold_that_leaves_one_class_is_passed_over():
    wrong = np.zeros(30, dtype=bool)
    wrong[:4] = True  # two documents have all the incorrect answers: of three inner folds one has neither
    data = data_of(dict.fromkeys(LAYERS, planted(wrong, 3.0)), wrong)
    choice = choose(data)
    assert np.isfinite(choice.out_of_fold).all()
    assert not np.isnan(choice.auroc)
    one = data_of(
        data.states, np.arange(30) < 2
    )  # a single document: a fold that trains without it is left out
    assert np.isnan(choose(one).out_of_fold).any()


def test_layers_that_are_not_there_are_named():
    wrong = verdicts(10)
    lacking = {2: noise(10), 4: noise(10)}
    with pytest.raises(MissingLayersError) as error:
        LogisticProbe().read(answers_of(wrong, documents(10)), signals_of(lacking))
    assert str(error.value) == (
        "signals of proxy: layers: found 2, 4, needed: hidden states at 2, 3, 4; "
        "extract the features again without a choice of layers"
    )


def test_what_it_is():
    assert (LogisticProbe().name, LogisticProbe().needs) == ("suq_probe", "hidden")
    assert COSTS == (1e-3, 1e-2, 1e-1, 1.0)
