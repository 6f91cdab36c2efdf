"""What the statistics of a study cost, beside a pandas loop, scipy's bootstrap and scikit-learn.

13 models x 16 conditions x 300 questions of 93 scenes x 3 runs, one in a hundred missing; 2,000 draws. All
times are CPU time. Both sides of a row find the same figures, which is looked at first.
Run it: .venv/bin/python scripts/bench/study_statistics.py
"""

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.metrics import balanced_accuracy_score

from lvqa_eval.benchmarks import LAYERED_VQA
from lvqa_eval.metrics.bootstrap import DRAWS, Floats, replicates, scene_sums
from lvqa_eval.metrics.concentration import concentration
from lvqa_eval.metrics.delivery import accuracy_table, cost_of_delivery, retained
from lvqa_eval.metrics.groups import by_depth, change_by_group, kind_contrast
from lvqa_eval.metrics.length_control import length_control
from lvqa_eval.metrics.recomposition import STREAMS, recomposition
from lvqa_eval.metrics.reliability import reliability
from lvqa_eval.metrics.scores import OUTCOMES
from lvqa_eval.metrics.study import Study
from lvqa_eval.metrics.thresholds import sweep
from lvqa_eval.metrics.verbosity import verbosity
from lvqa_eval.runs.records import QuestionRecord

MODELS, QUESTIONS, SCENES, RUNS = 13, 300, 93, 3
MISSING = 0.01
SCORES = 1000
CATEGORIES = ("direct_ask", "attribute_binding", "spatial", "counting", "multi_hop")


def simulate(seed: int = 0) -> Study:
    """Draw a study in which models, conditions and questions differ in difficulty."""
    rng = np.random.default_rng(seed)
    shape = (MODELS, len(LAYERED_VQA.conditions), QUESTIONS, RUNS)
    level = 0.5 + 0.1 * rng.normal(size=(MODELS, 1, 1, 1)) + 0.1 * rng.normal(size=(1, shape[1], 1, 1))
    level = level + 0.2 * rng.normal(size=(1, 1, QUESTIONS, 1))
    correct = (rng.random(shape) < level).astype(float)
    correct[rng.random(shape) < MISSING] = np.nan
    outcome = np.where(np.isfinite(correct), OUTCOMES.index("ok"), OUTCOMES.index("not_judged"))
    asked = tuple(_question(place) for place in range(QUESTIONS))
    models = tuple(f"model {row}" for row in range(MODELS))
    return Study(models, LAYERED_VQA.conditions, asked, correct, outcome.astype(np.int8))


def _question(place: int) -> QuestionRecord:
    return QuestionRecord(
        question_id=f"q{place:03d}",
        scene_id=f"s{place % SCENES:02d}",
        depth=2 + place % 5,
        category=CATEGORIES[place % len(CATEGORIES)],
        question="?",
        answer="!",
        answer_description=None,
        gold_layers=(1,),
        minimal_sets=((1,),),
        dependencies=(),
        distractors=(0,),
    )


def cpu(work: Callable[[], Any], times: int) -> float:
    """Return the least CPU milliseconds of so many goes."""
    seconds = []
    for _ in range(times):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return 1000 * min(seconds)


def all_cells(study: Study) -> None:
    """Draw the scenes; take every cell, every paired difference to full, and the field of both."""
    weights = study.weights()
    accuracy_table(study, weights)
    cost_of_delivery(study, weights)


def frame_of(study: Study) -> pd.DataFrame:
    """Return one row for each conversation: its model, condition, scene, and whether it is right."""
    places = np.indices(study.correct.shape).reshape(4, -1)
    scene = study.scene_of[places[2]]
    frame = pd.DataFrame({"model": places[0], "condition": places[1], "scene": scene})
    full = study.conditions.index("full")
    frame["correct"] = study.correct.ravel()
    frame["change"] = (study.correct - study.correct[:, full : full + 1]).ravel()
    return frame


def with_pandas(frame: pd.DataFrame, weights: Floats) -> Floats:
    """Return the figures of each draw, (draws, cells, 2): a frame of the drawn scenes, grouped by cell."""
    of_scene = dict(list(frame.groupby("scene")))
    found = []
    for weight in weights.astype(int):
        drawn = pd.concat([of_scene[scene] for scene in np.repeat(np.arange(SCENES), weight)])
        found.append(drawn.groupby(["model", "condition"])[["correct", "change"]].mean().to_numpy())
    return np.stack(found)


