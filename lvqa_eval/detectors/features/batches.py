"""Which answers go through a model together."""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from lvqa_eval.detectors.features.errors import FeaturesError
from lvqa_eval.detectors.features.forward import AnswerFeatures
from lvqa_eval.detectors.features.inputs import ModelInput

T = TypeVar("T")

Read = Callable[[Sequence[ModelInput]], list[AnswerFeatures]]


def batches(items: Iterable[T], most: int, input_of: Callable[[T], ModelInput]) -> Iterator[list[T]]:
    """Yield items together whose inputs, each padded to the longest, have at most `most` tokens.

    An item alone may have more. What follows a batch does not depend on it, so that work which ended behind
    one goes on with the same batches.
    """
    batch: list[T] = []
    longest = 0
    for item in items:
        one = input_of(item)
        padded = max(longest, one.length) * (len(batch) + 1)
        if batch and (padded > most or not (one.packs and input_of(batch[0]).packs)):
            yield batch
            batch, longest = [], 0
        batch.append(item)
        longest = max(longest, one.length)
    if batch:
        yield batch


def ahead(items: Iterator[T]) -> Generator[T]:
    """Yield items, while a thread makes the next one."""
    with ThreadPoolExecutor(1, thread_name_prefix="inputs") as thread:
        end = object()
        coming = thread.submit(next, items, end)
        while (item := coming.result()) is not end:
            coming = thread.submit(next, items, end)
            yield item  # type: ignore[misc]


def read_halving(read: Read, batch: Sequence[ModelInput]) -> list[AnswerFeatures]:
    """Return what `read` says of a batch, or of its halves where the memory does not take it whole.

    Raises FeaturesError for an answer that alone is too much.
    """
    try:
        return read(batch)
    except RuntimeError as error:
        if not _is_out_of_memory(error):
            raise
        if len(batch) == 1:
            raise FeaturesError(
                f"an answer of {batch[0].length} tokens with its prompt: out of memory; try "
                "--dtype bfloat16, a larger GPU or --device cpu"
            ) from error
    _release()
    half = len(batch) // 2
    return [*read_halving(read, batch[:half]), *read_halving(read, batch[half:])]


def _is_out_of_memory(error: RuntimeError) -> bool:
    import torch

    # The allocator of CPUs has no error of its own.
    return isinstance(error, torch.OutOfMemoryError) or "allocate memory" in str(error)


def _release() -> None:
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()
