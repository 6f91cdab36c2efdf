import numpy as np
import pytest

from dataset_builders.layered_vqa.scene import Scene, compose, source_error, with_opaque_background
from tests.support.examples import scene


def pixel(*rgba):
    return np.array([[rgba]], np.uint8)


def test_over_by_hand():
    # 255 * 128/255 = 128 of red over blue leaves 127 of blue.
    assert compose([pixel(0, 0, 255, 255), pixel(255, 0, 0, 128)]).tolist() == [[[128, 0, 127]]]
    # 10 * 0.2 + 200 * 0.8 = 162; 20 * 0.2 + 100 * 0.8 = 84; 30 * 0.2 + 3 * 0.8 = 8.4
    assert compose([pixel(200, 100, 3, 255), pixel(10, 20, 30, 51)]).tolist() == [[[162, 84, 8]]]


def test_the_sum_is_rounded_once():
    # Two layers of 0.5 each shift the value by less than 0.5 in between: rounding twice would give 102.
    layers = [pixel(100, 0, 0, 255), pixel(103, 0, 0, 51), pixel(103, 0, 0, 51)]
    exact = (100 * 0.8 + 103 * 0.2) * 0.8 + 103 * 0.2
    assert compose(layers)[0, 0, 0] == round(exact) == 101


def test_colours_under_zero_alpha_never_show():
    assert compose([pixel(9, 9, 9, 255), pixel(255, 0, 255, 0)]).tolist() == [[[9, 9, 9]]]


def test_a_shifted_viewport_shows_the_same_pixels():
    whole = scene(size=(40, 32))
    shifted = [layer[1:, 1:] for layer in whole.layers]
    assert np.array_equal(compose(shifted)[:-1, :-1], whole.composite()[1:-1, 1:-1])


def test_a_transparent_bottom_gets_a_white_layer_and_a_note():
    bare = Scene("s", (pixel(0, 0, 0, 128),), "test", "CC0-1.0", "nobody", ("a thing",))
    mended = with_opaque_background(bare)
    assert mended.depth == 2
    assert mended.layers[0].tolist() == [[[255, 255, 255, 255]]]
    assert mended.captions == ("white background", "a thing")
    assert mended.notes == ("white layer 0 added below a transparent bottom layer",)
    assert mended.composite().tolist() == [[[127, 127, 127]]]
    assert with_opaque_background(mended) is mended


def test_problems_come_together():
    bad = Scene(
        "s", (pixel(0, 0, 0, 9), np.zeros((2, 1, 4), np.uint8)), "test", "CC0-1.0", "nobody", ("one",)
    )
    assert bad.problems() == [
        "scene s: layer 1: found 1x2, the canvas is 1x1",
        "scene s: captions: found 1, one a layer (2) is needed",
    ]
    see_through = Scene("s", (pixel(0, 0, 0, 9), pixel(1, 1, 1, 1)), "test", "CC0-1.0", "nobody", ("a", "b"))
    assert see_through.problems() == ["scene s: layer 0: found transparent pixels, it must be opaque"]
    assert Scene("s", (), "test", "CC0-1.0", "nobody", ()).problems() == [
        "scene s: layers: found none, at least 2 are needed"
    ]


@pytest.mark.parametrize("error", [0, 1, 2])
def test_a_source_that_differs_a_little_is_accepted_with_the_figure(error):
    one = scene()
    merged = one.composite().copy()
    merged[3, 4, 1] += error if merged[3, 4, 1] < 128 else -error
    assert source_error(one, merged) == error


def test_a_source_that_differs_more_is_refused_with_the_figure():
    one = scene()
    merged = one.composite().copy()
    merged[3, 4, 1] = merged[3, 4, 1] - 3 if merged[3, 4, 1] > 3 else merged[3, 4, 1] + 3
    with pytest.raises(ValueError, match=r"by 3/255, at most 2/255"):
        source_error(one, merged)
