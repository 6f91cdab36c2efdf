import json
import logging
from pathlib import Path

import numpy as np
import pytest

from dataset_builders.layered_vqa.build import build
from dataset_builders.layered_vqa.conditions import ConditionOptions
from dataset_builders.layered_vqa.scene import compose
from dataset_builders.layered_vqa.sources.layered_files.stack import flatten
from dataset_builders.layered_vqa.sources.openraster.stack_xml import parse_stack
from dataset_builders.layered_vqa.sources.source import SCENE_SOURCES, SourceError
from dataset_builders.layered_vqa.validate import validate
from tests.support.layered_files import CLEAR, group, layer, plain, stack_xml, write_ora

OpenRasterSource = SCENE_SOURCES.get("openraster")

CASES = Path(__file__).resolve().parents[3] / "cases" / "layers"
REAL = Path(__file__).resolve().parents[5] / "shared" / "data" / "layers" / "openraster"
RED, BLUE, GREEN, WHITE = (255, 0, 0), (0, 0, 255), (0, 255, 0), (255, 255, 255)


def only_scene(path, **options):
    (material,) = OpenRasterSource(files=path, **options).read()
    assert material.scene.problems() == []
    return material.scene


def refusal(path, **options):
    with pytest.raises(SourceError) as error:
        list(OpenRasterSource(files=path, **options).read())
    (line,) = error.value.problems
    assert "\n" not in line
    return line


def two(tmp_path, *members, name="two.ora", size=(4, 4), merged=None, **pictures):
    """Write a file with a red ground, and with blue, 2 x 2, among its pictures."""
    pictures = {"red": plain(*size, RED), "blue": plain(2, 2, BLUE), **pictures}
    return write_ora(tmp_path / name, stack_xml(size, *members, layer("red")), pictures, merged)


def test_the_first_child_is_the_uppermost():
    scene = only_scene(CASES / "two_layers.ora")
    assert scene.captions == ("red", "blue")
    assert [one[1, 1].tolist() for one in scene.layers] == [[*RED, 255], [*BLUE, 255]]
    assert scene.composite()[1, 1].tolist() == list(BLUE)
    assert scene.composite()[0, 0].tolist() == list(RED)
    assert (scene.composite() == BLUE).all(axis=2).sum() == 4


def test_a_hidden_layer_is_left_out():
    stack = flatten(OpenRasterSource(files=CASES / "hidden_top.ora").open_file(CASES / "hidden_top.ora"))
    assert [one.caption for one in stack.layers] == ["red"]
    assert compose([one.patch.spread((0, 0, 4, 4)) for one in stack.layers])[1, 1].tolist() == list(RED)
    # Red alone is opaque: no white layer is put below it to make a scene of two.
    assert refusal(CASES / "hidden_top.ora") == (
        "scene hidden_top: hidden_top.ora: layers: found 1 with a visible pixel, at least 2 are needed"
    )


def test_hidden_layers_and_groups_are_noted_and_may_blend_as_they_like(tmp_path):
    odd = layer("odd", composite_op="svg:multiply", visibility="hidden")
    inside = group("inside", layer("blue"), visibility="hidden", composite_op="x:y")
    scene = only_scene(two(tmp_path, odd, inside, layer("blue", 1, 1)))
    assert scene.captions == ("red", "blue")
    assert scene.notes[:2] == ("hidden group 'inside' left out", "hidden layer 'odd' left out")


def test_offsets_may_be_negative(tmp_path):
    scene = only_scene(two(tmp_path, layer("blue", -1, 3), size=(3, 4)))
    assert np.argwhere(scene.layers[1][..., 3] > 0).tolist() == [[3, 0]]
    assert scene.layers[1][0, 0].tolist() == list(CLEAR)


