"""One question about one scene, with its evidence, and the rules that every example keeps."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

CATEGORIES = ("direct_ask", "attribute_binding", "counting", "spatial", "occlusion", "multi_hop")
MIN_SHARDS, MAX_SHARDS = 3, 6


@dataclass(frozen=True)
class Shard:
    """One piece of the question: its id (1 to m), its words, and the layers that support it."""

    id: int
    text: str
    support: tuple[int, ...]


@dataclass(frozen=True)
class Example:
    """A question with its evidence (spec: the example; layers are numbered from 0, bottom first).

    `depth` is the number of layers of the scene. `dependencies` holds pairs (before, after).
    """

    question_id: str
    scene_id: str
    depth: int
    question: str
    answer: str
    answer_description: str | None
    category: str
    gold_layers: tuple[int, ...]
    minimal_sets: tuple[tuple[int, ...], ...]
    dependencies: tuple[tuple[int, int], ...]
    shards: tuple[Shard, ...]
    distractors: tuple[int, ...]

    @property
    def evidence(self) -> frozenset[int]:
        """Every layer that stands in some minimal set."""
        return frozenset(layer for minimal in self.minimal_sets for layer in minimal)


@dataclass(frozen=True)
class Problem:
    """One broken rule: whose, which field, the rule's name, what was found and what is allowed."""

    question_id: str
    field: str
    rule: str
    found: str
    allowed: str

    def __str__(self) -> str:
        return f"{self.question_id}: {self.field}: {self.rule}: found {self.found}, allowed: {self.allowed}"


def problems(example: Example) -> list[Problem]:
    """Return every invariant that `example` breaks, by name; empty for a valid example."""
    return [
        Problem(example.question_id, field, rule, found, allowed)
        for check in (_texts, _layer_lists, _sets, _dependencies, _shards)
        for field, rule, found, allowed in check(example)
    ]


Finding = tuple[str, str, str, str]


def _texts(example: Example) -> Iterator[Finding]:
    for field in ("question_id", "scene_id", "question", "answer"):
        if not getattr(example, field).strip():
            yield field, "not-empty", "no text", "some text"
    if example.answer_description is not None and not example.answer_description.strip():
        yield "answer_description", "not-empty", "no text", "some text, or null"
    if example.category not in CATEGORIES:
        yield "category", "known-category", repr(example.category), ", ".join(CATEGORIES)


def _layer_lists(example: Example) -> Iterator[Finding]:
    fields: list[tuple[str, tuple[int, ...]]] = [
        ("gold_layers", example.gold_layers),
        ("distractors", example.distractors),
    ]
    fields += [(f"minimal_sets[{i}]", minimal) for i, minimal in enumerate(example.minimal_sets)]
    fields += [(f"shards[{i}].support", shard.support) for i, shard in enumerate(example.shards)]
    for field, layers in fields:
        outside = [layer for layer in layers if not 0 <= layer < example.depth]
        if outside:
            yield field, "layer-in-range", str(outside), f"0 to {example.depth - 1}"
        if list(layers) != sorted(set(layers)):
            yield field, "sorted-without-repeats", str(list(layers)), str(sorted(set(layers)))


def _sets(example: Example) -> Iterator[Finding]:
    minimal_sets = [set(minimal) for minimal in example.minimal_sets]
    if not minimal_sets:
        yield "minimal_sets", "not-empty", "none", "at least one set"
        return
    if any(not minimal for minimal in minimal_sets):
        yield "minimal_sets", "no-empty-set", "an empty set", "sets of at least one layer"
    if minimal_sets[0] != set(example.gold_layers):
        yield "minimal_sets[0]", "first-set-is-gold", _show(minimal_sets[0]), _show(example.gold_layers)
    for i, one in enumerate(minimal_sets):
        for j, other in enumerate(minimal_sets):
            if i != j and (one < other or (one == other and i < j)):
                allowed = "sets of which none contains another"
                yield "minimal_sets", "no-set-contains-another", f"{_show(one)} in {_show(other)}", allowed
    support = {layer for shard in example.shards for layer in shard.support}
    if support != example.evidence:
        yield "shards", "support-covers-evidence", _show(support), _show(example.evidence)
    rest = set(range(example.depth)) - example.evidence
    if set(example.distractors) != rest:
        yield "distractors", "exact-complement", _show(example.distractors), _show(rest)
    if not example.distractors:
        yield "distractors", "not-empty", "none", "at least one layer in no minimal set"


def _dependencies(example: Example) -> Iterator[Finding]:
    outside = {layer for pair in example.dependencies for layer in pair} - example.evidence
    if outside:
        yield "dependencies", "evidence-layers-only", _show(outside), _show(example.evidence)
    if len(set(example.dependencies)) != len(example.dependencies):
        yield "dependencies", "without-repeats", str(list(example.dependencies)), "each pair once"
    graph: dict[int, set[int]] = {}
    for before, after in example.dependencies:
        graph.setdefault(after, set()).add(before)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        yield "dependencies", "acyclic", f"the cycle {error.args[1]}", "pairs before -> after without a cycle"


def _shards(example: Example) -> Iterator[Finding]:
    count = len(example.shards)
    if not MIN_SHARDS <= count <= MAX_SHARDS:
        yield "shards", "shard-count", str(count), f"{MIN_SHARDS} to {MAX_SHARDS}"
    ids = [shard.id for shard in example.shards]
    if ids != list(range(1, count + 1)):
        yield "shards", "ids-from-one", str(ids), str(list(range(1, count + 1)))
    for i, shard in enumerate(example.shards):
        if not shard.text.strip():
            yield f"shards[{i}].text", "not-empty", "no text", "some text"


def _show(layers: Iterable[int]) -> str:
    return "{" + ", ".join(map(str, sorted(layers))) + "}"
