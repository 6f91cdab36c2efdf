import logging
import pickle
import zlib
from pathlib import Path

import numpy as np
import orjson
import pytest
from PIL import Image

from dataset_builders.layered_vqa.pictures import read_rgb
from dataset_builders.layered_vqa.scene import compose
from dataset_builders.layered_vqa.sources.source import SCENE_SOURCES, SourceError

MulanSource = SCENE_SOURCES.get("mulan")

DATA = Path(__file__).resolve().parents[4] / ".." / "shared" / "data" / "layers"
needs_data = pytest.mark.skipif(
    not (DATA / "mulan").is_dir(), reason="MuLAn's files are not beside this repository"
)

PHOTO = (np.arange(24).reshape(2, 4, 3) * 10).astype(np.uint8)


def stored(mask, alpha=None, **captions):
    values = {
        "original_image_mask": np.array(mask, np.uint8)[..., np.newaxis],
        "inpainted_delta": np.zeros((2, 4, 3), np.uint8),
        **captions,
    }
    return values if alpha is None else values | {"instance_alpha": np.array(alpha, np.uint8)}


LEFT, RIGHT = [[1, 1, 0, 0]] * 2, [[0, 0, 1, 1]] * 2
CONTENT = {
    "background": stored(LEFT, blip2="a wall", llava="a long white wall"),
    "instances": {
        "0": stored(RIGHT, [[0, 0, 255, 255]] * 2, blip2="a cat", llava="a striped cat"),
        "1": stored(RIGHT, [[0, 0, 0, 255]] * 2, blip2="N/A", llava="its tail"),
    },
}


def mulan_set(tmp_path, ids=("1", "2"), content=CONTENT):
    """Write annotations, and photos of the first id in train2017, of the others in val2017."""
    for name in ("annotations", "train2017", "val2017"):
        (tmp_path / name).mkdir(exist_ok=True)
    for index, scene_id in enumerate(ids):
        raw = zlib.compress(pickle.dumps(content))
        (tmp_path / "annotations" / f"{scene_id}.p.zl").write_bytes(raw)
        folder = "val2017" if index else "train2017"
        Image.fromarray(PHOTO).save(tmp_path / folder / f"{scene_id}.png")
    return {
        "annotations": tmp_path / "annotations",
        "images": (tmp_path / "train2017", tmp_path / "val2017"),
    }


def scenes(arguments, **options):
    return [material.scene for material in MulanSource(**arguments, **options).read()]


def problems(arguments, **options):
    with pytest.raises(SourceError) as caught:
        list(MulanSource(**arguments, **options).read())
    return caught.value.problems


def test_photos_are_searched_in_every_folder_and_missing_ones_listed(tmp_path, caplog):
    arguments = mulan_set(tmp_path, ids=("1", "2", "3", "4"))
    for scene_id in ("3", "4"):
        (tmp_path / "val2017" / f"{scene_id}.png").unlink()
    train, val = arguments["images"]
    expected = [
        f"scene {one}: the photo {one}.jpg or {one}.jpeg or {one}.png lies in none of {train}, {val}"
        for one in ("3", "4")
    ]
    assert problems(arguments) == expected
    with caplog.at_level(logging.WARNING):
        assert [scene.scene_id for scene in scenes(arguments, unusable="skip")] == ["1", "2"]
    assert [record.getMessage() for record in caplog.records] == [f"left out: {line}" for line in expected]
    lonely = {"annotations": arguments["annotations"]}
    assert "lies in none of the folders of photos, for none is given" in problems(lonely)[0]


def test_a_scene_by_hand(tmp_path):
    scene = scenes(mulan_set(tmp_path, ids=("1",)))[0]
    assert (scene.scene_id, scene.source, scene.depth) == ("1", "mulan", 3)
    assert scene.captions == ("a wall", "a cat", "its tail")
    # The photo's left half, nothing painted in on the right; the layers put the right half back.
    assert (scene.layers[0][:, :2, :3] == PHOTO[:, :2]).all()
    assert not scene.layers[0][:, 2:, :3].any()
    assert (scene.composite() == PHOTO).all()
    assert scene.notes == ("the composite differs from the photo at 0 of 8 pixels, by at most 0/255",)
    longer = scenes(mulan_set(tmp_path, ids=("1",)), captioner="llava")[0]
    assert longer.captions == ("a long white wall", "a striped cat", "its tail")


