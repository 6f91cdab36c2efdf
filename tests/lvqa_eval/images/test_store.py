import asyncio
import base64
import hashlib
import io
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from lvqa_eval.images import PictureError, PictureKey, PictureStore, Rendering, flatten
from lvqa_eval.images import store as module
from lvqa_eval.images.decoding import decode
from lvqa_eval.runs.pictures import Name, PictureChangedError, PictureLog, read_pictures

CASES = Path(__file__).resolve().parents[2] / "cases" / "pictures"


def noise(width, height, channels, seed=0):
    return np.random.default_rng(seed).integers(0, 256, (height, width, channels), np.uint8)


@pytest.fixture
def layer_file(tmp_path):
    pixels = noise(40, 30, 4)
    Image.fromarray(pixels).save(tmp_path / "layer.png")
    return tmp_path / "layer.png", pixels


async def layer_of(store, path, scene="s1", layer=1):
    return await store.picture(PictureKey(scene, layer, str(path)), Path)


async def composite_of(store, path, scene="s1"):
    return await store.picture(PictureKey(scene, None, str(path)), Path)


def png_of(part):
    url = json.loads(part)["image_url"]["url"]
    assert url.startswith("data:image/png;base64,")
    return base64.b64decode(url.removeprefix("data:image/png;base64,"))


def shown(part):
    image = Image.open(io.BytesIO(png_of(part)))
    assert (image.format, image.mode) == ("PNG", "RGB")
    return np.asarray(image)


@pytest.fixture
def decoded(monkeypatch):
    """Return the paths of the files decoded, in order."""
    paths = []

    def counted(path, stored):
        paths.append(path.name)
        return decode(path, stored)

    monkeypatch.setattr(module, "decode", counted)
    return paths


async def test_a_layer_is_sent_as_rgb_png_named_by_its_hash(layer_file):
    path, pixels = layer_file
    picture = await layer_of(PictureStore(), path)
    assert hashlib.sha256(png_of(picture.part)).hexdigest() == picture.sha256
    assert (picture.width, picture.height) == (40, 30)
    assert np.array_equal(shown(picture.part), flatten(pixels, "checkerboard"))
    assert picture.reference is None
    assert (await layer_of(PictureStore(), path)).sha256 == picture.sha256
    assert (await layer_of(PictureStore(Rendering("white")), path)).sha256 != picture.sha256


async def test_a_picture_is_read_once(layer_file):
    path, _ = layer_file
    store = PictureStore()
    first = await layer_of(store, path)
    path.unlink()
    assert await layer_of(store, path) is first


async def test_the_composite_is_sent_as_its_file_stands(tmp_path):
    path = tmp_path / "composite.png"
    # Encoded in a way that ours is not, so that an encoding anew would show.
    Image.fromarray(noise(40, 30, 3)).save(path, compress_level=0)
    assert png_of((await composite_of(PictureStore(), path)).part) == path.read_bytes()


@pytest.mark.parametrize("name", ["thin_332x20.png", "sliver_300x1.png"])
async def test_a_composite_too_thin_for_a_model_is_padded(name):
    picture = await composite_of(PictureStore(), CASES / name)
    width = int(name.split("_")[1].split("x")[0])
    assert (picture.width, picture.height) == (width, 28)
    sent = shown(picture.part)
    assert sent.shape == (28, width, 3)
    rows = int(name.split("x")[1].split(".")[0])
    assert (sent[:rows] == 250).all()
    assert set(sent[rows:].ravel().tolist()) == {204, 255}


