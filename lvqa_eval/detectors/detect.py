"""Every detector against the verdicts on one model's answers under one condition."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np

from lvqa_eval.detectors.answers import Answers
from lvqa_eval.detectors.detections import TargetDetections
from lvqa_eval.detectors.detector import DETECTORS, Detector
from lvqa_eval.detectors.differences import differences
from lvqa_eval.detectors.fold_metrics import FoldMetrics
from lvqa_eval.detectors.folds import FOLDS, SEED, Folds, assign_folds
from lvqa_eval.detectors.gather import gather_answers
from lvqa_eval.detectors.protocol import RANDOM, DetectorError, Measured, measure, random_detection
from lvqa_eval.detectors.signals import Signals
from lvqa_eval.detectors.sources import has, missing, read_sources
from lvqa_eval.metrics.bootstrap import DRAWS, LEVEL, Floats, scene_weights
from lvqa_eval.progress import progress
from lvqa_eval.runs.questions import benchmark_of
from lvqa_eval.runs.store import RunStore

LENGTH = "answer-length"
"""The detector that all others are compared with: it runs whether it is named or not."""


@dataclass(frozen=True)
class Choices:
    """How detectors are measured: folds and the seed of their map, draws of the bootstrap and their seed."""

    folds: int = FOLDS
    fold_seed: int = SEED
    draws: int = DRAWS
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Detected:
    """What `lvqa detect` finds: the record, and what stands beside it.

    `scores`: by detector@source the score of each answer out of fold, NaN for none. `missing`: a sentence for
    each kind of signals that detectors lack, and for each detector without a single score.
    """

    target: TargetDetections
    answers: Answers
    folds: Folds
    scores: Mapping[str, Floats]
    missing: tuple[str, ...] = ()


def detect_run(
    store: RunStore,
    judge: str,
    condition: str,
    detectors: Sequence[Detector],
    features: Sequence[str] = (),
    choices: Choices | None = None,
) -> Detected:
    """Measure `detectors` on the answers of a run under one condition; nothing is written.

    Each is asked once for every source that has what it needs. Those named in `features` are read, or all.
    Raises what gathering answers, making folds and reading features raise, and DetectorError where no
    detector has what it needs.
    """
    answers = gather_answers(store, judge, condition)
    sources = read_sources(store, answers, features)
    lacking = tuple(missing(detectors, sources, store.folder))
    if detectors and not any(has(source, one.needs) for one in detectors for source in sources):
        raise DetectorError("\n".join(lacking))
    benchmark = benchmark_of(store.identity.settings)
    return detect(answers, benchmark, sources, detectors, choices, lacking)


def detect(
    answers: Answers,
    benchmark: str,
    sources: Sequence[Signals],
    detectors: Sequence[Detector],
    choices: Choices | None = None,
    lacking: tuple[str, ...] = (),
) -> Detected:
    """Measure `detectors` on `answers`, each with every one of `sources` that has what it needs.

    The length of answers is measured before them, and a score without information stands behind them.
    """
    chosen = choices or Choices()
    folds = assign_folds(answers.incorrect, answers.cluster_of, chosen.folds, chosen.fold_seed)
    weights = scene_weights(len(answers.clusters), chosen.draws, chosen.seed)
    metrics = FoldMetrics(answers.incorrect, answers.cluster_of, folds.of, weights)
    asked = _measured(answers, sources, detectors, folds, metrics)
    found = [one for one in asked if one.detection.n]
    silent = [f"{_column(one)}: no answer has a score" for one in asked if not one.detection.n]
    first, middle, third = np.quantile(answers.words, (0.25, 0.5, 0.75)).tolist()
    target = TargetDetections(
        model=answers.model,
        condition=answers.condition,
        judge=answers.judge,
        benchmark=benchmark,
        answers=len(answers),
        incorrect=int(answers.incorrect.sum()),
        documents=len(answers.clusters),
        words=(first, middle, third),
        left_out=answers.left_out,
        settings=_settings(folds, chosen, sources),
        detections=(*(one.detection for one in found), random_detection(folds, metrics)),
        differences=differences(found, metrics, LENGTH),
    )
    return Detected(target, answers, folds, {_column(one): one.raw for one in found}, (*lacking, *silent))


def _column(one: Measured) -> str:
    return f"{one.detection.detector}@{one.detection.source}"


def _measured(
    answers: Answers,
    sources: Sequence[Signals],
    detectors: Sequence[Detector],
    folds: Folds,
    metrics: FoldMetrics,
) -> list[Measured]:
    length = [] if any(one.name == LENGTH for one in detectors) else [DETECTORS.get(LENGTH)()]
    asked: list[Detector] = [*length, *detectors]
    names = Counter([RANDOM, *(one.name for one in asked)])
    if twice := [name for name, count in names.items() if count > 1]:
        raise DetectorError(f"detectors: found {', '.join(twice)} more than once, allowed: once")
    pairs = [(one, source) for one in asked for source in sources if has(source, one.needs)]
    found = []
    with progress("detectors", len(pairs)) as advance:
        for one, source in pairs:
            found.append(measure(one, source.source, one.read(answers, source), folds, metrics))
            advance(f"{one.name} of {source.source}")
    return found


def _settings(folds: Folds, choices: Choices, sources: Sequence[Signals]) -> dict[str, Any]:
    return {
        "folds": folds.count,
        "folds_wanted": folds.wanted,
        "fold_seed": folds.seed,
        "draws": choices.draws,
        "seed": choices.seed,
        "level": LEVEL,
        "versions": {name: version(name) for name in ("lvqa", "numpy", "scikit-learn")},
        "sources": {one.source: dict(one.about) for one in sources if one.about},
    }
