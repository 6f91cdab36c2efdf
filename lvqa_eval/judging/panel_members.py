"""Who is on a panel: the judges that have judged every run, each in one way."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lvqa_eval.errors import LvqaError
from lvqa_eval.judging.protocols import FINAL_PROTOCOLS
from lvqa_eval.runs.identity import RunIdentity, differences
from lvqa_eval.runs.store import RunStore

MEMBERS = "members"
"""The setting in the identity of a consensus that names its judges."""

SERVED_BY = ("server", "vllm_serve", "providers")
"""What may differ between the runs that one judge judged; it is told, and everything else is refused."""


class PanelError(LvqaError, ValueError):
    """Runs or judges that make no panel."""


class TooFewJudgesError(PanelError):
    """Fewer than two judges have ruled on the final turns of every run."""


@dataclass(frozen=True)
class Chosen:
    """The judges of a panel by the names of their files: on the final turn, turn by turn, and their retests.

    By `models`, those of `final`, they are matched with assistants. `notes` tell what a reader has to know.
    """

    final: tuple[str, ...]
    models: tuple[str, ...]
    post_hoc: tuple[str, ...]
    retests: tuple[tuple[str, str], ...]
    notes: tuple[str, ...] = ()


def choose_judges(stores: Sequence[RunStore], wanted: Sequence[str] | None) -> Chosen:
    """Return the judges of the panel: those named, by file or model; else all models that judged every run.

    Raises PanelError for one that has not judged every run, for fewer than two, for two that are one model,
    and for one that judged different runs in different ways.
    """
    settings = {store.folder: _judges(store) for store in stores}
    everywhere = set.intersection(*(set(found) for found in settings.values()))
    anywhere = sorted(set().union(*settings.values()))
    one = settings[stores[0].folder]
    final = [name for name in sorted(everywhere) if _protocol(one[name]) in FINAL_PROTOCOLS]
    notes = [
        f"{name} has not judged every run and is left out." for name in anywhere if name not in everywhere
    ]
    if wanted is not None:
        final, notes = [_named(name, stores, settings) for name in wanted], []
    if len(final) < 2:
        raise TooFewJudgesError(
            f"judges: found {', '.join(final) or 'none'} on the final turn of every run, needed two or more; "
            "judge first: lvqa judge RUN… --judge NAME@URL"
        )
    models = tuple(_model(name, one[name]) for name in final)
    if twice := sorted({model for model in models if models.count(model) > 1}):
        raise PanelError(
            f"judges: found {', '.join(twice)} more than once, allowed: each model once; use --judges"
        )
    post_hoc = [
        name
        for name in sorted(everywhere)
        if _protocol(one[name]) == "post-hoc" and (wanted is None or _model(name, one[name]) in models)
    ]
    retests = [(name, f"{name}.retest") for name in final if f"{name}.retest" in everywhere]
    notes += [note for name in (*final, *post_hoc) for note in _compared(name, stores, settings)]
    return Chosen(tuple(final), models, tuple(post_hoc), tuple(retests), tuple(notes))


def _judges(store: RunStore) -> dict[str, Mapping[str, Any]]:
    """Return the settings of every judge of a run that is no consensus."""
    found = {name: store.judge_identity(name).settings for name in store.judges()}
    return {name: settings for name, settings in found.items() if MEMBERS not in settings}


def _protocol(settings: Mapping[str, Any]) -> str | None:
    return None if settings.get("retest") else settings.get("protocol")


def _rules_on_final_turns(settings: Mapping[str, Any]) -> bool:
    """Tell whether a judge may be on a panel when it is named: known judges have no protocol."""
    return not settings.get("retest") and settings.get("protocol") in (*FINAL_PROTOCOLS, None)


def _model(name: str, settings: Mapping[str, Any]) -> str:
    return str(settings.get("judge", name))


def _named(
    wanted: str, stores: Sequence[RunStore], settings: Mapping[Any, Mapping[str, Mapping[str, Any]]]
) -> str:
    """Return the file of a judge that is named by it or by its model, and that has judged every run."""
    one = settings[stores[0].folder]
    same = [
        name for name in one if _model(name, one[name]) == wanted and _protocol(one[name]) in FINAL_PROTOCOLS
    ]
    name = same[0] if wanted not in one and len(same) == 1 else wanted
    for store in stores:
        found = [judge for judge, how in settings[store.folder].items() if _rules_on_final_turns(how)]
        if name not in found:
            allowed = ", ".join(found) or "none has judged its final turns"
            raise PanelError(f"{store.folder}: judge: found {wanted!r}, allowed: {allowed}")
    return name


def _compared(
    name: str, stores: Sequence[RunStore], settings: Mapping[Any, Mapping[str, Mapping[str, Any]]]
) -> list[str]:
    """Say where a judge's servers differ between runs; raises PanelError where anything else does."""
    first = stores[0].folder
    notes = []
    for store in stores[1:]:
        found = differences(RunIdentity(settings[first][name]), RunIdentity(settings[store.folder][name]))
        grave = [line for line in found if not line.startswith(SERVED_BY)]
        if grave:
            lines = "\n".join(f"  {line}" for line in grave)
            raise PanelError(f"{name}: judged {first} and {store.folder} with different settings:\n{lines}")
        notes += [
            f"{name} was served differently: {_told(line, first.name, store.folder.name)}." for line in found
        ]
    return notes


def _told(difference: str, one: str, other: str) -> str:
    return difference.replace("this run has", f"for {one}").replace("asked for", f"for {other}")
