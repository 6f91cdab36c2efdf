"""What a run planned to hold, as its folder tells."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lvqa_eval.runs.records import Key


@dataclass(frozen=True)
class RunPlan:
    """Every question under every condition, so many times; all in the order of the run's files.

    Baselines, which a run may hold beside its conditions, stand behind them.
    """

    conditions: tuple[str, ...]
    questions: tuple[str, ...]
    runs: int

    @property
    def of_condition(self) -> int:
        """Number of conversations of one condition."""
        return len(self.questions) * self.runs

    @property
    def size(self) -> int:
        """Number of conversations."""
        return len(self.conditions) * self.of_condition

    def fault(self, key: Key) -> str | None:
        """Return why `key` is not planned; None where it is."""
        if key.condition not in self.conditions:
            return f"condition: found {key.condition!r}, allowed: {', '.join(self.conditions)}"
        if key.question_id not in self._asked:
            return f"question_id: found {key.question_id!r}, not in questions.jsonl"
        if not 1 <= key.run <= self.runs:
            return f"run: found {key.run}, allowed: 1 to {self.runs}"
        return None

    @cached_property
    def _asked(self) -> frozenset[str]:
        return frozenset(self.questions)


def plan_faults(settings: Mapping[str, Any]) -> list[str]:
    """Return what the settings of a run lack to tell its plan, one line each."""
    conditions, runs = settings.get("conditions"), settings.get("runs")
    faults = []
    if not (isinstance(conditions, list) and all(isinstance(one, str) for one in conditions)):
        faults.append(f"conditions: found {conditions!r}, allowed: a list of names")
    if isinstance(runs, bool) or not isinstance(runs, int) or runs < 1:
        faults.append(f"runs: found {runs!r}, allowed: a whole number from 1")
    return faults


def read_plan(settings: Mapping[str, Any], questions: Iterable[str]) -> RunPlan:
    """Return the plan in the settings of a run, for which `plan_faults` finds nothing."""
    conditions = (*settings["conditions"], *settings.get("baselines", ()))
    return RunPlan(conditions, tuple(questions), settings["runs"])
