import numpy as np
import pytest

from lvqa_eval.images import background_pixels, flatten


def test_hidden_colours_never_show_over_white():
    row = np.array([[[255, 0, 0, 0], [0, 0, 255, 128], [0, 128, 0, 255]]], np.uint8)
    assert flatten(row, "white").tolist() == [[[255, 255, 255], [127, 127, 255], [0, 128, 0]]]


def test_the_checkerboard_by_hand():
    board = background_pixels(34, 18, "checkerboard")
    assert board.shape == (18, 34, 3)
    assert board.dtype == np.uint8
    assert [board[0, x, 0] for x in (0, 15, 16, 31, 32, 33)] == [204, 204, 255, 255, 204, 204]
    assert [board[16, x, 2] for x in (0, 15, 16, 31, 32)] == [255, 255, 204, 204, 255]


@pytest.mark.parametrize(("background", "value"), [("white", 255), ("grey", 128), ("black", 0)])
def test_plain_backgrounds(background, value):
    clear = np.zeros((2, 3, 4), np.uint8)
    assert flatten(clear, background).tolist() == [[[value] * 3] * 3] * 2


@pytest.mark.parametrize("background", ["checkerboard", "white", "grey", "black"])
def test_flattening_is_the_exact_over_to_the_nearest_for_every_colour_and_alpha(background):
    colour, alpha = np.mgrid[:256, :256]
    layer = np.dstack([colour, colour, 255 - colour, alpha]).astype(np.uint8)
    ground = background_pixels(256, 256, background).astype(int)
    above, share = layer[..., :3].astype(int), layer[..., 3:].astype(int)
    exact = (2 * (above * share + ground * (255 - share)) + 255) // 510
    assert np.array_equal(flatten(layer, background), exact)


def test_a_larger_canvas_shows_background_right_and_below():
    picture = np.full((2, 3, 3), 7, np.uint8)
    laid = flatten(picture, "grey", (4, 3))
    assert laid[..., 0].tolist() == [[7, 7, 7, 128], [7, 7, 7, 128], [128] * 4]
