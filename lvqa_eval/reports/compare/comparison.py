"""The comparison of two runs: every paired row, what flipped, and what a reader must know."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lvqa_eval.benchmarks import Benchmark, find_benchmark
from lvqa_eval.metrics.accuracy import RANKED_FROM
from lvqa_eval.metrics.bootstrap import DRAWS, scene_weights
from lvqa_eval.reports.cautions import few_scenes, provisional
from lvqa_eval.reports.compare.admission import (
    SHAPES_REPLIES,
    check_sides,
    check_stores,
    choose_common_judge,
    other_changes,
)
from lvqa_eval.reports.compare.flips import Flip, flips
from lvqa_eval.reports.compare.pairing import Cells, PairedRow, Pairing, paired_rows, parts
from lvqa_eval.reports.compare.sides import Side, read_side
from lvqa_eval.reports.deliveries import DELIVERIES, FURTHER
from lvqa_eval.reports.header import intervals_line, judge_label, questions_line
from lvqa_eval.runs.changes import SettingChange
from lvqa_eval.runs.overview import named
from lvqa_eval.runs.questions import benchmark_of
from lvqa_eval.runs.records import Question
from lvqa_eval.runs.store import RunStore

PAIRED_BY = {
    "conversations": "by question and run, over the conversations that count in both",
    "questions": (
        "by question: the mean over its runs that count in A with that in B, each question once, since the "
        "numbers of runs differ"
    ),
}


@dataclass(frozen=True)
class Comparison:
    """Two runs under one judge, B less A.

    `names` are the conditions and, behind them, the baselines that both have; `rows` holds every part, those
    of a condition within a category included; `flips` the largest first. `settings` are all in which the runs
    differ, `left_out` what only one of them has, `cautions` what a reader must know first.
    """

    a: Side
    b: Side
    judge: str
    names: tuple[str, ...]
    questions: tuple[Question, ...]
    scenes: int
    draws: int
    seed: int
    pairing: Pairing
    rows: tuple[PairedRow, ...]
    flips: tuple[Flip, ...]
    settings: tuple[SettingChange, ...]
    left_out: tuple[str, ...]
    cautions: tuple[str, ...]

    @property
    def shown(self) -> tuple[PairedRow, ...]:
        """The rows of a table to read: all but those of a condition within a category."""
        return tuple(row for row in self.rows if row.part.kind != "condition and category")

    @property
    def benchmark(self) -> Benchmark:
        """The benchmark that both are of."""
        return _benchmark(self.a)

    @property
    def judge_label(self) -> str:
        """The judge's name, with what makes its verdicts provisional where something does."""
        return judge_label(self.judge)

    @property
    def header(self) -> tuple[tuple[str, str], ...]:
        """What was compared, on what and by what, as pairs of a label and its text."""
        return (
            *((side.letter, f"{side.folder}: {side.model}, {_runs(side)}") for side in (self.a, self.b)),
            ("Dataset", named(self.a.settings.get("dataset"), "name", "version") or "not named"),
            ("Judge", self.judge_label),
            questions_line(len(self.questions), self.scenes, self.benchmark.cluster),
            *(("Left out", line) for line in self.left_out),
            ("Paired", PAIRED_BY[self.pairing]),
            intervals_line(self.draws, self.seed, self.benchmark.cluster),
        )

    def flipped(self, row: PairedRow) -> tuple[int, int]:
        """Return how many questions of a row flipped to right and to wrong, over its conditions."""
        names = {self.names[place] for place in row.part.conditions}
        gained = [
            flip.gained
            for flip in self.flips
            if flip.condition in names and row.part.category in ("", flip.question.category)
        ]
        return sum(gained), len(gained) - sum(gained)