@pytest.mark.parametrize(
    ("name", "size", "near"),
    [
        ("hidden_rgb.png", (3, 1), {(0, 0): (204, 204, 204), (1, 0): (102, 102, 230), (2, 0): (0, 128, 0)}),
        ("gray16.png", (4, 1), {(0, 0): (0,) * 3, (1, 0): (1,) * 3, (2, 0): (128,) * 3, (3, 0): (255,) * 3}),
        ("cmyk.jpg", (32, 16), {(2, 8): (255, 255, 255), (29, 8): (0, 255, 255)}),
        ("exif_orient6.jpg", (32, 48), {(0, 0): (255, 255, 0), (31, 0): (255, 0, 0)}),
    ],
)
async def test_composites_of_other_kinds_become_rgb(name, size, near):
    rendering = Rendering(min_side=1)
    picture = await composite_of(PictureStore(rendering), CASES / name)
    sent = shown(picture.part)
    assert (picture.width, picture.height) == size == sent.shape[1::-1]
    tolerance = 3 if name.endswith(".jpg") else 0
    for (x, y), colour in near.items():
        assert np.abs(sent[y, x].astype(int) - colour).max() <= tolerance


async def test_a_palette_becomes_rgb(tmp_path):
    path = tmp_path / "palette.png"
    palette = Image.fromarray(np.array([[0, 1]], np.uint8), "P")
    palette.putpalette([10, 20, 30, 40, 50, 60])
    palette.save(path, transparency=0)
    picture = await composite_of(PictureStore(Rendering("black", min_side=1)), path)
    assert shown(picture.part).tolist() == [[[0, 0, 0], [40, 50, 60]]]


async def test_with_a_uuid_it_can_go_by_reference(layer_file):
    path, _ = layer_file
    plain = await layer_of(PictureStore(), path)
    picture = await layer_of(PictureStore(uuid=True), path)
    url = json.loads(plain.part)["image_url"]["url"]
    name = plain.sha256
    assert picture.sha256 == name
    whole = f'{{"type":"image_url","image_url":{{"url":"{url}"}},"uuid":"{name}"}}'
    assert picture.part.decode() == whole
    assert picture.reference.decode() == f'{{"type":"image_url","image_url":null,"uuid":"{name}"}}'
    assert picture.sent(set()) == picture.part
    assert picture.sent({name}) == picture.reference
    assert plain.sent({name}) == plain.part


async def test_with_a_folder_pictures_are_files_named_by_url(layer_file, tmp_path):
    path, _ = layer_file
    folder = tmp_path / 'a "folder" é'
    plain = await layer_of(PictureStore(), path)
    picture = await layer_of(PictureStore(files=folder), path)
    (file,) = folder.iterdir()
    assert file.name == f"{plain.sha256}.png"
    assert file.read_bytes() == png_of(plain.part)
    url = f"file://{tmp_path.resolve()}/a%20%22folder%22%20%C3%A9/{plain.sha256}.png"
    assert picture.part.decode() == f'{{"type":"image_url","image_url":{{"url":"{url}"}}}}'
    written = file.stat().st_mtime_ns
    both = await layer_of(PictureStore(files=folder, uuid=True), path)
    assert json.loads(both.part) == {
        **{"type": "image_url", "image_url": {"url": url}},
        **{"uuid": plain.sha256},
    }
    assert file.stat().st_mtime_ns == written


async def test_the_same_pixels_are_one_picture(layer_file, tmp_path):
    path, pixels = layer_file
    Image.fromarray(pixels).save(tmp_path / "again.png", compress_level=1)
    store = PictureStore()
    first = await layer_of(store, path)
    assert await layer_of(store, tmp_path / "again.png", scene="s2", layer=4) is first


async def test_two_that_ask_at_once_share_one_rendering(layer_file, decoded):
    path, _ = layer_file
    store = PictureStore()
    found = await asyncio.gather(*(layer_of(store, path) for _ in range(5)))
    assert all(picture is found[0] for picture in found)
    assert decoded == ["layer.png"]


async def test_one_that_gives_up_does_not_take_it_from_another(layer_file, decoded):
    path, _ = layer_file
    store = PictureStore()
    hasty, patient = (asyncio.create_task(layer_of(store, path)) for _ in range(2))
    await asyncio.sleep(0)
    hasty.cancel()
    assert (await patient).width == 40
    assert hasty.cancelled()
    assert decoded == ["layer.png"]


