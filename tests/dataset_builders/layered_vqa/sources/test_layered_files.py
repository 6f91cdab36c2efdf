import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataset_builders.layered_vqa.scene import compose
from dataset_builders.layered_vqa.sources.layered_files.patch import Cover, Mask, Patch, clip, merge
from dataset_builders.layered_vqa.sources.layered_files.stack import (
    Group,
    LayeredFile,
    Leaf,
    flatten,
    merge_smallest,
)
from tests.support.layered_files import CLEAR, plain

CANVAS = (0, 0, 4, 3)


def patches(count):
    """Return a strategy of `count` patches of 1 to 4 pixels a side, some partly off a 4 x 3 canvas."""

    def draw_one(seed):
        rng = np.random.default_rng(seed)
        height, width = rng.integers(1, 5, 2)
        pixels = rng.integers(0, 256, (height, width, 4), np.uint8)
        # Full and empty alpha are special everywhere, so they must come up often.
        pixels[..., 3] = rng.choice([0, 255, *rng.integers(0, 256, 3)], (height, width))
        return Patch(pixels, *map(int, rng.integers(-2, 4, 2)))

    seeds = st.lists(st.integers(0, 2**32 - 1), min_size=count, max_size=count)
    return seeds.map(lambda drawn: [draw_one(seed) for seed in drawn])


def on_ground(layers, ground=(90, 160, 20)):
    return compose([plain(4, 3, ground), *(one.spread(CANVAS) for one in layers)]).astype(int)


def drawn(file):
    return on_ground([one.patch for one in flatten(file).layers])


def test_a_patch_partly_off_the_canvas_pixel_by_pixel():
    # 4 x 4 at (-2, -1) on a canvas of 6 x 6: columns 2 to 3 and rows 1 to 3 are left, at x 0..1, y 0..2.
    pixels = plain(4, 4, (7, 8, 9))
    pixels[1, 2] = (1, 2, 3, 4)
    picture = Patch(pixels, -2, -1).spread((0, 0, 6, 6))
    assert np.argwhere(picture[..., 3] > 0).tolist() == [[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 1]]
    assert picture[0, 0].tolist() == [1, 2, 3, 4]
    assert Patch(pixels, -2, -1).cut((0, 0, 6, 6)).box == (0, 0, 2, 3)
    assert Patch(pixels, 9, 0).cut((0, 0, 6, 6)).shown() == 0


@given(patches(3))
def test_a_merged_patch_looks_as_its_patches_did(layers):
    assert np.abs(on_ground([merge(layers)]) - on_ground(layers)).max() <= 1


def test_merging_by_hand():
    # Alpha 1/2 red over opaque blue is opaque; over nothing it stays as it is.
    red, blue = Patch(plain(2, 1, (255, 0, 0, 51)), 0, 0), Patch(plain(1, 1, (0, 0, 255)), 1, 0)
    assert merge([blue, red]).pixels.tolist() == [[[255, 0, 0, 51], [51, 0, 204, 255]]]


def test_clipping_by_hand():
    base, blue = Patch(plain(2, 2, (255, 0, 0)), 1, 1), Patch(plain(4, 3, (0, 0, 255, 51)), 0, 0)
    clipped = clip(base, [blue])
    assert clipped[0].pixels.tolist() == base.pixels.tolist()
    picture = on_ground(clipped)
    assert picture[1:3, 1:3].reshape(-1, 3).tolist() == [[204, 0, 51]] * 4
    assert picture[0, 0].tolist() == picture[2, 3].tolist() == [90, 160, 20]


@given(patches(3))
def test_clipped_layers_recolour_the_base_and_keep_its_alpha(layers):
    base, *above = layers
    alpha = base.alpha[..., np.newaxis]
    colour = base.pixels[..., :3].astype(float)
    for one in above:
        spread = one.spread(base.box)
        share = spread[..., 3:] / 255
        colour = spread[..., :3] * share + colour * (1 - share)
    wanted = np.full((3, 4, 3), (90.0, 160.0, 20.0))
    left, top, right, bottom = base.box
    for y in range(max(top, 0), min(bottom, 3)):
        for x in range(max(left, 0), min(right, 4)):
            a = alpha[y - top, x - left]
            wanted[y, x] = colour[y - top, x - left] * a + wanted[y, x] * (1 - a)
    assert np.abs(on_ground(clip(base, above)) - wanted).max() <= 2


def test_a_group_keeps_its_layers_where_they_do_not_overlap():
    left, right = Patch(plain(1, 1, (255, 0, 0)), 0, 0), Patch(plain(1, 1, (0, 0, 255)), 2, 0)
    group = Group("pair", (Leaf("left", left), Leaf("right", right)), Cover(0.2))
    stack = flatten(LayeredFile(4, 3, (group,), None))
    assert [one.caption for one in stack.layers] == ["left", "right"]
    assert [one.patch.pixels[0, 0].tolist() for one in stack.layers] == [[255, 0, 0, 51], [0, 0, 255, 51]]
    assert stack.notes == ()


