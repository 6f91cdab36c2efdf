"""Detectors in rows: their order, the kinds that they are of, and what they had to look at."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Final, Literal, NamedTuple

from lvqa_eval.detectors.detections import Detection, Quality
from lvqa_eval.detectors.detector import DETECTORS
from lvqa_eval.detectors.signals import NATIVE
from lvqa_eval.detectors.sources import ANSWER
from lvqa_eval.metrics.bootstrap import Estimate
from lvqa_eval.reports.detectors.detected import Scorer, Target, Targets, scorer_of
from lvqa_eval.reports.plots.names import short_names

Access = Literal["native", "proxy", "answer", "verdicts"]
"""What a detector had to look at: what the answering model gave of itself, what another model made of the
answer when it read it, the words of the answer alone, or what a model said of it when asked."""

OTHERS: Final = "Other detectors"
KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "One token": ("max_prob", "max_entropy", "weakest_token"),
    "Mean of tokens": ("mean_prob", "log_likelihood", "mean_entropy", "perplexity"),
    "Sum and length": ("answer-length", "log_likelihood_sum"),
    "Picture": ("contextual_lens", "contextual_lens_top10", "contextual_lens_chosen"),
    "Trained": ("suq_probe", "suq_probe_mlp"),
    "Verdicts": ("model_as_judge", "model_as_judge_prob"),
}
"""Detectors by what their score is made of; all others are of the kind `OTHERS`."""


def kind_of(detector: str) -> str:
    """Return the kind of a detector."""
    return next((kind for kind, names in KINDS.items() if detector in names), OTHERS)


def scorers(detected: Targets) -> tuple[Scorer, ...]:
    """Return every detector and source of any target, in the order of tables.

    Detectors as they are registered, others after them by name; of each native signals come first.
    """
    known = {name: place for place, name in enumerate(DETECTORS.names())}

    def order(one: Scorer) -> tuple[int, str, bool, str]:
        return known.get(one.detector, len(known)), one.detector, one.source != NATIVE, one.source

    return tuple(sorted({scorer_of(one) for one in detected.detections()}, key=order))


def access(detection: Detection) -> Access:
    """Return what a detector had to look at."""
    if detection.source == ANSWER:
        return "answer"
    if kind_of(detection.detector) == "Verdicts" or detection.binary:
        return "verdicts"
    return "native" if detection.source == NATIVE else "proxy"


def signals(detection: Detection) -> str:
    """Return in words what a detector had to look at, such as "proxy org/model-8B"."""
    match access(detection):
        case "native":
            return "native"
        case "proxy":
            return f"proxy {detection.source}"
        case "answer":
            return "words of the answer"
        case "verdicts":
            return f"judge {detection.source}"


def signals_of(detected: Targets, scorer: Scorer) -> str:
    """Return the same of a row of a table."""
    return next(signals(one) for one in detected.detections() if scorer_of(one) == scorer)


def row_names(rows: Sequence[Scorer]) -> tuple[str, ...]:
    """Return short names of `rows`: that of the detector, and its source where it has several."""
    times = Counter(one.detector for one in rows)
    sources = tuple(dict.fromkeys(one.source for one in rows))
    brief = dict(zip(sources, short_names(sources), strict=True))
    return tuple(
        one.detector if times[one.detector] == 1 else f"{one.detector} ({brief[one.source]})" for one in rows
    )


class AxisRow(NamedTuple):
    """One row of a figure: a detector with any of `scorers`, of which no target has more than one."""

    name: str
    scorers: tuple[Scorer, ...]

    def of(self, target: Target) -> Scorer | None:
        """Return whose figures of a target stand in this row; None where it has none."""
        return next((one for one in self.scorers if target.of(one) is not None), None)


def axis_rows(detected: Targets, rows: Sequence[Scorer]) -> tuple[AxisRow, ...]:
    """Return one row for each detector, or one a source where a target has several sources of it."""
    names = dict(zip(rows, row_names(rows), strict=True))
    found: list[AxisRow] = []
    for detector, held in groupby(rows, key=lambda one: one.detector):
        sources = tuple(held)
        apart = any(sum(one.of(scorer) is not None for scorer in sources) > 1 for one in detected.targets)
        found += [AxisRow(names[one], (one,)) for one in sources] if apart else [AxisRow(detector, sources)]
    return tuple(found)


def regimes(target: Target) -> tuple[str, ...]:
    """Return what was at hand of a target beside its words: "native", "proxy NAME", "judge NAME"."""
    return tuple(dict.fromkeys(signals(one) for one in target.detections if access(one) != "answer"))


def estimate(quality: Quality, detection: Detection, documents: int) -> Estimate:
    """Return a measure as a table's cell has it."""
    return Estimate(
        value=number(quality.mean),
        low=number(quality.low),
        high=number(quality.high),
        n=detection.n,
        scenes=documents,
        dropped=quality.dropped,
    )


def number(value: float | None) -> float:
    """Return a figure that may be absent, as NaN then."""
    return math.nan if value is None else value
