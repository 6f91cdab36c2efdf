"""From run folders to everything that the exhibits of BEAR-Bench are computed from."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from lvqa_eval.metrics.bootstrap import DRAWS
from lvqa_eval.metrics.scores import Scores
from lvqa_eval.metrics.study import Study
from lvqa_eval.progress import progress
from lvqa_eval.reports.bear.inputs import PageInputs, PageReadings
from lvqa_eval.reports.bear.readings import join_readings, read_answers
from lvqa_eval.reports.bear.tags import Tags, read_tags
from lvqa_eval.reports.cautions import outside
from lvqa_eval.reports.detectors.read import read_targets
from lvqa_eval.reports.study.admission import Admitted, admit_single_turns, open_runs
from lvqa_eval.reports.study.head import study_cautions, study_header
from lvqa_eval.reports.study.scored import read_scored
from lvqa_eval.runs.records import PageRecord
from lvqa_eval.runs.store import RunStore


def page_inputs(
    folders: Sequence[Path],
    judge: str | None = None,
    draws: int = DRAWS,
    seed: int = 0,
    ocr: Mapping[str, Sequence[int]] | None = None,
) -> PageInputs:
    """Return the runs in `folders`, one a model, joined under `judge`, by default the one of all of them.

    `ocr` has the OCR characters of each image of other benchmarks. Runs are read one after the other, and
    only figures are kept of them. Raises StudyRunsError, which names every reason why they make no study.
    """
    with ExitStack() as stack:
        stores = [stack.enter_context(store) for store in open_runs(folders)]
        admitted = admit_single_turns(stores, PageRecord, judge)
        parts = []
        with progress("reading runs", len(stores)) as advance:
            for name, store in admitted.stores.items():
                parts.append(_read(store, admitted))
                advance(name)
    return _joined(admitted, parts, draws, seed, ocr)


@dataclass(frozen=True, eq=False)
class _Part:
    """What is kept of one run."""

    scores: Scores[PageRecord]
    baselines: Scores[PageRecord]
    readings: PageReadings
    tags: Tags | None
    faults: tuple[str, ...]


def _read(store: RunStore, admitted: Admitted[PageRecord]) -> _Part:
    """Read one run; its records are gone when this returns."""
    run = read_scored(store, admitted.judge, PageRecord)
    return _Part(
        scores=run.scores,
        baselines=run.baselines,
        readings=read_answers(admitted.plan, run.conversations),
        tags=read_tags(store.folder),
        faults=(*outside(run.scores.outside), *run.faults),
    )


def _joined(
    admitted: Admitted[PageRecord],
    parts: Sequence[_Part],
    draws: int,
    seed: int,
    ocr: Mapping[str, Sequence[int]] | None,
) -> PageInputs:
    named = dict(zip(admitted.stores, parts, strict=True))
    study = Study.join({name: part.scores for name, part in named.items()})
    faults = {run: part.faults for run, part in zip(admitted.runs, parts, strict=True)}
    tags = {name: part.tags for name, part in named.items() if part.tags is not None}
    whole = all(part.baselines.conditions for part in parts)
    return PageInputs(
        study=study,
        readings=join_readings([part.readings for part in parts]),
        weights=study.weights(draws, seed),
        seed=seed,
        judge=admitted.judge,
        header=study_header(admitted, study, draws, seed),
        runs=admitted.runs,
        cautions=tuple(study_cautions(admitted, study, faults)),
        baselines=Study.join({name: part.baselines for name, part in named.items()}) if whole else None,
        tags=tags or None,
        ocr=ocr,
        detections=read_targets(admitted.stores),
    )
