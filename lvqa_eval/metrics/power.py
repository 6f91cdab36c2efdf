"""How many questions a paired difference needs, where questions share scenes and are asked in several runs.

D is the mean over questions of d, and d the share of right runs of B minus that of A. With N questions, R
runs of each, the discordance psi, the instability kappa, scenes of m questions and the correlation rho of d
inside a scene:

    var(d) = psi - D^2 - kappa (1 - 1/R)        var(D) = var(d) (1 + (m - 1) rho) / N
    N      = (z(1 - alpha/2) + z(power))^2 var(d) (1 + (m - 1) rho) / D^2

For one run and scenes of one question this is the comparison of paired proportions with the variance under
the alternative (Connor 1987, Biometrics 43); 1 + (m - 1) rho is Kish's design effect.
"""

import math
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ALPHA, POWER = 0.05, 0.8

_Z = NormalDist()


class PowerError(ValueError):
    """A plan that no data can follow, or data that tell nothing of what a plan needs."""


@dataclass(frozen=True)
class PairedDesign:
    """What the size of a comparison depends on, but for the difference itself; shares of 1.

    - `discordance`: how often one run of A and one of B decide a question differently.
    - `instability`: how often two runs of one of them do, mean of both; 0 takes nothing off for more runs.
    - `icc`: the correlation of d between two questions of a scene, at these `runs`.
    - `per_scene`: questions of a scene. `scene_size`: the same, each question counted once, which is more
      where scenes differ in size; the design effect follows it.

    Raises PowerError with every value that cannot be.
    """

    discordance: float
    instability: float = 0.0
    icc: float = 0.0
    runs: int = 1
    per_scene: float = 1.0
    scene_size: float | None = None

    def __post_init__(self) -> None:
        found = []
        if not 0 < self.discordance <= 1:
            found.append(f"discordance: found {self.discordance:g}, allowed: above 0, to 1")
        if not 0 <= self.instability <= self.discordance:
            found.append(f"instability: found {self.instability:g}, allowed: 0 to the discordance")
        if not 0 <= self.icc <= 1:
            found.append(f"icc: found {self.icc:g}, allowed: 0 to 1")
        if self.runs < 1 or self.per_scene < 1:
            found.append(f"runs, per_scene: found {self.runs}, {self.per_scene:g}, allowed: 1 or more")
        if found:
            raise PowerError("\n".join(found))

    @property
    def design_effect(self) -> float:
        """By what the variance of D grows because scenes share questions."""
        return 1.0 + ((self.scene_size or self.per_scene) - 1.0) * self.icc

    def variance(self, difference: float) -> float:
        """Return the variance of d over questions; PowerError for a difference above the discordance.

        Of the instability no more is taken off than the difference leaves room for.
        """
        if abs(difference) > self.discordance:
            raise PowerError(
                f"difference: found {difference:g}, allowed: up to the discordance, {self.discordance:g}"
            )
        most = self.discordance - difference**2
        return most - min(self.instability, most) * (1.0 - 1.0 / self.runs)

    def standard_error(self, difference: float, questions: int) -> float:
        """Return that of D over so many questions."""
        return math.sqrt(self.variance(difference) * self.design_effect / questions)

    def power(self, difference: float, questions: int, alpha: float = ALPHA) -> float:
        """Return how probably a two-sided 1 - `alpha` interval of D leaves out zero."""
        error = self.standard_error(difference, questions)
        if error == 0:
            return 1.0
        shift, limit = difference / error, _Z.inv_cdf(1 - alpha / 2)
        return _Z.cdf(shift - limit) + _Z.cdf(-shift - limit)

    def questions(self, difference: float, power: float = POWER, alpha: float = ALPHA) -> int:
        """Return how many questions show a difference (not 0) with probability `power`."""
        needed = _reach(power, alpha) * self.variance(difference) * self.design_effect / difference**2
        # At least two: one question has no spread.
        return max(2, math.ceil(needed - 1e-9))

    def scenes(self, questions: int) -> int:
        """Return how many scenes hold so many questions."""
        return math.ceil(questions / self.per_scene - 1e-9)

    def detectable(self, questions: int, power: float = POWER, alpha: float = ALPHA) -> float:
        """Return the least difference that so many questions show; NaN where it is above the discordance."""
        ratio = _reach(power, alpha) * self.design_effect / questions
        spread = self.discordance - self.instability * (1.0 - 1.0 / self.runs)
        square = ratio * spread / (1.0 + ratio)
        if self.instability > self.discordance - square:
            # All of the discordance that the difference leaves is noise of single runs.
            square = ratio * self.discordance / (self.runs + ratio)
        difference = math.sqrt(square)
        return difference if difference <= self.discordance else math.nan


def independent_discordance(accuracy: float, difference: float) -> float:
    """Return the discordance where A, right in `accuracy`, and B, better by `difference`, err independently.

    Models mostly fail on the same questions, so it is the cautious choice. Raises PowerError for shares
    outside 0 to 1.
    """
    other = accuracy + difference
    if not (0 < accuracy < 1 and 0 <= other <= 1):
        raise PowerError(f"accuracy: found {accuracy:g} and {other:g}, allowed: above 0, below 1, and 0 to 1")
    return accuracy * (1 - other) + other * (1 - accuracy)


