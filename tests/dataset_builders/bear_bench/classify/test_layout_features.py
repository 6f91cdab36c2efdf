"""The stand-in's features, on pages drawn for them."""

import numpy as np
import pytest
from PIL import Image

from dataset_builders.bear_bench.classify.layout.features import FEATURES, layout_features
from dataset_builders.bear_bench.classify.layout.sheet import run_lengths
from tests.support.drawn_pages import bars, diagram, listing, sheet, table, text


def features(picture):
    return dict(zip(FEATURES, layout_features(np.asarray(picture)), strict=True))


def page(*parts):
    """Return the features of a page of running text with these parts below it."""
    rng = np.random.default_rng(3)
    picture, pen = sheet()
    top = text(pen, rng, 50, 8)
    for part in parts:
        top = part(pen, rng, top)
    text(pen, rng, top, 8)
    return features(picture)


def count(value):
    return round(float(np.expm1(value)))


def test_run_lengths_by_hand():
    mask = np.array([[1, 1, 0, 1], [0, 0, 0, 0], [1, 1, 1, 1]], dtype=bool)
    assert run_lengths(mask).tolist() == [[2, 2, 0, 1], [0, 0, 0, 0], [4, 4, 4, 4]]


@pytest.mark.parametrize("size", [(1, 1), (7, 3), (300, 20), (20, 300)])
def test_any_picture_has_finite_features(size):
    rng = np.random.default_rng(0)
    for picture in (
        Image.new("RGB", size, "white"),
        Image.new("RGB", size, "black"),
        Image.fromarray(rng.integers(0, 256, (size[1], size[0], 3), np.uint8)),
    ):
        found = layout_features(np.asarray(picture))
        assert found.shape == (len(FEATURES),)
        assert np.isfinite(found).all()


def test_names_are_told_apart():
    assert len(set(FEATURES)) == len(FEATURES)


def test_the_shape_and_the_ink_of_a_page():
    picture = Image.new("RGB", (600, 1200), "white")
    picture.paste("black", (0, 0, 300, 600))
    found = features(picture)
    assert found["shape"] == 0.5
    assert found["ink"] == pytest.approx(0.5)
    assert found["ink of field 1, 1"] == pytest.approx(1)
    assert found["ink of field 8, 6"] == 0
    assert found["colour"] == 0


def test_a_table_is_cells_in_a_grid():
    plain, ruled = page(), page(table)
    assert count(ruled["boxes in a grid"]) == 20
    assert count(ruled["boxes that stand alone"]) == 0
    assert count(plain["boxes in a grid"]) == 0
    assert count(ruled["crossings of rules"]) >= 20
    # Five rows of four cells: each row counts, and its cells stand beside each other.
    assert count(ruled["rows of three cells"]) - count(plain["rows of three cells"]) == 5


def test_a_diagram_is_boxes_that_stand_alone_and_slanted_strokes():
    plain, drawn = page(), page(diagram)
    assert count(drawn["boxes that stand alone"]) == 3
    assert count(drawn["boxes in a grid"]) == 0
    assert count(drawn["other enclosed areas, large"]) - count(plain["other enclosed areas, large"]) == 1
    assert drawn["slanted strokes"] > plain["slanted strokes"] + 3


def test_a_listing_is_lines_of_one_pitch():
    plain, code = page(), page(listing)
    assert count(code["lines of one pitch"]) >= 8
    assert count(plain["lines of one pitch"]) <= 1
    assert code["best pitch"] > 0.85 > plain["best pitch"]


def test_a_chart_is_fills_on_one_base_in_colour():
    plain, chart = page(), page(bars)
    assert count(chart["fills"]) == 6
    assert count(chart["fills on one base"]) == 6
    assert count(chart["colours of fills"]) == 1
    assert plain["fills"] == plain["colour"] == 0
    assert chart["colour"] > 0.1


def test_features_hardly_depend_on_the_resolution():
    rng = np.random.default_rng(3)
    picture, pen = sheet()
    table(pen, rng, diagram(pen, rng, 60))
    twice = picture.resize((picture.width * 2, picture.height * 2), Image.Resampling.BICUBIC)
    one, other = features(picture), features(twice)
    for name in ("boxes in a grid", "boxes that stand alone"):
        assert count(one[name]) == count(other[name])
