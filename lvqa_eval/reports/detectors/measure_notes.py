"""What has to be said of single figures of detectors: answers, folds and draws that are not in them."""

import math
from collections.abc import Callable
from functools import partial

from lvqa_eval.detectors.detections import Detection
from lvqa_eval.reports.detectors.detected import Targets, scorer_of
from lvqa_eval.reports.detectors.measure import Measure
from lvqa_eval.reports.detectors.scorers import number, row_names
from lvqa_eval.reports.detectors.shared import cluster_of


def measure_notes(measure: Measure, detected: Targets) -> tuple[str, ...]:
    """Return the notes of a table of one measure."""
    of = measure.of
    alone = f"Without an interval, since one class is about one {cluster_of(detected)} alone"
    told = {
        "Answers without a score, left out": _counts(detected, lambda one: one.unscored),
        "Folds with one class, left out": _counts(
            detected, lambda one: len(one.folds) - of(one).folds if of(one).folds else 0
        ),
        "Draws with one class, left out of the interval": _counts(detected, lambda one: of(one).dropped),
        alone: _names(detected, lambda one: math.isfinite(number(of(one).mean)) and of(one).low is None),
    }
    return tuple(f"{what}. {text}." for what, text in told.items() if text)


def _counts(detected: Targets, count: Callable[[Detection], int]) -> str:
    """Return by model how many of something which detectors have; empty where none has any."""
    numbers = sorted({count(one) for one in detected.detections()} - {0})
    return "; ".join(f"{n:,} of {_names(detected, partial(_has, count, n))}" for n in numbers)


def _has(count: Callable[[Detection], int], n: int, one: Detection) -> bool:
    return count(one) == n


def _names(detected: Targets, held: Callable[[Detection], bool]) -> str:
    """Return by model the detectors that something holds of; empty where it holds of none."""
    parts = []
    for target in detected.targets:
        names = row_names([scorer_of(one) for one in target.detections])
        told = [name for name, one in zip(names, target.detections, strict=True) if held(one)]
        parts += [f"{', '.join(told)} on {target.name}"] if told else []
    return ", ".join(parts)
