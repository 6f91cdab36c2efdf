"""What a training wrote down on its way, as tables for the model's card."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

WHOLE = "full"
"""The condition of every exam."""


def curve(log: Path, last: int) -> str:
    """Return Markdown: right answers in per cent at every exam up to step `last`, in all and by category."""
    exams = [one for one in _lines(log) if "examined" in one and one["step"] <= last]
    kinds = sorted({name for one in exams for name in one["examined"] if name.startswith(f"{WHOLE}: ")})
    heads = ["step", "all", *(name.removeprefix(f"{WHOLE}: ") for name in kinds)]
    rows = [
        [f"{one['step']:,}", *(f"{100 * one['examined'][name]:.0f}" for name in (WHOLE, *kinds))]
        for one in exams
    ]
    return "\n".join(map(_row, [heads, ["---:"] * len(heads), *rows]))


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _lines(log: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines; of a step that a stopped training took twice the last."""
    found: dict[tuple[int, bool], dict[str, Any]] = {}
    for line in log.read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        found[one["step"], "examined" in one] = one
    yield from (found[key] for key in sorted(found))
