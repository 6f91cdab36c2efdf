"""The lot: shares of strata, and that nothing but ids and seed decide."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataset_builders.bear_bench.density import PageDensity
from dataset_builders.bear_bench.records import Page, PageLabels
from dataset_builders.bear_bench.sample import Candidate, allocate, draw, run
from tests.support.bear_work import bear_work

SIZES = st.dictionaries(st.text("abcdefgh", min_size=1, max_size=2), st.integers(1, 60), min_size=1)


@given(SIZES, st.integers(1, 200))
def test_shares_add_up_and_leave_no_stratum_out_while_there_is_room(sizes, total):
    shares = allocate(sizes, total)
    assert shares.keys() == sizes.keys()
    assert sum(shares.values()) == min(total, sum(sizes.values()))
    assert all(0 <= shares[name] <= sizes[name] for name in sizes)
    if len(sizes) <= total:
        assert min(shares.values()) >= 1


@pytest.mark.parametrize(
    ("sizes", "total", "shares"),
    [
        ({"a": 3, "b": 2}, 9, {"a": 3, "b": 2}),
        # One each, then 7 of the 17 that are left: 9*7/17 = 3.71, 6*7/17 = 2.47, 2*7/17 = 0.82.
        ({"a": 10, "b": 7, "c": 3}, 10, {"a": 5, "b": 3, "c": 2}),
        ({"a": 1, "b": 5, "c": 5, "d": 2}, 2, {"a": 0, "b": 1, "c": 1, "d": 0}),
    ],
)
def test_shares_by_hand(sizes, total, shares):
    assert allocate(sizes, total) == shares


def candidates():
    kinds = [("tables",), ("tables", "code"), (), ("tables",)]
    return [
        Candidate(
            f"p{number:03}",
            ("en", "ru")[number % 2],
            ("business", "science")[number % 3 == 0],
            kinds[number % 4],
        )
        for number in range(120)
    ]


def test_the_order_of_the_pages_does_not_matter():
    pages = candidates()
    drawn = draw(pages, each=20)
    random.Random(1).shuffle(pages)
    assert draw(pages, each=20) == drawn
    assert list(drawn) == sorted(drawn)
    assert draw(pages, each=20, seed=43) != drawn


def test_a_page_counts_for_its_rarest_label_and_each_language_has_its_own_number():
    drawn = draw(candidates(), each=20)
    assert sum(" en " in stratum for stratum in drawn.values()) == 20
    assert sum(" ru " in stratum for stratum in drawn.values()) == 20
    assert set(drawn.values()) == {
        *("business en tables", "business en none", "science en tables", "science en none"),
        *("business ru code", "business ru tables", "science ru code", "science ru tables"),
    }


def test_more_pages_of_one_kind_do_not_change_the_lot_of_another():
    few = [Candidate(f"a{number}", "en", "business", ("code",)) for number in range(5)]
    many = [*few, *(Candidate(f"b{number}", "ru", "business", ("code",)) for number in range(50))]
    first = {name for name in draw(few, each=3) if name.startswith("a")}
    assert first == {name for name in draw(many, each=3) if name.startswith("a")}


def test_the_stage_keeps_pages_and_names_what_was_not_drawn(tmp_path):
    work = bear_work(tmp_path / "work", pages=4)
    pages = work.read("pages", Page, "render")
    work.write(
        "labels",
        [
            PageLabels(page_id=one.page_id, probabilities=(0.9,) * 6, labels=("tables",), labelled_by="x")
            for one in pages
        ],
    )
    kept = [one for one in pages if one.page != 4]
    languages = {"report": "en", "paper": "en", "отчёт": "ru", "статья": "ru"}
    work.write(
        "density",
        [
            PageDensity(
                page_id=one.page_id,
                language=languages[one.document_id.removeprefix("folder-")],
                counted=9,
                threshold=5.0,
            )
            for one in kept
        ],
    )
    count = run(work, each=4)
    drawn = work.read("sample", Page, "sample")
    assert (count.kept, dict(count.dropped)) == (8, {"not drawn": 4})
    assert dict(count.groups) == {
        **{"business en tables": 2, "business ru tables": 2},
        **{"science en tables": 2, "science ru tables": 2},
    }
    assert {one.page_id for one in drawn} | {drop.id for drop in work.drops()} == {
        one.page_id for one in kept
    }
    assert drawn == sorted(drawn, key=lambda one: one.page_id)
