"""Whether a probe fitted on the answers of one model tells the wrong answers of another."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from lvqa_eval.detectors.answers import Answers, Places
from lvqa_eval.detectors.detections import Quality
from lvqa_eval.detectors.fold_metrics import MEASURES, FoldMetrics, OutOfFold
from lvqa_eval.detectors.folds import FOLDS, SEED, assign_folds
from lvqa_eval.detectors.probe import FittedProbe, ProbeData, fit_probe, probe_data, two_classes
from lvqa_eval.detectors.protocol import qualities_of
from lvqa_eval.detectors.signals import NATIVE, Signals
from lvqa_eval.errors import LvqaError
from lvqa_eval.metrics.bootstrap import DRAWS, Floats, scene_weights
from lvqa_eval.metrics.thresholds import sweep
from lvqa_eval.progress import progress

_OF_ONE_READER: Final = ("rules", "model", "pictures", "depth")
"""What must be the same in the records of two feature folders for a probe of one to fit the other."""


class TransferError(LvqaError, ValueError):
    """Answers or signals between which no probe can be carried over."""


class Target(NamedTuple):
    """The answers of one model, and what a reader that all targets share made of them."""

    answers: Answers
    signals: Signals


@dataclass(frozen=True)
class Transfer:
    """The probe fitted, chosen and cut on the answers of one model, measured on those of another.

    `n` answers were scored, `unscored` had no state. Each figure is as in `Detection`.
    """

    trained_on: str
    tested_on: str
    n: int
    unscored: int
    auroc: Quality
    balanced_accuracy: Quality


@dataclass(frozen=True)
class TransferMatrix:
    """Every model with every model, its own included; `transfers` go by `trained_on`, then by `tested_on`.

    `source` is the reader of the answers. Folds are one map of documents for all of `models`, so that figures
    of a model with itself are near, not equal, those under its own map.
    """

    source: str
    condition: str
    models: tuple[str, ...]
    folds: int
    fold_seed: int
    transfers: tuple[Transfer, ...]

    def at(self, trained_on: str, tested_on: str) -> Transfer:
        """Return the transfer between two models; KeyError where one is not there."""
        found = {(one.trained_on, one.tested_on): one for one in self.transfers}
        return found[trained_on, tested_on]


@dataclass(frozen=True, eq=False)
class _Learnt:
    """The probe of each fold, None where there was nothing to learn from, and the cuts from its answers."""

    probes: tuple[FittedProbe | None, ...]
    cuts: Floats


def transfer_matrix(
    targets: Sequence[Target],
    folds: int = FOLDS,
    fold_seed: int = SEED,
    draws: int = DRAWS,
    seed: int = 0,
) -> TransferMatrix:
    """Return how the logistic probe of each target does on every target.

    For each fold of documents it learns from one model's answers about the other documents, and scores the
    other model's answers about these: it has seen no document that it is asked about, and of the model that
    it is asked about nothing at all. Intervals are of the bootstrap of documents, which draws the same ones
    for all. Raises TransferError, FoldsError, MissingLayersError.
    """
    _check(targets)
    documents = sorted({name for target in targets for name in target.answers.clusters})
    data = [on_documents(target, documents) for target in targets]
    fold_of = _fold_of(data, len(documents), folds, fold_seed)
    count, weights = int(fold_of.max()) + 1, scene_weights(len(documents), draws, seed)
    models = tuple(target.answers.model for target in targets)
    found = []
    with progress("transfer", len(data) * count) as advance:
        for model, learnt_from in zip(models, data, strict=True):
            learnt = _learn(learnt_from, fold_of, count)
            for other, asked in zip(models, data, strict=True):
                metrics = FoldMetrics(asked.incorrect, asked.cluster_of, fold_of[asked.cluster_of], weights)
                found.append(_transfer((model, other), learnt, asked, metrics))
            advance(model)
    return TransferMatrix(
        source=next((one.signals.source for one in targets if one.signals.source != NATIVE), NATIVE),
        condition=targets[0].answers.condition,
        models=models,
        folds=count,
        fold_seed=fold_seed,
        transfers=tuple(found),
    )


def on_documents(target: Target, documents: Sequence[str]) -> ProbeData:
    """Return what a probe learns from, with the place of each document among those of all targets."""
    place = {name: i for i, name in enumerate(documents)}
    own = np.array([place[name] for name in target.answers.clusters], dtype=np.intp)
    data = probe_data(target.answers, target.signals)
    return ProbeData(data.states, data.incorrect, own[target.answers.cluster_of])


def _check(targets: Sequence[Target]) -> None:
    if len(targets) < 2:
        raise TransferError(f"transfer: found {len(targets)} models, needed at least 2")
    models = [target.answers.model for target in targets]
    if twice := sorted({name for name in models if models.count(name) > 1}):
        raise TransferError(f"transfer: models: found {', '.join(twice)} more than once, allowed: once")
    conditions = {target.answers.condition: target.answers.model for target in targets}
    if len(conditions) > 1:
        told = ", ".join(f"{condition} of {model}" for condition, model in conditions.items())
        raise TransferError(f"transfer: conditions: found {told}, allowed: one for all")
    first = _reader(targets[0].signals)
    for target in targets[1:]:
        other = _reader(target.signals)
        if changed := [name for name in first if first[name] != other[name]]:
            told = "; ".join(f"{name} {first[name]} and {other[name]}" for name in changed)
            raise TransferError(
                f"transfer: features of {models[0]} and {target.answers.model}: found {told}; "
                "needed: what the same model made in the same way"
            )


def _reader(signals: Signals) -> Mapping[str, object]:
    """Return what tells the reader of answers from another, and the width of its states."""
    recorded = {name: signals.about.get(name) for name in _OF_ONE_READER}
    return {**recorded, "width": sorted({states.shape[1] for states in signals.hidden.values()})}


def _fold_of(data: Sequence[ProbeData], documents: int, wanted: int, seed: int) -> Places:
    """Return the fold of each document, balanced over the answers of all models."""
    clusters = np.concatenate([one.cluster_of for one in data])
    folds = assign_folds(np.concatenate([one.incorrect for one in data]), clusters, wanted, seed)
    fold_of = np.zeros(documents, dtype=np.intp)
    fold_of[clusters] = folds.of
    return fold_of


def _learn(data: ProbeData, fold_of: Places, count: int) -> _Learnt:
    known = data.known
    probes: list[FittedProbe | None] = []
    cuts = np.full(count, np.nan)
    for fold in range(count):
        part = data.at(np.flatnonzero(known & (fold_of[data.cluster_of] != fold)))
        if not two_classes(part.incorrect):
            probes.append(None)
            continue
        probe = fit_probe(part)
        seen = probe.choice.out_of_fold
        scored = ~np.isnan(seen)
        cuts[fold] = sweep(seen[scored], part.incorrect[scored]).cut
        probes.append(probe)
    return _Learnt(tuple(probes), cuts)


def _transfer(models: tuple[str, str], learnt: _Learnt, asked: ProbeData, metrics: FoldMetrics) -> Transfer:
    values = np.full(len(asked.incorrect), np.nan)
    for fold, probe in enumerate(learnt.probes):
        test = np.flatnonzero(metrics.fold_of == fold)
        if probe is not None:
            values[test] = probe.score(asked, test)
    scores = OutOfFold(values, learnt.cuts)
    among = scores.scored
    by_fold, drawn = metrics.measured(scores, among), metrics.drawn(scores, among)
    qualities = dict(zip(MEASURES, qualities_of(by_fold, drawn, metrics.has_spread(among)), strict=True))
    return Transfer(
        *models,
        n=int(among.sum()),
        unscored=int((~among).sum()),
        auroc=qualities["auroc"],
        balanced_accuracy=qualities["balanced_accuracy"],
    )
