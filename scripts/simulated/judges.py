"""What was planted in judges, and what the statistics of a panel find of it."""

from dataclasses import dataclass
from itertools import starmap

import numpy as np

from lvqa_eval.judging.consensus import consensus
from lvqa_eval.metrics.agreement import agreement
from lvqa_eval.metrics.bootstrap import Estimate, Floats, SceneSums, percentile_interval, replicates
from lvqa_eval.metrics.judges import SelfPreference, Spread, cross_sums, own_judges, self_preference
from lvqa_eval.metrics.votes import Votes

from .draw import Drawn
from .effects import Effect


@dataclass(frozen=True)
class Truthfulness:
    """How often verdicts agree with the truth: the consensus, and the best and the worst single judge."""

    consensus: float
    kappa: float
    best: float
    worst: float
    undecided: int

    @property
    def shows(self) -> bool:
        """Whether a panel knows better than any of its judges."""
        return self.consensus > self.best


@dataclass(frozen=True, eq=False)
class PanelSums:
    """The votes of a panel by assistant, judge and scene; `own` as of `metrics.judges.own_judges`."""

    sums: SceneSums
    own: np.ndarray

    @classmethod
    def of(cls, drawn: Drawn, votes: Votes) -> "PanelSums":
        """Add up the votes of a study."""
        shape, model = drawn.right.shape, drawn.model
        assistant_of = np.broadcast_to(np.arange(shape[0])[:, None, None, None], shape).ravel()
        scene_of = np.broadcast_to(drawn.questions.scene_of[:, None], shape).ravel()
        flat = votes.reshape(len(votes), -1)
        sums = cross_sums(flat, assistant_of, shape[0], scene_of, drawn.questions.scenes)
        return cls(sums, own_judges(model.assistants, model.judges))

    def self_preference(self, weights: Floats) -> SelfPreference:
        """Return the self-preference of each judge, raw and corrected."""
        return self_preference(self.sums, self.own, weights)


def judge_effects(drawn: Drawn, votes: Votes, weights: Floats) -> list[Effect]:
    """Return the planted leniency and self-preference, with what the panel finds; none for under 3 judges."""
    model = drawn.model
    if len(model.judges) < 3:
        return []
    panel = PanelSums.of(drawn, votes)
    found, most = panel.self_preference(weights), int(model.preference.argmax())
    mean = float(model.preference.mean())
    kind, strict = int(model.leniency.argmax()), int(model.leniency.argmin())
    spread = float(model.leniency[kind] - model.leniency[strict])
    name = f"self-preference of {model.judges[most]}"
    rows = (
        (
            "verdicts of the most lenient judge less the strictest",
            spread,
            _between(panel, kind, strict, weights),
        ),
        (f"{name}, raw", float(model.preference[most]), _estimate(found.raw, most)),
        (f"{name}, corrected", float(model.preference[most]), _estimate(found.corrected, most)),
        ("self-preference, mean of judges, raw", mean, _estimate(found.raw_mean)),
        ("self-preference, mean of judges, corrected", mean, _estimate(found.corrected_mean)),
    )
    return list(starmap(Effect, rows))


def truthfulness(drawn: Drawn, votes: Votes) -> Truthfulness:
    """Compare verdicts with the truth, over the conversations that were put before judges."""
    asked = votes[:, drawn.judged]
    truth = drawn.right[drawn.judged].astype(np.int8)
    verdicts = consensus(asked)
    whole = agreement(verdicts.verdict, truth)
    single = [agreement(row, truth).raw for row in asked]
    undecided = int((~verdicts.decided).sum())
    return Truthfulness(whole.raw, whole.kappa, max(single), min(single), undecided)


def _between(panel: PanelSums, one: int, other: int, weights: Floats) -> Estimate:
    """Return the mean verdict of one judge less that of another, over assistants that are neither."""
    others = [row for row, judge in enumerate(panel.own.tolist()) if judge not in (one, other)]
    drawn = replicates(SceneSums(panel.sums.totals[others], panel.sums.counts[others]), weights)
    value = panel.sums.value[others]
    low, high = percentile_interval((drawn[:, one] - drawn[:, other]).mean(axis=0))
    return _plain(float((value[:, one] - value[:, other]).mean()), float(low), float(high))


def _estimate(spread: Spread, *place: int) -> Estimate:
    return _plain(*(float(part[place]) for part in (spread.value, spread.low, spread.high)))


def _plain(value: float, low: float, high: float) -> Estimate:
    return Estimate(value, low, high, n=0, scenes=0, dropped=0)
