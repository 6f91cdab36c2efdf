import numpy as np
import orjson
import pytest
from PIL import Image

from dataset_builders.layered_vqa.sources.source import SCENE_SOURCES, SourceError

PanopticSource = SCENE_SOURCES.get("panoptic")

CATEGORIES = [
    {"id": 1, "name": "person", "isthing": 1},
    {"id": 2, "name": "cup", "isthing": 1},
    {"id": 9, "name": "wall", "isthing": 0},
    {"id": 8, "name": "floor", "isthing": 0},
]
# Ids beyond one byte, so that each colour channel counts: 3 + 2 * 256 + 1 * 65536 = 66051.
PERSON, CUP, WALL, FLOOR = 66051, 256, 65536, 7
MAP = np.array(
    [
        [WALL, WALL, WALL, WALL, 0],
        [WALL, PERSON, PERSON, PERSON, WALL],
        [WALL, PERSON, CUP, PERSON, WALL],
        [FLOOR, PERSON, PERSON, PERSON, FLOOR],
    ]
)
SEGMENTS = [
    {"id": CUP, "category_id": 2},
    {"id": WALL, "category_id": 9},
    {"id": PERSON, "category_id": 1},
    {"id": FLOOR, "category_id": 8},
]
PHOTO = (np.arange(60).reshape(4, 5, 3) * 4).astype(np.uint8)


