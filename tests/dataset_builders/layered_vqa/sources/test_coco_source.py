import logging

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from dataset_builders.layered_vqa.sources.coco.annotations import Annotation
from dataset_builders.layered_vqa.sources.coco.layout import lay_out
from dataset_builders.layered_vqa.sources.source import SCENE_SOURCES, SourceError

CocoSource = SCENE_SOURCES.get("coco")

CATEGORIES = [{"id": 1, "name": "person"}, {"id": 2, "name": "table"}, {"id": 3, "name": "cup"}]
CLEAR = [0, 0, 0, 0]


def box(x0, y0, x1, y1):
    return [[x0, y0, x1, y0, x1, y1, x0, y1]]


def thing(id_, segmentation, category=1, image=1, crowd=0):
    return {
        "id": id_,
        "image_id": image,
        "category_id": category,
        "segmentation": segmentation,
        "iscrowd": crowd,
    }


def gradient(width=6, height=5):
    """Return a photo of which no two pixels are alike: red is the column, green the row."""
    y, x = np.mgrid[:height, :width]
    return np.dstack([x * 10, y * 10, x + y]).astype(np.uint8)


def coco_set(tmp_path, annotations, photos, folder="images", **records):
    """Write photos (id -> pixels) and their annotation file; returns the source's arguments."""
    (tmp_path / folder).mkdir(exist_ok=True)
    images = []
    for id_, pixels in photos.items():
        Image.fromarray(pixels).save(tmp_path / folder / f"{id_}.png")
        size = {"width": pixels.shape[1], "height": pixels.shape[0]}
        images.append({"id": id_, "file_name": f"{id_}.png", **size, **records})
    content = {"images": images, "annotations": annotations, "categories": CATEGORIES}
    (tmp_path / "instances.json").write_bytes(orjson.dumps(content))
    return {"images": tmp_path / folder, "annotations": tmp_path / "instances.json"}


def only_scene(arguments, **options):
    (material,) = CocoSource(**arguments, **options).read()
    return material.scene


def test_layers_pixel_by_pixel(tmp_path):
    photo = gradient(4, 3)
    table, cup = thing(5, box(0, 0, 3, 2), category=2), thing(3, box(1, 1, 3, 3), category=3)
    scene = only_scene(coco_set(tmp_path, [cup, table], {1: photo}), inpaint_margin=0)
    assert scene.problems() == []
    assert scene.depth == 3
    assert scene.captions == ("background", "table", "cup")
    # The table is larger, so it lies below; where both are, the pixel is the cup's.
    assert scene.layers[1].tolist() == [
        [[0, 0, 0, 255], [10, 0, 1, 255], [20, 0, 2, 255], CLEAR],
        [[0, 10, 1, 255], CLEAR, CLEAR, CLEAR],
        [CLEAR, CLEAR, CLEAR, CLEAR],
    ]
    assert scene.layers[2].tolist() == [
        [CLEAR, CLEAR, CLEAR, CLEAR],
        [CLEAR, [10, 10, 2, 255], [20, 10, 3, 255], CLEAR],
        [CLEAR, [10, 20, 3, 255], [20, 20, 4, 255], CLEAR],
    ]
    assert (scene.layers[0][..., 3] == 255).all()
    untouched = [[0, 3], [1, 3], [2, 0], [2, 3]]
    assert [scene.layers[0][y, x, :3].tolist() for y, x in untouched] == [
        photo[y, x].tolist() for y, x in untouched
    ]
    assert (scene.composite() == photo).all()
    assert "largest error of the composite against the photo: 0/255" in scene.notes


def test_polygons_and_both_kinds_of_run_lengths_give_the_same_layers(tmp_path):
    # The box of columns 1 to 2 and rows 1 to 3 of a 6 x 5 picture: 6 + 3 + 2 + 3 + 16 pixels.
    counts = [6, 3, 2, 3, 16]
    # From the fourth run on the difference to the run before the last: 3 - 3 = 0, 16 - 2 = 14. 14 is '>', and
    # needs a digit of five bits with the sign, 01110.
    forms = [
        box(1, 1, 3, 4),
        {"size": [5, 6], "counts": counts},
        {"size": [5, 6], "counts": "6320>"},
    ]
    scenes = [only_scene(coco_set(tmp_path, [thing(1, form)], {1: gradient()})) for form in forms]
    layer = np.zeros((5, 6, 4), np.uint8)
    layer[1:4, 1:3, :3] = gradient()[1:4, 1:3]
    layer[1:4, 1:3, 3] = 255
    for scene in scenes:
        assert (scene.layers[1] == layer).all()