def test_moving_every_layer_by_one_pixel_moves_the_picture(tmp_path):
    rng = np.random.default_rng(7)
    soft = rng.integers(0, 256, (5, 5, 4), np.uint8)
    pictures = {"soft": soft, "thin": rng.integers(0, 256, (1, 6, 4), np.uint8)}

    def picture(by):
        members = (layer("thin", by - 1, 2 + by, opacity=0.4), layer("soft", 1 + by, by - 2))
        path = write_ora(
            tmp_path / f"{by}.ora", stack_xml((6, 6), group("g", *members, opacity=0.6)), pictures
        )
        return only_scene(path).composite()

    assert (picture(1)[1:, 1:] == picture(0)[:-1, :-1]).all()


def test_opacity_becomes_alpha(tmp_path):
    scene = only_scene(two(tmp_path, group("g", layer("blue", 1, 1, opacity=0.5), opacity=0.4)))
    assert scene.layers[1][1, 1].tolist() == [*BLUE, 51]
    assert scene.composite()[1, 1].tolist() == [204, 0, 51]
    assert scene.captions == ("red", "blue")


def test_a_faded_group_of_overlapping_layers_is_one_layer(tmp_path):
    members = (layer("blue"), layer("green"))
    path = two(tmp_path, group("pair", *members, opacity=0.2), green=plain(3, 2, GREEN))
    scene = only_scene(path)
    assert scene.captions == ("red", "pair")
    assert scene.layers[1][0].tolist() == [[*BLUE, 51], [*BLUE, 51], [*GREEN, 51], list(CLEAR)]
    assert "group 'pair' is one layer: its opacity or mask fades layers that overlap" in scene.notes


def test_groups_that_are_whole_are_taken_apart(tmp_path):
    inner = group("inner", layer("blue", 2, 2), layer("green"), isolation="isolate")
    scene = only_scene(two(tmp_path, group("outer", inner), green=plain(2, 2, GREEN)))
    assert scene.captions == ("red", "green", "blue")


def test_another_composite_op_is_refused_by_its_name(tmp_path):
    line = refusal(two(tmp_path, layer("blue", composite_op="svg:multiply")))
    assert line == (
        "scene two: two.ora: stack.xml: layer 'blue': composite-op: found 'svg:multiply', "
        "allowed: svg:src-over"
    )
    assert "group 'g': composite-op: found 'krita:dissolve'" in refusal(
        two(tmp_path, group("g", layer("blue"), composite_op="krita:dissolve"))
    )


def test_every_problem_of_a_stack_is_told_at_once():
    members = (
        layer("a", "x1", opacity="1.5"),
        layer("b", visibility="perhaps", alpha_preserve="true"),
        group("g", x="5"),
        '<text name="t"/>',
        '<layer name="s" src="../outside.png"/>',
    )
    with pytest.raises(ValueError) as error:
        parse_stack(stack_xml((0, 5), *members).encode())
    assert str(error.value).removeprefix("stack.xml: ").split("; stack.xml: ") == [
        "image: found 0x5, allowed: 1x1 to 89478485 pixels (0 found)",
        "layer 's': src: found '../outside.png', allowed: a path inside the file",
        "text 't': found <text>, allowed: <layer>, <stack>",
        "group 'g': x, y: found 5, 0, allowed for a group: 0, 0",
        "layer 'b': visibility: found 'perhaps', allowed: visible, hidden",
        "layer 'b': alpha-preserve: found 'true', allowed: false",
        "layer 'a': opacity: found '1.5', allowed: 0 to 1",
        "layer 'a': x: found 'x1', allowed: a whole number",
    ]


def test_a_transparent_bottom_gets_a_white_layer(tmp_path):
    path = write_ora(tmp_path / "one.ora", stack_xml((3, 2), layer("red")), {"red": plain(1, 1, RED)})
    scene = only_scene(path)
    assert scene.captions == ("white background", "red")
    assert "white layer 0 added below a transparent bottom layer" in scene.notes
    assert scene.composite()[0].tolist() == [list(RED), list(WHITE), list(WHITE)]


