import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from lvqa_eval.detectors.folds import assign_folds
from lvqa_eval.detectors.probe import LogisticProbe, fit_probe
from lvqa_eval.detectors.transfer import Target, TransferError, on_documents, transfer_matrix
from lvqa_eval.metrics.thresholds import balanced_accuracy_at, sweep
from tests.support.probed_answers import answers_of, documents, noise, planted, signals_of, verdicts

COUNT = 60


def target(name, states, wrong, names=None, **about):
    answers = answers_of(wrong, names or documents(len(wrong)), name)
    return Target(answers, signals_of(states, **about))


def three_models():
    """Two with one direction of wrong answers, one with the opposite."""
    found = []
    for seed, (model, sign) in enumerate([("a", 1), ("b", 1), ("turned", -1)]):
        wrong = verdicts(COUNT, seed)
        found.append(target(model, sign * planted(wrong, 4.0, seed=seed + 7), wrong))
    return found


def test_what_models_share_is_carried_over_with_its_direction():
    matrix = transfer_matrix(three_models(), folds=3, draws=50)
    assert matrix.models == ("a", "b", "turned")
    assert (matrix.source, matrix.condition, matrix.folds, matrix.fold_seed) == ("proxy", "full", 3, 0)
    order = [(one.trained_on, one.tested_on) for one in matrix.transfers]
    assert order == [(one, other) for one in matrix.models for other in matrix.models]
    for one in matrix.transfers:
        same = (one.trained_on == "turned") == (one.tested_on == "turned")
        assert one.auroc.mean > 0.9 if same else one.auroc.mean < 0.1
        assert one.balanced_accuracy.mean > 0.8 if same else one.balanced_accuracy.mean < 0.2
        assert one.auroc.low <= one.auroc.mean <= one.auroc.high
        assert (one.n, one.unscored, one.auroc.folds) == (COUNT, 0, 3)
    with pytest.raises(KeyError):
        matrix.at("a", "c")


def test_the_figures_are_those_of_folds_computed_by_hand():
    """Different documents in part: the map is one for the documents of both."""
    wrong, other = verdicts(COUNT, 0), verdicts(40, 1)
    names, others = documents(COUNT), [f"d{i // 2 + 20:03d}" for i in range(40)]
    first = target("a", planted(wrong, 1.0, seed=3), wrong, names)
    second = target("b", planted(other, 1.0, seed=4), other, others)
    matrix = transfer_matrix([first, second], folds=3, draws=20)

    every = sorted({*names, *others})
    place = {name: i for i, name in enumerate(every)}
    clusters = np.array([place[name] for name in names + others])
    of = assign_folds(np.concatenate([wrong, other]), clusters, 3, 0).of
    areas, accuracies = [], []
    for fold in range(3):
        train, test = np.flatnonzero(of[:COUNT] != fold), np.flatnonzero(of[COUNT:] == fold)
        assert not {names[i] for i in train} & {others[i] for i in test}
        probe = fit_probe(on_documents(first, every).at(train))
        scores = probe.score(on_documents(second, every), test)
        areas.append(roc_auc_score(other[test], scores))
        cut = sweep(probe.choice.out_of_fold, wrong[train]).cut
        accuracies.append(balanced_accuracy_at(cut, scores, other[test]))
    found = matrix.at("a", "b")
    assert found.auroc.mean == pytest.approx(np.mean(areas), abs=1e-12)
    assert found.auroc.sd == pytest.approx(np.std(areas, ddof=1), abs=1e-12)
    assert found.balanced_accuracy.mean == pytest.approx(np.mean(accuracies), abs=1e-12)
    assert found.n == 40


