"""Checks of a run's settings, one by one, against the dataset of a board and the words of this LVQA."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, NamedTuple

import msgspec
from msgspec import Meta

from leaderboard.submissions.faults import Fault
from leaderboard.submissions.lines import Name, Whole
from leaderboard.submissions.plain_text import shown
from leaderboard.submissions.standing import BenchmarkStanding
from lvqa_eval.baselines import BASELINES
from lvqa_eval.images import BACKGROUNDS
from lvqa_eval.prompts import load_prompt

Object = dict[str, Any]
Hash = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class DatasetLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which dataset a run was over."""

    name: Name
    version: Name
    manifest_sha256: Hash
    condition_options: Object | None = None
    revision: Name | None = None


class SettingsLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The settings of a run, as `run.yaml` has them."""

    benchmark: Name
    lvqa: Name
    dataset: DatasetLine
    conditions: Annotated[tuple[Name, ...], Meta(min_length=1, max_length=100)]
    runs: Annotated[int, Meta(ge=1, le=1000)]
    questions: Whole
    model: Object
    sampling: Object
    seed: Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
    user: Object
    prompts: dict[str, Hash]
    images: Object
    split: dict[str, Name] = {}
    baselines: dict[str, Hash] = {}
    providers: Annotated[tuple[Name, ...], Meta(max_length=100)] | None = None
    vllm_serve: Annotated[tuple[str, ...], Meta(max_length=1000)] | None = None
    server: Object | None = None


class Asked(NamedTuple):
    """The settings of a header beside what the board takes of that benchmark."""

    settings: Mapping[str, Any]
    standing: BenchmarkStanding


def settings_faults(asked: Asked, known: Sequence[Fault]) -> list[Fault]:
    """Return what the settings say that does not fit the board; what has a `known` fault is left out."""
    faulty = {_part(fault) for fault in known}
    present = [name for name in _CHECKS if name in asked.settings and name not in faulty]
    return [
        Fault(f"settings.{field}", shown(found, 100), allowed)
        for name in present
        for field, found, allowed in _CHECKS[name](asked)
    ]


def _part(fault: Fault) -> str:
    return re.split(r"[.\[]", fault.field)[1] if "." in fault.field else ""


_Unlike = Iterator[tuple[str, Any, str]]


def _harness(asked: Asked) -> _Unlike:
    if asked.settings["lvqa"] not in asked.standing.harness:
        yield "lvqa", asked.settings["lvqa"], f"runs of LVQA {', '.join(asked.standing.harness)}"


def _dataset(asked: Asked) -> _Unlike:
    found, dataset = asked.settings["dataset"], asked.standing.dataset
    expected = {
        "name": asked.standing.benchmark.name,
        "version": dataset.version,
        "manifest_sha256": dataset.manifest_sha256,
        "condition_options": dataset.manifest.get("condition_options"),
    }
    for name, value in expected.items():
        if found.get(name) != value:
            yield f"dataset.{name}", found.get(name), f"{shown(value, 300)}, that of the board's dataset"


def _conditions(asked: Asked) -> _Unlike:
    names, known = asked.settings["conditions"], asked.standing.dataset.conditions
    for number, name in enumerate(names):
        if name not in known:
            yield f"conditions[{number}]", name, ", ".join(known)
        elif name in names[:number]:
            yield f"conditions[{number}]", name, "every condition once"


def _runs(asked: Asked) -> _Unlike:
    if asked.settings["runs"] > asked.standing.runs:
        yield "runs", asked.settings["runs"], f"1 to {asked.standing.runs}"


def _split(asked: Asked) -> _Unlike:
    splits = asked.standing.benchmark.splits
    for name, value in asked.settings["split"].items():
        if value not in splits.get(name, ()):
            known = "; ".join(f"{one}: {', '.join(values)}" for one, values in splits.items())
            yield "split", {name: value}, known or "none on this benchmark"


def _prompts(asked: Asked) -> _Unlike:
    prompts = asked.standing.benchmark.prompts()
    expected = {name: prompts[name].sha256 for name in asked.standing.benchmark.own_prompts}
    yield from _hashes("prompts", asked.settings["prompts"], expected)


def _baselines(asked: Asked) -> _Unlike:
    prompts = asked.standing.benchmark.prompts()
    known = {name: prompts[name].sha256 for name in BASELINES.names()}
    found = asked.settings["baselines"]
    yield from _hashes("baselines", found, {name: known[name] for name in known if name in found})


def _hashes(place: str, found: Mapping[str, str], expected: Mapping[str, str]) -> _Unlike:
    for name in dict.fromkeys((*expected, *found)):
        if name not in expected:
            yield place, name, ", ".join(expected) or "none"
        elif found.get(name) != expected[name]:
            yield f"{place}.{name}", found.get(name), f"{expected[name]}, that of LVQA's own words"


def _user(asked: Asked) -> _Unlike:
    user, allowed = asked.settings["user"], asked.standing.benchmark.users
    if user.get("name") not in allowed:
        yield "user.name", user.get("name"), ", ".join(allowed)
    elif user["name"] == "llm":
        from lvqa_eval.simulation.llm_user import PROMPTS

        prompts = user.get("prompts")
        expected = {name: load_prompt(name).sha256 for name in PROMPTS}
        yield from _hashes("user.prompts", prompts if isinstance(prompts, dict) else {}, expected)


def _images(asked: Asked) -> _Unlike:
    if asked.settings["images"].get("background") not in BACKGROUNDS:
        yield "images.background", asked.settings["images"].get("background"), ", ".join(BACKGROUNDS)


def _sampling(asked: Asked) -> _Unlike:
    for name, low in (("temperature", 0), ("top_p", 0), ("max_tokens", 1)):
        value = asked.settings["sampling"].get(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or value < low:
            yield f"sampling.{name}", value, f"a number from {low}"


_CHECKS: Final[Mapping[str, Callable[[Asked], _Unlike]]] = {
    "lvqa": _harness,
    "dataset": _dataset,
    "conditions": _conditions,
    "runs": _runs,
    "split": _split,
    "prompts": _prompts,
    "baselines": _baselines,
    "user": _user,
    "images": _images,
    "sampling": _sampling,
}
