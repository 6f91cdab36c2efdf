"""The stated model that simulated studies are drawn from.

Assistants a, conditions c and patterns of evidence are fixed. Scenes, and the questions in them, are drawn
anew for every study; what is expected over them is the truth that a study estimates (see `population`).

- Scenes have 2 to 6 layers (`patterns.DEPTH_SHARES`) and one question each; the rest of the questions falls
  to them by a multinomial with weights from a Dirichlet, so that some scenes have many. The categories have
  the paper's counts, dealt at random. A question has a pattern of its scene's depth and its own kind.
- A final answer is right with probability Phi(x), x = sqrt(1 + V) m + the random effects, V their variance:
  scene, question, question x assistant, and, times unlike[c] (0 for full), scene x condition and question x
  condition, all normal. So on average over scenes and questions it is right with probability Phi(m), where
  m = ability[a] + effect[c] + interaction[a, c] + relational[c] (for relational questions)
  + depth[c] (for each layer more than 4) + background[c] (if the background is in the gold set).
- Of all conversations a share `failing[a]` ends in a failure of the model, which is wrong, and a share
  `MISSING` in one of the serving, which does not count. Runs of a question differ by chance alone.
- A right answer comes first in turn R: from the turn in which the question can be answered, each turn up to
  the complete evidence brings it with the hazard Phi(hurry[a] + family[c] + GUESSED g), g the scene's ease of
  guessing, which its scene effect shares in part; each later one with the hazard `GROUNDED`; the last turn
  brings it for certain. If the final answer is wrong, a right one that came in an earlier turn by the same
  hazards was there and then dropped in a share `DROPPED` of such cases.
- An assistant commits itself with the hazard commitment[a] a turn, and no later than in turn R.
- A judge says "right" of a right answer with probability 1 - ERROR + leniency[j] and of a wrong one with
  probability ERROR + leniency[j]; of its own model's with preference[j] more. So mean verdicts are
  additive but for the own cells. A share `UNREAD` of its replies cannot be read.
- Between assistants, evenly in an order drawn once: ability -0.45 to 0.45, hurry -0.3 to 0.3, commitment 0.2
  to 0.6; failing 0.02 for each probit below the most able; interactions normal with 0.12, drawn once. Between
  judges: leniency -0.11 to 0.11, preference 0.129 to 0.005, the strictest with the greatest.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from scipy.special import ndtr, ndtri

from lvqa_eval.errors import LvqaError
from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.groups import RELATIONAL
from lvqa_eval.metrics.ungrounded import LAYER_DELIVERIES

from .patterns import CONDITIONS, all_patterns

SCENE, SCENE_CONDITION = 0.9, 0.3
QUESTION, QUESTION_CONDITION, QUESTION_ASSISTANT = 1.2, 0.5, 1.2
"""Standard deviations of the random effects."""

UNLIKE: Final = {
    **dict.fromkeys(CONDITIONS, 1.0),
    **{"full": 0.0, "all-layers": 0.3, "concat-q": 0.6, "shuffled-concat": 0.6},
}
"""How much of what is hard about a scene or question is a matter of the delivery."""

GUESSED, SHARED, GROUNDED, DROPPED = 0.5, 0.5, 0.6, 0.25
"""`SHARED` is the correlation of a scene's ease of guessing with its effect on right answers."""

MISSING, ERROR, UNREAD = 0.003, 0.12, 0.005

UNEVEN = 1.5
"""Weight of each scene in the Dirichlet: the smaller, the more unequal are the numbers of questions."""

CATEGORIES: Final = {
    **{"direct_ask": 83, "attribute_binding": 65, "spatial": 54},
    **{"counting": 44, "multi_hop": 37, "occlusion": 17},
}
"""The paper's questions of each category."""

FIELD: Final = {
    **{"full": 0.600, "concat-q": 0.559, "shuffled-concat": 0.545, "sharded-q": 0.456},
    **{"recap-q": 0.665, "snowball-q": 0.540, "concat-v": 0.413, "sharded-v": 0.312},
    **{"recap-v": 0.655, "snowball-v": 0.420, "evidence-first": 0.265, "evidence-last": 0.410},
    **{"aligned-vq": 0.350, "misaligned-vq": 0.330, "all-layers": 0.583, "oracle": 0.452},
}
"""Accuracy of the mean over assistants, to which effect[c] is set: the paper's where it prints one."""

RELATIONAL_BASE = -0.15
"""What relational questions have less under every condition, in probits; more is in `RELATIONAL_SLOPE`."""

RELATIONAL_SLOPE: Final = {
    **{"concat-v": -0.40, "sharded-v": -0.40, "snowball-v": -0.36, "oracle": -0.42, "recap-v": -0.06},
    **{"evidence-first": -0.30, "evidence-last": -0.34, "aligned-vq": -0.32, "misaligned-vq": -0.32},
    **{"all-layers": -0.06},
}
DEPTH_SLOPE: Final = {
    **{"concat-v": -0.11, "sharded-v": -0.13, "snowball-v": -0.11, "oracle": -0.09},
    **{"evidence-first": -0.10, "evidence-last": -0.10, "aligned-vq": -0.08, "misaligned-vq": -0.08},
}
BACKGROUND_SLOPE: Final = {"oracle": -0.17}

FAMILY_HAZARD: Final = dict(zip(LAYER_DELIVERIES, (-0.65, -0.85, -1.05), strict=True))
"""Probits of an answer before its evidence, by family of deliveries."""

JUDGES = 11
MIDDLE_DEPTH = 4


def by_condition(values: Mapping[str, float]) -> Floats:
    """Return the values in the order of the conditions, 0 for one that has none."""
    return np.array([values.get(condition, 0.0) for condition in CONDITIONS])


