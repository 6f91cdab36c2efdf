"""What is typeset lies inside its page, nothing upon anything else, and is counted as it is typeset."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from dataset_builders.bear_bench.procedural.content import Chart, Heading, Paragraph, Series, Title
from dataset_builders.bear_bench.procedural.documents import (
    LEAST,
    MOST,
    SCENARIOS,
    DocumentMaker,
    characters,
    plans,
)
from dataset_builders.bear_bench.procedural.looks import plain_look
from dataset_builders.bear_bench.procedural.options import PageOptions
from dataset_builders.bear_bench.procedural.typesetting import raster
from dataset_builders.bear_bench.procedural.typesetting.blocks import typeset
from dataset_builders.bear_bench.procedural.typesetting.charts import GRID
from dataset_builders.bear_bench.procedural.typesetting.marks import Formula, Shape, Sheet
from dataset_builders.bear_bench.procedural.typesetting.pages import DoesNotFitError, Furniture, compose


@pytest.fixture(scope="module")
def pages():
    options = PageOptions(pages=20, seed=7)
    return [(plan, page) for plan in plans(options) for page in DocumentMaker(plan, options).pages()]


@pytest.fixture(scope="module")
def simple_pages():
    options = PageOptions(pages=16, seed=2, simple=True)
    return [page for plan in plans(options) for page in DocumentMaker(plan, options).pages()]


def overlapping(sheet):
    """Return pairs of written marks whose boxes share more than a rounding error."""
    marks = [mark for mark in sheet.written() if mark.text.strip()]
    boxes = np.array([mark.box() for mark in marks])
    left, top, right, bottom = boxes.T
    wide = np.minimum(right[:, None], right) - np.maximum(left[:, None], left)
    high = np.minimum(bottom[:, None], bottom) - np.maximum(top[:, None], top)
    found = np.argwhere((wide > 0.5) & (high > 0.5))
    return [(marks[a].text, marks[b].text) for a, b in found if a < b]


def test_no_text_lies_on_other_text(pages, simple_pages):
    for page in [*(page for _, page in pages), *simple_pages]:
        assert overlapping(page.sheet) == []


def test_all_text_and_all_shapes_lie_inside_the_page(pages, simple_pages):
    for page in [*(page for _, page in pages), *simple_pages]:
        sheet = page.sheet
        boxes = [mark.box() for mark in sheet.written()]
        points = [
            point
            for piece in sheet.pieces
            for mark in piece.marks
            if isinstance(mark, Shape)
            for point in mark.points
        ]
        assert min(x for x, *_ in boxes) >= 40
        assert max(box[2] for box in boxes) <= sheet.width - 40
        assert min(box[1] for box in boxes) >= 15
        assert max(box[3] for box in boxes) <= sheet.height - 15
        assert all(0 <= x <= sheet.width and 0 <= y <= sheet.height for x, y in points)


def test_the_columns_of_a_page_are_nearly_full(pages):
    for plan, page in pages:
        lines = [mark.box() for mark in page.sheet.written()]
        body_ends = sorted({box[3] for box in lines})[-2]
        assert body_ends > 0.82 * page.sheet.height, (plan, page.problem.kind)


def test_pages_are_as_dense_as_they_should_be(pages):
    counts = [characters(page.sheet) for _, page in pages]
    assert LEAST == 2_000
    assert MOST == 3_500
    assert all(2_000 <= count <= 3_500 for count in counts)


def test_characters_are_those_of_the_text_without_white_space(pages, simple_pages):
    for page in [*(page for _, page in pages), *simple_pages]:
        assert characters(page.sheet) == len("".join(page.sheet.text().split()))


def test_every_word_of_every_paragraph_is_in_the_text_of_the_page(pages):
    for _, page in pages[::5]:
        joined = "".join(page.sheet.text().replace("-\n", "").split())
        for block in page.blocks:
            if isinstance(block, Paragraph):
                plain = block.text.replace("*", "").replace("^", "").replace("-", "")
                assert "".join(plain.split()) in joined.replace("-", "")


def test_every_scenario_comes_in_both_languages():
    options = PageOptions(pages=120, seed=0)
    makers = [DocumentMaker(plan, options) for plan in plans(options)]
    found = {(maker.plan.language, scenario.__module__) for maker in makers for scenario in maker.scenarios}
    assert len(found) == 2 * len(SCENARIOS) == 34


def test_sections_are_numbered_in_reading_order(pages):
    last = {}
    for plan, page in pages:
        headings = [block.text for block in page.blocks if isinstance(block, Heading)]
        numbers = [int(text.partition(".")[0]) for text in headings]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        key = (plan.language, plan.domain, plan.index)
        assert numbers[0] == last.get(key, 0) + 1
        last[key] = numbers[-1]


def test_simple_pages_end_where_their_content_ends(simple_pages):
    for page in simple_pages:
        lowest = max(
            mark.box()[3] if not isinstance(mark, Shape) else max(y for _, y in mark.points)
            for piece in page.sheet.pieces
            for mark in piece.marks
        )
        assert page.sheet.height - lowest == pytest.approx(48, abs=1)
        assert characters(page.sheet) < 800


def test_simple_letters_are_more_than_twice_as_large(pages, simple_pages):
    def body(page):
        sizes = [mark.size for mark in page.sheet.written() if not isinstance(mark, Formula)]
        return sorted(sizes)[len(sizes) // 2]

    assert min(map(body, simple_pages)) > 1.6 * max(body(page) for _, page in pages)


def test_blocks_that_are_too_high_for_a_page_are_refused():
    look = replace(plain_look("en", False), height=900)
    blocks = [Paragraph("word " * 900)]
    with pytest.raises(DoesNotFitError):
        compose(blocks, look, Furniture("a", "b", 1), None, 0.0)


def test_bars_are_as_high_as_their_values():
    look = plain_look("en", False)
    series = (Series("", ("10", "20", "40")),)
    chart = Chart("bar", "Figure 1", "Bars", ("a", "b", "c"), series, "%", "10", labelled=True)
    piece = typeset(chart, look, 1000)
    bars = [mark for mark in piece.marks if isinstance(mark, Shape) and mark.fill == look.palette[0]]
    heights = [max(y for _, y in bar.points) - min(y for _, y in bar.points) for bar in bars]
    assert heights[1] == pytest.approx(2 * heights[0])
    assert heights[2] == pytest.approx(4 * heights[0])


def test_slices_turn_as_far_as_their_shares():
    look = plain_look("en", False)
    chart = Chart(
        "pie", "Figure 1", "Pie", ("a", "b"), (Series("", ("25%", "75%")),), "%", "1", labelled=True
    )
    slices = [
        mark for mark in typeset(chart, look, 1000).marks if isinstance(mark, Shape) and mark.kind == "slice"
    ]
    assert [one.angles for one in slices] == [(-90.0, 0.0), (0.0, 270.0)]


def test_points_of_a_line_without_labels_lie_on_grid_lines():
    look = plain_look("en", False)
    series = (Series("", ("55", "70", "65")),)
    chart = Chart("line", "Figure 1", "Line", ("1", "2", "3"), series, "%", "5", labelled=False)
    shapes = [mark for mark in typeset(chart, look, 1000).marks if isinstance(mark, Shape)]
    (line,) = [one for one in shapes if one.kind == "line" and len(one.points) == 3]
    levels = [one.points[0][1] for one in shapes if one.kind == "line" and len(one.points) == 2]
    assert all(min(abs(y - level) for level in levels) < 1e-6 for _, y in line.points)


def test_ink_lies_where_the_boxes_are(pages):
    sheet = pages[0][1].sheet
    bare = Sheet(
        sheet.width,
        sheet.height,
        tuple(
            replace(piece, marks=tuple(mark for mark in piece.marks if not isinstance(mark, Shape)))
            for piece in sheet.pieces
        ),
    )
    dark = np.asarray(raster.draw(bare).convert("L")) < 128
    covered = np.zeros_like(dark)
    for mark in bare.written():
        left, top, right, bottom = mark.box()
        covered[int(top) - 1 : int(bottom) + 2, int(left) - 2 : int(right) + 3] = True
    assert dark.sum() > 20_000
    assert not (dark & ~covered).any()


def test_boxes_that_touch_are_found_by_the_test_itself():
    look = plain_look("en", False)
    piece = typeset(Paragraph("one two three"), look, 1000)
    assert overlapping(Sheet(1000, 400, (piece,))) == []
    doubled = Sheet(1000, 400, (piece, piece.at(10, 5)))
    assert len(overlapping(doubled)) >= len(list(combinations("abc", 2)))


def test_titles_and_headings_are_never_divided():
    look = plain_look("ru", False)
    words = "Порождение проверочных последовательностей и их восстановление"
    for block in (Heading(words), Title(words, ())):
        lines = Sheet(500, 900, (typeset(block, look, 420),)).text().splitlines()
        assert len(lines) > 2
        assert " ".join(lines) == words


def test_grid_lines_stay_visible_on_small_pages():
    look = plain_look("en", False)
    chart = Chart("line", "Figure 1", "L", ("1", "2"), (Series("", ("55", "70")),), "%", "5", labelled=False)
    sheet = Sheet(1000, 900, (typeset(chart, look, 1000),))
    pixels = np.asarray(raster.draw(sheet, 0.3).convert("L"))
    levels = [mark for mark in sheet.pieces[0].marks if isinstance(mark, Shape) and mark.colour == GRID]
    rows = {round(mark.points[0][1] * 0.3) for mark in levels if mark.points[0][1] == mark.points[1][1]}
    assert len(rows) == 6
    for row in rows:
        assert pixels[row - 1 : row + 2, 60:280].min(axis=0).max() < 235


def test_a_company_that_a_question_cannot_be_asked_of_is_drawn_anew():
    options = PageOptions(pages=600, simple=True)
    plan = next(
        one for one in plans(options) if (one.language, one.domain, one.index) == ("ru", "business", 18)
    )
    maker = DocumentMaker(plan, options)
    first = maker.world
    pages = maker.pages()
    assert len(pages) == plan.pages
    assert maker.world is not first
    assert [page.problem for page in DocumentMaker(plan, options).pages()] == [page.problem for page in pages]