def test_a_crowd_is_a_layer_and_says_so(tmp_path):
    crowd = thing(1, {"size": [5, 6], "counts": [0, 5, 25]}, crowd=1)
    scene = only_scene(coco_set(tmp_path, [crowd], {1: gradient()}))
    assert scene.captions == ("background", "person (crowd)")
    assert (scene.layers[1][..., 3] > 0).sum() == 5


def test_smaller_objects_are_merged_into_the_background_and_recorded(tmp_path):
    photo = gradient(12, 10)
    things = [
        thing(4, box(0, 0, 8, 8), category=2),
        thing(6, box(1, 1, 2, 2), category=3),  # on the table, merged
        thing(5, box(9, 0, 10, 1), category=3),  # beside it, merged
        thing(2, box(4, 4, 7, 7), category=1),
    ]
    arguments = coco_set(tmp_path, things, {1: photo})
    scene = only_scene(arguments, max_layers=3)
    assert scene.depth == 3  # layer 0 counts
    assert scene.captions == ("background (with cup x2)", "table", "person")
    assert "objects merged into layer 0: cup (5), cup (6)" in scene.notes
    assert scene.layers[0][1, 1].tolist() == [*photo[1, 1], 255]
    assert scene.layers[1][1, 1].tolist() == CLEAR
    assert (scene.composite() == photo).all()
    by_area = only_scene(arguments, max_layers=9, min_area=9)
    assert by_area.captions == scene.captions
    assert only_scene(arguments, max_layers=9).depth == 5


def test_the_background_does_not_remember_a_removed_object(tmp_path):
    photo = np.full((40, 40, 3), (10, 20, 30), np.uint8)
    photo[13:27, 13:27] = (250, 0, 0)  # the mask below is two pixels too tight
    arguments = coco_set(tmp_path, [thing(1, box(15, 15, 25, 25))], {1: photo})
    for method in ("telea", "ns"):
        hole = only_scene(arguments, inpaint_method=method).layers[0][15:25, 15:25, :3]
        assert np.abs(hole.astype(int) - [10, 20, 30]).max() <= 3
    tight = only_scene(arguments, inpaint_margin=0).layers[0][15:25, 15:25, 0]
    assert tight.max() > 200


def test_a_hole_without_surroundings_is_grey(tmp_path):
    scene = only_scene(coco_set(tmp_path, [thing(1, box(0, 0, 6, 5))], {1: gradient()}))
    assert (scene.layers[0] == [128, 128, 128, 255]).all()
    assert (scene.composite() == gradient()).all()


def test_a_mask_of_another_size_is_refused_by_id(tmp_path):
    photo = gradient(width=2, height=3)
    wrong = thing(21, {"size": [2, 3], "counts": [0, 6]})
    right = thing(22, {"size": [3, 2], "counts": [0, 1, 5]})
    scene = only_scene(coco_set(tmp_path, [wrong, right], {1: photo}))
    assert (scene.height, scene.width, scene.depth) == (3, 2, 2)
    assert scene.notes[-1] == (
        "annotation 21 refused: size: found [2, 3], the picture is [3, 2] (height, width)"
    )
    assert (scene.layers[1][..., 3] > 0).tolist() == [[True, False], [False, False], [False, False]]


def test_a_bad_crowd_mask_never_becomes_a_full_frame(tmp_path):
    bad = thing(31, {"size": [2, 2], "counts": [0, 4]}, crowd=1)
    photo = gradient(width=2, height=3)
    source = CocoSource(**coco_set(tmp_path, [bad], {1: photo}))
    with pytest.raises(SourceError) as caught:
        list(source.read())
    assert caught.value.problems == [
        "image 1: no usable object mask, at least one is needed: annotation 31 refused: "
        "size: found [2, 2], the picture is [3, 2] (height, width)"
    ]
    good = thing(32, box(0, 0, 1, 1))
    scene = only_scene(coco_set(tmp_path, [bad, good], {1: photo}))
    assert [int((layer[..., 3] > 0).sum()) for layer in scene.layers] == [6, 1]