@pytest.mark.parametrize("error", [0, 2])
def test_the_merged_picture_is_compared_and_the_error_noted(tmp_path, error):
    merged = plain(4, 4, RED)
    merged[1:3, 1:3] = (*BLUE, 255)
    merged[0, 0] = (255 - error, 0, 0, 255)
    scene = only_scene(two(tmp_path, layer("blue", 1, 1), merged=merged))
    assert scene.notes == (f"largest error of the composite against the merged picture: {error}/255",)


def test_another_merged_picture_is_refused_with_the_figure(tmp_path):
    line = refusal(two(tmp_path, layer("blue", 1, 1), merged=plain(4, 4, (252, 0, 0))))
    assert line.startswith(
        "scene two: two.ora: the layers miss the source's merged picture by 255/255, at most 2/255"
    )
    line = refusal(two(tmp_path, layer("blue", 1, 1), merged=plain(3, 4, RED)))
    assert line == "scene two: two.ora: mergedimage.png: found 3x4, the canvas is 4x4"


def test_a_transparent_merged_picture_is_compared_over_white(tmp_path):
    half = (*RED, 51)
    path = write_ora(
        tmp_path / "a.ora", stack_xml((2, 1), layer("a")), {"a": plain(1, 1, half)}, plain(2, 1, CLEAR)
    )
    assert "by 51/255" in refusal(path)
    merged = np.array([[half, CLEAR]], np.uint8)
    path = write_ora(tmp_path / "a.ora", stack_xml((2, 1), layer("a")), {"a": plain(1, 1, half)}, merged)
    assert only_scene(path).notes[-1].endswith(" 0/255")


def test_no_merged_picture_is_noted(tmp_path):
    assert only_scene(two(tmp_path, layer("blue"))).notes == (
        "no merged picture in the file to compare the composite with",
    )


def test_sixteen_bit_grey_is_rounded_to_the_nearest(tmp_path):
    grey = np.array([[0, 257, 386, 65535]], np.uint16)
    path = write_ora(
        tmp_path / "g.ora", stack_xml((4, 1), layer("b"), layer("g")), {"g": grey, "b": plain(1, 1, RED)}
    )
    assert only_scene(path).layers[0][0, :, 0].tolist() == [0, 1, 2, 255]


def test_options_are_recorded_in_the_scene(tmp_path):
    path = two(
        tmp_path, layer("blue", 1, 1), layer("green"), green=plain(1, 1, GREEN), name="An odd  näme.ora"
    )
    scene = only_scene(path, licence="CC0-1.0", attribution="A. Painter", max_layers=2)
    assert scene.scene_id == "An-odd-n-me"
    assert (scene.licence, scene.attribution, scene.source) == ("CC0-1.0", "A. Painter", "openraster")
    assert scene.captions == ("red", "green + blue")
    assert (only_scene(path).licence, only_scene(path).attribution) == ("NOASSERTION", "NOASSERTION")


def test_a_folder_is_read_by_name_and_faults_come_last(tmp_path, caplog):
    for name in ("b.ora", "a.ora"):
        two(tmp_path, layer("blue"), name=name)
    (tmp_path / "bad.ora").write_bytes(b"no zip")
    (tmp_path / "notes.txt").write_text("")
    source = OpenRasterSource(files=tmp_path)
    found = []
    with pytest.raises(SourceError) as error:
        found.extend(one.scene.scene_id for one in source.read())
    assert found == ["a", "b"]
    assert error.value.problems == ["scene bad: bad.ora: no zip archive: File is not a zip file"]
    with caplog.at_level(logging.WARNING):
        assert len(list(OpenRasterSource(files=tmp_path, unusable="skip").read())) == 2
    assert "left out: scene bad" in caplog.text


