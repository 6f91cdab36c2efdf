"""The runs that a report is made from: what names each of them, and the judges that ruled on it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lvqa_eval.runs.store import RunStore


@dataclass(frozen=True)
class Source:
    """One run of a report.

    `run` is the folder's name, with as many folders above it as tell it from the other runs. `settings` and
    `digest` are its identity; `judges` have the settings of each judge that some figure rests on, and
    `judge_digests` their digests.
    """

    run: str
    model: str
    settings: Mapping[str, Any]
    digest: str
    judges: Mapping[str, Mapping[str, Any]]
    judge_digests: Mapping[str, str]


def source(store: "RunStore", run: str, model: str, judges: Iterable[str]) -> Source:
    """Return what names a run; `run` and `model` are what the report calls them."""
    identities = {name: store.judge_identity(name) for name in dict.fromkeys(judges)}
    return Source(
        run=run,
        model=model,
        settings=store.identity.settings,
        digest=store.identity.digest(),
        judges={name: one.settings for name, one in identities.items()},
        judge_digests={name: one.digest() for name, one in identities.items()},
    )


def short_names(folders: Sequence[Path]) -> tuple[str, ...]:
    """Return the names of folders, with as many of the folders above as tell them apart."""
    parts = [folder.resolve().parts for folder in folders]
    for depth in range(1, max(map(len, parts), default=0) + 1):
        names = tuple("/".join(one[-depth:]) for one in parts)
        if len(set(names)) == len(names):
            return names
    return tuple(map(str, folders))
