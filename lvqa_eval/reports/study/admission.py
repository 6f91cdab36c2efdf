"""Which runs make one study: the same questions, asked and judged in one way. What else differs is told."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic

from lvqa_eval.errors import LvqaError
from lvqa_eval.judging.commands import judge_command
from lvqa_eval.judging.panel import assistant_names
from lvqa_eval.judging.panel_records import CONSENSUS_POST_HOC
from lvqa_eval.metrics.scores import Asked, Asked_co, score_conditions
from lvqa_eval.metrics.study import Study, StudyError
from lvqa_eval.reports.choice import NoJudgementError
from lvqa_eval.reports.study.judges import (
    Runs,
    common_judge,
    common_post_hoc,
    is_of_serving,
    judge_changes,
    post_hoc_judges,
)
from lvqa_eval.runs.changes import SettingChange, changes, data_changes, listed, revision_changes
from lvqa_eval.runs.plan import plan_faults
from lvqa_eval.runs.questions import benchmark_of, benchmarks_with
from lvqa_eval.runs.records import Question, QuestionRecord
from lvqa_eval.runs.store import IDENTITY, RunStore

SAME = ("split", "prompts", "user", "images")
"""The settings in which no two runs of a study differ."""

TOLD = ("sampling", "seed", "runs", "lvqa")
"""The settings whose differences a reader is told of, beside the way in which servers were started."""

MOST = 20
"""So many questions that differ are named."""


class StudyRunsError(LvqaError, ValueError):
    """Runs that make no study; `reasons` has one entry for each obstacle."""

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__("these runs make no study:\n" + "\n".join(f"  {reason}" for reason in reasons))
        self.reasons = tuple(reasons)


@dataclass(frozen=True)
class Admitted(Generic[Asked_co]):
    """Runs that make one study.

    - `stores` by the names of their models; `runs` what commands call them.
    - `judge`, `post_hoc`: whose verdicts, and whose rulings turn by turn, None for nobody's.
    - `plan`: the study as planned, without a conversation. `cautions`: how the runs differ otherwise.
    """

    stores: dict[str, RunStore]
    runs: tuple[str, ...]
    judge: str
    post_hoc: str | None
    plan: Study[Asked_co]
    cautions: tuple[str, ...]


def open_runs(folders: Iterable[Path]) -> Iterator[RunStore]:
    """Yield the runs, one that is named twice once; raises StudyRunsError for folders that are none."""
    stores, faults = [], []
    for folder in {folder.resolve(): folder for folder in folders}.values():
        try:
            stores.append(RunStore.open(folder))
        except LvqaError as error:
            faults.append(str(error))
    if not stores and not faults:
        faults.append("found no run, needed at least one")
    if faults:
        raise StudyRunsError(faults)
    yield from stores


def admit(stores: Sequence[RunStore], judge: str | None = None, post_hoc: str | None = None) -> Admitted:
    """Return what the layered runs `stores` are read by; StudyRunsError with every reason against it."""
    return _admit(stores, QuestionRecord, judge, lambda runs: _chosen(common_post_hoc, runs, post_hoc))


def admit_single_turns(
    stores: Sequence[RunStore], kind: type[Asked], judge: str | None = None
) -> Admitted[Asked]:
    """Return what runs are read by whose questions, of records of `kind`, are all asked in one turn.

    Nobody's rulings turn by turn are read. Raises StudyRunsError with every reason against it.
    """
    return _admit(stores, kind, judge, lambda _: (None, []))


def _admit(
    stores: Sequence[RunStore],
    kind: type[Asked],
    judge: str | None,
    choose_post_hoc: Callable[[Runs], tuple[str | None, list[str]]],
) -> Admitted[Asked]:
    runs = {str(store.folder): store for store in stores}
    names = assistant_names(stores)
    no_plan = list(_plan_faults(runs, kind))
    plan, other_questions = (None, []) if no_plan else _joined_plan(names, stores, kind)
    verdicts, no_verdicts = _chosen(common_judge, runs, judge)
    rulings, no_rulings = choose_post_hoc(runs)
    ruled = [change for one in (verdicts, rulings) if one is not None for change in judge_changes(runs, one)]
    grave = [*_grave_changes(runs), *(change for change in ruled if not is_of_serving(change))]
    reasons = [*no_plan, *map(str, grave), *no_verdicts, *no_rulings, *other_questions]
    if reasons or plan is None or verdicts is None:
        raise StudyRunsError(reasons)
    told = (*_told(runs), *ruled, *revision_changes(_settings(runs)))
    return Admitted(
        stores=dict(zip(names, stores, strict=True)),
        runs=tuple(runs),
        judge=verdicts,
        post_hoc=rulings,
        plan=plan,
        cautions=(
            *(f"The runs differ in {change}." for change in told),
            *(_left_open(runs) if rulings is None and kind is QuestionRecord else ()),
        ),
    )


def _chosen(
    choose: Callable[[Runs, str | None], str | None], runs: Runs, wanted: str | None
) -> tuple[str | None, list[str]]:
    """Return the judge that `choose` takes, or why there is none."""
    try:
        return choose(runs, wanted), []
    except NoJudgementError as error:
        return None, str(error).splitlines()


def _settings(runs: Runs, *names: str) -> dict[str, dict[str, Any]]:
    """Return the runs' settings, those of `names` alone if there are any."""
    return {
        run: {key: value for key, value in store.identity.settings.items() if not names or key in names}
        for run, store in runs.items()
    }


