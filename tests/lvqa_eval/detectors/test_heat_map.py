import io

import numpy as np
import pytest
from PIL import Image

from lvqa_eval.detectors.heat_map import NARROWEST, TINTS, band_edges, heat_maps, overlay, overlay_png
from lvqa_eval.detectors.signals import PatchSignals

AT = (27, 13)
INK = (0x15, 0x1A, 0x20)


def rgb(tint):
    return tuple(bytes.fromhex(tint[1:]))


def test_patches_become_a_grid_for_each_picture_row_by_row():
    cosines = np.arange(10, dtype=np.float32) / 16
    first, second = heat_maps(PatchSignals({AT: cosines}, ((2, 3), (1, 4))), AT)
    assert (first * 16).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert (second * 16).tolist() == [[6, 7, 8, 9]]


def test_grids_that_do_not_hold_the_patches_are_told():
    with pytest.raises(ValueError, match=r"patches: found 5 cosines, needed 6 for \(\(2, 3\),\)"):
        heat_maps(PatchSignals({AT: np.zeros(5)}, ((2, 3),)), AT)


def test_four_equal_bands_over_all_pictures():
    assert band_edges([np.array([[0.0, 0.5]]), np.array([[np.nan, 1.0]])]) == (0.0, 0.25, 0.5, 0.75, 1.0)
    assert band_edges([np.full((2, 2), 0.5)]) == (0.5, 0.5)
    for nothing in ([], [np.full((1, 1), np.nan)]):
        with pytest.raises(ValueError, match="heat map: found no cosine, needed at least 1"):
            band_edges(nothing)


def test_each_patch_has_the_tint_of_its_band():
    page = Image.new("RGB", (600, 400), "white")
    grid = np.array([[0.0, 0.3, 0.6], [0.9, np.nan, 1.0]])
    found = overlay(page, grid, (0.0, 0.25, 0.5, 0.75, 1.0), "Cosine")
    centres = [[found.getpixel((x, y)) for x in (100, 300, 500)] for y in (100, 300)]
    assert centres == [
        [rgb(TINTS[0]), rgb(TINTS[1]), rgb(TINTS[2])],
        [rgb(TINTS[3]), (255, 255, 255), rgb(TINTS[3])],
    ]
    # Patches meet at a third of the width and half of the height.
    assert [found.getpixel((x, 100)) for x in (199, 200)] == [rgb(TINTS[0]), rgb(TINTS[1])]
    assert [found.getpixel((100, y)) for y in (199, 200)] == [rgb(TINTS[0]), rgb(TINTS[3])]
    # The highest has a frame, no other.
    assert found.getpixel((400, 300)) == INK
    assert found.getpixel((0, 300)) == rgb(TINTS[3])
    assert found.size[0] == 600
    assert found.size[1] > 400


def test_ink_stays_dark_under_the_tint_and_dark_places_are_tinted():
    page = Image.new("RGB", (600, 400), "black")
    found = overlay(page, np.array([[0.0, 1.0]]), (0.0, 0.25, 0.5, 0.75, 1.0), "Cosine")
    # A quarter of the tint, rounded.
    assert found.getpixel((100, 200)) == tuple(round(value / 4) for value in rgb(TINTS[0]))


def test_the_steps_of_the_scale_get_darker():
    grey = [Image.new("RGB", (1, 1), tint).convert("L").getpixel((0, 0)) for tint in TINTS]
    assert grey == sorted(grey, reverse=True)
    assert np.diff(grey).max() < -15


def test_a_small_picture_is_enlarged_and_equal_cosines_are_one_band():
    found = overlay(Image.new("RGB", (56, 28), "white"), np.full((1, 2), 0.5), (0.5, 0.5), "Cosine")
    assert found.width == NARROWEST
    assert found.getpixel((420, 140)) == rgb(TINTS[-1])
    legend = {colour for _, colour in found.crop((0, 280, *found.size)).getcolors(9999)}
    assert rgb(TINTS[-1]) in legend
    assert not legend & {rgb(tint) for tint in TINTS[:-1]}


def test_the_legend_shows_every_tint_and_stays_inside_the_picture():
    grid = np.array([[0.2001, 0.2010]])
    found = overlay(Image.new("RGB", (560, 300), "white"), grid, band_edges([grid]), "Cosine")
    legend = found.crop((0, 300, *found.size))
    assert {rgb(tint) for tint in TINTS} <= {colour for _, colour in legend.getcolors(9999)}
    # Numbers of five places are the widest here; the last columns are still free.
    assert legend.crop((555, 0, 560, legend.height)).getcolors() == [(5 * legend.height, (255, 255, 255))]


def test_a_picture_without_any_cosine_is_grey_alone():
    found = overlay(Image.new("RGB", (600, 60), "red"), np.full((2, 2), np.nan), (0.1, 0.2), "Cosine")
    red, green, blue = found.getpixel((300, 30))
    assert red == green == blue


def test_the_file_is_a_png_and_the_same_every_time():
    page, grid = Image.new("RGB", (600, 60), "white"), np.array([[0.1, 0.2]])
    files = [overlay_png(page, grid, band_edges([grid]), "Cosine") for _ in range(2)]
    assert files[0] == files[1]
    assert Image.open(io.BytesIO(files[0])).format == "PNG"
