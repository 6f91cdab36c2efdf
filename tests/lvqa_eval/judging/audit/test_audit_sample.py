"""What is drawn: as many of each group, the runs by turns, the same by the same seed."""

import hashlib
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lvqa_eval.judging.audit.sample import Candidate, draw
from lvqa_eval.runs.records import Key


def pool(run, condition, count):
    return [Candidate(run, Key(condition, f"q{i}", 1)) for i in range(count)]


def by_condition(candidate):
    return candidate.key.condition


def taken(sample):
    return {
        group: dict(Counter(one.run for name, one in sample.chosen if name == group))
        for group in sample.quotas
    }


FULL_POOL = [one for run in "abc" for group in ("full", "sharded-v") for one in pool(run, group, 9)]


def test_groups_give_the_same_and_the_runs_of_all_groups_take_turns():
    sample = draw(FULL_POOL, ["full", "sharded-v"], by_condition, 8, 0)
    # Four of each: a b c a, and the second group goes on with b c a b.
    assert taken(sample) == {"full": {"a": 2, "b": 1, "c": 1}, "sharded-v": {"a": 1, "b": 2, "c": 1}}
    assert sample.quotas == {"full": 4, "sharded-v": 4}
    assert sample.shortfalls == {}


def test_the_first_groups_give_one_more_where_the_size_does_not_divide():
    assert draw(FULL_POOL, ["full", "sharded-v", "oracle"], by_condition, 8, 0).quotas == {
        "full": 3,
        "sharded-v": 3,
        "oracle": 2,
    }


def test_a_shortfall_is_told_and_not_filled_from_elsewhere():
    candidates = [*pool("a", "full", 1), *pool("b", "full", 2), *pool("a", "sharded-v", 50)]
    sample = draw(candidates, ["full", "sharded-v", "oracle"], by_condition, 15, 0)
    assert taken(sample) == {"full": {"a": 1, "b": 2}, "sharded-v": {"a": 5}, "oracle": {}}
    assert sample.shortfalls == {"full": 2, "oracle": 5}
    assert len(sample.chosen) == 8


def test_a_run_that_is_exhausted_is_passed_over():
    candidates = [*pool("a", "full", 1), *pool("b", "full", 9)]
    assert taken(draw(candidates, ["full"], by_condition, 6, 0)) == {"full": {"a": 1, "b": 5}}


def test_which_ones_are_drawn_and_shown_first_is_the_order_of_their_hashes():
    sample = draw(pool("a", "full", 5), ["full"], by_condition, 2, 7)

    def rank(use, number):
        return hashlib.sha256(f"7:{use}:a:full:q{number}:1".encode()).hexdigest()

    lowest = sorted(range(5), key=lambda i: rank("draw", i))[:2]
    shown = sorted(lowest, key=lambda i: rank("order", i))
    assert [one.key.question_id for _, one in sample.chosen] == [f"q{i}" for i in shown]


def test_another_benchmark_groups_by_what_it_likes():
    cells = {"full": "en-law", "sharded-v": "ru-law"}
    sample = draw(FULL_POOL, ["en-law", "ru-law"], lambda one: cells[one.key.condition], 10, 0)
    assert sample.drawn == {"en-law": 5, "ru-law": 5}


def test_another_seed_draws_others():
    first, second = (set(draw(FULL_POOL, ["full"], by_condition, 6, seed).chosen) for seed in (0, 1))
    assert first != second


def test_nothing_is_drawn_without_groups_or_candidates():
    assert draw(FULL_POOL, [], by_condition, 10, 0).chosen == ()
    assert draw([], ["full"], by_condition, 10, 0).shortfalls == {"full": 10}


@given(
    counts=st.lists(
        st.tuples(st.sampled_from("abcd"), st.sampled_from("xyz"), st.integers(0, 6)), max_size=12
    ),
    size=st.integers(1, 40),
    seed=st.integers(0, 9),
    shuffled=st.randoms(use_true_random=False),
)
def test_a_sample_is_balanced_without_replacement_and_the_same_in_any_order(counts, size, seed, shuffled):
    candidates = list({one: None for run, group, n in counts for one in pool(run, group, n)})
    sample = draw(candidates, "xyz", by_condition, size, seed)
    chosen = [one for _, one in sample.chosen]
    assert len(set(chosen)) == len(chosen)
    assert set(chosen) <= set(candidates)
    assert sum(sample.quotas.values()) == size
    assert max(sample.quotas.values()) - min(sample.quotas.values()) <= 1
    for group in "xyz":
        there = Counter(one.run for one in candidates if by_condition(one) == group)
        drawn = Counter(one.run for one in chosen if by_condition(one) == group)
        assert sum(drawn.values()) == min(sample.quotas[group], sum(there.values()))
        # A run gives less than another only where it has no more, or its turn was still to come.
        most = max(drawn.values(), default=0)
        assert all(drawn[run] >= min(there[run], most - 1) for run in there)
    shuffled.shuffle(candidates)
    assert draw(candidates, "xyz", by_condition, size, seed) == sample


@pytest.mark.parametrize("models", [1, 11, 13])
def test_four_hundred_over_sixteen_conditions_favour_no_model(models):
    groups = [f"c{i}" for i in range(16)]
    candidates = [one for run in range(models) for group in groups for one in pool(f"m{run:02}", group, 30)]
    sample = draw(candidates, groups, by_condition, 400, 0)
    assert set(sample.drawn.values()) == {25}
    each = Counter(one.run for _, one in sample.chosen).values()
    assert max(each) - min(each) <= 1