def with_scipy(study: Study, values: Floats, draws: int) -> Any:
    """Return scipy's interval of every cell, from the sums and counts of the scenes."""
    sums = scene_sums(values, study.scene_of, SCENES)

    def ratio(totals: Floats, counts: Floats, axis: int) -> Floats:
        return totals.sum(axis=axis) / counts.sum(axis=axis)

    data = tuple(part.reshape(-1, SCENES) for part in (sums.totals, sums.counts))
    options = {"paired": True, "vectorized": True, "axis": -1, "batch": 100}
    return stats.bootstrap(data, ratio, n_resamples=draws, method="percentile", rng=0, **options)


def differences(study: Study) -> Floats:
    """Return correct less correct under full, for all conditions."""
    return study.correct - study.of(["full"])


def bootstraps(study: Study, times: int, few: int) -> Iterator[str]:
    """Measure all cells with their differences, beside both baselines on `few` draws, scaled."""
    frame, weights = frame_of(study), study.weights(few)
    both = np.stack([study.correct, differences(study)])
    ours = replicates(scene_sums(both, study.scene_of, SCENES), weights).reshape(2, -1, few)
    np.testing.assert_allclose(with_pandas(frame, weights), ours.T, atol=1e-9)
    scipys = with_scipy(study, study.correct, DRAWS).confidence_interval
    low = accuracy_table(study, study.weights()).cells.low.ravel()
    np.testing.assert_allclose(scipys.low, low, atol=0.02)  # other draws

    found = cpu(lambda: all_cells(study), times)
    pandas = cpu(lambda: with_pandas(frame, weights), 1) * DRAWS / few
    scipy = cpu(lambda: [with_scipy(study, cells, DRAWS) for cells in both], 1)
    what = "all cells, differences, field"
    yield f"| {what} | {found:.0f} ms | 150 ms | pandas {pandas / 1000:.0f} s | {pandas / found:.0f} x |"
    yield f"| the same | {found:.0f} ms | 150 ms | scipy {scipy / 1000:.1f} s | {scipy / found:.0f} x |"


def thresholds(times: int) -> Iterator[str]:
    """Measure the sweep over all thresholds of one score, beside one call a threshold."""
    rng = np.random.default_rng(0)
    marks = rng.random(SCORES) < 0.4
    scores = rng.normal(size=SCORES) + marks

    def brute() -> list[float]:
        cuts = [np.inf, *np.sort(scores)[::-1]]
        return [balanced_accuracy_score(marks, scores >= threshold) for threshold in cuts]

    np.testing.assert_allclose(sweep(scores, marks).balanced_accuracy, brute(), atol=1e-9)
    found, base = cpu(lambda: sweep(scores, marks).cut, 10 * times), cpu(brute, 1)
    what = f"all {SCORES:,} thresholds"
    yield f"| {what} | {found:.2f} ms | 0.14 ms | scikit-learn {base / 1000:.1f} s | {base / found:.0f} x |"


def others(study: Study, times: int) -> Iterator[str]:
    """Measure what has no goal of its own, each with its draws of intervals."""
    weights = study.weights()
    characters = np.random.default_rng(1).integers(1, 400, study.correct.shape).astype(float)
    every = np.ones(characters.shape, dtype=bool)
    steps: dict[str, Callable[[], Any]] = {
        "retained by family": lambda: retained(study, weights),
        "relational against single-object, 15 conditions": lambda: kind_contrast(study, weights),
        "oracle loss by depth": lambda: change_by_group(study, "oracle", by_depth(study), weights),
        "recomposition of one stream": lambda: recomposition(study, STREAMS["scene"], weights),
        "reliability, 16 conditions": lambda: reliability(study, weights),
        "verbosity, 187,200 replies": lambda: verbosity(study, characters, every, weights),
        "length-controlled ranking": lambda: length_control(study, characters, weights),
        "concentration with its null": lambda: concentration(study, "concat-v", weights),
    }
    for what, work in steps.items():
        yield f"| {what} | {cpu(work, times):.0f} ms | - | - | - |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=10, help="goes of each step; the least counts")
    parser.add_argument("--few", type=int, default=20, help="draws of the pandas loop, scaled to 2,000")
    chosen = parser.parse_args()
    study = simulate()
    print("| what | found | goal | baseline | ratio |\n|---|---|---|---|---|")
    for line in (*bootstraps(study, chosen.times, chosen.few), *thresholds(chosen.times)):
        print(line, flush=True)
    for line in others(study, min(chosen.times, 3)):
        print(line, flush=True)


if __name__ == "__main__":
    main()
