"""How many parameters a model has, as far as its name says."""

import re
from dataclasses import dataclass
from typing import Final

_BEFORE, _BEHIND = r"(?<![a-z0-9.])", r"(?![a-z0-9])"
_TOTALS: Final = (
    (re.compile(rf"{_BEFORE}(\d+(?:\.\d+)?)b{_BEHIND}"), 1.0),
    # Of two digits at least: "1M" is a length of context.
    (re.compile(rf"{_BEFORE}(\d{{2,}})m{_BEHIND}"), 1e-3),
)
_ACTIVE = re.compile(rf"{_BEFORE}a(\d+(?:\.\d+)?)b{_BEHIND}")
_ACTIVE_OF_EXPERTS = re.compile(rf"{_BEFORE}(\d+(?:\.\d+)?)b-\d+e{_BEHIND}")


@dataclass(frozen=True)
class ModelSize:
    """Parameters in billions: all of them, and those that each token uses; None where not stated."""

    total: float | None
    active: float | None


def model_size(name: str) -> ModelSize:
    """Return what the last part of a model's name states of its size.

    "Qwen3.5-397B-A17B" has 397 and 17; "Qwen3.5-9B" 9 and 9, since a dense model uses all it has;
    "Scout-17B-16E" names active ones and experts, so 17 of an unknown total. "8x7B" and "E4B" state neither,
    and a name with two totals none.
    """
    words = name.rpartition("/")[2].casefold().replace("_", "-")
    if (active := _only(_ACTIVE_OF_EXPERTS, words)) is not None:
        return ModelSize(None, active)
    total = next((size * unit for form, unit in _TOTALS if (size := _only(form, words)) is not None), None)
    active = _only(_ACTIVE, words)
    return ModelSize(total, total if active is None else active)


def _only(form: re.Pattern[str], words: str) -> float | None:
    sizes = {float(number) for number in form.findall(words)}
    return sizes.pop() if len(sizes) == 1 else None
