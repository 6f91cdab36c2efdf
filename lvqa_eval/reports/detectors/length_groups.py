"""Targets by the length of their answers, and which detector leads in which group: ours, and the paper's."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from lvqa_eval.detectors.length_conditioned import TERSE
from lvqa_eval.detectors.protocol import RANDOM
from lvqa_eval.detectors.signals import NATIVE
from lvqa_eval.reports.detectors.detected import Scorer, Targets
from lvqa_eval.reports.detectors.measure import BALANCED_ACCURACY, Measure
from lvqa_eval.reports.detectors.printed import DETECTORS, PAPER
from lvqa_eval.reports.detectors.scorers import number, scorers, signals_of
from lvqa_eval.reports.numerals import PRINTED
from lvqa_eval.reports.reported import reported_table as printed_table
from lvqa_eval.reports.reported.papers import model_key
from lvqa_eval.reports.table import Head, Table, Value

LONG: Final = 400
"""Words over which the median answer is long [choice]: between the paper's 149 and 1,036."""

GROUPS: Final = ("terse", "sentences", "long")
GROUPED: Final = (
    f"Groups by a model's median answer [choice]: terse, up to {TERSE} words; sentences, up to {LONG}; long, "
    "over that. The paper's models have medians of 2 or 3, of 46 to 149, and of over 1,000 words."
)
CONFOUNDED: Final = (
    "In the paper the two models with long answers are also the only two with native signals, so that length "
    "and signals cannot be told apart there."
)


def group_of(words: float) -> str:
    """Return the group of a target by the median length of its answers."""
    if words <= TERSE:
        return "terse"
    return "sentences" if words <= LONG else "long"


def grouped_table(name: str, measure: Measure, detected: Targets) -> Table:
    """Return for each detector, by group of targets, the mean, the lowest and the highest figure."""
    rows: list[tuple[Value, ...]] = []
    for scorer in scorers(detected):
        values = _measured(measure, detected, scorer)
        summed = (_summed(values[group]) for group in GROUPS)
        rows.append(
            (scorer.detector, signals_of(detected, scorer), *(one for part in summed for one in part))
        )
    ends = ("mean", "lowest", "highest")
    columns = (Head(f"{group.capitalize()}, {end}", "area") for group in GROUPS for end in ends)
    counts = [group_of(one.found.words[1]) for one in detected.targets]
    held = ", ".join(f"{group} {counts.count(group)}" for group in GROUPS)
    heads = (Head("Detector"), Head("Signals"), *columns)
    return Table(name, f"{measure.title} by length of answers", heads, tuple(rows), (f"Models: {held}.",))


def pattern_table(name: str, detected: Targets) -> Table:
    """Return from where to where balanced accuracy goes in each group: the paper's, and ours beside."""
    printed = printed_values(BALANCED_ACCURACY)
    rows: list[tuple[Value, ...]] = [
        (
            detector,
            *(_span(values[group]) for group in GROUPS),
            *(_span(_of_detector(detected, detector)[group]) for group in GROUPS),
        )
        for detector, values in printed.items()
    ]
    theirs = (Head(f"Reported, {group}", reported=True) for group in GROUPS)
    ours = (Head(f"Measured here, {group}") for group in GROUPS)
    table = printed_table(PAPER, DETECTORS)
    notes = (
        "The lowest to the highest balanced accuracy of the models in a group. In the paper the probe leads "
        "on terse answers and sentences, the judge on long answers; max_prob tells something on terse "
        "answers and nothing on sentences. That is what to look for here, not what has to come out.",
        CONFOUNDED,
        "Measured here: with native signals where a model has these, else with any other.",
    )
    title = f"Which detector for which answers: reported in {table.source}, and measured here"
    return Table(name, title, (Head("Detector"), *theirs, *ours), tuple(rows), notes)


def printed_values(measure: Measure) -> Mapping[str, Mapping[str, list[float]]]:
    """Return what the paper prints by detector and group of models."""
    lengths = {
        model_key(row.keys["model"]): row.figures["median_answer_words"].value
        for row in printed_table(PAPER, "accuracy").rows
    }
    found: dict[str, dict[str, list[float]]] = {}
    for row in printed_table(PAPER, DETECTORS).rows:
        if row.keys["detector"] == RANDOM or measure.printed not in row.figures:
            continue
        groups = found.setdefault(row.keys["detector"], {group: [] for group in GROUPS})
        groups[group_of(lengths[model_key(row.keys["model"])])].append(row.figures[measure.printed].value)
    return found


def _measured(measure: Measure, detected: Targets, scorer: Scorer) -> Mapping[str, list[float]]:
    found: dict[str, list[float]] = {group: [] for group in GROUPS}
    for target in detected.targets:
        if (one := target.of(scorer)) is not None and np.isfinite(value := number(measure.of(one).mean)):
            found[group_of(target.found.words[1])].append(value)
    return found


def _of_detector(detected: Targets, detector: str) -> Mapping[str, list[float]]:
    """Return ours of a detector: with native signals where a target has these, else with any other."""
    found: dict[str, list[float]] = {group: [] for group in GROUPS}
    for target in detected.targets:
        held = [one for one in target.detections if one.detector == detector]
        native = [one for one in held if one.source == NATIVE]
        means = (number(one.balanced_accuracy.mean) for one in native or held)
        found[group_of(target.found.words[1])] += [one for one in means if np.isfinite(one)]
    return found


def _summed(values: Sequence[float]) -> tuple[float, float, float]:
    if not values:
        return np.nan, np.nan, np.nan
    return float(np.mean(values)), min(values), max(values)


def _span(values: Sequence[float]) -> str:
    if not values:
        return PRINTED.dash
    low, high = f"{min(values):.2f}", f"{max(values):.2f}"
    return low if low == high else f"{low} to {high}"
