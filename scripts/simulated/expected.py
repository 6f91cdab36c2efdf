"""What the stated model leads to: planted values of effects, none of them drawn."""

from collections.abc import Sequence

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

from dataset_builders.layered_vqa.example import Example
from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.delivery import FULL
from lvqa_eval.metrics.grounding import MEASURES, layer_measures
from lvqa_eval.metrics.study import Mask

from .conversations import EMPTY, NO_ANSWER
from .habits import (
    CITED_NEW,
    CITED_OLD,
    MOST_LAYERS,
    SPREAD,
    TYPICAL,
    WORDY,
    naming_chances,
    recall_and_stray,
)
from .model import DROPPED, GROUNDED, Model
from .patterns import CONDITIONS, all_patterns
from .population import eases, right_by_pattern, right_given


def change_between_groups(model: Model, condition: str, one: Mask, other: Mask) -> float:
    """Return what `condition` changes for one group of patterns beyond what it does for another."""
    shares = all_patterns().shares(model.size.relational)
    right = right_by_pattern(model).mean(axis=0)
    change = right[CONDITIONS.index(condition)] - right[CONDITIONS.index(FULL)]
    ones, others = (float(change[group] @ shares[group] / shares[group].sum()) for group in (one, other))
    return ones - others


def first_attempts(model: Model, condition: str, until: Floats) -> float:
    """Return the share of conversations whose first attempt comes in the turns `until` (patterns,) at most.

    For a condition that can be answered from its first turn on.
    """
    patterns, place = all_patterns(), CONDITIONS.index(condition)
    before = np.minimum(patterns.evidence[place] - 1, until)
    after = np.maximum(until - before, 0)
    uncommitted = (1 - model.commitment)[:, None] ** until
    found = np.zeros_like(uncommitted)
    for ease, weight in eases():
        hazard = model.early_hazard(np.array(ease))[:, place, None]
        came = 1 - (1 - hazard) ** before * (1 - GROUNDED) ** after
        right = right_given(model, ease)[:, place] / (1 - model.failing)[:, None]
        found += weight * (1 - uncommitted * (1 - came * (right + (1 - right) * DROPPED)))
    return float((found @ patterns.shares(model.size.relational)).mean())


def longest_less_shortest(model: Model, kind: str, conditions: Sequence[str]) -> float:
    """Return the accuracy of the longest fifth of replies less that of the shortest, mean over assistants.

    `conditions` are those of this kind, "single" or "multi". Lengths are taken as drawn, before rounding.
    """
    without = model.failing * np.mean([NO_ANSWER.get(condition, EMPTY) for condition in conditions])
    levels = right_by_pattern(model) @ all_patterns().shares(model.size.relational)
    right = levels[:, [CONDITIONS.index(condition) for condition in conditions]].mean(axis=1)
    found = [
        _fifths_apart(float(level), float(1 - level - lost), np.log(TYPICAL[kind]), WORDY[kind])
        for level, lost in zip(right, without, strict=True)
    ]
    return float(np.mean(found))


def _fifths_apart(right: float, wrong: float, middle: float, wordy: float) -> float:
    """Return P(right | longest fifth) - P(right | shortest), of log-normal lengths in these proportions."""
    every = right + wrong

    def below(log: float) -> tuple[float, float]:
        return right * ndtr((log - middle) / SPREAD), wrong * ndtr((log - middle - wordy) / SPREAD)

    cuts = [
        brentq(lambda log, share=share: sum(below(log)) - share * every, middle - 9, middle + 9)
        for share in (0.2, 0.8)
    ]
    short, long = below(cuts[0])[0], right - below(cuts[1])[0]
    return float((long - short) / (0.2 * every))


def grounding_measures(model: Model) -> Floats:
    """Return the expected measures of the layers that replies name, mean over assistants, as in MEASURES."""
    patterns = all_patterns()
    shares = patterns.shares(model.size.relational)
    named = (np.arange(2 ** (MOST_LAYERS + 1))[:, None] >> np.arange(MOST_LAYERS + 1)) & 1 == 1
    measures = np.array([[_measures(example, row) for row in named] for example in patterns.examples])
    total = np.zeros(len(MEASURES))
    for recall, stray in zip(*recall_and_stray(len(model.assistants)), strict=True):
        chances = naming_chances(recall, stray)[:, None]
        likely = np.where(named, chances, 1 - chances).prod(axis=-1)
        total += np.einsum("p,pn,pnm->m", shares, likely, measures)
    return total / len(model.assistants)


def _measures(example: Example, named: Mask) -> Sequence[float]:
    layers = [layer for layer in np.flatnonzero(named[:-1]).tolist() if layer < example.depth]
    predicted = frozenset([*layers, example.depth] if named[-1] else layers)
    return layer_measures(
        predicted, frozenset(example.gold_layers), frozenset(example.distractors), example.depth
    )


def citations_on_arrival(model: Model) -> float:
    """Return the share of citations that come in the turn of the layer's arrival.

    With n layers, sharded-v has n (n - 1) / 2 chances to cite an earlier one, recap-v n more at its end.
    """
    patterns = all_patterns()
    shares, depth = patterns.shares(model.size.relational), patterns.depth
    on_arrival, earlier = 2 * depth * CITED_NEW, (depth * (depth - 1) + depth) * CITED_OLD
    return float(on_arrival @ shares / ((on_arrival + earlier) @ shares))
