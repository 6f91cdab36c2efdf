"""What differs between two records, field by field and in words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

NOT_IDENTITY = ("version", "counts", "cells", "drops", "sources", "files")
"""Fields of a manifest that are no options: the version is told apart, the others follow from the content."""

_ABSENT = object()


@dataclass(frozen=True)
class Change:
    """One field with its old and its new value; a field inside another is named `outer.inner`."""

    field: str
    old: Any
    new: Any

    def __str__(self) -> str:
        return f"{self.field}: {shortened(self.old)} -> {shortened(self.new)}"


def changes(old: Mapping[str, Any], new: Mapping[str, Any], within: str = "") -> list[Change]:
    """Return every field that differs, in the order of `new`, then what `new` lacks.

    Records inside records are compared field by field; everything else is compared whole.
    """
    found: list[Change] = []
    for name in [*new, *(name for name in old if name not in new)]:
        before, after = old.get(name, _ABSENT), new.get(name, _ABSENT)
        if isinstance(before, Mapping) and isinstance(after, Mapping):
            found += changes(before, after, f"{within}{name}.")
        elif before != after:
            found.append(Change(f"{within}{name}", before, after))
    return found


def option_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Change]:
    """Return what differs between two manifests in how their datasets were made."""
    return changes(_identity(old), _identity(new))


def shortened(value: Any, limit: int = 60) -> str:
    """Return a value as it is written, cut in its middle to `limit` characters; "nothing" for no value."""
    if value is _ABSENT:
        return "nothing"
    text = repr(value)
    if len(text) <= limit:
        return text
    half = (limit - 3) // 2
    return f"{text[:half]}...{text[-half:]}"


def _identity(manifest: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in manifest.items() if name not in NOT_IDENTITY}
