"""Many studies of one model: coverage of intervals, planted effects recovered."""

from dataclasses import dataclass

import numpy as np

from lvqa_eval.metrics.bootstrap import DRAWS, Floats
from lvqa_eval.progress import progress

from .coverage import STATISTICS, Coverage, coverage, intervals, true_cells
from .draw import draw, draw_votes
from .effects import Effect, Recovered, recovered, study_effects
from .judges import Truthfulness, judge_effects, truthfulness
from .model import Model
from .replies import read_replies, reply_effects

SPOKEN = 4
"""So many studies are held in words, which takes longer than all else."""


@dataclass(frozen=True)
class Measured:
    """What many studies tell: coverage by statistic, effects, and how true the first panel's verdicts are."""

    coverage: dict[str, Coverage]
    effects: list[Recovered]
    panel: Truthfulness | None

    @property
    def faults(self) -> list[str]:
        """What is not as it has to be, one line each."""
        found = [
            f"{one.name}: coverage {one.pooled:.1%}"
            for one in self.coverage.values()
            if one.name in STATISTICS and not one.accepted
        ]
        found += [
            f"{one.name}: planted {one.planted:+.3f}, found {one.mean:+.3f}"
            for one in self.effects
            if not one.shows
        ]
        if self.panel is not None and not self.panel.shows:
            found.append(f"consensus: true in {self.panel.consensus:.1%}, one judge in {self.panel.best:.1%}")
        return found


def measure(model: Model, studies: int, seed: int, draws: int = DRAWS) -> Measured:
    """Draw so many studies; the first `SPOKEN` are held in words too. Same arguments, same figures."""
    found: list[dict[str, Floats]] = []
    effects: list[list[Effect]] = []
    with progress("studies", studies) as advance:
        for number in range(studies):
            drawn = draw(model, seed, number)
            weights = drawn.study.weights(draws, seed + number)
            found.append(intervals(drawn, weights))
            votes = draw_votes(drawn, seed, number)
            effects.append([*study_effects(drawn, weights), *judge_effects(drawn, votes, weights)])
            advance()
    said = _said(model, min(studies, SPOKEN), seed, draws)
    first = draw(model, seed)
    panel = truthfulness(first, draw_votes(first, seed)) if len(model.judges) > 1 else None
    true = true_cells(model)
    return Measured(
        {name: coverage(name, np.array([one[name] for one in found]), true[name]) for name in true},
        [*recovered(effects), *recovered(said)],
        panel,
    )


def _said(model: Model, studies: int, seed: int, draws: int) -> list[list[Effect]]:
    found = []
    with progress("replies", studies) as advance:
        for number in range(studies):
            drawn = draw(model, seed, number)
            replies = read_replies(drawn, seed, number)
            found.append(reply_effects(drawn, replies, drawn.study.weights(draws, seed + number)))
            advance()
    return found
