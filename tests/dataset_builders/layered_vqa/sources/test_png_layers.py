import logging
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageFile

from dataset_builders.layered_vqa.scene import compose
from dataset_builders.layered_vqa.sources.source import SCENE_SOURCES, SourceError

PngLayersSource = SCENE_SOURCES.get("png-layers")

ROOT = Path(__file__).resolve().parents[4]

WALL = np.full((6, 6, 4), (200, 210, 220, 255), np.uint8)
BLUE = np.full((4, 4, 4), (0, 0, 255, 255), np.uint8)
GLASS = np.full((6, 6, 4), (10, 20, 30, 128), np.uint8)


def scene_folder(tmp_path, layers, description="", name="kitchen"):
    folder = tmp_path / name
    folder.mkdir()
    for file_name, pixels in layers.items():
        (folder / file_name).parent.mkdir(exist_ok=True)
        Image.fromarray(pixels).save(folder / file_name)
    if description:
        (folder / "scene.yaml").write_text(description)
    return folder


def scenes(tmp_path, **options):
    return [material.scene for material in PngLayersSource(root=tmp_path, **options).read()]


def problems(tmp_path, **options):
    with pytest.raises(SourceError) as caught:
        list(PngLayersSource(root=tmp_path, **options).read())
    assert all("\n" not in line for line in caught.value.problems)
    return caught.value.problems


def bomb(path):
    """Write the header of a PNG of 40,000 x 40,000 pixels."""
    chunks = (b"IHDR" + struct.pack(">IIBBBBB", 40_000, 40_000, 8, 6, 0, 0, 0), b"IEND")
    framed = (struct.pack(">I", len(one) - 4) + one + struct.pack(">I", zlib.crc32(one)) for one in chunks)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(framed))


def test_layers_by_name_with_numbers_as_numbers(tmp_path):
    reds = {f"layer-{index}.png": np.full((1, 1, 4), (index, 0, 0, 255), np.uint8) for index in range(12)}
    scene_folder(tmp_path, reds)
    scene_folder(tmp_path, {"b.png": WALL, "a10.PNG": GLASS, "a9.png": WALL}, name="other")
    kitchen, other = scenes(tmp_path)
    assert [int(layer[0, 0, 0]) for layer in kitchen.layers] == [*range(12)]
    assert kitchen.captions[:2] == ("layer-0", "layer-1")
    assert (kitchen.source, kitchen.licence, kitchen.attribution) == (
        "png-layers",
        "NOASSERTION",
        "not given",
    )
    assert other.captions == ("a9", "a10", "b")


def test_a_description_tells_all(tmp_path):
    description = """
licence: CC-BY-4.0
attribution: A. Painter
layers: [back/wall.png, blue.png]
captions: [a wall, "no"]
offsets: [[0, 0], [-2, -1]]
"""
    folder = scene_folder(
        tmp_path, {"back/wall.png": WALL, "blue.png": BLUE, "aside.png": GLASS}, description
    )
    (scene,) = scenes(tmp_path, licence="CC0-1.0", attribution="nobody")
    assert (scene.licence, scene.attribution) == ("CC-BY-4.0", "A. Painter")
    assert scene.captions == ("a wall", "no")
    assert scene.depth == 2
    opaque = np.zeros((6, 6), bool)
    opaque[:3, :2] = True
    assert ((scene.layers[1][..., 3] == 255) == opaque).all()
    assert (scene.composite()[opaque] == [0, 0, 255]).all()
    (folder / "scene.yaml").write_text("captions: [x, y, z]")
    (plain,) = scenes(tmp_path, licence="CC0-1.0", attribution="nobody", unusable="skip") or [None]
    assert plain is None  # blue.png has another size, and no offset now


def test_a_canvas_of_its_own(tmp_path):
    scene_folder(tmp_path, {"1.png": WALL, "2.png": BLUE}, "canvas: [8, 5]\noffsets: [[0, 0], [4, 1]]\n")
    (scene,) = scenes(tmp_path)
    # The wall does not fill the canvas, so white lies below it.
    assert (scene.width, scene.height, scene.depth) == (8, 5, 3)
    assert scene.captions == ("white background", "1", "2")
    assert scene.composite()[0].tolist() == [[200, 210, 220]] * 6 + [[255] * 3] * 2
    assert scene.composite()[1, 7].tolist() == [0, 0, 255]


