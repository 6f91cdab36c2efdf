"""One simulated study as arrays, drawn from the model."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.groups import RELATIONAL
from lvqa_eval.metrics.scores import OUTCOMES
from lvqa_eval.metrics.study import Mask, Study
from lvqa_eval.metrics.votes import NO_VOTE, Votes
from lvqa_eval.runs.records import QuestionRecord
from lvqa_eval.statuses import Status

from .model import (
    DROPPED,
    GROUNDED,
    MISSING,
    QUESTION,
    QUESTION_ASSISTANT,
    QUESTION_CONDITION,
    SCENE,
    SCENE_CONDITION,
    SHARED,
    UNEVEN,
    UNLIKE,
    UNREAD,
    VARIANCE,
    Model,
    Size,
    by_condition,
)
from .patterns import CONDITIONS, DEPTH_SHARES, DEPTHS, PATTERNS_EACH, Whole, all_patterns


@dataclass(frozen=True, eq=False)
class Questions:
    """The questions of a study: `scene_of`, `category` and `pattern`, (questions,); `scenes` their number."""

    scene_of: Whole
    category: tuple[str, ...]
    pattern: Whole
    scenes: int

    @cached_property
    def records(self) -> tuple[QuestionRecord, ...]:
        """The records of a run, but for their words."""
        examples = all_patterns().examples
        return tuple(
            QuestionRecord(
                question_id=f"q{place:05d}",
                scene_id=f"simulated-{scene:05d}",
                depth=examples[pattern].depth,
                category=category,
                question="?",
                answer="!",
                answer_description=None,
                gold_layers=examples[pattern].gold_layers,
                minimal_sets=examples[pattern].minimal_sets,
                dependencies=examples[pattern].dependencies,
                distractors=examples[pattern].distractors,
            )
            for place, (scene, pattern, category) in enumerate(
                zip(self.scene_of.tolist(), self.pattern.tolist(), self.category, strict=True)
            )
        )


@dataclass(frozen=True, eq=False)
class Drawn:
    """A study; arrays are (assistants, conditions, questions, repetitions).

    - `right`: the final answer is; `failed`: the model failed, which is wrong; `missing`: the serving did.
    - `first_right`: the turn of the first right answer, 0 for none.
    """

    model: Model
    questions: Questions
    right: Mask
    failed: Mask
    missing: Mask
    first_right: NDArray[np.int8]

    @cached_property
    def study(self) -> Study:
        """The study under the true verdicts."""
        outcome = np.full(self.right.shape, OUTCOMES.index(Status.OK), dtype=np.int8)
        outcome[self.failed] = OUTCOMES.index(Status.TRUNCATED)
        outcome[self.missing] = OUTCOMES.index(Status.TRANSPORT_ERROR)
        correct = np.where(self.missing, np.nan, self.right)
        return Study(self.model.assistants, CONDITIONS, self.questions.records, correct, outcome)

    @cached_property
    def evidence(self) -> Floats:
        """The turn of complete evidence, as `Study.grid` has it."""
        turns = all_patterns().evidence[:, self.questions.pattern]
        return np.broadcast_to(turns[None, :, :, None].astype(np.float64), self.right.shape)

    @property
    def judged(self) -> Mask:
        """What is put before judges."""
        return ~(self.failed | self.missing)


def draw_questions(size: Size, rng: np.random.Generator) -> Questions:
    """Draw scenes and their questions."""
    weights = rng.dirichlet(np.full(size.scenes, UNEVEN))
    counts = 1 + rng.multinomial(size.questions - size.scenes, weights)
    scene_of = np.repeat(np.arange(size.scenes), counts)
    names = np.repeat(list(size.categories), list(size.categories.values()))
    category = rng.permutation(names)
    patterns = all_patterns()
    depth = rng.choice(np.array(DEPTHS), size.scenes, p=DEPTH_SHARES)[scene_of]
    first = patterns.first_of(depth, np.isin(category, RELATIONAL))
    pattern = first + rng.integers(PATTERNS_EACH, size=size.questions)
    return Questions(scene_of, tuple(category.tolist()), pattern, size.scenes)


def draw(model: Model, seed: int, number: int = 0) -> Drawn:
    """Draw study `number` of those with this seed; the same arguments give the same study."""
    rng = np.random.default_rng([seed, number, 1])
    questions = draw_questions(model.size, rng)
    scene, ease = _scene_effects(model, questions, rng)
    shape = (len(model.assistants), len(CONDITIONS), model.size.questions, model.size.repetitions)
    chance = ndtr(_latent(model, questions, scene, rng))[..., None]
    failed = rng.random(shape) < model.failing[:, None, None, None]
    right = (rng.random(shape) < chance) & ~failed
    missing = rng.random(shape) < MISSING
    first_right = _first_right(model, questions, ease, right, rng)
    return Drawn(model, questions, right, failed & ~missing, missing, first_right)


def draw_votes(drawn: Drawn, seed: int, number: int = 0) -> Votes:
    """Draw the verdicts of the judges on study `number`, (judges, *conversations), -1 for none."""
    rng = np.random.default_rng([seed, number, 2])
    sure, fooled = (rates.T for rates in drawn.model.judge_rates())
    votes = np.full((len(drawn.model.judges), *drawn.right.shape), NO_VOTE, dtype=np.int8)
    for row in range(len(votes)):
        on_right, on_wrong = (rates[row][:, None, None, None] for rates in (sure, fooled))
        chance = np.where(drawn.right, on_right, on_wrong)
        votes[row] = rng.random(chance.shape) < chance
        votes[row][(rng.random(chance.shape) < UNREAD) | ~drawn.judged] = NO_VOTE
    return votes


def _scene_effects(model: Model, questions: Questions, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return the effect of each scene on x, (scenes,), and its ease of guessing g, which that shares."""
    ease, own = rng.standard_normal((2, questions.scenes))
    return SCENE * (SHARED * ease + np.sqrt(1 - SHARED**2) * own), ease


