"""Detections to report: made by hand, or of a whole field of detectors at random."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from lvqa_eval.detectors.detections import Detection, Difference, FoldFigures, Quality, TargetDetections
from lvqa_eval.detectors.fold_metrics import random_average_precision
from lvqa_eval.reports.detectors.detected import ScoredAnswers, Scorer, Target, Targets

PROXY = "org/Proxy-VL-8B"
JUDGE = "org/judge-9B"
TOKEN_SCORES = ("max_prob", "mean_prob", "log_likelihood", "max_entropy", "mean_entropy", "perplexity")
STATES = ("contextual_lens", "suq_probe", "suq_probe_mlp")


def quality(mean: float | None, half: float | None = 0.03, folds: int = 5, **given: Any) -> Quality:
    """Return a measure with an interval of `half` on both sides; none of it where the mean is None."""
    if mean is None:
        return Quality(None, None, None, None, 0)
    low, high = (None, None) if half is None else (mean - half, mean + half)
    return replace(Quality(mean, 0.02, low, high, folds), **given)


def folds(n: int, incorrect: int, count: int = 5) -> tuple[FoldFigures, ...]:
    """Return folds of equal size, as near as there are answers."""
    parts = zip(_parts(n, count), _parts(incorrect, count), strict=True)
    return tuple(
        FoldFigures(size, wrong, 0.5, 0.5, 0.5, 0.5, random_average_precision(size, wrong))
        for size, wrong in parts
    )


def detection(
    detector: str,
    source: str = "native",
    balanced: float | None = 0.6,
    auroc: float | None = 0.65,
    precision: float | None = 0.5,
    n: int = 1000,
    incorrect: int = 400,
    **given: Any,
) -> Detection:
    """Return what a detector reached, with intervals of .03 on both sides unless others are given."""
    parts = folds(n, incorrect)
    standing = {
        "detector": detector,
        "source": source,
        "n": n,
        "unscored": 0,
        "prevalence": incorrect / n,
        "balanced_accuracy": quality(balanced),
        "auroc": quality(auroc),
        "average_precision": quality(precision),
        "random_precision": float(np.mean([one.random_precision for one in parts])),
        "folds": parts,
    }
    return Detection(**{**standing, **given})


def chance(n: int = 1000, incorrect: int = 400) -> Detection:
    """Return the row of a score without information."""
    bare = detection("random", "answer", n=n, incorrect=incorrect)
    half = Quality(0.5, None, None, None, 5)
    return replace(
        bare,
        balanced_accuracy=half,
        auroc=half,
        average_precision=replace(half, mean=bare.random_precision),
    )


def found(*detections: Detection, n: int = 1000, incorrect: int = 400, **given: Any) -> TargetDetections:
    """Return the record of one target, with the row of a score without information last."""
    standing = {
        "model": "org/model-4B",
        "condition": "default",
        "judge": "consensus",
        "benchmark": "bear-bench",
        "answers": n,
        "incorrect": incorrect,
        "documents": 60,
        "words": (2.0, 3.0, 7.0),
        "left_out": {"truncated": 6, "not_judged": 4},
        "settings": {"folds": 5, "fold_seed": 0, "draws": 2000, "seed": 0, "level": 0.95},
        "detections": (*detections, chance(n, incorrect)),
    }
    return TargetDetections(**{**standing, **given})


def inputs_of(*targets: Target, lacking: Sequence[str] = (), **given: Any) -> Any:
    """Return the inputs of exhibits: `targets`, and what else a report knows."""
    standing = {
        "judge": "consensus",
        "runs": tuple(f"runs/{one.found.model.rpartition('/')[2]}" for one in targets),
        "seed": 0,
        "draws": 200,
        "detections": Targets(tuple(targets), tuple(lacking)) if targets else None,
    }
    return SimpleNamespace(**{**standing, **given})


def scored_answers(
    words: Sequence[float],
    incorrect: Sequence[int],
    scores: Mapping[Scorer, Sequence[float]],
    fold: Sequence[int] | None = None,
    clusters: Sequence[int] | None = None,
) -> ScoredAnswers:
    """Return answers one by one; each is of a document of its own unless `clusters` are given."""
    count = len(words)
    return ScoredAnswers(
        cluster_of=np.array(range(count) if clusters is None else clusters, dtype=np.intp),
        words=np.array(words, dtype=np.float64),
        fold=np.array([0] * count if fold is None else fold, dtype=np.intp),
        incorrect=np.array(incorrect, dtype=np.bool_),
        scores={scorer: np.array(values, dtype=np.float64) for scorer, values in scores.items()},
    )


def random_target(
    name: str, median: float, seed: int = 0, n: int = 600, source: str = PROXY, benchmark: str = "bear-bench"
) -> Target:
    """Return a target with every detector on it, of `source` where they read signals, and all its answers."""
    rng = np.random.default_rng(seed)
    incorrect = rng.random(n) < 0.4
    wrong = int(incorrect.sum())
    scorers = [Scorer("answer-length", "answer")]
    scorers += [Scorer(one, source) for one in (*TOKEN_SCORES, *STATES)]
    scorers += [Scorer("model_as_judge", JUDGE)]
    detections, scores = [], {}
    for place, scorer in enumerate(scorers):
        binary = scorer.detector == "model_as_judge"
        gain = rng.uniform(0.0, 0.8)
        values = incorrect * gain + rng.normal(size=n)
        scores[scorer] = (values > 0.3).astype(float) if binary else values
        level = 0.5 + gain / 4
        detections.append(
            detection(
                *scorer,
                balanced=level - 0.02,
                auroc=None if binary else level,
                precision=None if binary else level - 0.05,
                n=n,
                incorrect=wrong,
                binary=binary,
                bounds=(0.52, 0.6) if binary else None,
                unscored=place % 3,
            )
        )
    words = np.maximum(1, rng.lognormal(np.log(median), 0.7, n).round())
    record = found(
        *detections,
        n=n,
        incorrect=wrong,
        model=name,
        benchmark=benchmark,
        words=tuple(np.quantile(words, (0.25, 0.5, 0.75)).tolist()),
        differences=tuple(
            Difference("suq_probe", other, source, of, measure, 0.06, 0.01, 0.11)
            for other, of in (("answer-length", "answer"), ("max_prob", source))
            for measure in ("balanced_accuracy", "auroc", "average_precision")
        ),
    )
    fold, clusters = rng.integers(0, 5, n), rng.integers(0, 60, n)
    return Target(name, record, scored_answers(words, incorrect, scores, fold, clusters))


def _parts(count: int, parts: int) -> list[int]:
    return [count // parts + (place < count % parts) for place in range(parts)]
