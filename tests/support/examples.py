"""Examples to test with: a hypothesis strategy of valid ones, and one small one by hand."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from dataset_builders.layered_vqa.example import CATEGORIES, Example, Shard
from dataset_builders.layered_vqa.scene import Scene
from dataset_builders.layered_vqa.sources.source import Material

BY_HAND = Example(
    question_id="q1",
    scene_id="s1",
    depth=5,
    question="What colour is the circle left of the square?",
    answer="red",
    answer_description="one colour word",
    category="spatial",
    gold_layers=(1, 2),
    minimal_sets=((1, 2),),
    dependencies=((2, 1),),
    shards=(
        Shard(1, "I want to know a colour.", ()),
        Shard(2, "It is that of a circle.", (1,)),
        Shard(3, "The circle is left of the square.", (1, 2)),
    ),
    distractors=(0, 3, 4),
)


def scene(scene_id: str = "s1", depth: int = 5, size: tuple[int, int] = (40, 32)) -> Scene:
    """Return a scene of soft-edged squares that differ from layer to layer and from scene to scene."""
    width, height = size
    rng = np.random.default_rng([len(scene_id), *scene_id.encode(), depth])
    layers = [
        np.dstack(
            [rng.integers(0, 256, (height, width, 3), np.uint8), np.full((height, width), 255, np.uint8)]
        )
    ]
    for index in range(1, depth):
        layer = np.zeros((height, width, 4), np.uint8)
        layer[2 * index : 2 * index + 12, 3 * index : 3 * index + 12] = [*rng.integers(0, 256, 3), 255]
        layer[2 * index, 3 * index : 3 * index + 12, 3] = 100
        layers.append(layer)
    captions = tuple(f"layer {index}" for index in range(depth))
    return Scene(scene_id, tuple(layers), "test", "CC0-1.0", "nobody", captions)


def material(count: int = 3, depth: int = 5) -> list[Material]:
    """Return `count` scenes with one question each, all shaped like `BY_HAND`."""
    return [
        Material(
            scene(f"s{index}", depth),
            (
                replace(
                    BY_HAND,
                    question_id=f"q{index}",
                    scene_id=f"s{index}",
                    depth=depth,
                    distractors=(0, *range(3, depth)),
                ),
            ),
        )
        for index in range(1, count + 1)
    ]


@st.composite
def examples(draw: st.DrawFn, max_depth: int = 8) -> Example:
    """Draw any valid example."""
    depth = draw(st.integers(2, max_depth))
    layers = st.integers(0, depth - 1)
    evidence = sorted(draw(st.sets(layers, min_size=1, max_size=depth - 1)))
    candidates = draw(st.lists(st.sets(st.sampled_from(evidence), min_size=1), min_size=1, max_size=4))
    minimal = [set_ for set_ in candidates if not any(other < set_ for other in candidates)]
    unique = sorted({tuple(sorted(set_)) for set_ in minimal})
    unique = draw(st.permutations(unique))
    used = sorted({layer for set_ in unique for layer in set_})
    m = draw(st.integers(3, 6))
    support: list[set[int]] = [draw(st.sets(st.sampled_from(used))) for _ in range(m)]
    for layer in used:
        if not any(layer in one for one in support):
            support[draw(st.integers(0, m - 1))].add(layer)
    order = draw(st.permutations(used))
    pairs = draw(
        st.sets(st.tuples(st.integers(0, len(order) - 1), st.integers(0, len(order) - 1)), max_size=5)
    )
    return Example(
        question_id=draw(st.text("abcq123", min_size=1, max_size=6)),
        scene_id="s1",
        depth=depth,
        question="What is it?",
        answer="this",
        answer_description=None,
        category=draw(st.sampled_from(CATEGORIES)),
        gold_layers=unique[0],
        minimal_sets=tuple(unique),
        dependencies=tuple(sorted((order[a], order[b]) for a, b in pairs if a < b)),
        shards=tuple(Shard(i + 1, f"piece {i + 1}.", tuple(sorted(one))) for i, one in enumerate(support)),
        distractors=tuple(layer for layer in range(depth) if layer not in used),
    )
