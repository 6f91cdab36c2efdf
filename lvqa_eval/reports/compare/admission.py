"""Which runs may be compared: the same questions, by the same judge. What else differs is told."""

from collections.abc import Mapping, Sequence
from typing import Any

from lvqa_eval.errors import LvqaError
from lvqa_eval.reports.choice import NoJudgementError, choose_judge
from lvqa_eval.reports.compare.sides import Side
from lvqa_eval.reports.study.judges import is_of_serving, judge_changes
from lvqa_eval.runs.changes import SettingChange, changes, data_changes
from lvqa_eval.runs.questions import benchmark_of
from lvqa_eval.runs.records import Question
from lvqa_eval.runs.store import RunStore

SHOWN = 5

SHAPES_REPLIES = ("sampling", "prompts", "baselines", "user", "images")
"""The settings whose differences make a comparison one of more than the models."""

_APART = ("dataset", "conditions", "baselines", "runs", "questions")
"""Settings that are checked or told apart."""


class CompareError(LvqaError, ValueError):
    """Two runs that cannot be compared; `reasons` has one line for each obstacle."""

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__("these runs cannot be compared:\n" + "\n".join(f"  {reason}" for reason in reasons))
        self.reasons = tuple(reasons)


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
    found = {"A": benchmark_of(a.identity.settings), "B": benchmark_of(b.identity.settings)}
    if found["A"] != found["B"]:
        raise CompareError([str(SettingChange("benchmark", found))])
    data = data_changes({"A": a.identity.settings, "B": b.identity.settings})
    ruled = [*judge_changes({"A": a, "B": b}, judge)]
    grave = [change for change in ruled if not is_of_serving(change)]
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
    left: dict[str, dict[str, Any]] = {}
    for side in (a, b):
        own = {key: value for key, value in side.settings.items() if key not in _APART}
        # Of the baselines, the prompts of those that are compared.
        prompts = side.settings.get("baselines")
        if isinstance(prompts, Mapping):
            both = set(a.baselines) & set(b.baselines)
            own["baselines"] = {name: prompt for name, prompt in prompts.items() if name in both}
        left[side.letter] = own
    return tuple(changes(left))


def _same_question(one: Question, other: Question) -> bool:
    a, b = dict(vars(one)), dict(vars(other))
    if not (a.get("shards") and b.get("shards")):  # runs made before these were kept; pages have none
        a.pop("shards", None)
        b.pop("shards", None)
    return a == b


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
