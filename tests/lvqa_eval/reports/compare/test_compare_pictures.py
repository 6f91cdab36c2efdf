import base64
import hashlib
import io
import json

import pytest
from PIL import Image

from lvqa_eval.dataset import open_dataset
from lvqa_eval.images import Rendering
from lvqa_eval.reports.compare.comparison import compare_runs
from lvqa_eval.reports.compare.page import page
from lvqa_eval.reports.compare.pictures import Thumbnails
from lvqa_eval.runs.sent_pictures import SentPictureError
from lvqa_eval.runs.store import RunStore
from tests.support.audited_runs import drawn_dataset
from tests.support.compared_runs import compared_run

CONDITIONS = ("full", "sharded-v", "snowball-v")


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    return drawn_dataset(tmp_path_factory.mktemp("data"), scenes=2)


def run(folder, over, right=True, **settings):
    def outcome(row, _):
        return (row.answer if right else "no"), right

    return RunStore.open(compared_run(folder, over, CONDITIONS, 1, outcome, **settings))


@pytest.fixture
def store(tmp_path, dataset):
    return run(tmp_path / "run", dataset)


def shown(store, condition, thumbnails):
    conversations = store.conversations()
    key = min(key for key in conversations if key.condition == condition)
    return thumbnails.of(store, conversations[key])


def pixels(thumbnail):
    kind, _, data = thumbnail.url.partition(",")
    assert kind == "data:image/webp;base64"
    with Image.open(io.BytesIO(base64.b64decode(data))) as picture:
        return picture.convert("RGB")


def test_a_scene_is_the_picture_of_the_dataset_made_small(store, dataset):
    (one,) = shown(store, "full", Thumbnails(str(dataset)))
    scene = min(open_dataset(str(dataset)).scenes(), key=lambda scene: scene.scene_id)
    stored = dataset / scene.composite_file_name
    with Image.open(stored) as original:
        assert one.thumbnail.sent == original.size
        small = original.convert("RGB")
        small.thumbnail((160, 160), Image.Resampling.LANCZOS)
    assert (one.layer, one.turns, one.label) == (None, (1,), "the scene, turn 1")
    assert one.thumbnail.sha256 == hashlib.sha256(stored.read_bytes()).hexdigest()
    found = pixels(one.thumbnail)
    assert found.size == small.size == (one.thumbnail.width, one.thumbnail.height)
    # Lossy, but the same picture: the means of the channels agree to two levels of 255.
    for a, b in zip(
        found.resize((1, 1)).getpixel((0, 0)), small.resize((1, 1)).getpixel((0, 0)), strict=True
    ):
        assert abs(a - b) <= 2


def test_each_picture_stands_once_with_the_turns_that_brought_it(store, dataset):
    thumbnails = Thumbnails(str(dataset))
    layers = shown(store, "sharded-v", thumbnails)
    assert [one.turns for one in layers] == [(number,) for number in range(1, len(layers) + 1)]
    again = shown(store, "snowball-v", thumbnails)
    depth = len(again)
    assert [one.turns for one in again] == [tuple(range(layer + 1, depth + 1)) for layer in range(depth)]
    assert [one.layer for one in again] == list(range(depth))
    assert {one.thumbnail.sha256 for one in again} == {one.thumbnail.sha256 for one in layers}


def test_the_hash_is_that_of_the_log_where_the_run_has_one(store, dataset):
    (one,) = shown(store, "full", Thumbnails(str(dataset)))
    scene = store.questions()[min(store.conversations()).question_id].scene_id
    found = pixels_hash(dataset, scene)
    width, height = one.thumbnail.sent
    record = {"scene_id": scene, "layer": None, "sha256": "ab" * 32, "pixels_sha256": found, "bytes": 9}
    record |= {"width": width, "height": height, "original_width": width, "original_height": height}
    record |= {"scale": 1.0, "pad_right": 0, "pad_bottom": 0}
    (store.folder / "pictures.jsonl").write_text(json.dumps(record) + "\n")
    (one,) = shown(store, "full", Thumbnails(str(dataset)))
    assert one.thumbnail.sha256 == "ab" * 32
    (store.folder / "pictures.jsonl").write_text(json.dumps(record | {"pixels_sha256": "00"}) + "\n")
    with pytest.raises(SentPictureError, match="composite: found pixels"):
        shown(store, "full", Thumbnails(str(dataset)))


def pixels_hash(dataset, scene_id):
    scene = next(one for one in open_dataset(str(dataset)).scenes() if one.scene_id == scene_id)
    with Image.open(dataset / scene.composite_file_name) as picture:
        return hashlib.sha256(picture.convert("RGB").tobytes()).hexdigest()


def test_another_dataset_is_refused_where_it_was_named_and_told_where_not(
    tmp_path, store, dataset, monkeypatch
):
    other = drawn_dataset(tmp_path / "other", scenes=1)
    with pytest.raises(SentPictureError, match="name that one with --dataset"):
        shown(store, "full", Thumbnails(str(other)))
    named = run(tmp_path / "named", dataset, dataset={"name": "layered-vqa", "manifest_sha256": "0" * 64})
    thumbnails = Thumbnails()
    assert shown(named, "full", thumbnails) == ()
    assert thumbnails.missing == "the dataset 'layered-vqa' is not in this folder"
    monkeypatch.chdir(other.parent)
    thumbnails = Thumbnails()
    assert shown(named, "full", thumbnails) == ()
    assert thumbnails.missing.startswith("layered-vqa: manifest.json: found sha256")


def test_the_pictures_are_in_the_page_and_where_a_and_b_got_others_both_are(tmp_path, store, dataset):
    found = compare_runs(store, run(tmp_path / "b", dataset, right=False))
    text = page(found, Thumbnails(str(dataset)), "lvqa")
    depths = [one.depth for one in open_dataset(str(dataset)).scenes()]
    assert text.count('<img src="data:image/webp;base64,') == 2 * sum(depths) + 2
    assert "Their pictures are not shown" not in text
    white = run(tmp_path / "white", dataset, right=False, images=Rendering("white").identity())
    both = page(compare_runs(store, white), Thumbnails(str(dataset)), "lvqa")
    assert both.count('<img src="data:image/webp;base64,') == 4 * sum(depths) + 4
    assert "Pictures of B" in both
