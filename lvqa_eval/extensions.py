"""Extension points: named things that this project ships and other distributions add by entry point.

Groups: `lvqa.scene_sources`, `lvqa.document_sources`, `lvqa.conditions`, `lvqa.datasets`, `lvqa.validators`,
`lvqa.baselines`, `lvqa.judges`, `lvqa.detectors`, `lvqa.commands`.
"""

from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from lvqa_eval.errors import LvqaError


class UnknownExtensionError(LvqaError, LookupError):
    """A name that nothing installed answers to."""


class Registry:
    """The members of one group: those built in (name -> "module:attribute") and those installed beside us.

    Nothing is imported before `get`. An installed member may not take a built-in name.
    """

    def __init__(self, group: str, builtin: Mapping[str, str]) -> None:
        self.group = group
        self._targets = {name: EntryPoint(name, target, group) for name, target in builtin.items()}
        self._added: dict[str, EntryPoint] | None = None

    def names(self) -> list[str]:
        """Return every known name, the built-in ones first, in their own order."""
        return [*self._targets, *self._extensions()]

    def added(self) -> list[str]:
        """Return the names that other distributions add, sorted."""
        return list(self._extensions())

    def get(self, name: str) -> Any:
        """Import and return the member called `name`; raises UnknownExtensionError with the known names."""
        target = self._targets.get(name) or self._extensions().get(name)
        if target is None:
            kind = self.group.removeprefix("lvqa.").replace("_", " ")
            raise UnknownExtensionError(f"{kind}: found {name!r}, allowed: {', '.join(self.names())}")
        value: Any = import_module(target.module)
        for attribute in target.attr.split("."):
            value = getattr(value, attribute)
        return value

    def _extensions(self) -> dict[str, EntryPoint]:
        if self._added is None:
            found = sorted(entry_points(group=self.group), key=lambda point: point.name)
            clash = [point.name for point in found if point.name in self._targets]
            if clash:
                raise UnknownExtensionError(
                    f"entry points {self.group}: {', '.join(clash)} would replace what is built in"
                )
            self._added = {point.name: point for point in found}
        return self._added
