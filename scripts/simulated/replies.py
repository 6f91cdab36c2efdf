"""What was planted in replies, and what is found of it in their words, read as a report reads them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lvqa_eval.metrics.attempts import turn_count
from lvqa_eval.metrics.bootstrap import Estimate, Floats
from lvqa_eval.metrics.citations import CitationCounts, citations, count_citations
from lvqa_eval.metrics.commitment import commitment
from lvqa_eval.metrics.controls import ALL_LAYERS
from lvqa_eval.metrics.delivery import MULTI_TURN
from lvqa_eval.metrics.grounding import MEASURES, grounding, read_measures
from lvqa_eval.metrics.replicated import replicate
from lvqa_eval.metrics.verbosity import fifths, lots, reply_characters

from . import expected
from .conversations import Asked, Held
from .draw import Drawn
from .effects import Effect, less
from .habits import draw_habits
from .patterns import CONDITIONS, all_patterns

SINGLE_TURN = tuple(condition for condition in CONDITIONS if condition not in MULTI_TURN)
TIMED = "sharded-v"


@dataclass(frozen=True, eq=False)
class Replies:
    """What is read from the replies of a study; arrays as of `reports.study.inputs.StudyInputs`."""

    first_attempt: Floats
    turns: Floats
    characters: Floats
    measures: Floats
    citations: tuple[CitationCounts, ...]


def read_replies(drawn: Drawn, seed: int, number: int = 0) -> Replies:
    """Hold every conversation of study `number` in words, and read it."""
    study, asked = drawn.study, Asked.of(drawn.questions)
    read: list[tuple[Floats, Floats, Floats, Floats]] = []
    counts = []
    for place in range(len(study.models)):
        habits = draw_habits(drawn, place, seed, number)
        held = Held(drawn, asked, habits, place, seed)
        records = {held.key(cell): held.conversation(cell) for cell in held.places()}
        of_all_layers = {key: one for key, one in records.items() if key.condition == ALL_LAYERS}
        measures = study.grid(of_all_layers, read_measures, len(MEASURES))
        read.append(
            (
                np.where(drawn.judged[place], habits.first_attempt, np.nan),
                study.grid(records, turn_count),
                study.grid(records, reply_characters),
                measures[study.conditions.index(ALL_LAYERS)],
            )
        )
        counts.append(count_citations(study, records))
    first, turns, characters, layers = (np.stack(part) for part in zip(*read, strict=True))
    return Replies(first, turns, characters, layers, tuple(counts))


def reply_effects(drawn: Drawn, replies: Replies, weights: Floats) -> list[Effect]:
    """Return what was planted in replies, with what the study finds."""
    return [
        _committed(drawn, replies, weights),
        *_lengths(drawn, replies, weights),
        *_layers(drawn, replies, weights),
        Effect(
            "citations in the turn of arrival",
            expected.citations_on_arrival(drawn.model),
            citations(drawn.study, replies.citations, weights).pooled_on_arrival,
        ),
    ]


def _committed(drawn: Drawn, replies: Replies, weights: Floats) -> Effect:
    """First attempts in the first fifth, by the start of turns: in turn 1, with six layers in 1 or 2."""
    timed = (replies.first_attempt, replies.turns)
    found = commitment(drawn.study, *timed, weights, (TIMED,), binning="start of turn")
    until = np.where(all_patterns().turns[CONDITIONS.index(TIMED)] > 5, 2, 1)
    planted = expected.first_attempts(drawn.model, TIMED, until)
    return Effect(f"first attempts in the first fifth of {TIMED}", planted, found.share.of_field("1"))


def _lengths(drawn: Drawn, replies: Replies, weights: Floats) -> Iterator[Effect]:
    for kind, conditions in (("single", SINGLE_TURN), ("multi", MULTI_TURN)):
        planted = expected.longest_less_shortest(drawn.model, kind, conditions)
        found = _by_length(drawn, replies.characters, conditions, weights)
        yield Effect(f"accuracy of the longest fifth less the shortest, {kind}-turn", planted, found)


def _by_length(drawn: Drawn, characters: Floats, conditions: Sequence[str], weights: Floats) -> Estimate:
    study = drawn.study
    correct, length, lot = (
        study.pooled(cells, conditions) for cells in (study.correct, characters, lots(study, 0))
    )
    fifth = fifths(np.where(np.isfinite(correct), length, np.nan), lot)
    long, short = (
        replicate(np.where(fifth == number, correct, np.nan), fifth == number, study.scene_of, weights)
        for number in (5, 1)
    )
    return less(long, short)


def _layers(drawn: Drawn, replies: Replies, weights: Floats) -> Iterator[Effect]:
    found = grounding(drawn.study, replies.measures, weights).measures
    planted = expected.grounding_measures(drawn.model)
    for measure in ("precision", "recall", "F1", "exact match", "distractor", "invalid"):
        value = float(planted[MEASURES.index(measure)])
        yield Effect(f"layers named under all-layers: {measure}", value, found.of_field(measure))
