"""Settings in which runs differ, and what each of them has."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lvqa_eval.runs.identity import RunIdentity

Settings = Mapping[str, Any]

_DATA = ("dataset", "dataset.name", "dataset.version", "dataset.manifest_sha256")
_REVISION = "dataset.revision"


@dataclass(frozen=True)
class SettingChange:
    """A setting in which runs differ: its place, and by the run's name what each has, in words."""

    path: str
    found: Mapping[str, str]

    def __str__(self) -> str:
        """Return it as "sampling.temperature: A and B have 1.0, C has 0.6"."""
        holders: dict[str, list[str]] = {}
        for name, words in self.found.items():
            holders.setdefault(words, []).append(name)
        told = (f"{listed(names)} {_has(names)} {words}" for words, names in holders.items())
        return f"{self.path}: {', '.join(told)}"


def changes(settings: Mapping[str, Settings], prefix: str = "") -> Iterator[SettingChange]:
    """Yield the leaves in which nested settings, by the name of their run, differ; `prefix` opens each place.

    They come in the order of the first run's keys. 1 is 1.0, and null is what is not there.
    """
    for key in dict.fromkeys(key for one in settings.values() for key in one):
        values = {name: one.get(key) for name, one in settings.items()}
        nested = {name: value for name, value in values.items() if isinstance(value, Mapping)}
        if len(nested) == len(values):
            yield from changes(nested, f"{prefix}{key}.")
        elif len({RunIdentity({"": value}) for value in values.values()}) > 1:
            yield SettingChange(f"{prefix}{key}", {name: _words(value) for name, value in values.items()})


def data_changes(settings: Mapping[str, Settings]) -> list[SettingChange]:
    """Return how the data of runs differ: the dataset's name, its version, and the hash of its manifest.

    Where every run has that hash, it says what the files are, whatever commit they were read from; without
    it commits must be the same.
    """
    datasets = {name: {"dataset": one.get("dataset") or {}} for name, one in settings.items()}
    return [
        change
        for change in changes(datasets)
        if change.path in _DATA or (change.path == _REVISION and not _hashed(datasets))
    ]


def revision_changes(settings: Mapping[str, Settings]) -> list[SettingChange]:
    """Return how the commits differ of what `data_changes` finds to be the same data."""
    datasets = {name: {"dataset": one.get("dataset") or {}} for name, one in settings.items()}
    return [change for change in changes(datasets) if change.path == _REVISION and _hashed(datasets)]


def listed(names: list[str]) -> str:
    """Return names as "A", "A and B" or "A, B and C"."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _hashed(datasets: Mapping[str, Settings]) -> bool:
    found = [one["dataset"] for one in datasets.values()]
    return all(isinstance(one, Mapping) and one.get("manifest_sha256") for one in found)


def _has(names: list[str]) -> str:
    return "has" if len(names) == 1 else "have"


def _words(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_words(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list | tuple):
        return ", ".join(map(_words, value)) or "none"
    return "nothing" if value is None else str(value)