def colours(ids):
    return np.stack([ids % 256, ids // 256 % 256, ids // 65536], axis=-1).astype(np.uint8)


def panoptic_set(tmp_path, maps=(MAP,), segments=SEGMENTS, **tables):
    """Write photos 1, 2, ... and their maps; returns the source's arguments."""
    for name in ("photos", "maps"):
        (tmp_path / name).mkdir(exist_ok=True)
    content = {"images": [], "annotations": [], "categories": CATEGORIES}
    for id_, ids in enumerate(maps, start=1):
        Image.fromarray(PHOTO).save(tmp_path / "photos" / f"{id_}.png")
        Image.fromarray(colours(ids)).save(tmp_path / "maps" / f"map{id_}.png")
        content["images"].append({"id": id_, "file_name": f"{id_}.png", "width": 5, "height": 4})
        row = {"image_id": id_, "file_name": f"map{id_}.png", "segments_info": segments}
        content["annotations"].append(row)
    (tmp_path / "panoptic.json").write_bytes(orjson.dumps(content | tables))
    return {
        "images": tmp_path / "photos",
        "annotations": tmp_path / "panoptic.json",
        "maps": tmp_path / "maps",
    }


def only_scene(arguments, **options):
    (material,) = PanopticSource(**arguments, **options).read()
    return material.scene


def problems(arguments):
    with pytest.raises(SourceError) as caught:
        list(PanopticSource(**arguments).read())
    return caught.value.problems


def test_things_are_layers_largest_first_and_stuff_stays_below(tmp_path):
    scene = only_scene(panoptic_set(tmp_path), inpaint_margin=0)
    assert scene.problems() == []
    assert (scene.source, scene.depth) == ("panoptic", 3)
    assert scene.captions == ("background (with wall, floor)", "person", "cup")
    for layer, id_ in ((1, PERSON), (2, CUP)):
        assert ((scene.layers[layer][..., 3] == 255) == (id_ == MAP)).all()
        assert (scene.layers[layer][id_ == MAP][:, :3] == PHOTO[id_ == MAP]).all()
    stuff = np.isin(MAP, [WALL, FLOOR, 0])
    assert (scene.layers[0][stuff][:, :3] == PHOTO[stuff]).all()
    assert (scene.composite() == PHOTO).all()
    assert "largest error of the composite against the photo: 0/255" in scene.notes


def test_small_things_are_merged_as_in_instances(tmp_path):
    scene = only_scene(panoptic_set(tmp_path), max_layers=2)
    assert scene.captions == ("background (with wall, floor, cup)", "person")
    assert f"objects merged into layer 0: cup ({CUP})" in scene.notes


def test_one_id_may_stand_in_two_images(tmp_path):
    material = list(PanopticSource(**panoptic_set(tmp_path, maps=(MAP, MAP[::-1]))).read())
    assert [one.scene.scene_id for one in material] == ["1", "2"]
    assert ((material[1].scene.layers[2][..., 3] > 0) == (MAP[::-1] == CUP)).all()


def test_a_segment_without_a_pixel_is_refused_by_id(tmp_path):
    segments = [*SEGMENTS, {"id": 5, "category_id": 1}]
    scene = only_scene(panoptic_set(tmp_path, segments=segments))
    assert scene.depth == 3
    assert scene.notes[-1] == (
        "annotation 5 refused: found no pixel of it in map1.png, at least one is needed"
    )


def test_an_image_of_stuff_alone_is_no_scene(tmp_path):
    arguments = panoptic_set(tmp_path, segments=[{"id": WALL, "category_id": 9}])
    assert list(PanopticSource(**arguments).read()) == []


def test_maps_that_cannot_be_used(tmp_path):
    arguments = panoptic_set(tmp_path, maps=(MAP, MAP, MAP))
    Image.fromarray(colours(MAP.T)).save(tmp_path / "maps" / "map1.png")
    (tmp_path / "maps" / "map2.png").unlink()
    assert problems(arguments) == [
        "image 1: size: found 5x4 in the annotation file, the map map1.png is 4x5",
        f"image 2: {tmp_path / 'maps' / 'map2.png'}: cannot be opened: No such file or directory",
    ]


def test_all_faults_of_the_file_are_told(tmp_path):
    row = {"image_id": 1, "file_name": "map1.png", "segments_info": []}
    strange = {
        "image_id": 4,
        "file_name": "map4.png",
        "segments_info": [{"id": 3, "category_id": 1}, {"id": 3, "category_id": 6}],
    }
    assert problems(panoptic_set(tmp_path, annotations=[row, row, strange])) == [
        "panoptic.json: annotations: found 2 maps of image 1, allowed: one",
        "panoptic.json: map map4.png: image_id: found 4, allowed: an id of `images`",
        "panoptic.json: image 4: segment 3: found 2 times, allowed: once",
        "panoptic.json: image 4: segment 3: category_id: found 6, allowed: an id of `categories`",
    ]
    outside = row | {"file_name": "../map1.png"}
    (problem,) = problems(panoptic_set(tmp_path, annotations=[outside]))
    assert "annotations[0].file_name: found '../map1.png'" in problem
    (problem,) = problems(panoptic_set(tmp_path, segments=[{"id": 2**24, "category_id": 1}]))
    assert "annotations[0].segments_info[0].id: found 16777216" in problem
    image = {"id": 1, "file_name": "1.png", "width": 5, "height": 4}
    (problem,) = problems(panoptic_set(tmp_path, images=[image, image]))
    assert "images: id 1 stands twice" in problem


QUESTION = f"""
- scene: 1
  id: q1
  category: occlusion
  question: What is in front of the person?
  answer: a cup
  gold: [{CUP}]
  shards:
    - text: I want to know what something is.
    - {{text: It is in front of someone., support: [{CUP}]}}
    - {{text: It can be held., support: []}}
"""


def test_questions_name_things_by_segment(tmp_path):
    arguments = panoptic_set(tmp_path, maps=(MAP, MAP))
    arguments["questions"] = tmp_path / "questions.yaml"
    arguments["questions"].write_text(QUESTION)
    (material,) = PanopticSource(**arguments).read()
    (example,) = material.examples
    assert (material.scene.scene_id, example.gold_layers) == ("1", (2,))
    arguments["questions"].write_text(QUESTION.replace(f"gold: [{CUP}]", f"gold: [{WALL}]"))
    assert problems(arguments)[0].endswith(f"found the key '65536', allowed: background, {PERSON}, {CUP}")
    path = tmp_path / "maps" / "map1.png"
    path.unlink()
    assert problems(arguments) == [f"image 1: {path}: cannot be opened: No such file or directory"]
