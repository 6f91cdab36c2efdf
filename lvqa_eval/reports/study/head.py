"""What stands at the head of a study: what was measured on what by whom, and what a reader has to know."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from lvqa_eval.benchmarks import Benchmark, find_benchmark
from lvqa_eval.judging.panel_members import MEMBERS
from lvqa_eval.metrics.accuracy import RANKED_FROM
from lvqa_eval.metrics.study import Mask, Study
from lvqa_eval.reports.cautions import few_scenes, one_run, provisional
from lvqa_eval.reports.header import (
    Line,
    dataset_label,
    intervals_line,
    judge_label,
    questions_line,
    user_line,
)
from lvqa_eval.reports.study.admission import Admitted
from lvqa_eval.runs.questions import benchmark_of
from lvqa_eval.runs.records import Question

NAMED = 3
"""So many conditions are named in a caution; of more the number stands."""


def study_header(
    admitted: Admitted[Question], study: Study[Question], draws: int, seed: int
) -> tuple[Line, ...]:
    """Return the header of a study's report."""
    store = next(iter(admitted.stores.values()))
    settings = store.identity.settings
    benchmark = _benchmark(admitted)
    split = settings.get("split") or {}
    members = store.judge_identity(admitted.judge).settings.get(MEMBERS)
    of = f" of {', '.join(sorted(members))}" if members else ""
    runs = sorted(set(study.planned.any(axis=(1, 2)).sum(axis=-1).tolist()))
    post_hoc = admitted.post_hoc
    return (
        ("Models" if len(study.models) > 1 else "Model", ", ".join(study.models)),
        *(user_line(settings) if len(benchmark.users) > 1 else ()),
        ("Dataset", dataset_label(settings.get("dataset"))),
        *((("Split", ", ".join(f"{name} {value}" for name, value in split.items())),) if split else ()),
        ("Judge", f"{judge_label(admitted.judge)}{of}"),
        *([("Judge, turn by turn", judge_label(post_hoc))] if post_hoc is not None else []),
        questions_line(len(study.questions), len(study.scenes), benchmark.cluster),
        ("Runs", f"{' or '.join(map(str, runs))} of each question and condition"),
        intervals_line(draws, seed, benchmark.cluster),
    )


def study_cautions(
    admitted: Admitted[Question], study: Study[Question], faults: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    """Yield one sentence for each thing that limits the figures, the gravest first.

    `faults` are those of the runs' files, by what commands call the runs.
    """
    yield from provisional(admitted.judge)
    yield from admitted.cautions
    yield from _gaps(study)
    yield from few_scenes(len(study.scenes), _benchmark(admitted).cluster)
    yield from one_run(study.correct.shape[3])
    for run, found in faults.items():
        yield from (f"{run}: {fault}" for fault in found)


def _benchmark(admitted: Admitted[Question]) -> Benchmark:
    return find_benchmark(benchmark_of(next(iter(admitted.stores.values())).identity.settings))


def _gaps(study: Study[Question]) -> Iterator[str]:
    """Yield what models did not run, and what lacks too much of what they did."""
    planned = study.planned.sum(axis=(2, 3))
    valid = (np.isfinite(study.correct) & study.planned).sum(axis=(2, 3))
    if lacking := _named_cells(study, planned == 0):
        yield f"Not run: {lacking}."
    if low := _named_cells(study, (planned > 0) & (valid < RANKED_FROM * planned)):
        yield f"Coverage below {RANKED_FROM * 100:.0f} % of the plan, so not ranked: {low}."


def _named_cells(study: Study[Question], cells: Mask) -> str:
    found = []
    for model, row in zip(study.models, cells, strict=True):
        names = [one for one, marked in zip(study.conditions, row.tolist(), strict=True) if marked]
        if names:
            told = ", ".join(names) if len(names) <= NAMED else f"{len(names)} conditions"
            found.append(f"{model} in {told}")
    return "; ".join(found)
