"""When the evidence for a question was complete, in turns."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from lvqa_eval.metrics.scores import Scores
from lvqa_eval.runs.records import ConversationRecord, Key, TurnRecord


def complete_evidence_turn(minimal_sets: Iterable[Iterable[int]], turns: Sequence[TurnRecord]) -> int | None:
    """Return the first turn, from 1, after which some minimal set of layers, or the whole scene, was shown.

    None where the conversation ended before that. A layer counts from the turn in which it first arrives.
    """
    arrival: dict[int, int] = {}
    complete = []
    for number, turn in enumerate(turns, start=1):
        for layer in turn.layers:
            arrival.setdefault(layer, number)
        if turn.composite:
            complete.append(number)
    for layers in map(tuple, minimal_sets):
        if all(layer in arrival for layer in layers):
            complete.append(max(arrival[layer] for layer in layers))
    return min(complete, default=None)


def evidence_turns(
    scores: Scores, conversations: Mapping[Key, ConversationRecord], condition: str
) -> NDArray[np.float64]:
    """Return each conversation's turn of complete evidence, (questions, runs); NaN where there is none."""
    _, _, runs = scores.correct.shape
    turns = np.full((len(scores.questions), runs), np.nan)
    for row, question in enumerate(scores.questions):
        for run in range(1, runs + 1):
            conversation = conversations.get(Key(condition, question.question_id, run))
            if conversation is not None:
                turn = complete_evidence_turn(question.minimal_sets, conversation.turns)
                turns[row, run - 1] = np.nan if turn is None else turn
    return turns
