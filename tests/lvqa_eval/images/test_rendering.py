import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from PIL import Image

from lvqa_eval.images import BACKGROUNDS, Rendering, RenderingError, background_pixels, flatten

CASES = Path(__file__).resolve().parents[2] / "cases" / "pictures"

sides = st.integers(1, 5000)
renderings = st.builds(
    lambda background, side, ratio, above: Rendering(
        background, side, ratio, None if above is None else side**2 + above
    ),
    st.sampled_from(BACKGROUNDS),
    st.integers(1, 40),
    st.integers(1, 200),
    st.none() | st.integers(0, 4000),
)


def pixels(name):
    return np.asarray(Image.open(CASES / name))


def noise(width, height, channels, seed=0):
    return np.random.default_rng(seed).integers(0, 256, (height, width, channels), np.uint8)


def test_a_thin_picture_is_padded_to_the_least_side_and_keeps_its_pixels():
    sent = Rendering().render(pixels("thin_332x20.png"))
    assert sent.shape == (28, 332, 3)
    assert (sent[:20] == 250).all()
    # The checkerboard of the whole canvas: rows 20 to 27 lie in its second row of tiles.
    assert [int(sent[20, x, 0]) for x in (0, 15, 16, 31, 32, 331)] == [255, 255, 204, 204, 255, 255]
    assert np.array_equal(sent[20:], background_pixels(332, 28, "checkerboard")[20:])


def test_a_sliver_is_padded_to_the_least_side_and_keeps_its_pixels():
    sent = Rendering("grey").render(pixels("sliver_300x1.png"))
    assert sent.shape == (28, 300, 3)
    assert (sent[0] == 250).all()
    assert (sent[1:] == 128).all()


def test_the_ratio_alone_can_ask_for_padding():
    fit = Rendering(max_ratio=5).fit(300, 30)
    assert (fit.scale, fit.scaled, fit.sent, fit.padding) == (1.0, (300, 30), (300, 60), (0, 30))
    assert Rendering(max_ratio=7).fit(30, 300).sent == (43, 300)  # 300 / 7 = 42.9


def test_a_thin_picture_is_scaled_and_padded_by_hand():
    rendering = Rendering(max_pixels=166 * 28)
    fit = rendering.fit(332, 20)
    assert (fit.scaled, fit.sent, fit.padding, fit.scale) == ((166, 10), (166, 28), (0, 18), 0.5)
    assert (fit.extent, fit.canvas) == ((332.0, 56.0), (332, 56))
    sent = rendering.render(pixels("thin_332x20.png"))
    assert sent.shape == (28, 166, 3)
    # The filter reaches three pixels: what is farther from any edge is the colour itself.
    assert (sent[:7] == 250).all()
    # Tiles are 8 pixels wide now; the third row of them starts with the first grey again.
    assert [int(sent[20, x, 1]) for x in (3, 4, 11, 12, 19)] == [204, 204, 255, 255, 204]
    assert [int(sent[y, 4, 2]) for y in (19, 20, 27)] == [204, 204, 255]


def test_a_sliver_is_scaled_and_keeps_a_whole_row():
    rendering = Rendering(max_pixels=150 * 28)
    fit = rendering.fit(300, 1)
    assert (fit.scaled, fit.sent) == ((150, 1), (150, 28))
    sent = rendering.render(pixels("sliver_300x1.png"))
    assert (sent[0] == 250).all()
    assert [int(sent[1, x, 0]) for x in (3, 4, 11, 12)] == [204, 204, 255, 255]


def lanczos(row, length):
    """Shrink one row of numbers to `length`, straight from the definition of the filter."""
    factor = len(row) / length
    places = np.arange(len(row)) + 0.5
    found = []
    for index in range(length):
        away = (places - (index + 0.5) * factor) / factor
        weights = np.where(np.abs(away) < 3, np.sinc(away) * np.sinc(away / 3), 0)
        found.append((row * weights).sum() / weights.sum())
    return np.clip(np.array(found), 0, 255)


def test_scaling_is_the_lanczos_filter_over_the_flattened_layer():
    row = noise(200, 1, 4)
    layer = np.repeat(row, 40, axis=0)
    sent = Rendering("white", min_side=1, max_pixels=3200).render(layer)
    assert sent.shape == (25, 127, 3)
    flat = flatten(row, "white")[0]
    for channel in range(3):
        assert np.abs(sent[9, :, channel] - lanczos(flat[:, channel].astype(float), 127)).max() <= 1


@given(renderings, sides, sides)
def test_every_size_sent_is_one_that_was_asked_for(rendering, width, height):
    fit = rendering.fit(width, height)
    assert min(fit.sent) >= rendering.min_side
    assert max(fit.sent) <= rendering.max_ratio * min(fit.sent)
    assert rendering.max_pixels is None or math.prod(fit.sent) <= rendering.max_pixels
    assert min(fit.padding) >= 0


