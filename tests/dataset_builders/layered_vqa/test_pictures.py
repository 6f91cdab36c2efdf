import struct
import tracemalloc
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageFile

from dataset_builders.layered_vqa.pictures import MAX_PIXELS, PictureError, read_rgb

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
        assert str(caught.value).startswith((tmp_path / name).name)
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