def compare_runs(
    a: RunStore,
    b: RunStore,
    judge: str | None = None,
    *,
    common: bool = False,
    draws: int = DRAWS,
    seed: int = 0,
) -> Comparison:
    """Compare two runs under `judge`, by default the one that both would be reported by.

    With `common`, questions that only one run has are left out. Raises CompareError, naming every
    difference, where dataset, judge or questions are not the same, NoJudgementError without a common judge.
    """
    chosen = choose_common_judge(a, b, judge)
    served = check_stores(a, b, chosen)
    sides = read_side("A", a, chosen), read_side("B", b, chosen)
    ids = check_sides(*sides, common)
    conditions, baselines = _shared(*sides)
    names = (*conditions, *baselines)
    asked = {question.question_id: question for question in sides[0].questions}
    questions = tuple(asked[question_id] for question_id in ids)
    clusters, scene_of = np.unique([one.cluster for one in questions], return_inverse=True)
    a_cells, b_cells = (side.cells(names, ids) for side in sides)
    cells = Cells(a_cells, b_cells, scene_of, len(clusters))
    families = {name: DELIVERIES.get(name, FURTHER).family for name in conditions}
    compared = parts(conditions, baselines, families, [question.category for question in questions])
    rows = tuple(paired_rows(cells, compared, scene_weights(cells.scenes, draws, seed)))
    settings = (*other_changes(*sides), *served)
    return Comparison(
        *sides,
        judge=chosen,
        names=names,
        questions=questions,
        scenes=cells.scenes,
        draws=draws,
        seed=seed,
        pairing=cells.pairing,
        rows=rows,
        flips=flips(*sides, names, questions),
        settings=settings,
        left_out=tuple(_left_out(*sides, len(ids))),
        cautions=tuple(_cautions(*sides, chosen, rows, cells.scenes, settings)),
    )


def _shared(a: Side, b: Side) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the conditions that both have, the published ones in their order first, and the baselines."""
    published = _benchmark(a).conditions
    order = [*published, *(name for name in a.conditions if name not in published)]
    conditions = tuple(name for name in order if name in a.conditions and name in b.conditions)
    return conditions, tuple(name for name in a.baselines if name in b.baselines)


def _left_out(a: Side, b: Side, compared: int) -> Iterator[str]:
    for side, other in ((a, b), (b, a)):
        alone = [name for name in side.names if name not in other.names]
        if alone:
            yield f"what only {side.letter} has: {', '.join(alone)}"
        questions = len(side.questions) - compared
        if questions:
            yield f"questions that only {side.letter} has: {questions} of {len(side.questions)}"


def _cautions(
    a: Side,
    b: Side,
    judge: str,
    rows: Sequence[PairedRow],
    scenes: int,
    settings: Sequence[SettingChange],
) -> Iterator[str]:
    """Yield one sentence for each thing that limits the figures, the gravest first."""
    yield from provisional(judge)
    shaping = [change.path for change in settings if change.path.split(".")[0] in SHAPES_REPLIES]
    if shaping:
        yield f"More than the model shapes the replies differently: {', '.join(shaping)}. See the settings."
    own = [row for row in rows if row.part.kind in ("condition", "baseline")]
    for side, coverages in ((a, [row.coverage_a for row in own]), (b, [row.coverage_b for row in own])):
        low = [
            row.part.name
            for row, coverage in zip(own, coverages, strict=True)
            if coverage.valid < RANKED_FROM * coverage.planned
        ]
        if low:
            yield f"{side.letter}: coverage below {RANKED_FROM * 100:.0f} % of the plan: {', '.join(low)}."
    yield from few_scenes(scenes, _benchmark(a).cluster)
    if 1 in (a.runs, b.runs):
        yield "One run: what flipped may have flipped by chance; two runs of one model differ as well."
    yield from (*a.faults, *b.faults)


def _benchmark(side: Side) -> Benchmark:
    return find_benchmark(benchmark_of(side.settings))


def _runs(side: Side) -> str:
    return "1 run" if side.runs == 1 else f"{side.runs} runs"