def test_an_object_that_smaller_ones_cover_is_no_empty_layer(tmp_path):
    things = [thing(1, box(0, 0, 2, 2)), thing(2, box(0, 0, 2, 1)), thing(3, box(0, 1, 2, 2))]
    scene = only_scene(coco_set(tmp_path, things, {1: gradient()}))
    assert scene.depth == 3
    assert scene.notes[-1] == "annotation 1 refused: every pixel of it belongs to smaller objects"


def test_photos_are_searched_in_every_folder_and_missing_ones_listed(tmp_path, caplog):
    things = [thing(id_, box(0, 0, 2, 2), image=id_) for id_ in (1, 2, 3, 4)]
    photos = {id_: gradient() for id_ in (1, 2, 3, 4)}
    arguments = coco_set(tmp_path, things, photos, folder="train2017")
    (tmp_path / "val2017").mkdir()
    (tmp_path / "train2017" / "2.png").rename(tmp_path / "val2017" / "2.png")
    for name in ("3.png", "4.png"):
        (tmp_path / "train2017" / name).unlink()
    folders = (tmp_path / "train2017", tmp_path / "val2017")
    source = CocoSource(**(arguments | {"images": folders}))
    with pytest.raises(SourceError) as caught:
        next(source.read())
    assert caught.value.problems == [
        f"image {id_}: {id_}.png lies in none of {folders[0]}, {folders[1]}" for id_ in (3, 4)
    ]
    skipping = CocoSource(**(arguments | {"images": folders}), unusable="skip")
    with caplog.at_level(logging.WARNING):
        assert [item.scene.scene_id for item in skipping.read()] == ["1", "2"]
    assert [record.getMessage() for record in caplog.records] == [
        f"left out: {line}" for line in caught.value.problems
    ]


def test_one_broken_photo_stops_no_other(tmp_path, caplog):
    things = [thing(id_, box(0, 0, 2, 2), image=id_) for id_ in (1, 2, 3)]
    arguments = coco_set(tmp_path, things, {id_: gradient() for id_ in (1, 2, 3)})
    path = tmp_path / "images" / "2.png"
    path.write_bytes(path.read_bytes()[:-30])
    found = []
    with pytest.raises(SourceError) as caught:
        found.extend(CocoSource(**arguments).read())
    assert [item.scene.scene_id for item in found] == ["1", "3"]
    (problem,) = caught.value.problems
    assert problem.startswith(f"image 2: {path}: broken PNG file")
    with caplog.at_level(logging.WARNING):
        skipped = list(CocoSource(**arguments, unusable="skip").read())
    assert [item.scene.scene_id for item in skipped] == ["1", "3"]
    assert [record.getMessage() for record in caplog.records] == [f"left out: {problem}"]


def test_masks_and_photo_must_agree_on_the_size(tmp_path):
    arguments = coco_set(tmp_path, [thing(1, box(0, 0, 2, 2))], {1: gradient(6, 5)}, width=5, height=6)
    with pytest.raises(SourceError, match=r"image 1: size: found 5x6 in .*, the upright photo 1.png is 6x5"):
        list(CocoSource(**arguments).read())


def test_a_photo_turned_by_its_tag_meets_its_upright_masks(tmp_path):
    arguments = coco_set(tmp_path, [thing(1, box(0, 0, 2, 1))], {1: gradient(6, 5)}, width=5, height=6)
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned a quarter clockwise
    Image.fromarray(gradient(6, 5)).save(tmp_path / "images" / "1.png", exif=exif)
    scene = only_scene(arguments)
    assert (scene.width, scene.height) == (5, 6)
    # The lower left pixel of the stored picture comes to the upper left.
    assert scene.layers[1][0, 0].tolist() == [*gradient(6, 5)[4, 0], 255]


def test_images_without_annotations_are_no_scenes(tmp_path):
    arguments = coco_set(tmp_path, [thing(1, box(0, 0, 2, 2), image=2)], {1: gradient(), 2: gradient()})
    assert [item.scene.scene_id for item in CocoSource(**arguments).read()] == ["2"]


