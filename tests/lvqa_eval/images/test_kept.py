from hypothesis import given
from hypothesis import strategies as st

from lvqa_eval.images import Picture
from lvqa_eval.images.kept import Kept


def picture(name, size):
    return Picture(name, 1, 1, b"x" * size)


def test_the_least_recently_used_goes():
    kept = Kept(30)
    for name in "abc":
        kept.add(picture(name, 10))
    assert kept.get("a").sha256 == "a"
    kept.add(picture("d", 10))
    assert kept.get("b") is None
    assert [kept.get(name).sha256 for name in "acd"] == ["a", "c", "d"]
    assert kept.size == 30


def test_what_is_in_use_is_found_again():
    kept = Kept(10)
    first = kept.add(picture("a", 10))
    second = kept.add(picture("b", 10))
    assert kept.get("a") is first
    assert kept.add(picture("b", 10)) is second
    assert kept.size == 10


def test_one_larger_than_the_budget_lives_as_long_as_it_is_used():
    kept = Kept(5)
    large = kept.add(picture("a", 10))
    assert kept.size == 0
    assert kept.get("a") is large
    del large
    assert kept.get("a") is None


def test_a_reference_counts_too():
    kept = Kept(100)
    kept.add(Picture("a", 1, 1, b"x" * 10, b"y" * 7))
    assert kept.size == 17


@given(st.lists(st.tuples(st.integers(0, 6), st.booleans()), max_size=60), st.integers(0, 60))
def test_the_budget_holds_and_the_latest_are_there(steps, budget):
    kept = Kept(budget)
    used = []
    for number, adds in steps:
        size = 3 + 5 * number
        found = kept.add(picture(str(number), size)) if adds else kept.get(str(number))
        if found is None:
            continue
        del found
        used = [one for one in used if one != number] + [number]
        assert kept.size <= budget
    expected, room = set(), budget
    for number in reversed(used):
        room -= 3 + 5 * number
        if room < 0:
            break
        expected.add(str(number))
    assert {str(number) for number in range(7) if kept.get(str(number))} == expected
