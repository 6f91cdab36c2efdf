"""What counting the votes of eleven judges costs, beside pandas and scikit-learn; self-preference recovered.

158,400 items (11 assistants x 300 questions x 16 conditions x 3 runs) x 11 judges. All times are CPU time.
Run it: .venv/bin/python scripts/bench/votes.py
"""

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtri
from sklearn.metrics import cohen_kappa_score

from lvqa_eval.judging.consensus import consensus
from lvqa_eval.metrics.agreement import krippendorff_alpha, pairwise_agreement
from lvqa_eval.metrics.bootstrap import scene_weights
from lvqa_eval.metrics.judges import SelfPreference, cross_matrix, cross_sums, self_preference
from lvqa_eval.metrics.votes import Votes

MODELS, PER_ASSISTANT, SCENES = 11, 300 * 16 * 3, 93
MISSING = 0.01
SCENE_SHARE, ITEM_SHARE = 0.09, 0.71
"""Shares of the variance of difficulty that all judges see alike, by scene and by item; the rest is noise."""


@dataclass(frozen=True)
class Panel:
    """Votes (judges, items), with the assistant and the scene of each item."""

    votes: Votes
    assistant_of: NDArray[np.intp]
    scene_of: NDArray[np.intp]


def simulate(delta: NDArray[np.float64], seed: int) -> Panel:
    """Draw votes whose expected matrix is exactly additive, with `delta` (models,) more in the own cells."""
    rng = np.random.default_rng(seed)
    share = 0.5 + np.linspace(-0.18, 0.18, MODELS)[:, None] + np.linspace(0.06, -0.06, MODELS)
    threshold = ndtri(share + np.diag(delta))
    assistant_of = np.repeat(np.arange(MODELS), PER_ASSISTANT)
    scene_of = np.tile(np.arange(PER_ASSISTANT) * SCENES // PER_ASSISTANT, MODELS)
    seen = np.sqrt(SCENE_SHARE) * rng.normal(size=SCENES)[scene_of]
    seen += np.sqrt(ITEM_SHARE) * rng.normal(size=len(scene_of))
    noise = rng.normal(scale=np.sqrt(1 - SCENE_SHARE - ITEM_SHARE), size=(MODELS, len(scene_of)))
    votes = (seen + noise < threshold.T[:, assistant_of]).astype(np.int8)
    votes[rng.random(votes.shape) < MISSING] = -1
    return Panel(votes, assistant_of, scene_of)


def cpu(work: Callable[[], Any], times: int) -> float:
    """Return the least CPU milliseconds of so many goes."""
    seconds = []
    for _ in range(times):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return 1000 * min(seconds)


def with_pandas(frame: pd.DataFrame) -> pd.Series:
    """Return the consensus from a frame (items, judges) with NaN for no vote."""
    verdict = (frame.mean(axis=1) > 0.5).astype(float)
    return verdict.where(frame.count(axis=1) > MODELS / 2, -1)


def with_sklearn(votes: Votes) -> list[float]:
    """Return Cohen's kappa of every pair of judges."""
    kappas = []
    for one, other in combinations(votes, 2):
        both = (one >= 0) & (other >= 0)
        kappas.append(cohen_kappa_score(one[both], other[both]))
    return kappas


def timings(times: int) -> Iterator[str]:
    """Measure each step beside its baseline, after a look that both find the same."""
    panel = simulate(np.zeros(MODELS), seed=0)
    votes, assistant_of = panel.votes, panel.assistant_of
    frame = pd.DataFrame(votes.T).astype(float).replace(-1.0, np.nan)

    def matrix() -> NDArray[np.float64]:
        return cross_matrix(cross_sums(votes, assistant_of, MODELS))

    np.testing.assert_array_equal(consensus(votes).verdict, with_pandas(frame))
    np.testing.assert_allclose(matrix(), frame.groupby(assistant_of).mean())
    pairs = pairwise_agreement(votes).pairs.values()
    np.testing.assert_allclose([pair.kappa for pair in pairs], with_sklearn(votes))

    steps = [
        ("consensus", lambda: consensus(votes), "pandas", lambda: with_pandas(frame), 1),
        ("matrix of assistants and judges", matrix, "pandas", lambda: frame.groupby(assistant_of).mean(), 10),
        ("55 kappas", lambda: pairwise_agreement(votes), "scikit-learn", lambda: with_sklearn(votes), 10),
    ]
    for what, ours, library, theirs, goal in steps:
        found, base = cpu(ours, times), cpu(theirs, max(1, times // 10))
        yield f"| {what} | {found:.2f} ms | {goal} ms | {library} {base:.0f} ms | {base / found:.0f} x |"
    yield f"| Krippendorff's alpha | {cpu(lambda: krippendorff_alpha(votes), 5):.0f} ms | - | - | - |"
    yield f"| self-preference, 2,000 draws | {cpu(lambda: preference(panel), 5):.0f} ms | - | - | - |"


def recoveries(repeats: int) -> Iterator[str]:
    """Plant self-preference in new data again and again; the figures are points of a hundred."""
    for case, (planted, alone) in enumerate([(2.6, False), (12.9, False), (2.6, True), (12.9, True)]):
        delta = np.where((np.arange(MODELS) == MODELS // 2) | (not alone), planted / 100, 0.0)
        found = [preference(simulate(delta, seed=1000 * (case + 1) + i)) for i in range(repeats)]
        if alone:
            model = MODELS // 2
            raw = [(one.raw.value[model], one.raw.se[model]) for one in found]
            corrected = [(one.corrected.value[model], one.corrected.se[model]) for one in found]
        else:
            raw = [(float(one.raw_mean.value), float(one.raw_mean.se)) for one in found]
            corrected = [(float(one.corrected_mean.value), float(one.corrected_mean.se)) for one in found]
        where = "one model alone" if alone else "all, their mean"
        yield f"| {planted} | {where} | {_told(raw, planted)} | {_told(corrected, planted)} |"


def preference(panel: Panel) -> SelfPreference:
    """Return raw and corrected self-preference with their spread over 2,000 draws of scenes."""
    sums = cross_sums(panel.votes, panel.assistant_of, MODELS, panel.scene_of, SCENES)
    return self_preference(sums, np.arange(MODELS), scene_weights(SCENES))


def _told(found: list[tuple[float, float]], planted: float) -> str:
    """Mean estimate, how far off in errors of that mean, the error of one data set, and how many are near."""
    values, errors = 100 * np.array(found).T
    off = (values.mean() - planted) / (values.std(ddof=1) / np.sqrt(len(values)))
    near = int((np.abs(values - planted) < 3 * errors).sum())
    return f"{values.mean():.2f} ({off:+.1f}) | {errors.mean():.2f} | {near} of {len(values)}"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=30, help="goes of each step; the least counts")
    parser.add_argument("--repeats", type=int, default=40, help="data sets with planted self-preference")
    chosen = parser.parse_args()
    print(f"{MODELS * PER_ASSISTANT} items x {MODELS} judges\n")
    print("| what | found | goal | baseline | ratio |\n|---|---|---|---|---|")
    for line in timings(chosen.times):
        print(line, flush=True)
    heads = [
        "planted",
        "in",
        *("raw (off)", "its se", "within 3 se"),
        *("corrected (off)", "its se", "within 3 se"),
    ]
    print(f"\n| {' | '.join(heads)} |\n{'|---' * len(heads)}|")
    for line in recoveries(chosen.repeats):
        print(line, flush=True)


if __name__ == "__main__":
    main()
