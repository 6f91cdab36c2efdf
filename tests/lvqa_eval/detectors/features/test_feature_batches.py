"""Which answers are read together, and what happens where the memory does not take them."""

import threading
from dataclasses import dataclass

import pytest

from lvqa_eval.detectors.features.batches import ahead, batches, read_halving
from lvqa_eval.detectors.features.errors import FeaturesError


@dataclass
class Sized:
    """Stands for an input of so many tokens."""

    length: int
    packs: bool = True


def together(lengths, most):
    return [
        [one.length for one in batch]
        for batch in batches(
            [one if isinstance(one, Sized) else Sized(one) for one in lengths], most, lambda one: one
        )
    ]


def test_padding_counts():
    # 3 x 5 are 15, a fourth would make 20; 2 and 7 are padded to 2 x 7.
    assert together([5, 4, 3, 2, 7, 7], 16) == [[5, 4, 3], [2, 7], [7]]
    assert together([40, 3, 3], 16) == [[40], [3, 3]]
    assert together([], 16) == []


def test_what_does_not_pack_stands_alone():
    assert together([3, Sized(3, packs=False), 3, 3], 100) == [[3], [3], [3, 3]]


@pytest.mark.parametrize("done", [1, 2, 3])
def test_work_that_ended_behind_a_batch_goes_on_with_the_same_batches(done):
    lengths = [9, 9, 8, 7, 5, 5, 4, 4, 3, 2, 2, 1]
    whole = together(lengths, 20)
    left = lengths[sum(map(len, whole[:done])) :]
    assert together(left, 20) == whole[done:]


def test_the_next_one_is_made_while_one_is_used():
    made = []

    def items():
        for number in range(3):
            made.append((number, threading.current_thread().name))
            yield number

    coming = ahead(items())
    assert next(coming) == 0
    assert [next(coming), next(coming)] == [1, 2]
    assert list(coming) == []
    assert [number for number, _ in made] == [0, 1, 2]
    assert all(name.startswith("inputs") for _, name in made)


def test_a_failure_of_what_is_made_ahead_is_not_lost():
    def items():
        yield 1
        raise KeyError("picture")

    coming = ahead(items())
    assert next(coming) == 1
    with pytest.raises(KeyError, match="picture"):
        next(coming)


@pytest.mark.parametrize("error", ["torch", "DefaultCPUAllocator: can't allocate memory: you tried"])
def test_what_the_memory_does_not_take_is_read_in_halves(error):
    torch = pytest.importorskip("torch")
    failure = torch.OutOfMemoryError("CUDA out of memory") if error == "torch" else RuntimeError(error)
    asked = []

    def read(batch):
        asked.append([one.length for one in batch])
        if sum(one.length for one in batch) > 6:
            raise failure
        return [one.length for one in batch]

    assert read_halving(read, [Sized(n) for n in (5, 3, 2, 1, 1)]) == [5, 3, 2, 1, 1]
    assert asked == [[5, 3, 2, 1, 1], [5, 3], [5], [3], [2, 1, 1]]
    with pytest.raises(FeaturesError, match="an answer of 7 tokens with its prompt: out of memory"):
        read_halving(read, [Sized(7)])


def test_other_failures_are_no_matter_of_memory():
    pytest.importorskip("torch")

    def read(batch):
        raise RuntimeError("shapes differ")

    with pytest.raises(RuntimeError, match="shapes differ"):
        read_halving(read, [Sized(1), Sized(1)])