def test_both_licences_are_kept(tmp_path):
    arguments = mulan_set(tmp_path, ids=("1", "2", "3"))
    for name, licence in (("train.json", 4), ("val.json", 5)):
        content = {
            "licenses": [
                {"id": 4, "url": "http://creativecommons.org/licenses/by/2.0/"},
                {"id": 5, "url": "http://creativecommons.org/licenses/by-sa/2.0/"},
            ],
            "images": [
                {
                    "id": licence,
                    "file_name": f"{licence - 3}.jpg",
                    "width": 4,
                    "height": 2,
                    "license": licence,
                    "flickr_url": f"http://flickr/{licence - 3}",
                }
            ],
        }
        (tmp_path / name).write_bytes(orjson.dumps(content))
    files = (tmp_path / "train.json", tmp_path / "val.json")
    found = scenes(arguments, base_licences=files)
    assert [scene.licence for scene in found] == [
        "CC-BY-NC-SA-4.0 AND CC-BY-2.0",
        "CC-BY-NC-SA-4.0 AND CC-BY-SA-2.0",
        "CC-BY-NC-SA-4.0 AND NOASSERTION",
    ]
    assert found[0].attribution.startswith("MuLAn (")
    assert found[0].attribution.endswith("; photo: http://flickr/1")
    assert found[2].attribution.endswith("; photo: 3")
    files[0].write_text("{")
    assert problems(arguments, base_licences=files)[0].startswith("train.json: line 1: not JSON")


def test_pairs_by_table(tmp_path):
    arguments = mulan_set(tmp_path, ids=("1", "2"))
    (tmp_path / "train2017" / "1.png").rename(tmp_path / "train2017" / "photo.png")
    arguments["pairing"] = tmp_path / "pairing.csv"
    table = "image,annotation\nval2017/2.png,annotations/2.p.zl\nelsewhere/photo.png,annotations/1.p.zl\n"
    arguments["pairing"].write_text(table)
    assert [scene.scene_id for scene in scenes(arguments)] == ["2", "1"]
    arguments["pairing"].write_text(table + "val2017/2.png,3.p.zl\nnone.png,annotations/none.p.zl\n")
    assert problems(arguments) == [
        f"scene 3: the annotation 3.p.zl does not lie in {arguments['annotations']}",
        f"scene none: the photo none.png lies in none of {', '.join(map(str, arguments['images']))}",
    ]


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("a,b\n1,2\n", ["line 1: found the columns 'a, b', needed: image, annotation"]),
        ("image,annotation\n1.png\n", ["line 2: annotation: found nothing, allowed: a path"]),
        (
            "image,annotation\n../1.png,1.p.zl\nval/2.png,/etc/2.p.zl\n3.png,x/1.p.zl\n",
            [
                "line 2: image: found '../1.png', allowed: a path below the folder",
                "line 3: annotation: found '/etc/2.p.zl', allowed: a path below the folder",
                "line 4: annotation: found 1 before, at line 2",
            ],
        ),
    ],
)
def test_a_faulty_table_is_told_by_line(tmp_path, table, expected):
    arguments = mulan_set(tmp_path)
    (tmp_path / "pairing.csv").write_text(table)
    found = problems(arguments, pairing=tmp_path / "pairing.csv")
    assert found == [f"pairing.csv: {line}" for line in expected]


def test_one_broken_annotation_stops_no_other(tmp_path):
    arguments = mulan_set(tmp_path, ids=("1", "2", "3", "4"))
    (tmp_path / "annotations" / "2.p.zl").write_bytes(zlib.compress(b"cos\nsystem\n(S'true'\ntR."))
    Image.fromarray(PHOTO[:1]).save(tmp_path / "val2017" / "3.png")
    found = []
    with pytest.raises(SourceError) as caught:
        found.extend(MulanSource(**arguments).read())
    assert [material.scene.scene_id for material in found] == ["1", "4"]
    assert caught.value.problems == [
        "scene 2: 2.p.zl: pickle: found 'os.system', allowed: arrays, grey pictures, dicts, lists, "
        "texts and numbers",
        "scene 3: background: mask: found 4x2, the upright photo is 4x1",
    ]


def test_one_name_in_two_folders(tmp_path):
    arguments = mulan_set(tmp_path, ids=("1",))
    (tmp_path / "annotations" / "part").mkdir()
    (tmp_path / "annotations" / "part" / "1.p.zl").write_bytes(b"")
    (problem,) = problems(arguments)
    assert problem.startswith("1: found ")
    assert "allowed: each name once" in problem


QUESTION = """
- scene: 2
  id: q1
  category: direct_ask
  question: What is on the right?
  answer: a cat
  gold: [1]
  shards:
    - text: I want to know what something is.
    - {text: It is on the right., support: [1]}
    - {text: It has a tail., support: []}
"""


