"""Judged answers with hidden states: with a planted signal of the verdict, of the document, or with none."""

from collections.abc import Sequence

import numpy as np

from lvqa_eval.detectors.answers import Answer, Answers
from lvqa_eval.detectors.signals import Signals
from tests.support.scored_runs import conversation, question, turn

LAYERS = (1, 2)
"""Those that a probe reads of a model of two: more layers take more time."""


def answers_of(incorrect: Sequence[bool], documents: Sequence[str], model: str = "some/model-4b") -> Answers:
    """Return one answer for each verdict, about the document of the same place."""
    items = tuple(
        Answer(
            question(f"q{i:04d}", document), conversation("full", f"q{i:04d}", turns=[turn()]), bool(wrong)
        )
        for i, (wrong, document) in enumerate(zip(incorrect, documents, strict=True))
    )
    return Answers(model, "full", "exact-match", items, {})


def verdicts(count: int, seed: int = 0) -> np.ndarray:
    """Return random verdicts, some two in five of them incorrect."""
    return np.random.default_rng(seed).random(count) < 0.4


def documents(count: int, each: int = 2) -> list[str]:
    """Return the documents of answers, `each` in a row about the same."""
    return [f"d{i // each:03d}" for i in range(count)]


def noise(count: int, width: int = 12, seed: int = 1) -> np.ndarray:
    """Return states that know nothing."""
    return np.random.default_rng(seed).normal(size=(count, width)).astype(np.float32)


def planted(incorrect: np.ndarray, strength: float, width: int = 12, seed: int = 1) -> np.ndarray:
    """Return noise with the verdict along one direction, `strength` standard deviations apart."""
    states = noise(len(incorrect), width, seed)
    states[:, :4] += (incorrect[:, None] - 0.5) * strength / 2
    return states


def signals_of(states: np.ndarray | dict[int, np.ndarray], source: str = "proxy", **about: object) -> Signals:
    """Return states by layer, the last one too, as signals; an array is the state at each of `LAYERS`."""
    hidden = states if isinstance(states, dict) else dict.fromkeys(LAYERS, states)
    return Signals(source, hidden=hidden, depth=max(hidden), about=about)
