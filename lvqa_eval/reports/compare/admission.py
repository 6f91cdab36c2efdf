"""Which runs may be compared: the same questions, by the same judge. What else differs is told."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from lvqa_eval.errors import LvqaError
from lvqa_eval.judging.panel_members import MEMBERS
from lvqa_eval.reports.compare.sides import Side
from lvqa_eval.reports.report import NoJudgementError, choose_judge
from lvqa_eval.runs.identity import RunIdentity
from lvqa_eval.runs.records import QuestionRecord
from lvqa_eval.runs.store import RunStore

SHOWN = 5

SHAPES_REPLIES = ("sampling", "prompts", "baselines", "user", "images")
"""The settings whose differences make a comparison one of more than the models."""

_DATA = ("dataset", "dataset.name", "dataset.version", "dataset.manifest_sha256")
_APART = ("dataset", "conditions", "baselines", "runs", "questions")
"""Settings that are checked or told apart."""

_SERVED_BY = ("server", "vllm_serve", "providers")
"""What may differ where one judge judged two runs."""


class CompareError(LvqaError, ValueError):
    """Two runs that cannot be compared; `reasons` has one line for each obstacle."""

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__("these runs cannot be compared:\n" + "\n".join(f"  {reason}" for reason in reasons))
        self.reasons = tuple(reasons)


@dataclass(frozen=True)
class SettingChange:
    """A setting in which two runs differ: its place, and what each has, in words."""

    path: str
    a: str
    b: str

    def __str__(self) -> str:
        return f"{self.path}: A has {self.a}, B has {self.b}"


def choose_common_judge(a: RunStore, b: RunStore, judge: str | None = None) -> str:
    """Return the judge to compare by: `judge`, else the one that `lvqa report` would take of either run.

    Raises NoJudgementError where a run does not have it, or where there is no single one.
    """
    if judge is not None:
        return choose_judge(b, choose_judge(a, judge))
    for one, other in ((a, b), (b, a)):
        chosen = choose_judge(one)
        if chosen in other.judges():
            return chosen
    both = [name for name in a.judges() if name in b.judges()]
    told = f"choose one with --judge: {', '.join(both)}" if both else "judge both by the same one first"
    raise NoJudgementError(
        f"{a.folder} has the judges {', '.join(a.judges())}, {b.folder} has {', '.join(b.judges())}; {told}"
    )


def check_stores(a: RunStore, b: RunStore, judge: str) -> tuple[SettingChange, ...]:
    """Return how a judge was served differently; CompareError where data or judge are not the same."""
    one, other = (store.identity.settings.get("dataset") or {} for store in (a, b))
    data = [change for change in changes({"dataset": one}, {"dataset": other}) if change.path in _DATA]
    ruled = [*_judge_changes(a, b, judge)]
    grave = [change for change in ruled if change.path.partition(": ")[2].split(".")[0] not in _SERVED_BY]
    if data or grave:
        raise CompareError([*map(str, (*data, *grave))])
    return tuple(ruled)


def check_sides(a: Side, b: Side, common: bool) -> tuple[str, ...]:
    """Return the ids of the questions to compare, sorted; CompareError with every obstacle.

    With `common`, questions that only one run has are left out.
    """
    of_a, of_b = ({one.question_id: one for one in side.questions} for side in (a, b))
    reasons = []
    for one, own, other in ((a, of_a, of_b), (b, of_b, of_a)):
        alone = sorted(own.keys() - other.keys())
        if alone and not common:
            reasons.append(
                f"questions: only {one.letter} has {_some(alone)}; --common compares those that both have"
            )
    both = sorted(of_a.keys() & of_b.keys())
    changed = [name for name in both if not _same_question(of_a[name], of_b[name])]
    if changed:
        reasons.append(f"questions: other words or evidence under one id: {_some(changed)}")
    if not both:
        reasons.append("questions: found none that both have, needed one")
    if not set(a.names) & set(b.names):
        reasons.append(
            f"conditions: found none that both have: A has {', '.join(a.names)}, B has {', '.join(b.names)}"
        )
    if reasons:
        raise CompareError(reasons)
    return tuple(both)


def other_changes(a: Side, b: Side) -> tuple[SettingChange, ...]:
    """Return every setting in which two runs differ, but for those that are checked or told apart."""
    left = [{key: value for key, value in side.settings.items() if key not in _APART} for side in (a, b)]
    for own, side in zip(left, (a, b), strict=True):
        # Of the baselines, the prompts of those that are compared.
        prompts = side.settings.get("baselines")
        if isinstance(prompts, Mapping):
            both = set(a.baselines) & set(b.baselines)
            own["baselines"] = {name: prompt for name, prompt in prompts.items() if name in both}
    return tuple(changes(left[0], left[1]))


def changes(a: Mapping[str, Any], b: Mapping[str, Any], prefix: str = "") -> Iterator[SettingChange]:
    """Yield the leaves in which two nested settings differ, in the order of A's keys.

    1 is 1.0, and null is what is not there.
    """
    for key in [*a, *(key for key in b if key not in a)]:
        one, other = a.get(key), b.get(key)
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            yield from changes(one, other, f"{prefix}{key}.")
        elif RunIdentity({"": one}) != RunIdentity({"": other}):
            yield SettingChange(f"{prefix}{key}", _words(one), _words(other))


def _judge_changes(a: RunStore, b: RunStore, judge: str) -> Iterator[SettingChange]:
    """Yield how the settings of a judge differ; those of a panel's members in place of their hashes."""
    one, other = (dict(store.judge_identity(judge).settings) for store in (a, b))
    members = [settings.pop(MEMBERS, {}) for settings in (one, other)]
    yield from changes(one, other, f"judge {judge}: ")
    if set(members[0]) != set(members[1]):
        names = (", ".join(sorted(of_run)) for of_run in members)
        yield SettingChange(f"judge {judge}: {MEMBERS}", *names)
        return
    for member in sorted(members[0]):
        yield from _judge_changes(a, b, member)


def _same_question(one: QuestionRecord, other: QuestionRecord) -> bool:
    a, b = asdict(one), asdict(other)
    if not (one.shards and other.shards):  # runs made before these were kept
        del a["shards"], b["shards"]
    return a == b


def _words(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_words(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list | tuple):
        return ", ".join(map(_words, value)) or "none"
    return "nothing" if value is None else str(value)


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
