import struct
import tracemalloc
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PIL import Image, ImageFile

from dataset_builders.layered_vqa.pictures import place, read_rgb, read_rgba, resize_rgba
from dataset_builders.layered_vqa.scene import compose
from lvqa_eval.images.decoding import MAX_PIXELS, PictureError

CASES = Path(__file__).resolve().parents[2] / "cases" / "pictures"


def saved(tmp_path, pixels, name="picture.png", **options):
    path = tmp_path / name
    Image.fromarray(np.array(pixels, options.pop("dtype", np.uint8))).save(path, **options)
    return path


def png_header(path, width, height):
    """Write a PNG that says it is `width` x `height`, with no pixels behind it."""
    chunk = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    body = struct.pack(">I", 13) + chunk + struct.pack(">I", zlib.crc32(chunk))
    end = b"\0\0\0\0IEND" + struct.pack(">I", zlib.crc32(b"IEND"))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + body + end)
    return path


def test_a_sideways_photo_comes_out_upright():
    pixels = read_rgb(CASES / "exif_orient6.jpg")  # 48x32 as stored
    assert pixels.shape == (48, 32, 3)
    assert pixels.dtype == np.uint8
    assert np.abs(pixels[0, 0].astype(int) - [255, 255, 0]).max() <= 3
    assert np.abs(pixels[0, -1].astype(int) - [255, 0, 0]).max() <= 3


def test_cmyk_follows_the_adobe_marker():
    pixels = read_rgb(CASES / "cmyk.jpg").astype(int)  # no ink, then full cyan
    assert np.abs(pixels[8, 2] - [255, 255, 255]).max() <= 3
    assert np.abs(pixels[8, -3] - [0, 255, 255]).max() <= 3


def test_alpha_is_laid_over_the_background(tmp_path):
    row = [[(255, 0, 0, 0), (0, 0, 255, 128), (0, 128, 0, 255)]]
    path = saved(tmp_path, row)
    assert read_rgb(path).tolist() == [[[255, 255, 255], [127, 127, 255], [0, 128, 0]]]
    # 0 * 128/255 + 100 * 127/255 = 49.8; 255 * 128/255 + 100 * 127/255 = 177.8
    over_grey = read_rgb(path, background=(100, 100, 100))
    assert over_grey.tolist() == [[[100, 100, 100], [50, 50, 178], [0, 128, 0]]]


def test_transparent_colours_of_palettes_and_of_plain_pictures(tmp_path):
    palette = Image.fromarray(np.array([[0, 1]], np.uint8), "P")
    palette.putpalette([10, 20, 30, 40, 50, 60])
    palette.save(tmp_path / "palette.png", transparency=0)
    assert read_rgb(tmp_path / "palette.png").tolist() == [[[255, 255, 255], [40, 50, 60]]]
    plain = saved(tmp_path, [[(1, 2, 3), (4, 5, 6)]], "plain.png", transparency=(4, 5, 6))
    assert read_rgb(plain).tolist() == [[[1, 2, 3], [255, 255, 255]]]


def test_16_bit_grey_is_scaled_not_clipped(tmp_path):
    path = saved(tmp_path, [[0, 257, 32768, 65535]], dtype=np.uint16)
    assert read_rgb(path)[0].tolist() == [[0] * 3, [1] * 3, [128] * 3, [255] * 3]


def test_grey_and_one_bit_pictures(tmp_path):
    assert read_rgb(saved(tmp_path, [[0, 77]], "grey.png")).tolist() == [[[0] * 3, [77] * 3]]
    assert read_rgb(saved(tmp_path, [[True, False]], "bit.png", dtype=bool)).tolist() == [
        [[255] * 3, [0] * 3]
    ]


def test_broken_files_are_refused_by_name_and_reason(tmp_path):
    noise = np.random.default_rng(0).integers(0, 256, (40, 40, 3), np.uint8)
    whole = saved(tmp_path, noise, "good.png").read_bytes()
    (tmp_path / "cut.png").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "empty.png").write_bytes(b"")
    (tmp_path / "page.png").write_bytes(b"<html><body>429 Too Many Requests</body></html>")
    (tmp_path / "start.png").write_bytes(whole[:12])
    expected = {
        "cut.png": "broken PNG file: .*truncated",
        "empty.png": "empty file",
        "page.png": "no picture: starts with b'<html><body>.*allowed: PNG, JPEG",
        "start.png": "broken PNG file",
        "none.png": "cannot be opened: No such file",
        ".": "cannot be opened: Is a directory",
    }
    for name, reason in expected.items():
        with pytest.raises(PictureError, match=reason) as caught:
            read_rgb(tmp_path / name)
        assert str(caught.value).startswith(str(tmp_path / name))
    assert ImageFile.LOAD_TRUNCATED_IMAGES is False


