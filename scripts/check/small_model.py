"""Set a run of the small model against what it has to reach, and against answers without the picture."""

import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

from dataset_builders.layered_vqa.sources.procedural import ProceduralSource
from dataset_builders.layered_vqa.sources.procedural.attributes import COLOURS, SIZES, TEXTURES
from dataset_builders.layered_vqa.sources.procedural.shapes import SHAPES
from lvqa_eval.judging.answers import same_answer
from lvqa_eval.metrics.bootstrap import Estimate, bootstrap, scene_sums, scene_weights
from lvqa_eval.metrics.scores import Scores, score_baselines, score_run
from lvqa_eval.reports.numerals import ASCII
from lvqa_eval.runs.records import QuestionRecord
from lvqa_eval.runs.store import RunStore

JUDGE = "exact-match"
SEED_OF_GUESSES, SCENES_OF_GUESSES = 880088, 600

LEAST = {"all": 0.75, "direct_ask": 0.9, "attribute_binding": 0.9, "spatial": 0.7}
ABOVE_GUESSES = 0.1
"""What every category has to have more than the guesser."""

_ATTRIBUTE = re.compile(rf"\b({'|'.join([*COLOURS, *SIZES, *TEXTURES, *SHAPES])})s?\b")


class Guesser:
    """Answers by the words of a question alone: what was right most often after the same words.

    Attributes in them are blanks. Words that it has not met it answers by their category.
    """

    def __init__(self) -> None:
        met: defaultdict[str, Counter[str]] = defaultdict(Counter)
        source = ProceduralSource(
            scenes=SCENES_OF_GUESSES, questions_per_scene=6, seed=SEED_OF_GUESSES, min_depth=3, max_depth=6
        )
        for material in source.read():
            for one in material.examples:
                for key in (_blanked(one.question), one.category):
                    met[key][one.answer] += 1
        self._said = {key: answers.most_common(1)[0][0] for key, answers in met.items()}

    def answer(self, question: QuestionRecord) -> str:
        """Return the guess."""
        return self._said.get(_blanked(question.question), self._said[question.category])


def _blanked(question: str) -> str:
    return _ATTRIBUTE.sub("_", question)


def main() -> None:
    """Print a row for each category, and what is missed."""
    store = RunStore.open(Path(sys.argv[1]))
    conversations, judgements = store.conversations(), store.judgements(JUDGE)
    scores = score_run(store, conversations, judgements)
    alone = score_baselines(store, conversations, judgements, QuestionRecord)
    guesser = Guesser()
    guessed = np.array([[float(same_answer(one.answer, guesser.answer(one)))] for one in scores.questions])
    categories = np.array([one.category for one in scores.questions])
    groups = {"all": categories != "", **{str(name): categories == name for name in np.unique(categories)}}
    rows, missed = [], []
    for name, asked in groups.items():
        full, without, guesses, above = (
            _estimate(scores, values, asked)
            for values in (
                scores.of("full"),
                alone.of("question-only"),
                guessed,
                scores.of("full") - guessed,
            )
        )
        rows.append((name, str(int(asked.sum())), *map(_told, (full, without, guesses)), _more(above)))
        if full.value < LEAST.get(name, 0.0):
            missed.append(f"{name}: {full.value:.3f}, needed {LEAST[name]}")
        if above.value < ABOVE_GUESSES:
            missed.append(f"{name}: {above.value:+.3f} above guesses, needed {ABOVE_GUESSES}")
    heads = ("category", "n", "full", "question-only", "guesser", "full less guesser")
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    for row in (heads, *rows):
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)))
    print(f"{len(scores.questions)} questions about {len(scores.scenes)} scenes, 95 % by bootstrap of scenes")
    if missed:
        sys.exit("FAILED: " + "; ".join(missed))


def _estimate(scores: Scores, values: np.ndarray, asked: np.ndarray) -> Estimate:
    kept = np.where(asked[:, None], values, np.nan)
    count = len(scores.scenes)
    return bootstrap(scene_sums(kept, scores.scene_of, count), scene_weights(count)).at()


def _told(one: Estimate) -> str:
    return ASCII.percent_with_interval(one.value, one.low, one.high)


def _more(one: Estimate) -> str:
    return f"{ASCII.points(one.value)} {ASCII.points_interval(one.low, one.high)}"


if __name__ == "__main__":
    main()