@dataclass(frozen=True)
class Pilot:
    """What a run tells of a comparison of A and B, for a plan of another size.

    - `difference`: B - A. `discordance`, `instability` as in `PairedDesign`; the latter is None for one run.
    - `covariance`: that of d between two questions of a scene, as estimated; negative by chance alone.
    - `questions`, `scenes`: those with valid runs of both. `runs`: those that the pilot planned.
    - `scene_size`: mean size of the scene of a question.
    """

    difference: float
    discordance: float
    instability: float | None
    covariance: float
    questions: int
    scenes: int
    scene_size: float
    runs: int

    def design(self, runs: int | None = None) -> PairedDesign:
        """Return the design of a like comparison in `runs` runs, by default the pilot's.

        More runs average out the noise of each question, but not what its scene shares. A covariance below
        zero is taken as none. Raises PowerError where A and B never differ.
        """
        discordance = min(self.discordance, 1.0)
        design = PairedDesign(
            discordance=discordance,
            instability=min(self.instability or 0.0, discordance),
            runs=runs or self.runs,
            per_scene=self.questions / self.scenes,
            scene_size=self.scene_size,
        )
        variance = design.variance(self.difference)
        shared = max(self.covariance, 0.0)
        return replace(design, icc=min(shared / variance, 1.0) if variance > 0 else 0.0)


def paired_pilot(a: Floats, b: Floats, scene_of: NDArray[np.intp]) -> Pilot:
    """Estimate what a plan needs from scores (questions, runs) of A and B, NaN where one is not valid.

    Runs of A and B are held to be drawn independently, given the question. Raises PowerError for fewer than
    two scenes.
    """
    valid = np.isfinite(a).any(axis=1) & np.isfinite(b).any(axis=1)
    a, b, scene_of = a[valid], b[valid], scene_of[valid]
    _check_scenes(scene_of)
    right_a, right_b = np.nanmean(a, axis=1), np.nanmean(b, axis=1)
    change = right_b - right_a
    unstable = [one for one in (_instability(a), _instability(b)) if one is not None]
    sizes = np.bincount(scene_of)
    return Pilot(
        difference=float(change.mean()),
        discordance=float(np.mean(right_a * (1 - right_b) + right_b * (1 - right_a))),
        instability=float(np.mean(unstable)) if unstable else None,
        covariance=scene_covariance(change, scene_of),
        questions=len(change),
        scenes=int(np.count_nonzero(sizes)),
        scene_size=float((sizes**2).sum() / sizes.sum()),
        runs=max(a.shape[1], b.shape[1]),
    )


def unrelated_pilot(a: Floats, scene_of: NDArray[np.intp]) -> Pilot:
    """Estimate what a plan needs for A and a model as good as A that errs independently of it.

    `a` is (questions, runs). Raises PowerError for fewer than two scenes.
    """
    valid = np.isfinite(a).any(axis=1)
    a, scene_of = a[valid], scene_of[valid]
    _check_scenes(scene_of)
    right = np.nanmean(a, axis=1)
    sizes = np.bincount(scene_of)
    return Pilot(
        difference=0.0,
        discordance=float(2 * right.mean() * (1 - right.mean())),
        instability=_instability(a),
        covariance=2 * scene_covariance(right, scene_of),
        questions=len(right),
        scenes=int(np.count_nonzero(sizes)),
        scene_size=float((sizes**2).sum() / sizes.sum()),
        runs=a.shape[1],
    )


def scene_covariance(values: Floats, scene_of: NDArray[np.intp]) -> float:
    """Return the covariance of `values` (questions,) between two questions of a scene.

    The moment estimator of one-way analysis of variance, for scenes of unequal size; 0 where no scene has two
    questions. Needs at least two scenes.
    """
    sizes = np.bincount(scene_of).astype(np.float64)
    sums = np.bincount(scene_of, weights=values)
    held = sizes > 0
    sizes, means = sizes[held], sums[held] / sizes[held]
    total, scenes = sizes.sum(), len(sizes)
    if total == scenes:
        return 0.0
    between = (sizes * (means - values.mean()) ** 2).sum()
    within = max(((values - values.mean()) ** 2).sum() - between, 0.0)
    typical = (total - (sizes**2).sum() / total) / (scenes - 1)
    return float((between / (scenes - 1) - within / (total - scenes)) / typical)


def _instability(correct: Floats) -> float | None:
    """Return how often two runs decide a question differently, without bias; None where none has two."""
    runs = np.isfinite(correct).sum(axis=1)
    several = runs > 1
    if not several.any():
        return None
    runs, right = runs[several], np.nansum(correct[several], axis=1)
    return float(np.mean(2 * right * (runs - right) / (runs * (runs - 1))))


def _check_scenes(scene_of: NDArray[np.intp]) -> None:
    scenes = len(np.unique(scene_of))
    if scenes < 2:
        raise PowerError(f"scenes with valid data of both: found {scenes}, allowed: 2 or more")


def _reach(power: float, alpha: float) -> float:
    if not (0 < alpha < 1 and alpha / 2 < power < 1):
        raise PowerError(
            f"power, alpha: found {power:g}, {alpha:g}, allowed: 0 to 1, and power above alpha/2"
        )
    return (_Z.inv_cdf(1 - alpha / 2) + _Z.inv_cdf(power)) ** 2