def test_a_transparent_bottom_layer_gets_white_below(tmp_path):
    scene_folder(tmp_path, {"1.png": GLASS, "2.png": np.zeros_like(GLASS)})
    (scene,) = scenes(tmp_path)
    assert scene.depth == 3
    assert "white layer 0 added below a transparent bottom layer" in scene.notes
    # 10 * 128/255 + 255 * 127/255 = 132.02, and one more for each 2 of colour: 137.04, 142.06
    assert scene.composite()[0, 0].tolist() == [132, 137, 142]


def test_any_stored_form_of_a_layer(tmp_path):
    folder = scene_folder(tmp_path, {"0.png": np.zeros((1, 2), np.uint16) + 65535})
    palette = Image.fromarray(np.array([[0, 1]], np.uint8), "P")
    palette.putpalette([10, 20, 30, 40, 50, 60])
    palette.save(folder / "1.png", transparency=bytes([0, 128]))
    Image.fromarray(np.array([[True, False]])).save(folder / "2.png", transparency=0)
    (scene,) = scenes(tmp_path)
    assert scene.layers[0].tolist() == [[[255] * 4] * 2]
    assert scene.layers[1].tolist() == [[[10, 20, 30, 0], [40, 50, 60, 128]]]
    assert scene.layers[2].tolist() == [[[255] * 4, [0, 0, 0, 0]]]


def test_the_merged_picture_is_compared(tmp_path):
    layers = {"1.png": WALL, "2.png": GLASS}
    merged = compose([WALL, GLASS])
    folder = scene_folder(tmp_path, layers | {"merged.png": merged + 2})
    (scene,) = scenes(tmp_path)
    assert scene.notes == ("largest error of the composite against merged.png: 2/255",)
    Image.fromarray(merged + 3).save(folder / "merged.png")
    assert problems(tmp_path) == [
        "scene kitchen: the layers miss the source's merged picture by 3/255, at most 2/255 is accepted"
    ]
    Image.fromarray(merged[1:]).save(folder / "merged.png")
    assert problems(tmp_path) == [
        "scene kitchen: merged picture: found shape (5, 6, 3), the canvas is (6, 6, 3)"
    ]


def test_layers_of_several_sizes_need_offsets(tmp_path):
    scene_folder(tmp_path, {"1.png": WALL, "2.png": BLUE, "3.png": GLASS})
    assert problems(tmp_path) == [
        "scene kitchen: sizes: found 2.png is 4x4, the canvas is 6x6; "
        "allowed: one size, or offsets in scene.yaml"
    ]


@pytest.mark.parametrize(
    ("description", "reason"),
    [
        ("layers: [1.png, ../kitchen/2.png]", "layers: found '../kitchen/2.png', allowed: paths below the"),
        ("layers: [1.png, /tmp/2.png]", "layers: found '/tmp/2.png', allowed: paths below the"),
        ("layers: [1.png, a/../../2.png]", "layers: found 'a/../../2.png', allowed: paths below the"),
        ("layers: [1.png, 1.png]", "layers: found 1.png more than once, allowed: each once"),
        ("layers: [1.png, none.png]", "none.png: cannot be opened: No such file or directory"),
        ("layers: []", "found no PNG layer, at least 1 is needed"),
        ("layers: [1.png]", "layers: found 1, at least 2 are needed"),
        ("captions: [a]", "captions: found 1, one a layer (2) is needed"),
        ("offsets: [[0, 0]]", "offsets: found 1, one a layer (2) is needed"),
        ("offsets: [[0, 0], [1]]", "offsets.1.1: found "),
        ("canvas: [40000, 40000]", "canvas: found [40000, 40000], allowed: 1 to 89478485 pixels in all"),
        ("canvas: [0, 3]", "canvas: found [0, 3], allowed"),
        ("license: x", "license: found an unknown field, allowed: licence, attribution, layers"),
        ("- a", "file: found ['a'], allowed: "),
        ("a: [", "not YAML"),
        ("layers: &x [*x]", "found an alias, allowed: no aliases"),
    ],
)
def test_descriptions_that_cannot_be_used(tmp_path, description, reason):
    scene_folder(tmp_path, {"1.png": WALL, "2.png": GLASS}, description)
    (problem,) = problems(tmp_path)
    assert problem.startswith("scene kitchen: ")
    assert reason in problem


