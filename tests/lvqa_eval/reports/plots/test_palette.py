"""The palette, by the numbers of WCAG 2 and CIELAB, and as colour-blind people see it."""

from itertools import combinations

import numpy as np
import pytest

from lvqa_eval.reports.plots.palette import MARKS, contrast, diverging, ink_on, luminance, sequential

# Machado, Oliveira and Fernandes (2009): linear RGB as seen by those who lack one of the three cones.
SEEN = {
    "all cones": np.eye(3),
    "no long": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "no middle": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.01182, 0.04294, 0.968881],
    ],
    "no short": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.3039],
    ],
}
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]]
)


def rgb(colour):
    return tuple(int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))


def linear(colour):
    channels = np.array(rgb(colour))
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def lab(light):
    xyz = TO_XYZ @ np.clip(light, 0, 1) / TO_XYZ.sum(axis=1)
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("cones", SEEN)
def test_every_eye_tells_the_series_apart(cones):
    seen = [lab(np.array(SEEN[cones]) @ linear(mark.colour)) for mark in MARKS]
    assert min(np.linalg.norm(one - other) for one, other in combinations(seen, 2)) > 20


def test_grey_print_tells_the_series_apart():
    """Neighbours in lightness differ by more than the least that is seen; marker and line differ besides."""
    lightness = sorted(lab(linear(mark.colour))[0] for mark in MARKS)
    assert min(np.diff(lightness)) > 6
    assert len({mark.marker for mark in MARKS}) == len({mark.line for mark in MARKS}) == len(MARKS)


def test_series_stand_out_from_white():
    assert contrast(luminance((1.0, 1.0, 1.0)), luminance((0.0, 0.0, 0.0))) == 21
    assert all(contrast(1.0, luminance(rgb(mark.colour))) > 3 for mark in MARKS)


@pytest.mark.parametrize("colours", [diverging, sequential])
def test_numbers_can_be_read_in_every_cell(colours):
    for step in np.linspace(0, 1, 101):
        behind = colours()(step)[:3]
        assert contrast(luminance(rgb(ink_on(behind))), luminance(behind)) > 4


def test_scales_grow_darker_away_from_nothing():
    grey = [luminance(sequential()(step)[:3]) for step in np.linspace(0, 1, 33)]
    assert (np.diff(grey) < 0).all()
    grey = [luminance(diverging()(step)[:3]) for step in np.linspace(0, 1, 33)]
    assert (np.diff(grey[:17]) > 0).all()
    assert (np.diff(grey[17:]) < 0).all()