def test_names_that_give_no_id_of_their_own_are_refused_together(tmp_path):
    paths = [two(tmp_path, layer("blue"), name=name) for name in ("a b.ora", "A-b.ora", "ё.ora")]
    with pytest.raises(SourceError) as error:
        list(OpenRasterSource(files=(*paths, tmp_path / "gone.ora", __file__)).read())
    assert error.value.problems == [
        f"files: {tmp_path / 'gone.ora'}: found no such file there, allowed: .ora",
        f"files: {__file__}: found the ending '.py', allowed: .ora",
        f"files: {paths[0]} and {paths[1]}: found the scene id A-b for both",
        "files: ё.ora: found no Latin letter or digit, allowed: one or more",
    ]


def question(scene, gold, **fields):
    shards = ["I want to know a colour.", "It is that of a square.", "The square is small."]
    return {
        "scene": scene,
        "id": f"{scene}-q",
        "category": "direct_ask",
        "question": "Which colour has the small square?",
        "answer": "blue",
        "gold": gold,
        "shards": [{"text": shards[0]}, *({"text": text, "support": gold} for text in shards[1:])],
        **fields,
    }


@pytest.mark.parametrize("keys", [["blue"], ["1"]])
def test_questions_name_layers_by_name_or_number_and_build(tmp_path, keys):
    path = two(tmp_path, layer("blue", 1, 1))
    two(tmp_path, layer("blue", 1, 1), name="unasked.ora")
    (tmp_path / "q.yaml").write_text(json.dumps([question("two", keys)]))
    source = OpenRasterSource(files=tmp_path, questions=tmp_path / "q.yaml", licence="CC0-1.0")
    built = build(source, tmp_path / "layered-vqa", "1.0.0", ConditionOptions())
    assert (built.scenes, built.questions, len(built.conditions)) == (1, 1, 16)
    assert validate(built.folder) == []
    row = json.loads((built.folder / "full.jsonl").read_text())
    assert (row["scene_id"], row["gold_layers"], row["distractors"]) == (path.stem, [1], [0])
    manifest = json.loads((built.folder / "manifest.json").read_text())
    assert manifest["source"]["options"]["files"] == [tmp_path.name]


def test_a_name_that_two_layers_have_is_no_key(tmp_path):
    path = two(tmp_path, layer("blue", 2, 2), layer("blue"))
    (tmp_path / "q.yaml").write_text(json.dumps([question("two", ["blue"])]))
    with pytest.raises(SourceError, match="found the key 'blue', allowed: red, 0, 1, 2"):
        list(OpenRasterSource(files=path, questions=tmp_path / "q.yaml").read())


def test_questions_about_a_broken_file_go_with_it_where_it_is_skipped(tmp_path):
    two(tmp_path, layer("blue"))
    (tmp_path / "bad.ora").write_bytes(b"no zip")
    (tmp_path / "q.yaml").write_text(json.dumps([question(name, ["blue"]) for name in ("bad", "two")]))
    options = {"files": tmp_path, "questions": tmp_path / "q.yaml"}
    (material,) = OpenRasterSource(**options, unusable="skip").read()
    assert [one.question_id for one in material.examples] == ["two-q"]
    with pytest.raises(SourceError, match="no zip archive"):
        next(OpenRasterSource(**options).read())


@pytest.mark.skipif(not REAL.is_dir(), reason="needs shared/data/layers/openraster beside the repository")
def test_files_that_painting_programs_wrote():
    scene = only_scene(REAL / "smallimage.ora")
    assert (scene.depth, scene.width, scene.height) == (3, 128, 128)
    assert scene.captions == ("background", "unnamed layer", "unnamed layer")
    assert scene.layers[2][..., 3].max() == 132  # 0.517 * 255 = 131.8
    assert "composite-op: found 'mypaint:spectral-wgm', allowed: svg:src-over" in refusal(
        REAL / "fill_outlines.ora"
    )
    large = only_scene(REAL / "bigimage.ora")
    assert (large.depth, large.width, large.height) == (16, 3520, 2688)
    assert large.captions[0] == "background"
    assert large.notes == ("no merged picture in the file to compare the composite with",)