def test_numbers_of_32_bits_have_no_known_range(tmp_path):
    path = saved(tmp_path, [[0.5]], "depth.tiff", dtype=np.float32)
    with pytest.raises(PictureError, match=r"mode: found F \(32 bits a pixel\), allowed: 8 and 16 bits"):
        read_rgb(path)


def test_a_huge_picture_is_refused_from_its_header(tmp_path):
    path = png_header(tmp_path / "bomb.png", 40_000, 40_000)
    tracemalloc.start()
    with pytest.raises(
        PictureError, match=rf"40000x40000 \(1600000000 pixels\), at most {MAX_PIXELS} pixels"
    ):
        read_rgb(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000_000


def test_the_limit_itself_is_allowed(tmp_path):
    path = saved(tmp_path, np.zeros((2, 3, 3)))
    assert read_rgb(path, max_pixels=6).shape == (2, 3, 3)
    with pytest.raises(PictureError, match=r"found 3x2 \(6 pixels\), at most 5 pixels"):
        read_rgb(path, max_pixels=5)


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def deep_png(path, colour_type, *values, transparent=()):
    """Write a PNG of one row with 16 bits a channel, which Pillow cannot."""
    channels = {0: 1, 2: 3, 4: 2, 6: 4}[colour_type]
    header = struct.pack(">IIBBBBB", len(values) // channels, 1, 16, colour_type, 0, 0, 0)
    row = b"\0" + struct.pack(f">{len(values)}H", *values)
    body = chunk(b"IHDR", header)
    if transparent:
        body += chunk(b"tRNS", struct.pack(f">{len(transparent)}H", *transparent))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + body + chunk(b"IDAT", zlib.compress(row)) + chunk(b"IEND", b""))
    return path


def test_layers_keep_their_alpha_and_the_colours_under_it(tmp_path):
    row = [[(255, 0, 0, 0), (0, 0, 255, 128), (0, 128, 0, 255)]]
    pixels = read_rgba(saved(tmp_path, row))
    assert pixels.dtype == np.uint8
    assert pixels.tolist() == [[list(pixel) for pixel in row[0]]]
    assert read_rgba(saved(tmp_path, [[(1, 2, 3)]], "plain.png")).tolist() == [[[1, 2, 3, 255]]]
    grey = saved(tmp_path, [[77]], "grey.png")
    assert read_rgba(grey).tolist() == [[[77, 77, 77, 255]]]
    assert read_rgba(CASES / "exif_orient6.jpg").shape == (48, 32, 4)


def test_transparency_of_palettes_becomes_alpha(tmp_path):
    palette = Image.fromarray(np.array([[0, 1, 2]], np.uint8), "P")
    palette.putpalette([10, 20, 30, 40, 50, 60, 70, 80, 90])
    palette.save(tmp_path / "palette.png", transparency=bytes([0, 128, 255]))
    expected = [[[10, 20, 30, 0], [40, 50, 60, 128], [70, 80, 90, 255]]]
    assert read_rgba(tmp_path / "palette.png").tolist() == expected
    plain = saved(tmp_path, [[(1, 2, 3), (4, 5, 6)]], "plain.png", transparency=(4, 5, 6))
    assert read_rgba(plain)[..., 3].tolist() == [[255, 0]]


def test_16_bits_a_channel(tmp_path):
    grey = deep_png(tmp_path / "grey.png", 0, 0, 257, 32768, 65535, transparent=[257])
    assert read_rgba(grey)[0].tolist() == [[0, 0, 0, 255], [1, 1, 1, 0], [128] * 3 + [255], [255] * 4]
    assert read_rgb(grey)[0, 1].tolist() == [255, 255, 255]
    colour = deep_png(tmp_path / "colour.png", 6, 65535, 257, 0, 32768, 32768, 65535, 514, 65535)
    assert read_rgba(colour)[0].tolist() == [[255, 1, 0, 128], [128, 255, 2, 255]]
    grey_alpha = deep_png(tmp_path / "grey_alpha.png", 4, 65535, 32768)
    assert read_rgba(grey_alpha)[0].tolist() == [[255, 255, 255, 128]]
    keyed = deep_png(tmp_path / "keyed.png", 2, 257, 514, 771, transparent=[257, 514, 771])
    with pytest.raises(PictureError, match=r"transparent colour: found \(257, 514, 771\), allowed: 8 bits"):
        read_rgba(keyed)


def test_a_colour_space_without_alpha_is_opaque(tmp_path):
    Image.new("LAB", (1, 1), (200, 128, 128)).save(tmp_path / "lab.tiff")
    assert read_rgba(tmp_path / "lab.tiff")[0, 0, 3] == 255


LAYERS = arrays(np.uint8, st.tuples(st.integers(1, 7), st.integers(1, 7), st.just(4)))


def test_a_negative_offset_cuts_the_layer_off():
    layer = np.full((4, 4, 4), (0, 0, 255, 255), np.uint8)
    placed = place(layer, (-2, -1), (6, 6))
    assert placed.shape == (6, 6, 4)
    opaque = np.argwhere(placed[..., 3] == 255)
    assert sorted((int(x), int(y)) for y, x in opaque) == [(x, y) for x in (0, 1) for y in (0, 1, 2)]
    assert not place(layer, (-4, 0), (6, 6)).any()
    assert not place(layer, (0, 6), (6, 6)).any()


@given(LAYERS, st.integers(-9, 9), st.integers(-9, 9), st.integers(2, 8), st.integers(2, 8))
def test_placing_is_looking_through_a_window(layer, x, y, width, height):
    placed = place(layer, (x, y), (width, height))
    for row in range(height):
        for column in range(width):
            inside = 0 <= row - y < layer.shape[0] and 0 <= column - x < layer.shape[1]
            expected = layer[row - y, column - x] if inside else [0, 0, 0, 0]
            assert (placed[row, column] == expected).all()
    # A canvas of the same size with another origin moves everything with it.
    moved = place(layer, (x - 1, y - 1), (width, height))
    assert (moved[:-1, :-1] == placed[1:, 1:]).all()


def test_soft_edges_are_weighted_by_alpha_once():
    fringe = np.array([[(255, 0, 0, 255), (0, 255, 0, 0)]], np.uint8)
    assert resize_rgba(fringe, (1, 1)).tolist() == [[[255, 0, 0, 128]]]
    # (3 * 255 * 200 + 255 * 100) / (3 * 255 + 255) = 175
    four = np.array([[(200, 0, 0, 255)] * 2, [(200, 0, 0, 255), (100, 0, 0, 255)]], np.uint8)
    assert resize_rgba(four, (1, 1)).tolist() == [[[175, 0, 0, 255]]]
    faint = np.array([[(200, 10, 0, 2), (0, 0, 0, 0)]], np.uint8)
    assert resize_rgba(faint, (1, 1)).tolist() == [[[200, 10, 0, 1]]]
    gone = np.full((2, 2, 4), (9, 9, 9, 0), np.uint8)
    assert not resize_rgba(gone, (1, 1)).any()


def test_no_hidden_colour_bleeds_at_an_edge():
    edge = np.zeros((2, 8, 4), np.uint8)
    edge[:, :3] = (255, 255, 255, 0)
    edge[:, 3:] = (0, 0, 0, 255)
    assert not resize_rgba(edge, (4, 2))[..., :3].any()


@given(LAYERS, st.integers(0, 255), st.integers(1, 7), st.integers(1, 7))
def test_resizing_over_a_plain_colour_is_the_same_before_and_after(layer, grey, width, height):
    below = np.full_like(layer, (grey, grey, grey, 255))
    over = compose([below, layer])
    opaque = np.dstack([over, np.full(over.shape[:2], 255, np.uint8)])
    first_laid = resize_rgba(opaque, (width, height))
    plain = np.full((height, width, 4), (grey, grey, grey, 255), np.uint8)
    first_resized = compose([plain, resize_rgba(layer, (width, height))])
    assert first_resized.shape == (height, width, 3)
    assert np.abs(first_laid[..., :3].astype(int) - first_resized).max() <= 2
    assert (first_laid[..., 3] == 255).all()