VARIANCE: Final = (
    SCENE**2
    + QUESTION**2
    + QUESTION_ASSISTANT**2
    + by_condition(UNLIKE) ** 2 * (SCENE_CONDITION**2 + QUESTION_CONDITION**2)
)
"""V of each condition."""


class SizeError(LvqaError, ValueError):
    """A study of a size that cannot be drawn."""


@dataclass(frozen=True)
class Size:
    """How much a study has; the paper's size by default. Judges are the first of the assistants."""

    assistants: int = 13
    questions: int = 300
    scenes: int = 93
    repetitions: int = 3
    judges: int = JUDGES

    def __post_init__(self) -> None:
        least = {"assistants": 1, "questions": self.scenes, "scenes": 2, "repetitions": 1, "judges": 0}
        faults = [
            f"{name}: found {getattr(self, name)}, allowed: {fewest} or more"
            for name, fewest in least.items()
            if getattr(self, name) < fewest
        ]
        if self.judges > self.assistants:
            faults.append(f"judges: found {self.judges}, allowed: at most {self.assistants}, the assistants")
        if faults:
            raise SizeError("\n".join(faults))

    @property
    def categories(self) -> Mapping[str, int]:
        """Questions of each category: the paper's shares, the largest remainders rounded up."""
        exact = {name: self.questions * count / 300 for name, count in CATEGORIES.items()}
        counts = {name: int(share) for name, share in exact.items()}
        short = self.questions - sum(counts.values())
        for name in sorted(exact, key=lambda one: counts[one] - exact[one])[:short]:
            counts[name] += 1
        return counts

    @property
    def relational(self) -> float:
        """The share of relational questions."""
        return sum(self.categories[name] for name in RELATIONAL) / self.questions


@dataclass(frozen=True, eq=False)
class Model:
    """What is fixed in a study of some size; arrays are by assistant, judge or condition, or two of these.

    Everything in probits but `failing` and `commitment`, which are shares of 1, as are `leniency` and
    `preference`. The names say what of the module's statement they are.
    """

    size: Size
    assistants: tuple[str, ...]
    judges: tuple[str, ...]
    ability: Floats
    interaction: Floats
    effect: Floats
    failing: Floats
    hurry: Floats
    commitment: Floats
    leniency: Floats
    preference: Floats

    def probits(self) -> Floats:
        """Return m for each pattern, (assistants, conditions, patterns)."""
        return (
            self.ability[:, None, None] + self.interaction[..., None] + self.effect[:, None] + _of_patterns()
        )

    def judge_rates(self) -> tuple[Floats, Floats]:
        """Return how likely a verdict "right" is on a right and on a wrong answer, (assistants, judges)."""
        kinder = self.leniency + np.eye(len(self.assistants), len(self.judges)) * self.preference
        return 1 - ERROR + kinder, ERROR + kinder

    def early_hazard(self, ease: Floats) -> Floats:
        """Return the hazard of a right answer before its evidence, (assistants, conditions, *ease).

        `ease` is g. It is meant for deliveries of layers; the others have their evidence at once.
        """
        family = by_condition(
            {one: FAMILY_HAZARD[name] for name, held in LAYER_DELIVERIES.items() for one in held}
        )
        return np.asarray(ndtr(np.add.outer(self.hurry[:, None] + family, GUESSED * ease)))


def stated_model(size: Size) -> Model:
    """Return the model of a study of this size; what differs between assistants was drawn once."""
    rng = np.random.default_rng(13)
    interaction = 0.12 * rng.standard_normal((size.assistants, len(CONDITIONS)))
    ability = rng.permutation(np.linspace(-0.45, 0.45, size.assistants))
    failing = ability.max() - ability  # the weaker, the more failures
    kinder = np.linspace(-0.11, 0.11, size.judges) if size.judges > 1 else np.zeros(size.judges)
    # The strictest judge likes itself most: a lenient one has no room to.
    preferred = np.interp(np.linspace(0, 10, size.judges), np.arange(11), _PREFERENCES)
    order = rng.permutation(size.judges)
    names = tuple(f"simulated-{number:02d}" for number in range(1, size.assistants + 1))
    model = Model(
        size=size,
        assistants=names,
        judges=names[: size.judges],
        ability=ability,
        interaction=interaction,
        effect=np.zeros(len(CONDITIONS)),
        failing=0.02 * failing,
        hurry=rng.permutation(np.linspace(-0.3, 0.3, size.assistants)),
        commitment=rng.permutation(np.linspace(0.2, 0.6, size.assistants)),
        leniency=kinder[order],
        preference=preferred[order],
    )
    return _calibrated(model)


_PREFERENCES = (0.129, 0.030, 0.025, 0.020, 0.015, 0.012, 0.010, 0.010, 0.010, 0.008, 0.005)


def _of_patterns() -> Floats:
    """What of m depends on the pattern, (conditions, patterns)."""
    patterns = all_patterns()
    relational = RELATIONAL_BASE + by_condition(RELATIONAL_SLOPE)
    return np.asarray(
        np.outer(relational, patterns.relational)
        + np.outer(by_condition(DEPTH_SLOPE), patterns.depth - MIDDLE_DEPTH)
        + np.outer(by_condition(BACKGROUND_SLOPE), patterns.background)
    )


def _calibrated(model: Model) -> Model:
    """Return the model with the effects under which the mean over assistants is that of `FIELD`."""
    shares = all_patterns().shares(model.size.relational)
    wanted, scores = by_condition(FIELD), (1 - model.failing)[:, None, None]
    for _ in range(60):
        found = (scores * ndtr(model.probits()) @ shares).mean(axis=0)
        if np.abs(found - wanted).max() < 1e-12:
            break
        model = replace(model, effect=model.effect + ndtri(wanted) - ndtri(found))
    return model