def test_a_model_on_itself_is_the_probe_under_the_shared_map():
    wrong = verdicts(COUNT)
    one = target("a", planted(wrong, 1.0), wrong)
    # The same verdicts and documents again: the shared map is that of the model alone, or its like.
    matrix = transfer_matrix([one, target("b", noise(COUNT), wrong)], folds=3, draws=20)
    both = np.concatenate([one.answers.cluster_of] * 2)
    of = assign_folds(np.concatenate([wrong] * 2), both, 3, 0).of[:COUNT]
    fold = LogisticProbe().read(*one).fold
    areas = []
    for number in range(3):
        test = np.flatnonzero(of == number)
        areas.append(roc_auc_score(wrong[test], fold(np.flatnonzero(of != number), test).test))
    assert matrix.at("a", "a").auroc.mean == pytest.approx(np.mean(areas), abs=1e-12)


def test_no_document_of_the_other_models_fold_is_learnt_from():
    """States know the document alone, and both models are wrong about the same ones."""
    rng = np.random.default_rng(2)
    wrong = np.repeat(rng.permutation(np.arange(40) % 2 == 0), 3)
    document = rng.normal(size=(40, 60))

    def leaky(model, seed):
        own = np.random.default_rng(seed).normal(size=(120, 60)) * 0.1
        states = (np.repeat(document, 3, axis=0) + own).astype(np.float32)
        return target(model, states, wrong, documents(120, each=3))

    first, second = leaky("a", 3), leaky("b", 4)
    # Had the probe seen these documents, it would know all about them.
    everything = [on_documents(one, documents(120, 3)[::3]) for one in (first, second)]
    assert roc_auc_score(wrong, fit_probe(everything[0]).score(everything[1], np.arange(120))) > 0.95
    matrix = transfer_matrix([first, second], folds=3, draws=20)
    for one in matrix.transfers:
        assert one.auroc.mean < 0.7


def test_answers_without_a_state_are_counted_and_one_class_teaches_nothing():
    wrong = verdicts(COUNT)
    states = planted(wrong, 3.0)
    states[[1, 5, 9]] = np.nan
    never = np.zeros(COUNT, dtype=bool)
    targets = [target("a", states, wrong), target("never", noise(COUNT), never)]
    matrix = transfer_matrix(targets, folds=3, draws=20)
    found = matrix.at("a", "a")
    assert (found.n, found.unscored) == (COUNT - 3, 3)
    for pair in (("never", "a"), ("never", "never")):
        nothing = matrix.at(*pair)
        assert (nothing.n, nothing.auroc.mean, nothing.auroc.folds) == (0, None, 0)
        assert nothing.balanced_accuracy.mean is None
    one_class = matrix.at("a", "never")
    assert (one_class.n, one_class.auroc.mean) == (COUNT, None)


def test_the_proxy_gives_the_name_where_one_model_is_the_reader_itself():
    wrong = verdicts(20)
    own = Target(answers_of(wrong, documents(20), "reader"), signals_of(planted(wrong, 2.0), source="native"))
    other = target("b", planted(wrong, 2.0), wrong)
    assert transfer_matrix([own, other], folds=2, draws=5).source == "proxy"


def test_targets_that_do_not_fit_together_are_refused():
    wrong = verdicts(20)
    states = planted(wrong, 2.0)
    one = target("a", states, wrong, model={"sha256": "12"}, dtype="bfloat16")
    with pytest.raises(TransferError, match="transfer: found 1 models, needed at least 2"):
        transfer_matrix([one])
    with pytest.raises(TransferError, match="models: found a more than once, allowed: once"):
        transfer_matrix([one, one])
    other = target("b", states, wrong, model={"sha256": "13"}, dtype="float32")
    with pytest.raises(
        TransferError, match=r"of a and b: found model \{'sha256': '12'\} and \{'sha256': '13'\};"
    ):
        transfer_matrix([one, other])
    narrow = target("b", states[:, :5], wrong, model={"sha256": "12"})
    with pytest.raises(
        TransferError, match=r"found width \[12\] and \[5\]; needed: what the same model made"
    ):
        transfer_matrix([one, narrow])
