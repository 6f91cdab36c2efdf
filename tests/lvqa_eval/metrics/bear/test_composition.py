"""What a set of pages is made of, and how much text its images hold."""

import numpy as np
import pytest

from lvqa_eval.metrics.bear.composition import (
    Part,
    TypePart,
    cells_share_no_document,
    document_types,
    parts,
)
from lvqa_eval.metrics.bear.groups import by_cell, by_content
from lvqa_eval.metrics.bear.ocr_characters import text_per_image
from tests.support.page_studies import page

PAGES = [
    page("q0", "a", language="ru", ocr_characters=100, contains_tables=True),
    page("q1", "a", language="ru", ocr_characters=300, contains_tables=True, contains_code=True),
    page("q2", "b", language="ru", ocr_characters=800),
    page("q3", "c", domain="science", document_type="formulae", contains_code=True),
]


def test_parts_of_a_set():
    assert parts(PAGES, by_cell(PAGES)) == (
        Part("ru-business", 3, 2, 0.75, 300.0),
        Part("en-science", 1, 1, 0.25, 2000.0),
    )
    assert parts(PAGES, by_content(PAGES)) == (
        Part("tables", 2, 1, 0.5, 200.0),
        Part("code", 2, 2, 0.5, 1150.0),
    )
    assert document_types(PAGES) == (TypePart("10-K", 3, 2, (3, 0)), TypePart("formulae", 1, 1, (0, 1)))


def test_a_document_in_two_cells_is_noticed():
    assert cells_share_no_document(PAGES)
    assert not cells_share_no_document([*PAGES, page("q4", "c", domain="business")])


def test_all_images_of_a_small_set_are_in_the_sample():
    found = text_per_image([10, 20, 30, 100], draws=500)
    assert (found.images, found.mean.value, found.median.value) == (4, 40.0, 25.0)
    assert (found.mean.n, found.mean.scenes, found.mean.dropped) == (4, 4, 0)
    assert 10 <= found.mean.low < 40 < found.mean.high <= 100


def test_the_sample_follows_the_seed_alone():
    characters = list(np.random.default_rng(0).integers(0, 3000, 500))
    one, again, other = (text_per_image(characters, seed=seed, draws=50) for seed in (1, 1, 2))
    assert one == again != other
    assert (one.images, one.mean.n) == (500, 200)
    assert abs(one.mean.value - np.mean(characters)) < 250


def test_pages_of_a_document_are_drawn_together():
    """Two documents of equal pages each: a draw has only one of them half the time."""
    found = text_per_image([0] * 5 + [10] * 5, ["a"] * 5 + ["b"] * 5, draws=400)
    assert (found.mean.low, found.mean.value, found.mean.high) == (0.0, 5.0, 10.0)
    assert (found.median.low, found.median.value, found.median.high) == (0.0, 5.0, 10.0)
    alone = text_per_image([1, 2, 3], ["a"] * 3)
    assert np.isnan([alone.mean.low, alone.median.high]).all()


def test_no_image_is_refused():
    with pytest.raises(ValueError, match="found no image"):
        text_per_image([])
