"""How detections were made: folds, draws, versions, and what gave the signals."""

import re
from collections.abc import Iterator, Mapping, Sequence

from lvqa_eval.reports.detectors.detected import Targets

_DIGEST = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{28,}\b")
"""Hashes, of which the first digits tell them apart."""


def about(detected: Targets) -> tuple[tuple[str, str], ...]:
    """Return the settings of the detections, and of what gave the signals; once where targets share them."""
    lines: dict[tuple[str, str], list[str]] = {}
    for one in detected.targets:
        settings = dict(one.found.settings)
        sources = settings.pop("sources", {})
        lines.setdefault(("Detection", _told(settings)), []).append(one.name)
        for source, made in sources.items():
            lines.setdefault((f"Signals, {source}", _told(made)), []).append(one.name)
    shared = len(detected.targets)
    return tuple(
        (label if len(names) == shared else f"{label}, {', '.join(names)}", text)
        for (label, text), names in lines.items()
    )


def _told(settings: Mapping[str, object]) -> str:
    return "; ".join(f"{key} {value}" for key, value in _leaves(settings)) or "not recorded"


def _leaves(settings: Mapping[str, object], before: str = "") -> Iterator[tuple[str, str]]:
    for key, value in settings.items():
        name = f"{before}{key.replace('_', ' ')}"
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{name}: ")
        elif isinstance(value, Sequence) and not isinstance(value, str):
            yield name, ", ".join(map(str, value))
        else:
            yield name, _DIGEST.sub(r"\1", str(value))
