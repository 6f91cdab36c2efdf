"""What the runs of a report hold of detectors: everything that these exhibits are computed from."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from lvqa_eval.detectors.detections import Detection, TargetDetections
from lvqa_eval.detectors.protocol import RANDOM
from lvqa_eval.detectors.transfer import TransferMatrix
from lvqa_eval.metrics.bootstrap import Floats


class Scorer(NamedTuple):
    """A detector, and the source of the signals that it reads."""

    detector: str
    source: str


@dataclass(frozen=True, eq=False)
class ScoredAnswers:
    """Every answer of a target with its scores; arrays are (answers,).

    `cluster_of` is the place of its document among all, `fold` that of the fold in which it was no training
    answer. `scores` come from fits that had not seen the answer; NaN where there is none.
    """

    cluster_of: NDArray[np.intp]
    words: Floats
    fold: NDArray[np.intp]
    incorrect: NDArray[np.bool_]
    scores: Mapping[Scorer, Floats]


@dataclass(frozen=True, eq=False)
class Target:
    """The answers of one model under one condition, which detectors were set against.

    `name` is that of the model, with the condition where a report has several. `answers` is None where the
    table of every answer is not there.
    """

    name: str
    found: TargetDetections
    answers: ScoredAnswers | None = None

    @property
    def detections(self) -> tuple[Detection, ...]:
        """What each detector reached."""
        return tuple(one for one in self.found.detections if one.detector != RANDOM)

    @property
    def random(self) -> Detection:
        """What a score without information is expected to reach on all answers."""
        return next(one for one in self.found.detections if one.detector == RANDOM)

    def of(self, scorer: Scorer) -> Detection | None:
        """Return what a detector reached; None where it was not set against these answers."""
        return next((one for one in self.detections if scorer_of(one) == scorer), None)


@dataclass(frozen=True, eq=False)
class Targets:
    """The targets of all runs, that with the shortest median answer first; `lacking` names models without.

    `transfer`: how probes carry over between the models, None where nobody tried.
    """

    targets: tuple[Target, ...]
    lacking: tuple[str, ...] = ()
    transfer: TransferMatrix | None = None

    @property
    def benchmark(self) -> str:
        """The benchmark of the questions."""
        return self.targets[0].found.benchmark

    def detections(self) -> Iterator[Detection]:
        """Yield what each detector reached on each target."""
        for target in self.targets:
            yield from target.detections


class DetectorInputs(Protocol):
    """What these exhibits need of a report's inputs, whatever the benchmark."""

    @property
    def judge(self) -> str:
        """Whose verdicts the rest of the report rests on."""

    @property
    def runs(self) -> tuple[str, ...]:
        """The run folders as commands name them."""

    @property
    def seed(self) -> int:
        """The seed of the bootstrap."""

    @property
    def draws(self) -> int:
        """The number of its draws."""

    @property
    def detections(self) -> Targets | None:
        """What the runs hold of detectors; None where no run holds any."""


def held(inputs: DetectorInputs) -> Targets:
    """Return what runs hold of detectors; ValueError where that is nothing: other exhibits tell of that."""
    if inputs.detections is None:
        raise ValueError(f"detections: found none in {', '.join(inputs.runs)}, needed those of one run")
    return inputs.detections


def scorer_of(detection: Detection) -> Scorer:
    """Return whose scores they are."""
    return Scorer(detection.detector, detection.source)
