import json

import pytest

from dataset_builders.layered_vqa.build import build
from dataset_builders.layered_vqa.conditions import ConditionOptions
from lvqa_eval.dataset import open_dataset
from lvqa_eval.images import Picture, PictureStore, Rendering
from lvqa_eval.prompts import Prompt
from lvqa_eval.runs.pictures import Name, PictureLog, read_pictures
from lvqa_eval.serving.request import whole
from lvqa_eval.simulation.messages import text_message, turn_pictures, user_message
from tests.support.sources import SmallSource

LABELS = (
    Prompt("layer_label", "picture $position, layer $layer", ""),
    Prompt("composite_label", "picture $position", ""),
)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data") / "layered-vqa"
    return open_dataset(str(build(SmallSource(scenes=2), folder, "1.0.0", ConditionOptions()).folder))


async def sent(dataset, store):
    """Return the hashes sent for each scene and layer, over all conditions."""
    found = {}
    for condition in dataset.conditions:
        for row in dataset.rows(condition):
            for index, turn in enumerate(row.turns):
                pictures = await turn_pictures(dataset, row, index, store, *LABELS)
                names = [*([None] if turn.composite else []), *turn.layers]
                for name, (_, picture) in zip(names, pictures, strict=True):
                    found.setdefault(Name(row.scene_id, name), set()).add(picture.sha256)
    return found


@pytest.mark.parametrize("rendering", [Rendering(), Rendering("grey", max_pixels=900)])
async def test_a_picture_is_the_same_bytes_in_every_condition_and_run(dataset, tmp_path, rendering):
    with PictureLog.open(tmp_path) as log:
        # Without room for a single one each is rendered again and again.
        first = await sent(dataset, PictureStore(rendering, budget=0, record=log.add))
    assert set(first) == {Name(scene, layer) for scene in ("s1", "s2") for layer in (None, *range(5))}
    assert {len(hashes) for hashes in first.values()} == {1}
    assert await sent(dataset, PictureStore(rendering)) == first
    assert {name: {record.sha256} for name, record in read_pictures(tmp_path).items()} == first


async def test_pictures_stand_behind_their_labels_in_order(dataset):
    (row,) = (row for row in dataset.rows("all-layers") if row.scene_id == "s1")
    store = PictureStore()
    pictures = await turn_pictures(dataset, row, 0, store, *LABELS)
    assert [label for label, _ in pictures] == [
        "picture 1",
        *(f"picture {k + 2}, layer {k}" for k in range(5)),
    ]
    content = json.loads(whole(user_message(pictures, 'What is "red"?')))["content"]
    assert [part["type"] for part in content] == ["text", "image_url"] * 6 + ["text"]
    assert content[-1]["text"] == 'What is "red"?'
    assert content[2]["text"] == "picture 2, layer 0"
    assert content[3] == json.loads(pictures[1][1].part)


def test_a_message_without_pictures_is_plain_text():
    assert user_message([], "one\ntwo") == text_message("user", "one\ntwo")
    assert json.loads(whole(text_message("system", "é"))) == {"role": "system", "content": "é"}


def test_a_message_holds_its_pictures_as_themselves():
    picture = Picture("ab", 1, 1, b'{"type":"image_url"}')
    message = user_message([("a", picture)], "b")
    assert [piece for piece in message if isinstance(piece, Picture)] == [picture]
    assert whole(message) == (
        b'{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url"},{"type":"text","text":"b"}]}'
    )