async def test_a_picture_that_went_is_rendered_again(tmp_path, decoded):
    for number in range(3):
        Image.fromarray(noise(40, 30, 4, number)).save(tmp_path / f"{number}.png")
    store = PictureStore(budget=12_000)  # two of about 4.9 KB
    hashes = [(await layer_of(store, tmp_path / f"{number}.png")).sha256 for number in (0, 1, 0, 2)]
    assert decoded == ["0.png", "1.png", "2.png"]
    assert (await layer_of(store, tmp_path / "0.png")).sha256 == hashes[0]
    assert decoded == ["0.png", "1.png", "2.png"]
    assert (await layer_of(store, tmp_path / "1.png")).sha256 == hashes[1]
    assert decoded == ["0.png", "1.png", "2.png", "1.png"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("truncated.png", "broken PNG file: .*truncated"),
        ("none.png", "cannot be read: No such file"),
        ("", "cannot be read: Is a directory"),
    ],
)
async def test_a_bad_file_is_named(name, reason):
    store = PictureStore()
    for _ in range(2):
        with pytest.raises(PictureError, match=reason) as caught:
            await composite_of(store, CASES / name)
        assert str(caught.value).startswith(f"{CASES / name}: ")


async def test_a_layer_without_alpha_is_refused(tmp_path):
    path = tmp_path / "layer.png"
    Image.new("RGB", (30, 30)).save(path)
    with pytest.raises(PictureError, match="mode: found RGB, allowed: RGBA, since a layer has alpha"):
        await layer_of(PictureStore(), path)


async def test_a_line_that_would_be_padded_beyond_measure_is_refused(tmp_path):
    path = tmp_path / "line.png"
    Image.new("L", (200_000, 1)).save(path)
    told = r"size: found 200000x1000 \(200000000 pixels\), at most \d+ pixels are rendered, padding included"
    with pytest.raises(PictureError, match=told):
        await composite_of(PictureStore(), path)


async def test_each_picture_is_recorded_with_what_the_size_rule_did(layer_file, tmp_path):
    path, _ = layer_file
    with PictureLog.open(tmp_path) as log:
        store = PictureStore(Rendering("white", max_pixels=28 * 30), record=log.add)
        thin = await composite_of(store, CASES / "thin_332x20.png")
        await layer_of(store, path)
        await layer_of(store, path)
    found = read_pictures(tmp_path)
    assert list(found) == [Name("s1", None), Name("s1", 1)]
    composite = found[Name("s1", None)]
    assert (composite.sha256, composite.bytes) == (thin.sha256, len(png_of(thin.part)))
    assert composite.pixels_sha256 == hashlib.sha256(shown(thin.part).tobytes()).hexdigest()
    assert (composite.width, composite.height) == (thin.width, thin.height) == (30, 28)
    assert (composite.original_width, composite.original_height) == (332, 20)
    assert composite.scale == 30 / 332
    assert (composite.pad_right, composite.pad_bottom) == (0, 26)
    layer = found[Name("s1", 1)]
    # 33 x 25 and 34 x 26 are padded below to 28: 34 * 28 is too much, 30 * 28 is the most.
    assert (layer.width, layer.height, layer.scale) == (30, 28, 0.75)
    assert (layer.pad_right, layer.pad_bottom) == (0, 5)


async def test_a_file_that_changes_inside_a_run_ends_it(layer_file, tmp_path):
    path, pixels = layer_file
    with PictureLog.open(tmp_path) as log:
        await layer_of(PictureStore(record=log.add), path)
    Image.fromarray(255 - pixels[..., ::-1]).save(path)
    told = "scene s1, layer 1: found 40x30 pixels of hash"
    with PictureLog.open(tmp_path) as log, pytest.raises(PictureChangedError, match=told):
        await layer_of(PictureStore(record=log.add), path)
