import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from pycocotools import mask as coco

from dataset_builders.layered_vqa.sources.coco.masks import MaskError, decode_mask, expand_counts


def test_polygons_by_hand():
    square = [0, 0, 2, 0, 2, 2, 0, 2]
    assert decode_mask([square], 4, 3).tolist() == [[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0]]
    # Several polygons are one object.
    other = [3, 1, 4, 1, 4, 3, 3, 3]
    assert decode_mask([square, other], 4, 3).tolist() == [[1, 1, 0, 0], [1, 1, 0, 1], [0, 0, 0, 1]]
    # What hangs over the edge is cut off.
    assert decode_mask([[-1, -1, 1, -1, 1, 1, -1, 1]], 4, 3).sum() == 1


def test_run_lengths_go_down_the_columns():
    # 1 off, 2 on, 3 off: the second pixel of column 0 and the first of column 1.
    expected = [[0, 1, 0], [1, 0, 0]]
    assert decode_mask({"size": [2, 3], "counts": [1, 2, 3]}, 3, 2).tolist() == expected
    assert decode_mask({"size": [2, 3], "counts": "123"}, 3, 2).tolist() == expected


def test_compressed_counts_by_hand():
    # From the fourth run on the difference to the run before the last: 0, 1, 2, 1 + 0, 2 - 1, 1 + 0.
    assert expand_counts("0120O0") == [0, 1, 2, 1, 1, 1]
    # 40 = 8 + 32 * 1: digit 8 with the flag 32 is character 88, 'X'; then '1'.
    assert expand_counts("X1") == [40]


@given(arrays(np.bool_, st.tuples(st.integers(1, 12), st.integers(1, 90))).filter(lambda mask: mask.any()))
def test_both_kinds_of_run_lengths_agree_with_pycocotools(mask):
    height, width = mask.shape
    encoded = coco.encode(np.asfortranarray(mask.astype(np.uint8)))
    text = encoded["counts"].decode()
    counts = expand_counts(text)
    assert sum(counts) == mask.size
    for form in (text, counts):
        assert (decode_mask({"size": [height, width], "counts": form}, width, height) == mask).all()


@given(st.text(max_size=20))
def test_any_text_is_a_mask_of_the_right_size_or_refused(text):
    try:
        mask = decode_mask({"size": [4, 5], "counts": text}, 5, 4)
    except MaskError:
        return
    assert mask.shape == (4, 5)
    assert mask.any()


@pytest.mark.parametrize(
    ("segmentation", "reason"),
    [
        (None, "segmentation: found None, allowed: polygons or run lengths"),
        ("123", "segmentation: found '123', allowed: polygons or run lengths"),
        ([], "segmentation: found no polygon"),
        ([[0, 0, 3, 2]], "polygon 0: found 4 numbers, allowed: an even count, at least 6"),
        ([[0, 0, 2, 0, 2, 2], [0, 0, 2, 0, 2, 2, 1]], "polygon 1: found 7 numbers"),
        ([[0, 0, 2, 0, "2", 2]], "polygon 0: found .* allowed: a list of numbers"),
        ([3, 4], "polygon 0: found 3, allowed: a list of numbers"),
        ([[0, 0, 1e9, 0, 2, 2]], r"polygon 0: found a point at 1000000000.0, allowed: -3 to 6"),
        ([[0, 0, 2, float("nan"), 2, 2]], "polygon 0: found a point at nan, allowed: -2 to 4"),
        ([[-3, -2, -2, -2, -2, -1]], "found no pixel inside the picture"),
        ({"counts": [6]}, r"size: found None, the picture is \[2, 3\] \(height, width\)"),
        ({"size": [3, 2], "counts": [0, 6]}, r"size: found \[3, 2\], the picture is \[2, 3\]"),
        ({"size": [2, 3]}, "counts: found None, allowed: run lengths from 0"),
        ({"size": [2, 3], "counts": [0, -6, 12]}, "counts: found .* allowed: run lengths from 0"),
        ({"size": [2, 3], "counts": [1, 2]}, "counts: found 3 pixels, the picture has 6"),
        ({"size": [2, 3], "counts": "1"}, "counts: found 1 pixels, the picture has 6"),
        ({"size": [2, 3], "counts": "12o"}, "counts: found text that ends within a number"),
        ({"size": [2, 3], "counts": "12 3"}, "counts: found ' ', allowed: characters from '0' to 'o'"),
        ({"size": [2, 3], "counts": [6]}, "found no pixel inside the picture"),
    ],
)
def test_what_is_no_mask_is_refused_with_the_reason(segmentation, reason):
    with pytest.raises(MaskError, match=reason):
        decode_mask(segmentation, 3, 2)
