"""Which layers replies speak of, and how long after their arrival (Fig. 5)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lvqa_eval.judging.layer_sets import LayersError, read_layers
from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.figures import FieldTable, Figure, Figures, field_table
from lvqa_eval.metrics.replicated import Counts, Replicated, replicate_sums
from lvqa_eval.metrics.study import Study
from lvqa_eval.runs.records import ConversationRecord, Key, TurnRecord
from lvqa_eval.statuses import Status

CITED_CONDITIONS: Final = ("sharded-v", "recap-v")
"""The conditions looked at by default: one layer a turn, in stack order."""

MOST_TURNS = 12
"""Later turns are left out."""

_NUMBERS = r"#?\d+(?:\s*(?:,|;|&|-|–|and\b|to\b|и\b|до\b|,\s*and\b)\s*#?\d+)*"
_LAYERS = re.compile(
    rf"\b(?:layers?|сло(?:й|я|ю|ем|ём|е|и|ев|ёв|ям|ями|ях))\s*(?:№\s*)?({_NUMBERS})", re.IGNORECASE
)
_IMAGE = re.compile(r"\bimage\s*#?(\d+)(?!\s*:\s*layer)", re.IGNORECASE)


@dataclass(frozen=True)
class CitationCounts:
    """Citations of one model, by question, turn of arrival and turn of the reply.

    - `cited`, `chances` (questions, arrival, turn): how often a layer that arrived in one turn was cited in
      another, and how often it could have been, in conversations that have both turns.
    - `unresolved`: numbers of layers that were never sent, and of images that the message does not have.
    """

    cited: NDArray[np.int64]
    chances: NDArray[np.int64]
    unresolved: int


@dataclass(frozen=True)
class Citations:
    """When layers are cited, against when they arrived; rows are arrivals, columns turns, both from 1.

    A reply cites a layer once, however often it names it. `n` of a figure counts citations, or chances.

    - `row_share`: of the citations of the layers that arrived in a row's turn, the share in a column's; what
      lies before the arrival was cited ahead.
    - `hit_rate`: of the layers that arrived in a row's turn, the share that the reply in a column's cites.
    - `on_arrival`: of a model's citations the share in the turn of arrival; `pooled_on_arrival` of all.
    - `unresolved`: as of `CitationCounts`, all models together.
    """

    row_share: Figures
    hit_rate: Figures
    on_arrival: FieldTable
    pooled_on_arrival: Figure
    unresolved: int


def cited_layers(reply: str, turn: TurnRecord, depth: int) -> tuple[frozenset[int], int]:
    """Return the layers that a reply cites, and how many numbers in it name none.

    A citation is "layer 3", "layers 1 and 2", "слой 3" or an image's label, "Image 2", which counts from 1 in
    the message that it answers: the whole scene first, then layers. Layers of the scene count also before
    they were sent.
    """
    named: set[int] = set()
    for listed in _LAYERS.findall(reply):
        try:
            named |= read_layers(listed, depth)
        except LayersError:
            named.add(int(re.findall(r"\d+", listed)[0]))
    pictures = [None, *turn.layers] if turn.composite else list(turn.layers)
    unresolved = 0
    for number in {int(found) for found in _IMAGE.findall(reply)}:
        if not 1 <= number <= len(pictures):
            unresolved += 1
        elif (layer := pictures[number - 1]) is not None:
            named.add(layer)
    known = frozenset(layer for layer in named if layer < depth)
    return known, unresolved + len(named - known)


def count_citations(
    study: Study,
    conversations: Mapping[Key, ConversationRecord],
    conditions: Sequence[str] = CITED_CONDITIONS,
) -> CitationCounts:
    """Count the citations in one model's conversations that were held to their end."""
    cited = np.zeros((len(study.questions), MOST_TURNS, MOST_TURNS), dtype=np.int64)
    chances, unresolved = np.zeros_like(cited), 0
    place = {question.question_id: i for i, question in enumerate(study.questions)}
    for key, conversation in conversations.items():
        if key.condition not in conditions or key.question_id not in place:
            continue
        if conversation.status is not Status.OK:
            continue
        row = place[key.question_id]
        arrival = _arrivals(conversation.turns)
        for number, turn in enumerate(conversation.turns[:MOST_TURNS]):
            named, lost = cited_layers(turn.reply or "", turn, study.questions[row].depth)
            unresolved += lost + len(named - arrival.keys())
            for layer, came in arrival.items():
                chances[row, came, number] += 1
                cited[row, came, number] += layer in named
    return CitationCounts(cited, chances, unresolved)


def citations(study: Study, counts: Sequence[CitationCounts], weights: Floats) -> Citations:
    """Return the citations of the study's models, whose `counts` are in their order."""
    cited, chances = (np.stack([getattr(one, name) for one in counts]) for name in ("cited", "chances"))
    turns = int(chances.any(axis=(0, 1, 2)).sum())
    cited, chances = (np.moveaxis(cells[..., :turns, :turns], 1, -1) for cells in (cited, chances))

    def share(part: Counts, whole: Counts) -> Replicated:
        counted = np.broadcast_to(whole, part.shape)
        return replicate_sums(part, counted, counted.sum(axis=-1), study.scene_of, weights, counted)

    on_arrival, every = np.einsum("maaq->mq", cited), cited.sum(axis=(1, 2))
    name = "Citations in the turn of arrival"
    return Citations(
        row_share=share(cited.sum(axis=0), cited.sum(axis=(0, 2))[:, None]).figures(),
        hit_rate=share(cited.sum(axis=0), chances.sum(axis=0)).figures(),
        on_arrival=field_table(
            name, "share", study.models, (name,), share(on_arrival[:, None], every[:, None])
        ),
        pooled_on_arrival=share(on_arrival.sum(axis=0), every.sum(axis=0)).figures().at(),
        unresolved=sum(one.unresolved for one in counts),
    )


def _arrivals(turns: Sequence[TurnRecord]) -> dict[int, int]:
    """Return the turn, from 0, in which each layer first came; later than `MOST_TURNS` left out."""
    arrival: dict[int, int] = {}
    for number, turn in enumerate(turns[:MOST_TURNS]):
        for layer in turn.layers:
            arrival.setdefault(layer, number)
    return arrival
