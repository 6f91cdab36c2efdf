"""Which layer comes with which shard: aligned by support, and misaligned by exact assignment.

Both results are tuples with one entry a layer: the index of the turn (from 0) that brings it.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dataset_builders.layered_vqa.example import Example

TurnOf = tuple[int, ...]


def aligned_turns(example: Example) -> TurnOf:
    """Return for each layer the first turn whose shard it supports; other layers fill up as follows.

    Layers that support no shard go one each to the turns without a layer, in order; any that remain are
    dealt one each to turns 1, 2, ..., m, again and again.
    """
    turn_of: dict[int, int] = {}
    for turn, shard in enumerate(example.shards):
        for layer in shard.support:
            turn_of.setdefault(layer, turn)
    turns = len(example.shards)
    free = [turn for turn in range(turns) if turn not in set(turn_of.values())]
    leftovers = [layer for layer in range(example.depth) if layer not in turn_of]
    for index, layer in enumerate(leftovers):
        turn_of[layer] = free[index] if index < len(free) else (index - len(free)) % turns
    return tuple(turn_of[layer] for layer in range(example.depth))


def misaligned_turns(example: Example, aligned: TurnOf) -> tuple[TurnOf, int]:
    """Return the least aligned assignment with the per-turn counts of `aligned`, and its conflicts.

    A conflict is a layer in a turn whose shard it supports. Among all assignments the one chosen has the
    fewest conflicts, then the least movement of gold layers (sum of |turn - aligned turn|), then the
    lexicographically smallest turns of layers 0, 1, ...
    """
    conflict, movement = _costs(example, aligned)
    # One conflict must outweigh any sum of movements.
    weight = movement.max(initial=0) * example.depth + 1
    turn_of = _smallest_optimum(conflict * weight + movement, slots=sorted(aligned))
    conflicts = sum(int(conflict[layer, turn]) for layer, turn in enumerate(turn_of))
    return turn_of, conflicts


def _costs(example: Example, aligned: TurnOf) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    shape = (example.depth, len(example.shards))
    conflict = np.zeros(shape, np.int64)
    movement = np.zeros(shape, np.int64)
    for turn, shard in enumerate(example.shards):
        conflict[list(shard.support), turn] = 1
        for layer in example.gold_layers:
            movement[layer, turn] = abs(turn - aligned[layer])
    return conflict, movement


def _smallest_optimum(cost: NDArray[np.int64], slots: Sequence[int]) -> TurnOf:
    """Fix layers one by one, each to the earliest turn that still reaches the least total cost."""
    open_slots = list(slots)
    best = _least_cost(cost, open_slots)
    chosen: list[int] = []
    for layer in range(len(cost)):
        for turn in sorted(set(open_slots)):
            rest = open_slots.copy()
            rest.remove(turn)
            if cost[layer, turn] + _least_cost(cost[layer + 1 :], rest) == best:
                chosen.append(turn)
                open_slots = rest
                best -= int(cost[layer, turn])
                break
    return tuple(chosen)


def _least_cost(cost: NDArray[np.int64], slots: Sequence[int]) -> int:
    from scipy.optimize import linear_sum_assignment

    if not slots:
        return 0
    expanded = cost[:, list(slots)]
    rows, columns = linear_sum_assignment(expanded)
    return int(expanded[rows, columns].sum())
