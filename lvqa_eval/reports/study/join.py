"""From run folders to everything that the exhibits of a layered study are computed from."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from lvqa_eval.judging.panel import Panel, read_panel
from lvqa_eval.judging.panel_members import MEMBERS, PanelError, TooFewJudgesError, choose_judges
from lvqa_eval.metrics.bootstrap import DRAWS
from lvqa_eval.metrics.groups import RELATIONAL, by_category
from lvqa_eval.metrics.scores import Scores
from lvqa_eval.metrics.study import Study
from lvqa_eval.progress import progress
from lvqa_eval.reports.cautions import disagreeing, outside, unread
from lvqa_eval.reports.detectors.read import read_targets
from lvqa_eval.reports.study.admission import Admitted, StudyRunsError, admit, open_runs
from lvqa_eval.reports.study.head import study_cautions, study_header
from lvqa_eval.reports.study.inputs import Readings, Rulings, StudyInputs
from lvqa_eval.reports.study.readings import join_readings, join_rulings, read_conversations, read_rulings
from lvqa_eval.reports.study.scored import read_scored
from lvqa_eval.runs.plan import RunPlan, read_plan
from lvqa_eval.runs.records import QuestionRecord
from lvqa_eval.runs.store import RunStore


def study_inputs(
    folders: Sequence[Path],
    judge: str | None = None,
    post_hoc: str | None = None,
    draws: int = DRAWS,
    seed: int = 0,
    relational: Sequence[str] = RELATIONAL,
) -> StudyInputs:
    """Return the runs in `folders`, one a model, joined under `judge`, by default the one of all of them.

    `post_hoc` names the judge whose rulings turn by turn are read, `relational` the categories of questions
    held relational. Runs are read one after the other, and only figures are kept of them. Raises
    StudyRunsError, which names every reason why the runs make no study.
    """
    with ExitStack() as stack:
        stores = [stack.enter_context(store) for store in open_runs(folders)]
        admitted = admit(stores, judge, post_hoc)
        _check_relational(admitted.plan, relational)
        with progress("reading runs", len(stores) + 1) as advance:
            parts = []
            for name, store in admitted.stores.items():
                parts.append(_read(store, admitted))
                advance(name)
            panel, left_out = _panel(stores, admitted.judge)
            advance("the panel")
    return _joined(admitted, parts, panel, left_out, (draws, seed), tuple(relational))


@dataclass(frozen=True, eq=False)
class _Part:
    """What is kept of one run."""

    scores: Scores
    baselines: Scores
    readings: Readings
    rulings: Rulings | None
    faults: tuple[str, ...]


def _check_relational(plan: Study, relational: Sequence[str]) -> None:
    known = (*by_category(plan), *RELATIONAL)
    if strange := [one for one in relational if one not in known]:
        allowed = ", ".join(by_category(plan))
        raise StudyRunsError([f"relational: found {', '.join(strange)}, allowed: {allowed}"])


def _read(store: RunStore, admitted: Admitted) -> _Part:
    """Read one run; its records are gone when this returns."""
    run = read_scored(store, admitted.judge, QuestionRecord)
    plan = read_plan(store.identity.settings, store.questions())
    held = {key: one for key, one in run.conversations.items() if plan.fault(key) is None}
    rulings, further = _rulings(store, admitted, plan)
    return _Part(
        scores=run.scores,
        baselines=run.baselines,
        readings=read_conversations(admitted.plan, held),
        rulings=rulings,
        # One judge may be named for both.
        faults=tuple(dict.fromkeys((*outside(run.scores.outside), *run.faults, *further))),
    )


def _rulings(store: RunStore, admitted: Admitted, plan: RunPlan) -> tuple[Rulings | None, tuple[str, ...]]:
    """Return the rulings turn by turn, if there is a judge of them, and the faults of their file."""
    if admitted.post_hoc is None:
        return None, ()
    found = store.read_judgements(admitted.post_hoc)
    ruled = {key: one for key, one in found.records.items() if plan.fault(key) is None}
    return read_rulings(admitted.plan, ruled), (*unread(found.problems), *disagreeing(found.conflicts))


def _panel(stores: Sequence[RunStore], judge: str) -> tuple[Panel | None, tuple[str, ...]]:
    """Return the panel, that of the consensus if it is `judge`; None, and why, where there is none."""
    settings = stores[0].judge_identity(judge).settings
    members = settings.get(MEMBERS)
    try:
        chosen = choose_judges(stores, None if members is None else sorted(members))
        panel = read_panel(stores, chosen, None if members is None else settings.get("panel"))
    except TooFewJudgesError:
        return None, ()
    except PanelError as error:
        return None, (f"No panel of judges: {' '.join(str(error).split())}.",)
    return panel, chosen.notes if members is None else ()


def _joined(
    admitted: Admitted,
    parts: Sequence[_Part],
    panel: Panel | None,
    left_out: Sequence[str],
    draws_and_seed: tuple[int, int],
    relational: tuple[str, ...],
) -> StudyInputs:
    names, (draws, seed) = tuple(admitted.stores), draws_and_seed
    study = Study.join({name: part.scores for name, part in zip(names, parts, strict=True)})
    rulings = [part.rulings for part in parts if part.rulings is not None]
    faults = {run: part.faults for run, part in zip(admitted.runs, parts, strict=True)}
    return StudyInputs(
        study=study,
        readings=join_readings([part.readings for part in parts]),
        weights=study.weights(draws, seed),
        seed=seed,
        judge=admitted.judge,
        header=study_header(admitted, study, draws, seed),
        runs=admitted.runs,
        cautions=(*study_cautions(admitted, study, faults), *left_out),
        baselines=_baselines(names, parts),
        rulings=join_rulings(rulings) if rulings else None,
        post_hoc=admitted.post_hoc,
        panel=panel,
        relational=relational,
        detections=read_targets(admitted.stores),
    )


def _baselines(names: Sequence[str], parts: Sequence[_Part]) -> Study | None:
    if not all(part.baselines.conditions for part in parts):
        return None
    return Study.join({name: part.baselines for name, part in zip(names, parts, strict=True)})