def test_questions_name_layers_by_number_and_outlive_skipped_scenes(tmp_path):
    arguments = mulan_set(tmp_path, ids=("1", "2", "3"))
    questions = tmp_path / "questions.yaml"
    questions.write_text(QUESTION + QUESTION.replace("2\n", "3\n").replace("q1", "q2"))
    arguments["questions"] = questions
    (tmp_path / "annotations" / "3.p.zl").write_bytes(b"")
    (problem,) = problems(arguments)
    assert problem == "scene 3: 3.p.zl: broken zlib data: the end is missing"
    (material,) = MulanSource(**arguments, unusable="skip").read()
    assert material.scene.scene_id == "2"
    (example,) = material.examples
    assert (example.depth, example.gold_layers, example.distractors) == (3, (1,), (0, 2))
    questions.write_text(QUESTION.replace("gold: [1]", "gold: [3]"))
    assert problems(arguments)[0].endswith("gold: found the key '3', allowed: 0, 1, 2")


def decomposed_set(tmp_path):
    folder = tmp_path / "decomposed"
    folder.mkdir()
    Image.fromarray(PHOTO).save(folder / "7-layer_0.png")
    for index in range(1, 11):
        pixels = np.zeros((2, 4, 4), np.uint8)
        pixels[0, 0] = (index, 0, 0, 255)
        Image.fromarray(pixels).save(folder / f"7-layer_{index}.png")
    table = "paths,blip2,llava\ndecomposed/7-layer_1.png,N/A,one\ndecomposed/7-layer_10.png,ten,10\n"
    (folder / "meta_data.csv").write_text(table)
    return folder


def test_decomposed_layers_by_number(tmp_path):
    (scene,) = scenes({"annotations": decomposed_set(tmp_path)})
    assert scene.scene_id == "7"
    assert [int(layer[0, 0, 0]) for layer in scene.layers] == [*range(11)]
    assert scene.captions[:3] == ("background", "one", "instance 2")
    assert scene.captions[10] == "ten"
    assert scene.licence == "CC-BY-NC-SA-4.0 AND NOASSERTION"


def test_decomposed_layers_that_are_no_scene(tmp_path):
    folder = decomposed_set(tmp_path)
    (folder / "7-layer_3.png").unlink()
    Image.fromarray(np.zeros((2, 4, 4), np.uint8)).save(folder / "8-layer_0.png")
    Image.fromarray(PHOTO).save(folder / "8-layer_1.png")
    assert problems({"annotations": folder}) == [
        "scene 7: found no 7-layer_3.png, allowed: every layer from 0"
    ]
    assert [scene.scene_id for scene in scenes({"annotations": folder}, unusable="skip")] == []
    (folder / "7-layer_2.png").rename(folder / f"7-layer_{10**18}.png")
    assert problems({"annotations": folder})[0].startswith("scene 7: found no 7-layer_2.png")
    for path in folder.glob("7-*"):
        path.unlink()
    assert problems({"annotations": folder})[0] == (
        "scene 8: layer 0: found transparent pixels, it must be opaque"
    )
    for path in folder.glob("8-*"):
        path.unlink()
    assert "found neither ID.p.zl nor ID-layer_K.png" in problems({"annotations": folder})[0]


def test_a_smaller_scene_is_made_of_smaller_layers(tmp_path):
    (whole,) = scenes(mulan_set(tmp_path, ids=("1",)), max_side=4)
    assert (whole.width, whole.height) == (4, 2)
    (scene,) = scenes(mulan_set(tmp_path, ids=("1",)), max_side=2)
    assert (scene.width, scene.height, scene.depth) == (2, 1, 3)
    assert scene.problems() == []
    assert scene.notes[-1].startswith("each layer resampled from 4x2 to 2x1 and the composite made of")
    assert (scene.composite() == compose(scene.layers)).all()


@needs_data
def test_published_annotations_give_the_decomposed_layers_to_the_byte():
    folder = DATA / "mulan"
    joined = scenes(
        {
            "annotations": folder / "annotations",
            "images": folder / "images",
            "pairing": folder / "pairing.csv",
            "base_licences": DATA / "coco" / "instances.json",
        }
    )
    ready = {scene.scene_id: scene for scene in scenes({"annotations": folder / "decomposed"})}
    depths = {scene.scene_id.lstrip("0"): scene.depth for scene in joined}
    assert depths == {
        "252219": 6,
        "403385": 3,
        "6818": 2,
        "331352": 3,
        "303818": 3,
        "456496": 6,
        "41888": 4,
        "547503": 7,
    }
    for scene in joined:
        assert scene.problems() == []
        expected = ready[scene.scene_id]
        assert all((ours == theirs).all() for ours, theirs in zip(scene.layers, expected.layers, strict=True))
        assert scene.captions == expected.captions
        photo = read_rgb(folder / "images" / f"{scene.scene_id}.jpg")
        assert (scene.composite() == photo).all()
        share_alike = scene.scene_id.endswith("41888")
        assert scene.licence == f"CC-BY-NC-SA-4.0 AND CC-BY-{'SA-' if share_alike else ''}2.0"