def test_two_of_five_scenes_come_out_and_three_are_told(tmp_path, caplog):
    noise = np.random.default_rng(0).integers(0, 256, (40, 40, 4), np.uint8)
    for name in ("a", "b", "c", "d", "e"):
        scene_folder(
            tmp_path, {"1.png": noise | np.array([0, 0, 0, 255], np.uint8), "2.png": noise}, name=name
        )
    cut = (tmp_path / "b" / "2.png").read_bytes()
    (tmp_path / "b" / "2.png").write_bytes(cut[: len(cut) // 2])
    bomb(tmp_path / "c" / "2.png")
    (tmp_path / "d" / "2.png").write_bytes(b"")
    with caplog.at_level(logging.WARNING):
        assert [scene.scene_id for scene in scenes(tmp_path, unusable="skip")] == ["a", "e"]
    told = [record.getMessage() for record in caplog.records]
    assert told[0].startswith(f"left out: scene b: {tmp_path / 'b' / '2.png'}: broken PNG file: ")
    assert told[1:] == [
        f"left out: scene c: {tmp_path / 'c' / '2.png'}: size: found 40000x40000 (1600000000 pixels), "
        "at most 89478485 pixels are decoded",
        f"left out: scene d: {tmp_path / 'd' / '2.png'}: empty file",
    ]
    assert ImageFile.LOAD_TRUNCATED_IMAGES is False


GROWTH = """
import resource, sys
from pathlib import Path
from dataset_builders.layered_vqa.sources.png_layers import PngLayersSource

source = PngLayersSource(root=Path(sys.argv[1]))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    list(source.read())
except ValueError as error:
    print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024, error)
"""


def test_a_huge_header_takes_no_memory(tmp_path):
    folder = scene_folder(tmp_path, {"2.png": GLASS})
    bomb(folder / "1.png")
    command = [sys.executable, "-c", GROWTH, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    grown, reason = done.stdout.split(" ", 1)
    assert reason.startswith(f"scene kitchen: {folder / '1.png'}: size: found 40000x40000 ")
    assert int(grown) < 100  # MiB


def test_a_smaller_scene_keeps_soft_edges_clean(tmp_path):
    edge = np.zeros((8, 8, 4), np.uint8)
    edge[:, :3] = (0, 255, 0, 0)  # hidden green beside red
    edge[:, 3:] = (255, 0, 0, 255)
    wall = np.full((8, 8, 4), (100, 100, 100, 255), np.uint8)
    scene_folder(tmp_path, {"1.png": wall, "2.png": edge, "merged.png": compose([wall, edge])})
    (scene,) = scenes(tmp_path, max_side=4)
    assert (scene.width, scene.height) == (4, 4)
    assert scene.layers[1][..., 1].max() == 0
    assert 0 < scene.layers[1][0, 1, 3] < 255
    assert scene.layers[1][0, 2].tolist() == [255, 0, 0, 255]
    assert scene.composite()[..., 1].max() == 100
    assert scene.notes[0] == "largest error of the composite against merged.png: 0/255"
    assert scene.notes[1].startswith("each layer resampled from 8x8 to 4x4")


QUESTION = """
- scene: kitchen
  id: q1
  category: direct_ask
  question: What is blue?
  answer: a pane
  gold: [pane]
  minimal_sets: [[pane], [white-background]]
  shards:
    - text: I want to know what something is.
    - {text: It is blue., support: [pane]}
    - {text: It is bright., support: [white-background]}
"""


def test_questions_name_layers_by_file(tmp_path):
    scene_folder(tmp_path, {"back.png": GLASS, "pane.png": GLASS})
    scene_folder(tmp_path, {"back.png": WALL, "pane.png": GLASS}, name="not asked about")
    questions = tmp_path / "questions.yaml"
    questions.write_text(QUESTION)
    (material,) = PngLayersSource(root=tmp_path, questions=questions).read()
    (example,) = material.examples
    assert (example.depth, example.gold_layers, example.distractors) == (3, (2,), (1,))
    assert example.minimal_sets == ((2,), (0,))
    Image.fromarray(WALL).save(tmp_path / "kitchen" / "pane.PNG")
    assert problems(tmp_path, questions=questions) == [
        "scene kitchen: layers: found the key pane for more than one, allowed: each once"
    ]


def test_a_root_without_scenes(tmp_path):
    assert problems(tmp_path / "none") == [
        f"{tmp_path / 'none'}: found no folder, allowed: a folder with one folder a scene"
    ]
    assert problems(tmp_path) == [f"{tmp_path}: found no folder in it, allowed: one folder a scene"]
    (tmp_path / "empty").mkdir()
    assert problems(tmp_path) == ["scene empty: found no PNG layer, at least 1 is needed"]
