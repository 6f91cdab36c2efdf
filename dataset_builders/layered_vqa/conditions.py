"""The sixteen deliveries: each a pure function of an example and the options, giving the turns to send.

The facts are those of "Composition, Not Conversation" (the sixteen delivery conditions). Where that text
leaves a choice open, the choice is a field of `ConditionOptions` and is recorded with every dataset.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from dataset_builders.layered_vqa.assignment import aligned_turns, misaligned_turns
from dataset_builders.layered_vqa.example import Example
from dataset_builders.layered_vqa.order import evidence_order
from lvqa_eval.extensions import Registry


@dataclass(frozen=True)
class ConditionOptions:
    """What the paper leaves open; the defaults are this project's reading.

    - `seed`: of the shuffle in `shuffled-concat`.
    - `shuffle_first_shard`: whether the shard that states the intent is shuffled too.
    - `composite_every_turn`: whether `sharded-q`, `recap-q` and `snowball-q` send the scene in every turn.
    - `layer_order`: order of the layers in `sharded-v`, `recap-v` and `snowball-v`.
    - `recap_v_question`: whether the last turn of `recap-v` states the question again.
    - `question_turn`: where the question stands in `evidence-first`.
    """

    seed: int = 0
    shuffle_first_shard: bool = True
    composite_every_turn: bool = False
    layer_order: Literal["stack", "reversed"] = "stack"
    recap_v_question: bool = False
    question_turn: Literal["first", "last"] = "last"


@dataclass(frozen=True)
class Turn:
    """One user message: its words, and what it delivers: the complete question, shards, layers, the scene."""

    text: str
    question: bool = False
    shards: tuple[int, ...] = ()
    layers: tuple[int, ...] = ()
    composite: bool = False


Misalignment = Literal["identical", "strict", "partial"]


@dataclass(frozen=True)
class Schedule:
    """The turns of one example under one condition.

    `misalignment` and `conflicts` are set for `misaligned-vq` alone: how many layers still come with a shard
    that they support, and whether the delivery differs from the aligned one at all.
    """

    turns: tuple[Turn, ...]
    misalignment: Misalignment | None = None
    conflicts: int | None = None


Condition = Callable[[Example, ConditionOptions], Schedule]


def announce(layers: Sequence[int]) -> str:
    """Return the sentence of a turn that brings layers and no words of the question."""
    if len(layers) == 1:
        return f"Here is layer {layers[0]} of the scene."
    return f"Here are layers {', '.join(map(str, layers[:-1]))} and {layers[-1]} of the scene."


WHOLE_SCENE = "Here is the whole scene, all of its layers together."


# Words in one message, the picture whole


def full(example: Example, options: ConditionOptions) -> Schedule:
    """Return the scene and the question in one turn."""
    return _schedule(Turn(example.question, question=True, composite=True))


def concat_q(example: Example, options: ConditionOptions) -> Schedule:
    """Return the scene and every shard, joined, in one turn."""
    return _schedule(_shard_turn(example, [shard.id for shard in example.shards], composite=True))


def shuffled_concat(example: Example, options: ConditionOptions) -> Schedule:
    """Return the scene and every shard in an order drawn by hash; never the written order."""
    ids = [shard.id for shard in example.shards]
    kept, shuffled = ([], ids) if options.shuffle_first_shard else (ids[:1], ids[1:])
    drawn = sorted(shuffled, key=lambda shard: _digest(options.seed, example.question_id, shard))
    if drawn == shuffled:
        drawn = drawn[1:] + drawn[:1]
    return _schedule(_shard_turn(example, kept + drawn, composite=True))


# Words over several turns


def sharded_q(example: Example, options: ConditionOptions) -> Schedule:
    """Return one shard a turn, the scene with the first."""
    return _schedule(
        *(
            _shard_turn(example, [shard.id], composite=_with_composite(index, options))
            for index, shard in enumerate(example.shards)
        )
    )


def recap_q(example: Example, options: ConditionOptions) -> Schedule:
    """Return the turns of `sharded-q` and a last one that states the complete question."""
    last = Turn(example.question, question=True, composite=options.composite_every_turn)
    return _schedule(*sharded_q(example, options).turns, last)


def snowball_q(example: Example, options: ConditionOptions) -> Schedule:
    """Return in turn t the first t shards, the scene with the first turn."""
    ids = [shard.id for shard in example.shards]
    return _schedule(
        *(
            _shard_turn(example, ids[: index + 1], composite=_with_composite(index, options))
            for index in range(len(ids))
        )
    )


# The picture in layers, the words whole


def concat_v(example: Example, options: ConditionOptions) -> Schedule:
    """Return every layer and the question in one turn, without the composite."""
    return _schedule(Turn(example.question, question=True, layers=tuple(range(example.depth))))


def sharded_v(example: Example, options: ConditionOptions) -> Schedule:
    """Return the question with the first layer, then one layer a turn."""
    return _schedule(*_question_first(example, [[layer] for layer in _layer_order(example, options)]))


def recap_v(example: Example, options: ConditionOptions) -> Schedule:
    """Return the turns of `sharded-v` and a last one that shows the whole scene."""
    text = f"{WHOLE_SCENE} {example.question}" if options.recap_v_question else WHOLE_SCENE
    last = Turn(text, question=options.recap_v_question, composite=True)
    return _schedule(*sharded_v(example, options).turns, last)


def snowball_v(example: Example, options: ConditionOptions) -> Schedule:
    """Return in turn t the first t layers, all sent again; the question with the first turn."""
    order = _layer_order(example, options)
    return _schedule(*_question_first(example, [order[: count + 1] for count in range(len(order))]))


def evidence_first(example: Example, options: ConditionOptions) -> Schedule:
    """Return one layer a turn, gold layers before the others; the question in the last turn."""
    order = _evidence_then_rest(example, gold_first=True)
    if options.question_turn == "first":
        return _schedule(*_question_first(example, [[layer] for layer in order]))
    turns = [Turn(announce([layer]), layers=(layer,)) for layer in order[:-1]]
    return _schedule(*turns, Turn(example.question, question=True, layers=(order[-1],)))


def evidence_last(example: Example, options: ConditionOptions) -> Schedule:
    """Return one layer a turn, gold layers after the others; the question in the first turn."""
    order = _evidence_then_rest(example, gold_first=False)
    return _schedule(*_question_first(example, [[layer] for layer in order]))


# Words and picture both in pieces


def aligned_vq(example: Example, options: ConditionOptions) -> Schedule:
    """Return one shard a turn with the layers that support it; layers of no shard fill free turns."""
    return _paired(example, aligned_turns(example))


def misaligned_vq(example: Example, options: ConditionOptions) -> Schedule:
    """Return the layers and per-turn counts of `aligned-vq`, away from the shards that they support."""
    aligned = aligned_turns(example)
    turn_of, conflicts = misaligned_turns(example, aligned)
    schedule = _paired(example, turn_of)
    misalignment: Misalignment = "strict" if conflicts == 0 else "partial"
    if turn_of == aligned:
        misalignment = "identical"
    return Schedule(schedule.turns, misalignment, conflicts)


# Controls


def all_layers(example: Example, options: ConditionOptions) -> Schedule:
    """Return the scene, every layer and the question in one turn (asked for with its evidence)."""
    return _schedule(
        Turn(example.question, question=True, layers=tuple(range(example.depth)), composite=True)
    )


def oracle(example: Example, options: ConditionOptions) -> Schedule:
    """Return the first minimal set and the question in one turn, without the composite."""
    return _schedule(Turn(example.question, question=True, layers=tuple(sorted(example.minimal_sets[0]))))


_HERE = "dataset_builders.layered_vqa.conditions"
CONDITIONS = Registry(
    "lvqa.conditions",
    {
        "full": f"{_HERE}:full",
        "concat-q": f"{_HERE}:concat_q",
        "shuffled-concat": f"{_HERE}:shuffled_concat",
        "sharded-q": f"{_HERE}:sharded_q",
        "recap-q": f"{_HERE}:recap_q",
        "snowball-q": f"{_HERE}:snowball_q",
        "concat-v": f"{_HERE}:concat_v",
        "sharded-v": f"{_HERE}:sharded_v",
        "recap-v": f"{_HERE}:recap_v",
        "snowball-v": f"{_HERE}:snowball_v",
        "evidence-first": f"{_HERE}:evidence_first",
        "evidence-last": f"{_HERE}:evidence_last",
        "aligned-vq": f"{_HERE}:aligned_vq",
        "misaligned-vq": f"{_HERE}:misaligned_vq",
        "all-layers": f"{_HERE}:all_layers",
        "oracle": f"{_HERE}:oracle",
    },
)
"""Every condition by its name, the sixteen in the paper's order, then those that others add."""


