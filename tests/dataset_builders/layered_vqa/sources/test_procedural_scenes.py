"""Procedural scenes: what a drawn world promises, and that the same options give the same bytes."""

import hashlib
import subprocess
import sys
from functools import cache
from random import Random
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from dataset_builders.layered_vqa.example import CATEGORIES, problems
from dataset_builders.layered_vqa.scene import compose
from dataset_builders.layered_vqa.sources.procedural import ProceduralSource, World, draw_world
from dataset_builders.layered_vqa.sources.procedural.attributes import COLOURS, Look
from dataset_builders.layered_vqa.sources.procedural.drawing import Pose, paint_object, stamp
from dataset_builders.layered_vqa.sources.procedural.geometry import compass
from dataset_builders.layered_vqa.sources.procedural.shapes import SHAPES
from dataset_builders.layered_vqa.sources.procedural.source import Category
from dataset_builders.layered_vqa.sources.source import SCENE_SOURCES, Material

GOLDEN_DEPTHS = [5, 7, 4]
GOLDEN = "02109268d8031b707c2753a6de5b4928e9e0b9ae2b5705ce606b9b9bc5330fbc"


@cache
def worlds() -> list[World]:
    return [ProceduralSource(seed=5).world(index) for index in range(28)]


def fingerprint(materials: list[Material]) -> str:
    digest = hashlib.sha256()
    for material in materials:
        for layer in material.scene.layers:
            digest.update(layer.tobytes())
        digest.update(repr((material.scene.scene_id, material.scene.captions, material.examples)).encode())
    return digest.hexdigest()


def test_the_registry_finds_the_source() -> None:
    assert SCENE_SOURCES.get("procedural") is ProceduralSource