def test_licence_and_attribution_stay_with_the_photo(tmp_path):
    arguments = coco_set(
        tmp_path,
        [thing(1, box(0, 0, 2, 2))],
        {1: gradient()},
        license=5,
        flickr_url="http://flickr/1",
        coco_url="http://coco/1",
    )
    content = orjson.loads(arguments["annotations"].read_bytes())
    content["licenses"] = [{"id": 5, "url": "http://creativecommons.org/licenses/by-sa/2.0/", "name": "x"}]
    arguments["annotations"].write_bytes(orjson.dumps(content))
    scene = only_scene(arguments)
    assert (scene.source, scene.licence, scene.attribution) == ("coco", "CC-BY-SA-2.0", "http://flickr/1")


QUESTION = """
- scene: 2
  id: q1
  category: occlusion
  question: What stands on the table?
  answer: a cup
  gold: [12, background]
  dependencies: [[12, background]]
  shards:
    - text: I want to know what something is.
    - {text: It stands on something., support: [13]}
    - {text: That is the table., support: [12]}
"""


def test_questions_choose_the_scenes_and_name_layers_by_annotation(tmp_path):
    things = [
        thing(10, box(0, 0, 2, 2), image=1),
        thing(11, box(0, 0, 1, 5), category=1, image=2),
        thing(12, box(2, 0, 6, 5), category=2, image=2),
        thing(13, box(3, 1, 4, 2), category=3, image=2),
    ]
    arguments = coco_set(tmp_path, things, {1: gradient(), 2: gradient()})
    (tmp_path / "questions.yaml").write_text(QUESTION.replace("background", "13"))
    arguments["questions"] = tmp_path / "questions.yaml"
    (material,) = CocoSource(**arguments).read()
    (example,) = material.examples
    assert material.scene.scene_id == example.scene_id == "2"
    assert example.depth == material.scene.depth == 4
    assert example.gold_layers == (1, 3)
    assert example.dependencies == ((1, 3),)
    assert example.distractors == (0, 2)
    # The cup merged into layer 0 is still found there.
    (merged,) = CocoSource(**arguments, max_layers=3).read()
    assert merged.examples[0].gold_layers == (0, 1)
    assert merged.examples[0].distractors == (2,)


def test_questions_about_scenes_that_are_not_there(tmp_path):
    arguments = coco_set(tmp_path, [thing(12, box(0, 0, 2, 2))], {1: gradient(), 2: gradient()})
    (tmp_path / "questions.yaml").write_text(QUESTION + QUESTION.replace("2\n", "9\n").replace("q1", "q2"))
    source = CocoSource(**arguments, questions=tmp_path / "questions.yaml")
    with pytest.raises(SourceError) as caught:
        next(source.read())
    allowed = "allowed: nothing (the source has no scene with layers)"
    assert caught.value.problems == [
        f"questions.yaml: q1 (line 2): scene: found '2', {allowed}",
        f"questions.yaml: q2 (line 14): scene: found '9', {allowed}",
    ]


BOXES = st.tuples(st.integers(0, 6), st.integers(0, 5), st.integers(1, 4), st.integers(1, 4))


@given(st.lists(BOXES, min_size=1, max_size=7), st.integers(2, 5))
def test_every_pixel_belongs_to_the_smallest_object_over_it(boxes, max_layers):
    width, height = 10, 9
    annotations = [
        Annotation(id=id_, image_id=1, category_id=1, segmentation=box(x, y, x + w, y + h))
        for id_, (x, y, w, h) in enumerate(boxes)
    ]
    layout = lay_out(annotations, width, height, max_layers, min_area=1)
    layer_of = layout.layer_of()
    told = [*layer_of, *(annotation.id for annotation, _ in layout.refused)]
    assert sorted(told) == list(range(len(boxes)))
    assert layout.depth <= max_layers
    areas = [boxes[one.id][2] * boxes[one.id][3] for one in (*layout.kept, *layout.merged)]
    assert areas == sorted(areas, reverse=True)
    for y in range(height):
        for x in range(width):
            over = [
                (w * h, -id_)
                for id_, (left, top, w, h) in enumerate(boxes)
                if left <= x < left + w and top <= y < top + h
            ]
            expected = layer_of[-min(over)[1]] if over else 0
            assert layout.owner[y, x] == expected
            assert layout.objects[y, x] == bool(over)
