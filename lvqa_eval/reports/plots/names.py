"""Names of models short enough for an axis."""

from collections import Counter
from collections.abc import Sequence


def short_names(names: Sequence[str]) -> tuple[str, ...]:
    """Drop the organisation, what stands before the last "/", of each name that stays unique without it.

    "Qwen/Qwen3-VL-4B" becomes "Qwen3-VL-4B", unless another organisation has a model of that name too.
    """
    ends = [name.rpartition("/")[2] for name in names]
    times = Counter(ends)
    return tuple(end if end and times[end] == 1 else name for end, name in zip(ends, names, strict=True))
