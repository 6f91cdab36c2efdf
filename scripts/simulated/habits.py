"""What replies look like in a simulated study: when something is said, how long, and of which layers.

Stated as the model is, and drawn for one assistant at a time:

- Turns after the first attempt hold a further one with probability `REPEATED`; the last always does. An
  attempt before the first right one is wrong, one between that and the last turn right in a share `UPHELD`.
- The final reply has log-normal length: `TYPICAL` characters in one turn or in several, times
  exp(`WORDY`) if it is wrong, with the standard deviation `SPREAD` of the logarithm; whole characters, and at
  least what answer and citations need. Under all-layers it is the length of the answer.
- Under all-layers a reply names each gold layer with probability recall[a], each other with stray[a], and a
  number that no layer has with probability `INVALID`, whether it is right or not; from the first assistant to
  the last recall goes from 0.85 to 0.55, stray from 0.15 to 0.45.
- In sharded-v and recap-v a reply cites the layer that came in its turn with probability `CITED_NEW`, each
  earlier one with probability `CITED_OLD`.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.citations import CITED_CONDITIONS
from lvqa_eval.metrics.study import Mask

from .draw import Drawn, waited
from .patterns import CONDITIONS, DEPTHS, Whole, all_patterns

REPEATED, UPHELD = 0.8, 0.9
TYPICAL: Final = {"single": 26.0, "multi": 66.0}
WORDY: Final = {"single": 0.12, "multi": 0.07}
SPREAD = 0.5
EARLIER, SHRINKING = 86.0, 0.95
"""Typical characters of an attempt before the last turn, and the factor from each turn to the next."""

INVALID = 0.02
CITED_NEW, CITED_OLD = 0.45, 0.28

MOST_LAYERS: Final = DEPTHS[-1]
MOST_TURNS: Final = int(all_patterns().turns.max())
CITED: Final = tuple(CONDITIONS.index(condition) for condition in CITED_CONDITIONS)


@dataclass(frozen=True, eq=False)
class Habits:
    """How the conversations of one assistant went; arrays begin (conditions, questions, repetitions).

    - `first_attempt`: its turn. `attempts`, `attempt_right` (…, turns): which turns hold one that is right.
    - `characters`: of the final reply; `earlier` (…, turns): of the other attempts.
    - `named` (questions, repetitions, layers + 1): the layers named under all-layers; the last place is a
      number that no layer has. `cited` (2, questions, repetitions, turns, layers): of those in `CITED`.
    - `lot`: a number from 0 to 1 each, for what has no habit of its own.
    """

    first_attempt: Whole
    attempts: Mask
    attempt_right: Mask
    characters: Whole
    earlier: Whole
    named: Mask
    cited: Mask
    lot: Floats


def recall_and_stray(assistants: int) -> tuple[Floats, Floats]:
    """Return how likely each assistant names a gold layer, and how likely one that is not."""
    return np.linspace(0.85, 0.55, assistants), np.linspace(0.15, 0.45, assistants)


def draw_habits(drawn: Drawn, assistant: int, seed: int, number: int = 0) -> Habits:
    """Draw how the conversations of one assistant of study `number` went; same arguments, same habits."""
    rng = np.random.default_rng([seed, number, 3, assistant])
    pattern, patterns = drawn.questions.pattern, all_patterns()
    turns, asked = (cells[:, pattern][..., None] for cells in (patterns.turns, patterns.asked))
    right, first_right = drawn.right[assistant], drawn.first_right[assistant].astype(np.int64)
    waits = waited(rng, right.shape, float(drawn.model.commitment[assistant])).astype(np.int64)
    first = np.minimum(asked + waits, np.where(first_right > 0, first_right, turns))
    attempts, attempt_right = _attempts(rng, first, first_right, turns, right)
    multi = np.broadcast_to(turns > 1, right.shape)
    return Habits(
        first_attempt=first,
        attempts=attempts,
        attempt_right=attempt_right,
        characters=_characters(rng, right, multi),
        earlier=_earlier(rng, right.shape),
        named=_named(rng, drawn, assistant),
        cited=_cited(rng, right.shape),
        lot=rng.random(right.shape),
    )


def _attempts(
    rng: np.random.Generator, first: Whole, first_right: Whole, turns: Whole, right: Mask
) -> tuple[Mask, Mask]:
    number = np.arange(1, MOST_TURNS + 1)
    last = np.broadcast_to(turns, right.shape)[..., None]
    first, first_right = first[..., None], first_right[..., None]
    again = rng.random((*right.shape, MOST_TURNS)) < REPEATED
    attempts = (number == first) | (number == first_right) | (number == last) | ((number > first) & again)
    upheld = rng.random(again.shape) < UPHELD
    kept = (first_right > 0) & ((number == first_right) | ((number > first_right) & upheld))
    return attempts & (number <= last), np.where(number == last, right[..., None], kept)


def _characters(rng: np.random.Generator, right: Mask, multi: Mask) -> Whole:
    typical, wordy = (np.where(multi, kind["multi"], kind["single"]) for kind in (TYPICAL, WORDY))
    logs = np.log(typical) + np.where(right, 0, wordy) + SPREAD * rng.standard_normal(right.shape)
    return _whole(np.exp(logs))


def _earlier(rng: np.random.Generator, shape: tuple[int, ...]) -> Whole:
    typical = EARLIER * SHRINKING ** np.arange(MOST_TURNS)
    return _whole(typical * np.exp(SPREAD * rng.standard_normal((*shape, MOST_TURNS))))


def _whole(characters: Floats) -> Whole:
    return np.asarray(np.rint(characters), dtype=np.int64)


def _named(rng: np.random.Generator, drawn: Drawn, assistant: int) -> Mask:
    recall, stray = (float(rates[assistant]) for rates in recall_and_stray(len(drawn.model.assistants)))
    chance = naming_chances(recall, stray)[drawn.questions.pattern][:, None]
    shape = (drawn.model.size.questions, drawn.model.size.repetitions, MOST_LAYERS + 1)
    return np.asarray(rng.random(shape) < chance)


def naming_chances(recall: float, stray: float) -> Floats:
    """Return how likely each layer is named, (patterns, layers + 1); 0 for one that a scene lacks."""
    examples = all_patterns().examples
    gold = np.array([[layer in one.gold_layers for layer in range(MOST_LAYERS)] for one in examples])
    known = np.arange(MOST_LAYERS) < all_patterns().depth[:, None]
    chances = np.where(gold, recall, stray) * known
    return np.hstack([chances, np.full((len(examples), 1), INVALID)])


def _cited(rng: np.random.Generator, shape: tuple[int, ...]) -> Mask:
    """In both conditions layer t - 1 comes in turn t, so no pattern matters here."""
    turn, layer = np.arange(1, MOST_TURNS + 1)[:, None], np.arange(MOST_LAYERS)
    chance = np.where(layer == turn - 1, CITED_NEW, np.where(layer < turn - 1, CITED_OLD, 0.0))
    return np.asarray(rng.random((len(CITED), *shape[1:], MOST_TURNS, MOST_LAYERS)) < chance)
