"""The order in which evidence layers are delivered: dependencies first, then the smaller index."""

from heapq import heapify, heappop, heappush

from dataset_builders.layered_vqa.example import Example


def evidence_order(example: Example) -> list[int]:
    """Return the gold layers in topological order, smallest index first among those that are free.

    Dependencies are closed transitively before they are restricted to the gold layers, so an order that
    runs through a layer outside the gold set still holds.
    """
    gold = set(example.gold_layers)
    before = {layer: _ancestors(layer, example.dependencies) & gold for layer in gold}
    ready = [layer for layer in gold if not before[layer]]
    heapify(ready)
    order: list[int] = []
    while ready:
        layer = heappop(ready)
        order.append(layer)
        for other in gold:
            if layer in before[other]:
                before[other].remove(layer)
                if not before[other]:
                    heappush(ready, other)
    return order


def _ancestors(layer: int, dependencies: tuple[tuple[int, int], ...]) -> set[int]:
    found: set[int] = set()
    frontier = [layer]
    while frontier:
        current = frontier.pop()
        for before, after in dependencies:
            if after == current and before not in found:
                found.add(before)
                frontier.append(before)
    return found
