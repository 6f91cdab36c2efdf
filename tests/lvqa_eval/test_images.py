import base64
import hashlib
import io
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from lvqa_eval.images import PictureStore, background_pixels, flatten, rendering


def test_hidden_colours_never_show_over_white():
    row = np.array([[[255, 0, 0, 0], [0, 0, 255, 128], [0, 128, 0, 255]]], np.uint8)
    assert flatten(row, "white").tolist() == [[[255, 255, 255], [127, 127, 255], [0, 128, 0]]]


def test_the_checkerboard_by_hand():
    board = background_pixels(34, 18, "checkerboard")
    assert board.shape == (18, 34, 3)
    assert [board[0, x, 0] for x in (0, 15, 16, 31, 32, 33)] == [204, 204, 255, 255, 204, 204]
    assert [board[16, x, 2] for x in (0, 15, 16, 31, 32)] == [255, 255, 204, 204, 255]


@pytest.mark.parametrize(("background", "value"), [("white", 255), ("grey", 128), ("black", 0)])
def test_plain_backgrounds(background, value):
    clear = np.zeros((2, 3, 4), np.uint8)
    assert flatten(clear, background).tolist() == [[[value] * 3] * 3] * 2


@given(st.integers(0, 255), st.integers(0, 255))
def test_flattening_is_the_exact_over_rounded_half_up(colour, alpha):
    layer = np.array([[[colour, colour, colour, alpha]]], np.uint8)
    exact = (colour * alpha + 204 * (255 - alpha)) * 2 + 255
    assert flatten(layer, "checkerboard")[0, 0, 0] == exact // 510


@pytest.fixture
def layer_file(tmp_path):
    pixels = np.random.default_rng(0).integers(0, 256, (20, 30, 4), np.uint8)
    Image.fromarray(pixels).save(tmp_path / "layer.png")
    return tmp_path / "layer.png", pixels


def decoded(part):
    url = json.loads(part)["image_url"]["url"]
    assert url.startswith("data:image/png;base64,")
    return base64.b64decode(url.removeprefix("data:image/png;base64,"))


def test_a_layer_is_sent_as_rgb_png_named_by_its_hash(layer_file):
    path, pixels = layer_file
    picture = PictureStore().layer(path)
    png = decoded(picture.part)
    assert hashlib.sha256(png).hexdigest() == picture.sha256
    assert (picture.width, picture.height) == (30, 20)
    sent = Image.open(io.BytesIO(png))
    assert sent.mode == "RGB"
    assert np.array_equal(np.asarray(sent), flatten(pixels, "checkerboard"))
    assert PictureStore().layer(path).sha256 == picture.sha256
    assert PictureStore("white").layer(path).sha256 != picture.sha256


def test_a_picture_is_read_once(layer_file):
    path, _ = layer_file
    store = PictureStore()
    first = store.layer(path)
    path.unlink()
    assert store.layer(path) is first


def test_the_composite_is_sent_as_its_file_stands(tmp_path):
    path = tmp_path / "composite.png"
    Image.new("RGB", (3, 2), (1, 2, 3)).save(path)
    assert decoded(PictureStore().composite(path).part) == path.read_bytes()


def test_a_layer_without_alpha_is_refused(tmp_path):
    path = tmp_path / "layer.png"
    Image.new("RGB", (3, 2)).save(path)
    with pytest.raises(ValueError, match="found mode RGB, a layer is RGBA"):
        PictureStore().layer(path)


def test_the_rendering_is_recorded():
    assert rendering("checkerboard") == {"background": "checkerboard", "tile": 16, "greys": [204, 255]}
    assert rendering("grey") == {"background": "grey", "grey": 128}
