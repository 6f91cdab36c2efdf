"""What makes two runs the same run: nested settings, kept as YAML and compared before anything is resumed."""

import hashlib
import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import yaml

from lvqa_eval.errors import LvqaError
from lvqa_eval.files import write_whole

GROWING = frozenset({"baselines"})
"""Settings of a run that name parts of it, to which others may be added: what is there stays as it is."""

_NOTHING = object()
_BREAKS = ("\x85", "\u2028", "\u2029")


class IdentityError(LvqaError, ValueError):
    """Settings that cannot be kept, or a file that holds none."""


class IdentityChangedError(LvqaError, ValueError):
    """A folder holds results of other settings; `differences` has one line for each."""

    def __init__(self, path: Path, found: list[str]) -> None:
        lines = "\n".join(f"  {line}" for line in found)
        super().__init__(
            f"{path}: made with other settings; use these again, or another name or folder:\n{lines}"
        )
        self.differences = found


@dataclass(frozen=True)
class RunIdentity:
    """Settings as nested mappings of text keys to text, numbers, truth values, None, and lists of these.

    Anything else, and any number that is not finite, raises IdentityError with its place. Two identities are
    equal when `differences` finds nothing: the order of keys does not count, and 1 is 1.0 but not true.
    """

    settings: Mapping[str, Any]

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", _plain_mapping(self.settings, ""))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RunIdentity) and self._canonical() == other._canonical()

    def __hash__(self) -> int:
        return int(self.digest(), 16)

    def digest(self) -> str:
        """Return the first 8 hexadecimal digits of the SHA-256 of the settings as canonical JSON."""
        return hashlib.sha256(self._canonical()).hexdigest()[:8]

    def write(self, path: Path) -> None:
        """Write the settings to `path` as YAML, whole or not at all."""
        text = yaml.dump(self.settings, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=math.inf)
        write_whole(path, text)

    @classmethod
    def read(cls, path: Path) -> "RunIdentity":
        """Return the settings written at `path`; raises IdentityError, naming it, for what is no mapping."""
        try:
            settings = yaml.safe_load(path.read_text(encoding="utf-8"))
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            reason = " ".join(str(error).split())
            raise IdentityError(f"{path}: not readable as YAML: {reason}") from error
        if not isinstance(settings, dict):
            raise IdentityError(f"{path}: found {type(settings).__name__}, allowed: a mapping of settings")
        try:
            return cls(settings)
        except IdentityError as error:
            raise IdentityError(f"{path}: {error}") from error

    def _canonical(self) -> bytes:
        return _canonical(self.settings)


def differences(old: RunIdentity, new: RunIdentity, growing: Collection[str] = frozenset()) -> list[str]:
    """Return a line for every setting in which `new` departs from `old`, in the order of `old`'s keys.

    For example "sampling.temperature: this run has 1.0, asked for 0.6". What `new` adds to the settings
    named in `growing` is no departure.
    """
    return [
        f"{path}: this run has {_show(ours)}, asked for {_show(theirs)}"
        for path, ours, theirs in _unequal(old.settings, new.settings, "")
        if ours is not _NOTHING or path.split(".", 1)[0] not in growing
    ]


def check_same(
    path: Path, old: RunIdentity, new: RunIdentity, growing: Collection[str] = frozenset()
) -> None:
    """Raise IdentityChangedError, naming the file at `path`, where `new` departs from `old`."""
    found = differences(old, new, growing)
    if found:
        raise IdentityChangedError(path, found)


def _unequal(ours: Any, theirs: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in [*ours, *(key for key in theirs if key not in ours)]:
            place = f"{path}.{key}" if path else key
            yield from _unequal(ours.get(key, _NOTHING), theirs.get(key, _NOTHING), place)
    elif ours is _NOTHING or theirs is _NOTHING or _canonical(ours) != _canonical(theirs):
        yield path, ours, theirs


def _show(value: Any) -> str:
    return "nothing" if value is _NOTHING else orjson.dumps(value).decode()


def _canonical(value: Any) -> bytes:
    return orjson.dumps(_whole_numbers_as_int(value), option=orjson.OPT_SORT_KEYS)


def _whole_numbers_as_int(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _whole_numbers_as_int(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_whole_numbers_as_int(item) for item in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value


def _plain_mapping(settings: Mapping[Any, Any], path: str) -> dict[str, Any]:
    for key in settings:
        if not isinstance(key, str):
            raise IdentityError(f"{path or 'settings'}: found the key {key!r}, allowed: text")
    return {
        _plain(key, path): _plain(value, f"{path}.{key}" if path else key) for key, value in settings.items()
    }


def _plain(value: Any, path: str) -> Any:
    if isinstance(value, Mapping):
        return _plain_mapping(value, path)
    if isinstance(value, list | tuple):
        return [_plain(item, f"{path}[{index}]") for index, item in enumerate(value)]
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int) and -(2**63) <= value < 2**64:
        return int(value)
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    if isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value):
        return str(value)
    allowed = "text, a finite number of 64 bits, a truth value, null, a list or a mapping of these"
    raise IdentityError(f"{path}: found {value!r}, allowed: {allowed}")


class _Dumper(yaml.SafeDumper):
    """Escapes U+0085, U+2028 and U+2029, which PyYAML otherwise writes raw and reads back as line ends."""


def _write_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = '"' if any(mark in text for mark in _BREAKS) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _write_text)