def _latent(model: Model, questions: Questions, scene: Floats, rng: np.random.Generator) -> Floats:
    """Return x for each question, (assistants, conditions, questions)."""
    conditions, count = len(CONDITIONS), model.size.questions
    unlike = by_condition(UNLIKE)[:, None]
    of_scene = scene + unlike * SCENE_CONDITION * rng.standard_normal((conditions, questions.scenes))
    of_question = QUESTION * rng.standard_normal(count)
    of_question = of_question + unlike * QUESTION_CONDITION * rng.standard_normal((conditions, count))
    of_assistant = QUESTION_ASSISTANT * rng.standard_normal((len(model.assistants), 1, count))
    fixed = np.sqrt(1 + VARIANCE)[:, None] * model.probits()[..., questions.pattern]
    return np.asarray(fixed + of_scene[:, questions.scene_of] + of_question + of_assistant)


def _first_right(
    model: Model, questions: Questions, ease: Floats, right: Mask, rng: np.random.Generator
) -> NDArray[np.int8]:
    patterns = all_patterns()
    turns, asked, evidence = (
        cells[:, questions.pattern][None, :, :, None]
        for cells in (patterns.turns, patterns.asked, patterns.evidence)
    )
    hazard = model.early_hazard(ease)[..., questions.scene_of, None]
    early = asked + waited(rng, right.shape, hazard)
    late = np.minimum(np.maximum(evidence, asked) + waited(rng, right.shape, GROUNDED), turns)
    came = np.where(early < evidence, early, late)
    dropped = (came < turns) & (rng.random(right.shape) < DROPPED)
    return np.where(right | dropped, came, 0).astype(np.int8)


def waited(rng: np.random.Generator, shape: tuple[int, ...], hazard: Floats | float) -> Floats:
    """Return for how many turns nothing came: geometric, from 0."""
    return np.asarray(np.floor(np.log(1 - rng.random(shape)) / np.log1p(-np.asarray(hazard))))