@given(renderings, sides, sides)
def test_the_content_keeps_its_shape(rendering, width, height):
    fit = rendering.fit(width, height)
    assert 0 < fit.scale <= 1
    for before, after in zip((width, height), fit.scaled, strict=True):
        assert abs(after - before * fit.scale) <= 0.5 + 1e-9 or after == 1


@given(renderings, sides, sides)
def test_nothing_is_scaled_or_padded_more_than_it_must_be(rendering, width, height):
    fit = rendering.fit(width, height)
    unscaled = Rendering(rendering.background, rendering.min_side, rendering.max_ratio).fit(width, height)
    if rendering.max_pixels is None or math.prod(unscaled.sent) <= rendering.max_pixels:
        assert fit == unscaled
    else:
        longer = max(fit.scaled) + 1
        larger = [max(1, math.floor(side * longer / max(width, height) + 0.5)) for side in (width, height)]
        padded = Rendering(rendering.background, rendering.min_side, rendering.max_ratio).fit(*larger)
        assert math.prod(padded.sent) > rendering.max_pixels
    shorter = max(rendering.min_side, math.ceil(max(fit.scaled) / rendering.max_ratio))
    assert fit.sent == tuple(max(side, shorter) for side in fit.scaled)


@given(renderings, st.integers(1, 120), st.integers(1, 120), st.integers(0, 9))
def test_a_layer_lies_where_the_composite_shows_it(rendering, width, height, seed):
    assume(math.prod(rendering.fit(width, height).canvas) < 200_000)
    layer = noise(width, height, 4, seed)
    # A composite that equals what the layer shows: any shift between the two would tell them apart.
    composite = flatten(layer, rendering.background)
    sent = rendering.render(layer)
    assert np.array_equal(sent, rendering.render(composite))
    fit = rendering.fit(width, height)
    assert sent.shape == (fit.sent[1], fit.sent[0], 3)
    if fit.scaled == fit.original:
        assert np.array_equal(sent[:height, :width], composite)
        ground = background_pixels(*fit.sent, rendering.background).copy()
        ground[:height, :width] = composite
        assert np.array_equal(sent, ground)


@pytest.mark.parametrize("size", [(640, 480), (28, 28), (5600, 28)])
def test_a_good_size_stays(size):
    fit = Rendering().fit(*size)
    assert (fit.original, fit.scaled, fit.sent, fit.scale, fit.padding) == (size, size, size, 1.0, (0, 0))


def test_the_rendering_is_recorded():
    sizes = {"min_side": 28, "max_ratio": 200, "max_pixels": None}
    board = {"background": "checkerboard", "tile": 16, "greys": [204, 255], **sizes}
    assert Rendering().identity() == board
    assert Rendering("grey", max_pixels=10**6).identity() == {
        **{"background": "grey", "grey": 128},
        **{**sizes, "max_pixels": 10**6},
    }


def test_impossible_settings_are_all_told_at_once():
    with pytest.raises(RenderingError) as caught:
        Rendering("pink", 0, 0)
    assert str(caught.value).splitlines() == [
        "background: found 'pink', allowed: checkerboard, white, grey, black",
        "minimum side: found 0, allowed: 1 or more pixels",
        "maximum ratio of the sides: found 0, allowed: 1 or more",
    ]
    with pytest.raises(RenderingError, match=r"found 783, allowed: 784 \(the minimum side squared\) or more"):
        Rendering(max_pixels=783)


@given(st.integers(1, 3000), st.integers(1, 3000), st.sampled_from([1.0, 1.5, 2.0, 3.0, 4.0]))
def test_a_factor_comes_before_the_size_rule(width, height, factor):
    fit = Rendering().fit(width, height, factor)
    assert fit.original == (width, height)
    for whole, smaller in zip(fit.original, fit.scaled, strict=True):
        # In whole numbers: a side over a factor, and a half, rounded down.
        assert smaller == max(1, int((2 * whole + factor) // (2 * factor)))
    assert fit.sent == Rendering().fit(*fit.scaled).sent
    bounded = Rendering(max_pixels=50_000).fit(width, height, factor)
    assert bounded.sent == Rendering(max_pixels=50_000).fit(*fit.scaled).sent


def test_a_factor_and_the_size_rule_scale_once():
    picture = np.random.default_rng(0).integers(0, 256, (90, 120, 3), np.uint8)
    found = Rendering(max_pixels=1000).render(picture, 2)
    # 60 x 45 are too many, and so are 36 x 27, padded to 28; 35 x 26.25 are not.
    size = Rendering(max_pixels=1000).fit(120, 90, 2)
    assert (size.scaled, size.sent) == ((35, 26), (35, 28))
    once = Image.fromarray(picture).resize((35, 26), Image.Resampling.LANCZOS)
    assert np.abs(found[:24].astype(int) - np.asarray(once)[:24]).max() <= 1
