"""Pictures on pages: the bytes that a server was sent, each made once, within a bound."""

import asyncio
import hashlib
from dataclasses import replace

import pytest
from PIL import Image

from leaderboard.examples.pictures import Origin, PictureFolder
from lvqa_eval.images import PictureKey, PictureStore, Rendering
from lvqa_eval.runs.sent_messages import SentPictureError


@pytest.fixture(scope="module")
def origin(sent):
    board, _ = sent
    dataset = board.benchmark("layered-vqa").dataset
    return Origin(dataset, Rendering("checkerboard"), {})


@pytest.fixture(scope="module")
def keys(origin):
    scene = origin.dataset.scenes()[0]
    return [
        PictureKey(scene.scene_id, None, scene.composite_file_name),
        *(PictureKey(scene.scene_id, layer, name) for layer, name in enumerate(scene.layers_file_names)),
    ]


@pytest.fixture
def rendered(monkeypatch):
    """Return the list of the canvases that were rendered since."""
    found, render = [], Rendering.render
    monkeypatch.setattr(Rendering, "render", lambda self, *told: found.append(told) or render(self, *told))
    return found


def test_files_are_named_by_their_content_and_made_once(tmp_path, origin, keys, rendered):
    folder = PictureFolder(tmp_path)
    shown = folder.pictures(keys, origin)
    made = len(rendered)
    assert folder.pictures(keys, origin) == shown
    assert len(rendered) == made == len(keys) - 1  # the scene goes as its file stands
    for one in shown:
        path = tmp_path / f"{one.sha256}.png"
        assert one.source == f"pictures/{path.name}"
        assert hashlib.sha256(path.read_bytes()).hexdigest() == one.sha256
        with Image.open(path) as picture:
            assert (picture.size, picture.mode) == ((one.width, one.height), "RGB")
    assert len(list(tmp_path.iterdir())) == len({one.sha256 for one in shown})


def test_another_way_to_render_gives_other_pictures(tmp_path, origin, keys):
    folder = PictureFolder(tmp_path)
    tiles, white = (
        folder.pictures(keys, replace(origin, rendering=Rendering(one))) for one in ("checkerboard", "white")
    )
    assert tiles[0] == white[0]
    assert not {one.sha256 for one in tiles[1:]} & {one.sha256 for one in white[1:]} - {tiles[1].sha256}


def test_above_the_bound_the_least_asked_for_goes_and_comes_again(tmp_path, origin, keys, rendered):
    sizes = [path.stat().st_size for path in _written(tmp_path / "all", origin, keys)]
    folder = PictureFolder(tmp_path / "few", budget=sum(sizes[-2:]))
    shown = [folder.pictures([key], origin)[0] for key in keys]
    assert folder.size <= sum(sizes[-2:])
    assert [(tmp_path / "few" / f"{one.sha256}.png").exists() for one in shown[-2:]] == [True, True]
    assert not (tmp_path / "few" / f"{shown[0].sha256}.png").exists()
    before = len(rendered)
    path = folder.file(f"{shown[1].sha256}.png")
    assert hashlib.sha256(path.read_bytes()).hexdigest() == shown[1].sha256
    assert len(rendered) == before + 1


def test_a_file_that_somebody_removed_is_made_again(tmp_path, origin, keys):
    folder = PictureFolder(tmp_path)
    (one,) = folder.pictures(keys[1:2], origin)
    (tmp_path / f"{one.sha256}.png").unlink()
    assert folder.pictures(keys[1:2], origin) == [one]
    assert (tmp_path / f"{one.sha256}.png").is_file()


def test_what_an_earlier_process_left_counts_and_is_given(tmp_path, origin, keys):
    left = _written(tmp_path, origin, keys)
    (tmp_path / "notes.txt").write_text("no picture")
    again = PictureFolder(tmp_path)
    assert again.size == sum({path: path.stat().st_size for path in left}.values())
    assert again.file(left[0].name) == left[0]


@pytest.mark.parametrize(
    "name",
    [
        *("", "x.png", f"{'0' * 64}.png", f"{'A' * 64}.png", f"{'0' * 64}", f"{'0' * 64}.jpg"),
        *("../board.yaml", "..%2f..%2fboard.yaml", f"{'0' * 63}/.png", f"{'0' * 64}.png\n", "notes.txt"),
    ],
)
def test_no_other_name_leads_to_a_file(tmp_path, origin, keys, name):
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "notes.txt").write_text("no picture")
    (tmp_path / "board.yaml").write_text("title: secret")
    folder = PictureFolder(tmp_path / "pictures")
    folder.pictures(keys[:1], origin)
    assert folder.file(name) is None


def test_other_pixels_than_a_run_says_it_sent_are_no_picture(tmp_path, origin, keys):
    records = []
    store = PictureStore(origin.rendering, record=records.append)
    asyncio.run(store.picture(keys[1], origin.dataset.picture))
    (record,) = records
    folder = PictureFolder(tmp_path)
    told = {record.name: replace(record, pixels_sha256="0" * 64)}
    with pytest.raises(SentPictureError, match=r"layer 0: found 160x160 pixels of hash \w{16}, the run sent"):
        folder.pictures(keys, replace(origin, sent=told))
    # Another build of the encoder writes the same pixels as other bytes.
    same = {record.name: replace(record, sha256="0" * 64)}
    assert folder.pictures(keys, replace(origin, sent=same))[1].sha256 == record.sha256


def _written(folder, origin, keys):
    shown = PictureFolder(folder).pictures(keys, origin)
    return [folder / f"{one.sha256}.png" for one in shown]