def _plan_faults(runs: Runs, kind: type[Question]) -> Iterator[str]:
    needed = benchmarks_with(kind)
    for store in runs.values():
        if (found := benchmark_of(store.identity.settings)) not in needed:
            yield f"{store.folder / IDENTITY}: benchmark: found {found}, needed {' or '.join(needed)}"
        for fault in plan_faults(store.identity.settings):
            yield f"{store.folder / IDENTITY}: {fault}"


def _grave_changes(runs: Runs) -> Iterator[SettingChange]:
    yield from data_changes(_settings(runs))
    yield from changes(_settings(runs, *SAME))
    yield from _baseline_changes(runs)


def _baseline_changes(runs: Runs) -> Iterator[SettingChange]:
    """Yield how the prompts differ of the baselines that every run has."""
    found = {run: one.get("baselines") or {} for run, one in _settings(runs).items()}
    shared = set.intersection(*(set(prompts) for prompts in found.values()))
    kept = {run: {name: prompts[name] for name in sorted(shared)} for run, prompts in found.items()}
    yield from changes(kept, "baselines.")


def _told(runs: Runs) -> Iterator[SettingChange]:
    yield from changes(_settings(runs, *TOLD))
    started = {run: _options(one.get("vllm_serve")) for run, one in _settings(runs).items()}
    yield from changes(started, "vllm_serve ")


def _options(arguments: Any) -> dict[str, Any]:
    """Return the arguments of a server as options with their values, so that each can differ by itself."""
    options: dict[str, Any] = {}
    for argument in arguments or ():
        if argument.startswith("--") or not options:
            name = argument
            options.setdefault(name, [])
        else:
            options[name].append(argument)
    # The model's own name: runs of a study are of different models.
    options.pop("--served-model-name", None)
    return {name: values or "given" for name, values in options.items()}


def _joined_plan(
    names: Sequence[str], stores: Sequence[RunStore], kind: type[Asked]
) -> tuple[Study[Asked] | None, list[str]]:
    """Return the study of what was planned, or how the questions differ."""
    scores = {name: score_conditions(store, {}, {}, kind) for name, store in zip(names, stores, strict=True)}
    try:
        return Study.join(scores), []
    except StudyError as error:
        _, *faults = str(error).splitlines()
    reasons = [f"question {fault.strip()}" for fault in faults[:MOST]]
    more = len(faults) - MOST
    return None, [*reasons, *([f"questions: {more} more such differences"] if more > 0 else [])]


def _left_open(runs: Runs) -> Iterator[str]:
    if len(found := post_hoc_judges(runs)) > 1:
        yield (
            f"{listed(found)} rule turn by turn, and none of them is named: what rests on such rulings is "
            f"left out. Name one, or make their consensus: {judge_command(runs, CONSENSUS_POST_HOC, {})}"
        )
