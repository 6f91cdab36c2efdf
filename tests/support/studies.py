"""Studies to compute on: from arrays, with or without gaps, and scipy's bootstrap over their scenes."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from scipy import stats

from lvqa_eval.metrics.scores import OUTCOMES
from lvqa_eval.metrics.study import NOT_PLANNED, Study
from lvqa_eval.runs.records import Question, QuestionRecord
from tests.support.scored_runs import question

NAN = np.nan
CATEGORIES = ("direct_ask", "spatial", "counting", "attribute_binding")


def questions(count: int, scenes: Sequence[int]) -> tuple[QuestionRecord, ...]:
    """Return questions q00, q01, … of scenes s0, s1, …; categories take turns, depths go 3, 4, 5."""
    return tuple(
        replace(
            question(f"q{i:02d}", f"s{scenes[i]}", ((1, 2),), 3 + i % 3),
            category=CATEGORIES[i % len(CATEGORIES)],
        )
        for i in range(count)
    )


def study_of(
    correct: object,
    conditions: Sequence[str],
    scenes: Sequence[int] | None = None,
    asked: Sequence[Question] | None = None,
) -> Study:
    """Return a study from (models, conditions, questions, runs); by default each question has its own scene.

    What is NaN was planned and not judged.
    """
    cells = np.array(correct, dtype=float)
    models, _, count, _ = cells.shape
    outcome = np.where(np.isfinite(cells), OUTCOMES.index("ok"), OUTCOMES.index("not_judged"))
    return Study(
        tuple(f"m{row}" for row in range(models)),
        tuple(conditions),
        tuple(asked or questions(count, list(range(count)) if scenes is None else scenes)),
        cells,
        outcome.astype(np.int8),
    )


def random_study(
    conditions: Sequence[str], seed: int = 0, models: int = 2, count: int = 18, scenes: int = 6, runs: int = 3
) -> Study:
    """Return a study with a tenth of its conversations missing."""
    rng = np.random.default_rng(seed)
    shape = (models, len(conditions), count, runs)
    correct = (rng.random(shape) < rng.uniform(0.3, 0.8, shape[:2])[..., None, None]).astype(float)
    correct[rng.random(shape) < 0.1] = NAN
    return study_of(correct, conditions, [i % scenes for i in range(count)])


def without(study: Study, model: str, condition: str) -> Study:
    """Return the study in which a model's run did not plan a condition."""
    cell = (study.models.index(model), study.conditions.index(condition))
    correct, outcome = study.correct.copy(), study.outcome.copy()
    correct[cell], outcome[cell] = NAN, NOT_PLANNED
    return replace(study, correct=correct, outcome=outcome)


def drawn_questions(study: Study, scenes: Sequence[int]) -> list[int]:
    """Return the questions of the drawn scenes, those of a scene as often as it was drawn."""
    return [place for scene in scenes for place in np.flatnonzero(study.scene_of == scene)]


def scipy_bootstrap(
    study: Study, statistic: Callable[[list[int]], float], draws: int = 60
) -> tuple[np.ndarray, float, float]:
    """Let scipy draw the scenes; return its draws as weights, and its percentile interval of `statistic`.

    `statistic` takes the drawn questions.
    """
    drawn: list[np.ndarray] = []

    def of_scenes(scenes: np.ndarray, axis: int = -1) -> np.ndarray:
        rows = np.atleast_2d(scenes).astype(int)
        if len(rows) > 1:
            drawn.extend(rows)
        return np.array([statistic(drawn_questions(study, row)) for row in rows])

    found = stats.bootstrap(
        (np.arange(len(study.scenes)),),
        of_scenes,
        n_resamples=draws,
        vectorized=True,
        method="percentile",
        rng=np.random.default_rng(3),
    )
    weights = np.array([np.bincount(row, minlength=len(study.scenes)) for row in drawn], dtype=float)
    return weights, float(found.confidence_interval.low), float(found.confidence_interval.high)


def agrees(figure: object, value: float, low: float, high: float) -> None:
    """Assert that a figure has this value and interval to 1e-9."""
    np.testing.assert_allclose([figure.value, figure.low, figure.high], [value, low, high], rtol=0, atol=1e-9)