def test_a_faded_group_of_overlapping_layers_becomes_one_layer():
    red, blue = Patch(plain(2, 1, (255, 0, 0)), 0, 0), Patch(plain(1, 1, (0, 0, 255)), 1, 0)
    group = Group("pair", (Leaf("red", red), Leaf("blue", blue)), Cover(0.2))
    stack = flatten(LayeredFile(4, 3, (group,), None))
    # Faded one by one, red would shine through blue.
    assert [one.patch.pixels.tolist() for one in stack.layers] == [[[[255, 0, 0, 51], [0, 0, 255, 51]]]]
    assert stack.notes == ("group 'pair' is one layer: its opacity or mask fades layers that overlap",)
    assert stack.layer_of() == {"pair": 0, "red": 0, "blue": 0}


@pytest.mark.parametrize("values", [[255, 0], [255, 128]])
def test_a_group_mask_is_folded_in_where_no_partial_share_meets_an_overlap(values):
    mask = Mask(np.array([values], np.uint8), 0, 0)
    both = (
        Leaf("a", Patch(plain(2, 1, (255, 0, 0)), 0, 0)),
        Leaf("b", Patch(plain(2, 1, (0, 0, 255)), 0, 0)),
    )
    stack = flatten(LayeredFile(4, 3, (Group("g", both, Cover(1.0, mask)),), None))
    assert len(stack.layers) == (2 if values[1] == 0 else 1)
    picture = on_ground([one.patch for one in stack.layers])
    share = values[1] / 255
    assert picture[0, 0].tolist() == [0, 0, 255]
    assert (
        np.abs(picture[0, 1] - (np.array([0, 0, 255]) * share + np.array([90, 160, 20]) * (1 - share))).max()
        <= 1
    )


def test_outside_a_mask_its_background_holds():
    mask = Mask(plain(1, 1, (51,) * 3)[..., 0], 1, 0, outside=255)
    faded = Cover(0.4, mask).fade(Patch(plain(3, 1, (1, 2, 3)), 0, 0))
    assert faded.pixels[0, :, 3].tolist() == [102, 20, 102]  # 255 * 0.4, 51 * 0.4 = 20.4


@given(patches(4), st.floats(0, 1), st.floats(0, 1))
def test_a_tree_looks_as_its_groups_drawn_apart(layers, inner, outer):
    leaves = [Leaf(str(index), one) for index, one in enumerate(layers)]
    tree = Group("o", (leaves[0], Group("i", tuple(leaves[1:3]), Cover(inner)), leaves[3]), Cover(outer))
    apart = Cover(inner).fade(merge(layers[1:3]))
    wanted = on_ground([Cover(outer).fade(merge([layers[0], apart, layers[3]]))])
    assert np.abs(drawn(LayeredFile(4, 3, (tree,), None)) - wanted).max() <= 2


@given(patches(4))
def test_moving_everything_by_one_pixel_moves_the_picture(layers):
    def moved(by):
        leaves = [Leaf("n", Patch(one.pixels, one.x + by, one.y + by), Cover(0.7)) for one in layers]
        return drawn(LayeredFile(4, 3, (Group("g", tuple(leaves), Cover(0.5)),), None))

    assert (moved(1)[1:, 1:] == moved(0)[:-1, :-1]).all()


def stack_of(*sizes):
    leaves = [Leaf(f"{index}", Patch(plain(*size, (index, 0, 0)), 0, 0)) for index, size in enumerate(sizes)]
    return flatten(LayeredFile(4, 3, tuple(leaves), None))


def test_the_smallest_neighbours_are_merged_and_noted():
    stack = stack_of((4, 3), (3, 3), (1, 1), (2, 1), (2, 2))
    assert (stack.depth, stack.notes) == (5, ())
    fewer = merge_smallest(stack, 3)
    # 1 + 2 pixels first, then those two lie in 2 pixels together: 2 + 4 is less than 9 + 2.
    assert [one.caption for one in fewer.layers] == ["0", "1", "2 + 3 + 4"]
    assert fewer.notes == ("merged to keep to 3 layers: 2 + 3 + 4",)
    assert fewer.layer_of() == {"0": 0, "1": 1, "2": 2, "3": 2, "4": 2}
    assert (
        on_ground([one.patch for one in fewer.layers]) == on_ground([one.patch for one in stack.layers])
    ).all()


def test_the_white_layer_below_a_transparent_bottom_counts():
    stack = stack_of((3, 3), (1, 1), (1, 1))
    assert (len(stack.layers), stack.depth) == (3, 4)
    assert [one.caption for one in merge_smallest(stack, 3).layers] == ["0", "1 + 2"]


def test_layers_without_a_visible_pixel_are_left_out():
    leaves = (
        Leaf("off", Patch(plain(1, 1, (1, 2, 3)), 9, 9)),
        Leaf("empty", Patch(plain(1, 1, CLEAR), 0, 0)),
        Leaf("faded", Patch(plain(1, 1, (1, 2, 3)), 0, 0), Cover(0.0)),
        Leaf("", Patch(plain(1, 1, (1, 2, 3)), 0, 0)),
    )
    stack = flatten(LayeredFile(4, 3, leaves, None))
    assert [one.caption for one in stack.layers] == ["unnamed layer"]
    assert stack.layer_of() == {}
    assert stack.notes == tuple(
        f"layer '{name}' left out: no visible pixel on the canvas" for name in ("off", "empty", "faded")
    )