def schedules(example: Example, options: ConditionOptions) -> Mapping[str, Schedule]:
    """Return the schedule of `example` under every known condition."""
    return {name: CONDITIONS.get(name)(example, options) for name in CONDITIONS.names()}


def _schedule(*turns: Turn) -> Schedule:
    return Schedule(turns)


def _with_composite(index: int, options: ConditionOptions) -> bool:
    return index == 0 or options.composite_every_turn


def _shard_turn(
    example: Example, ids: Sequence[int], layers: Iterable[int] = (), composite: bool = False
) -> Turn:
    text = " ".join(example.shards[shard - 1].text for shard in ids)
    return Turn(text, shards=tuple(ids), layers=tuple(layers), composite=composite)


def _digest(seed: int, question_id: str, shard: int) -> str:
    return hashlib.sha256(f"{seed}:{question_id}:{shard}".encode()).hexdigest()


def _layer_order(example: Example, options: ConditionOptions) -> list[int]:
    order = list(range(example.depth))
    return order if options.layer_order == "stack" else order[::-1]


def _question_first(example: Example, layers_by_turn: Sequence[Sequence[int]]) -> list[Turn]:
    first, *others = layers_by_turn
    turns = [Turn(example.question, question=True, layers=tuple(first))]
    return turns + [Turn(announce(layers), layers=tuple(layers)) for layers in others]


def _evidence_then_rest(example: Example, gold_first: bool) -> list[int]:
    gold = evidence_order(example)
    rest = [layer for layer in range(example.depth) if layer not in set(gold)]
    return gold + rest if gold_first else rest + gold


def _paired(example: Example, turn_of: Sequence[int]) -> Schedule:
    turns = []
    for index, shard in enumerate(example.shards):
        layers = [layer for layer, turn in enumerate(turn_of) if turn == index]
        turns.append(_shard_turn(example, [shard.id], layers))
    return _schedule(*turns)
