import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageFile

from lvqa_eval.errors import LvqaError
from lvqa_eval.images.decoding import MAX_PIXELS, PictureError, decode

CASES = Path(__file__).resolve().parents[2] / "cases" / "pictures"


def read(path):
    return decode(path, path.read_bytes())


def saved(tmp_path, pixels, name="picture.png", dtype=np.uint8, **options):
    Image.fromarray(np.array(pixels, dtype)).save(tmp_path / name, **options)
    return tmp_path / name


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(header, *chunks):
    """Return a PNG of the given header fields and chunks, which no encoder of ours would write."""
    ends = chunk(b"IHDR", struct.pack(">IIBBBBB", *header)), chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + ends[0] + b"".join(chunks) + ends[1]


def test_a_sideways_photo_comes_out_upright():
    found = read(CASES / "exif_orient6.jpg").pixels  # 48x32 as stored
    assert found.shape == (48, 32, 3)
    assert np.abs(found[0, 0].astype(int) - [255, 255, 0]).max() <= 3
    assert np.abs(found[0, -1].astype(int) - [255, 0, 0]).max() <= 3


def test_cmyk_follows_the_adobe_marker():
    found = read(CASES / "cmyk.jpg")  # no ink, then full cyan
    assert (found.mode, found.is_plain) == ("CMYK", False)
    assert np.abs(found.pixels[8, 2].astype(int) - [255, 255, 255]).max() <= 3
    assert np.abs(found.pixels[8, -3].astype(int) - [0, 255, 255]).max() <= 3


def test_16_bit_grey_is_scaled_not_clipped(tmp_path):
    assert read(CASES / "gray16.png").pixels[0].tolist() == [[0] * 3, [1] * 3, [128] * 3, [255] * 3]
    through = png(
        (2, 1, 16, 0, 0, 0, 0),
        chunk(b"tRNS", b"\x80\x00"),
        chunk(b"IDAT", zlib.compress(b"\0\x80\0\xff\xff")),
    )
    assert decode(Path("a.png"), through).pixels.tolist() == [[[128, 128, 128, 0], [255] * 4]]


def test_alpha_is_kept_straight():
    found = read(CASES / "hidden_rgb.png")
    assert found.mode == "RGBA"
    assert found.pixels.tolist() == [[[255, 0, 0, 0], [0, 0, 255, 128], [0, 128, 0, 255]]]


def test_transparent_colours_of_palettes_and_of_plain_pictures(tmp_path):
    palette = Image.fromarray(np.array([[0, 1]], np.uint8), "P")
    palette.putpalette([10, 20, 30, 40, 50, 60])
    palette.save(tmp_path / "solid.png")
    assert read(tmp_path / "solid.png").pixels.tolist() == [[[10, 20, 30], [40, 50, 60]]]
    palette.save(tmp_path / "palette.png", transparency=0)
    assert read(tmp_path / "palette.png").pixels.tolist() == [[[10, 20, 30, 0], [40, 50, 60, 255]]]
    plain = saved(tmp_path, [[(1, 2, 3), (4, 5, 6)]], "plain.png", transparency=(4, 5, 6))
    found = read(plain)
    assert found.pixels.tolist() == [[[1, 2, 3, 255], [4, 5, 6, 0]]]
    assert not found.is_plain


def test_grey_and_one_bit_pictures(tmp_path):
    assert read(saved(tmp_path, [[0, 77]], "grey.png")).pixels.tolist() == [[[0] * 3, [77] * 3]]
    bits = read(saved(tmp_path, [[True, False]], "bit.png", dtype=bool))
    assert bits.pixels.tolist() == [[[255] * 3, [0] * 3]]


def test_only_an_8_bit_rgb_png_without_more_is_plain(tmp_path):
    noise = np.random.default_rng(0).integers(0, 256, (8, 9, 3), np.uint8)
    assert read(saved(tmp_path, noise)).is_plain
    assert np.array_equal(read(tmp_path / "picture.png").pixels, noise)
    assert not read(saved(tmp_path, noise, "picture.bmp")).is_plain
    # Pillow gives 16-bit colour as plain RGB, of which it keeps the high byte.
    row = b"\0" + b"\x12\x34" * 3
    deep = decode(Path("deep.png"), png((1, 1, 16, 2, 0, 0, 0), chunk(b"IDAT", zlib.compress(row))))
    assert (deep.mode, deep.is_plain, deep.pixels.tolist()) == ("RGB", False, [[[0x12] * 3]])
    exif = Image.Exif()
    exif[0x0112] = 6
    turned = read(saved(tmp_path, noise, "turned.png", exif=exif))
    assert (turned.is_plain, turned.pixels.shape) == (False, (9, 8, 3))
    exif[0x0112] = 1
    assert read(saved(tmp_path, noise, "upright.png", exif=exif)).is_plain
    frames = [Image.fromarray(noise), Image.fromarray(255 - noise)]
    frames[0].save(tmp_path / "moving.png", save_all=True, append_images=frames[1:])
    moving = read(tmp_path / "moving.png")
    assert not moving.is_plain
    assert np.array_equal(moving.pixels, noise)


def test_broken_files_are_refused_by_name_and_reason(tmp_path):
    contents = {
        "cut.png": ((CASES / "truncated.png").read_bytes(), "broken PNG file: .*truncated"),
        "empty.png": (b"", "empty file"),
        "page.png": (
            b"<html><body>429 Too",
            r"no picture: starts with b'<html><body>429 ', allowed: PNG, JPEG",
        ),
        "start.png": ((CASES / "truncated.png").read_bytes()[:12], "broken PNG file"),
    }
    for name, (stored, reason) in contents.items():
        with pytest.raises(PictureError, match=reason) as caught:
            decode(tmp_path / name, stored)
        assert str(caught.value).startswith(f"{tmp_path / name}: ")
        assert isinstance(caught.value, LvqaError)
    assert ImageFile.LOAD_TRUNCATED_IMAGES is False


def test_numbers_of_32_bits_have_no_known_range(tmp_path):
    path = saved(tmp_path, [[0.5]], "depth.tiff", dtype=np.float32)
    with pytest.raises(PictureError, match=r"mode: found F \(32 bits a pixel\), allowed: 8 and 16 bits"):
        read(path)


def test_a_huge_picture_is_refused_from_its_header():
    stored = png((40_000, 40_000, 8, 0, 0, 0, 0))
    told = (
        rf"bomb.png: size: found 40000x40000 \(1600000000 pixels\), at most {MAX_PIXELS} pixels are decoded"
    )
    with pytest.raises(PictureError, match=told):
        decode(Path("bomb.png"), stored)