def test_importing_the_source_loads_no_heavy_library() -> None:
    code = (
        "import sys, dataset_builders.layered_vqa.sources.procedural as p\n"
        "print(sorted({'scipy', 'cv2', 'PIL', 'pandas', 'sklearn', 'torch', 'datasets'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_bytes_of_the_first_scenes_are_pinned() -> None:
    materials = list(ProceduralSource(scenes=3).read())
    assert [material.scene.depth for material in materials] == GOLDEN_DEPTHS
    assert fingerprint(materials) == GOLDEN


def test_a_longer_set_extends_a_shorter_one() -> None:
    short = list(ProceduralSource(scenes=6, seed=3).read())
    long = list(ProceduralSource(scenes=11, seed=3).read())
    assert fingerprint(short) == fingerprint(long[:6])


def test_another_seed_draws_other_scenes() -> None:
    one, other = (ProceduralSource(seed=seed).world(0) for seed in (1, 2))
    assert one.scene("x").captions != other.scene("x").captions


def test_every_scene_is_sound_and_captioned() -> None:
    for world in worlds():
        scene = world.scene("scene")
        assert scene.problems() == []
        assert (scene.source, scene.licence) == ("procedural", "CC0-1.0")
        assert (scene.width, scene.height, scene.depth) == (224, 224, world.depth)
        assert all(caption.startswith("a ") for caption in scene.captions)


def test_layers_are_objects_with_soft_edges_and_nothing_hidden() -> None:
    for world in worlds():
        for one in world.objects:
            layer = world.layers[one.layer]
            alpha = layer[..., 3]
            assert not layer[alpha == 0].any()
            assert (alpha == 255).any()
            assert ((alpha > 0) & (alpha < 255)).any()


def test_topmost_is_the_layer_that_shows() -> None:
    for world in worlds()[:14]:
        composite = compose(world.layers)
        for layer in range(world.depth):
            opaque = world.visible(layer) & (world.layers[layer][..., 3] == 255)
            above = [other[..., 3] > 0 for other in world.layers[layer + 1 :]]
            clear = opaque & ~np.any(above, axis=0) if above else opaque
            assert (composite[clear] == world.layers[layer][clear][:, :3]).all()


def test_every_object_keeps_a_good_part_in_sight_inside_the_canvas() -> None:
    for world in worlds():
        for one in world.objects:
            solid = world.layers[one.layer][..., 3] >= 128
            share = world.visible(one.layer).sum() / solid.sum()
            assert share == pytest.approx(one.visible_share)
            assert share >= 0.55
            edge = np.concatenate([solid[0], solid[-1], solid[:, 0], solid[:, -1]])
            assert not edge.any()


def test_overlaps_are_plain_or_absent_and_recorded_both_ways() -> None:
    overlaps = 0
    for world in worlds():
        masks = {one.layer: world.layers[one.layer][..., 3] for one in world.objects}
        for below in world.objects:
            for above in world.objects[below.layer :]:
                touching = ((masks[below.layer] > 0) & (masks[above.layer] > 0)).any()
                solid = (masks[below.layer] >= 128) & (masks[above.layer] >= 128)
                assert bool(touching) == (above.layer in below.covered_by) == (below.layer in above.covers)
                if touching:
                    overlaps += 1
                    smaller = min((masks[one.layer] >= 128).sum() for one in (below, above))
                    assert solid.sum() >= 0.12 * smaller
                    assert (world.topmost[solid] == above.layer).mean() >= 0.6
                    assert (below.look.colour, below.look.texture) != (above.look.colour, above.look.texture)
    assert overlaps >= 35


def test_three_layers_or_more_always_overlap_somewhere() -> None:
    assert all(any(one.covers for one in world.objects) for world in worlds() if world.depth > 2)


def test_depths_come_equally_often() -> None:
    depths = [ProceduralSource(seed=9).depth(index) for index in range(28)]
    assert {depth: depths.count(depth) for depth in depths} == dict.fromkeys(range(2, 9), 4)
    assert [ProceduralSource(min_depth=4, max_depth=4).depth(index) for index in range(3)] == [4, 4, 4]


@settings(max_examples=8, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    width=st.integers(160, 260),
    height=st.integers(160, 260),
    depths=st.tuples(st.integers(2, 8), st.integers(2, 8)).map(sorted),
    questions=st.floats(1, 6),
)
def test_any_options_give_valid_scenes_and_examples(
    seed: int, width: int, height: int, depths: list[int], questions: float
) -> None:
    source = ProceduralSource(
        scenes=2,
        seed=seed,
        width=width,
        height=height,
        min_depth=depths[0],
        max_depth=depths[1],
        questions_per_scene=questions,
    )
    for material in source.read():
        assert material.scene.problems() == []
        assert (material.scene.width, material.scene.height) == (width, height)
        assert depths[0] <= material.scene.depth <= depths[1]
        assert material.examples
        assert [str(problem) for example in material.examples for problem in problems(example)] == []


def test_a_small_canvas_still_holds_every_depth() -> None:
    world = draw_world(Random(4), 8, 96, 96)
    assert len(world.objects) == 7
    assert world.scene("tight").problems() == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"min_depth": 5, "max_depth": 3}, "min_depth: found 5, at most max_depth"),
        ({"categories": ("occlusion",)}, "set min_depth to 3"),
        ({"scenes": 0}, "greater than or equal to 1"),
        ({"max_depth": 9}, "less than or equal to 8"),
        ({"width": 159}, "greater than or equal to 160"),
        ({"categories": ("riddle",)}, "direct_ask"),
        ({"colour": "red"}, "Extra inputs are not permitted"),
    ],
)
def test_bad_options_are_refused_in_words(options: dict[str, object], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        ProceduralSource(**options)  # type: ignore[arg-type]


def test_the_source_knows_every_category() -> None:
    assert get_args(Category) == CATEGORIES


@pytest.mark.parametrize(
    ("shape", "share"), [("circle", np.pi * 0.95**2), ("square", 1.68**2), ("ring", 2.687)]
)
def test_areas_of_shapes(shape: str, share: float) -> None:
    """In squared radii, by hand: a disc of 0.95, a square of 1.68, a ring from 0.38 to 1."""
    alpha = stamp(shape, Pose(100, 100, 50, 0), 200, 200).alpha().astype(float) / 255
    assert alpha.sum() / 50**2 == pytest.approx(share, rel=0.01)


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_a_shape_is_drawn_in_its_own_colour_with_landmarks_inside(shape: str) -> None:
    pose = Pose(100, 100, 40, 0)
    part = stamp(shape, pose, 200, 200)
    layer = paint_object(Look("large", "plain", "green", shape), pose, part, 200, 200)
    inside = layer[layer[..., 3] == 255][:, :3]
    assert (inside == COLOURS["green"]).all(axis=1).mean() > 0.7
    for u, v in SHAPES[shape].landmarks:
        assert layer[int(100 + 40 * v), int(100 + 40 * u), 3] == 255


def test_named_colours_are_far_apart() -> None:
    tones = list(COLOURS.values())
    gaps = [np.abs(np.subtract(one, other)).sum() for one in tones for other in tones if one != other]
    assert min(gaps) >= 90


@pytest.mark.parametrize(
    ("end", "expected"),
    [((10, 0), 0), ((10, 10), 1), ((0, 10), 2), ((-10, 0), 4), ((0, -10), 6), ((10, -10), 7)],
)
def test_compass_counts_clockwise_from_the_right(end: tuple[int, int], expected: int) -> None:
    assert compass((0, 0), end, least=5) == expected


def test_compass_gives_no_name_between_two_directions_or_close_by() -> None:
    assert compass((0, 0), (100, 41.4), least=5) is None
    assert compass((0, 0), (3, 0), least=5) is None
