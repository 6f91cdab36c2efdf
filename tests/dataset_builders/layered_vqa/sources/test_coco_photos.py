"""The photos of examples/coco_photos, where they lie in the folder `shared` beside this repository."""

import hashlib
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from dataset_builders.layered_vqa.example import CATEGORIES, problems
from dataset_builders.layered_vqa.pictures import read_rgb
from dataset_builders.layered_vqa.sources.coco import CocoSource
from dataset_builders.layered_vqa.sources.source import SourceError

ROOT = Path(__file__).resolve().parents[4]
PHOTOS = ROOT / ".." / "shared" / "data" / "layers" / "coco"
QUESTIONS = ROOT / "examples" / "coco_photos" / "questions.yaml"

pytestmark = pytest.mark.skipif(not PHOTOS.is_dir(), reason="the photos are not beside this repository")

DEPTHS = {
    "397133": 6,
    "252219": 6,
    "403385": 3,
    "6818": 2,
    "331352": 3,
    "303818": 6,
    "456496": 6,
    "41888": 4,
    "547503": 6,
}


def source(**options):
    arguments = {
        "images": PHOTOS / "images",
        "annotations": PHOTOS / "instances.json",
        "questions": QUESTIONS,
    }
    return CocoSource(**(arguments | options))


@pytest.fixture(scope="module")
def material():
    return list(source().read())


def digest(pixels):
    return hashlib.sha256(np.ascontiguousarray(pixels).tobytes()).hexdigest()


def test_every_scene_recomposes_to_its_photo(material):
    assert {item.scene.scene_id: item.scene.depth for item in material} == DEPTHS
    for item in material:
        scene = item.scene
        assert scene.problems() == []
        photo = read_rgb(PHOTOS / "images" / f"{int(scene.scene_id):012d}.jpg")
        assert (scene.composite() == photo).all()
        assert "largest error of the composite against the photo: 0/255" in scene.notes
        assert all((layer[..., 3] > 0).any() for layer in scene.layers)
        assert set(np.unique(scene.layers[1][..., 3])) == {0, 255}


def test_licences_and_what_was_merged(material):
    scenes = {item.scene.scene_id: item.scene for item in material}
    assert scenes["41888"].licence == "CC-BY-SA-2.0"
    assert {scene.licence for scene in scenes.values()} == {"CC-BY-2.0", "CC-BY-SA-2.0"}
    assert scenes["252219"].attribution.startswith("http://farm4.staticflickr.com/3446/")
    assert scenes["252219"].captions == (
        "background (with handbag, cup)",
        "person",
        "person",
        "person",
        "traffic light",
        "umbrella",
    )
    assert "objects merged into layer 0: handbag (1437313), cup (1507017)" in scenes["252219"].notes


# The first 16 digits of the SHA-256 of: the composite, layer 0 outside the hole, each object layer.
GOLDEN = {
    "252219": [
        "1371ef116d3d204d",
        "56893156096059d7",
        "c09986721cbcba1d",
        "f3daf67ed88e6919",
        "efef10379a5bf5ae",
        "0c0ea8b517af3385",
        "d3648b69664a45f5",
    ],
    "403385": [
        "4c50468aa0a65c05",
        "87546870aa5ad150",
        "dce8be56d746a5f9",
        "2a0007efa6421aa7",
    ],
    "41888": [
        "6d1377d051d33fdc",
        "c1a6ed03adc519fd",
        "acf6c0c1dea5276f",
        "4b68a6dd30f841af",
        "5d9a3ff47ad7f547",
    ],
}


@pytest.mark.parametrize("scene_id", GOLDEN)
def test_the_pixels_of_layers_are_pinned(material, scene_id):
    (scene,) = [item.scene for item in material if item.scene.scene_id == scene_id]
    covered = np.any([layer[..., 3] > 0 for layer in scene.layers[1:]], axis=0)
    # What OpenCV paints into the hole may change from version to version; the rest may not.
    outside = np.where(covered[..., np.newaxis], 0, scene.layers[0])
    pinned = [scene.composite(), outside, *scene.layers[1:]]
    assert [digest(pixels)[:16] for pixels in pinned] == GOLDEN[scene_id]


def test_the_filling_stays_near_the_colours_around_it(material):
    # The woman's green top (252219) is gone from the background: nothing there is clearly green.
    (scene,) = [item.scene for item in material if item.scene.scene_id == "252219"]
    woman = scene.layers[3][..., 3] > 0
    top = scene.layers[3][woman][:, :3].astype(int)
    filled = scene.layers[0][woman][:, :3].astype(int)

    def green(pixels):
        return int((pixels[:, 1] > pixels[:, [0, 2]].max(axis=1) + 40).sum())

    assert green(top) > 300
    assert green(filled) == 0


def test_the_question_file_is_valid_and_covers_every_category(material):
    examples = [example for item in material for example in item.examples]
    assert len(examples) == 50
    assert [problem for example in examples for problem in problems(example)] == []
    counts = Counter(example.category for example in examples)
    assert set(counts) == set(CATEGORIES)
    assert min(counts.values()) >= 7
    assert all(item.examples for item in material)
    assert sum(bool(example.dependencies) for example in examples) == 18
    assert sum(len(example.minimal_sets) > 1 for example in examples) == 2
    assert {len(example.shards) for example in examples} == {3, 4, 5}
    assert all(example.shards[0].support == () for example in examples)


def test_no_shard_gives_the_answer_away(material):
    for example in (example for item in material for example in item.examples):
        words = example.question.casefold()
        for shard in example.shards:
            if example.answer.casefold() in shard.text.casefold().replace(".", ""):
                # The answers to choose from stand in the question too.
                assert example.answer.casefold() in words


@pytest.mark.parametrize("max_layers", [5, 8, 30])
def test_the_question_file_outlives_another_choice_of_layers(max_layers):
    # The whole file is checked before the first scene.
    first = next(source(max_layers=max_layers).read())
    assert first.scene.depth == {5: 5, 8: 8, 30: 20}[max_layers]
    assert len(first.examples) == 5


def test_too_few_layers_leave_some_questions_without_a_distractor():
    with pytest.raises(SourceError) as caught:
        next(source(max_layers=2).read())
    assert all("distractors: not-empty" in line for line in caught.value.problems)
