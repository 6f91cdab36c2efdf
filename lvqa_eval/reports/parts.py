"""From run folders to a report: the runs of each benchmark joined, and each of its exhibits made."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Final, Protocol, TypeVar

from lvqa_eval.errors import LvqaError
from lvqa_eval.metrics.study import Study
from lvqa_eval.progress import progress
from lvqa_eval.reports.conditions.table import ConditionTable, condition_table
from lvqa_eval.reports.detectors.detected import Targets
from lvqa_eval.reports.exhibit import Exhibit, Paper
from lvqa_eval.reports.field import field_rows
from lvqa_eval.reports.report import Choices, Part, Report
from lvqa_eval.reports.sources import Source, short_names, source
from lvqa_eval.reports.study.inputs import StudyInputs
from lvqa_eval.runs.questions import benchmark_of
from lvqa_eval.runs.store import RunStore


class ReportError(LvqaError, ValueError):
    """Runs of a benchmark that has no report."""


class JoinedRuns(Protocol):
    """What the inputs of both benchmarks' exhibits have; see `StudyInputs`."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def study(self) -> Study[Any]:
        """What the models made of the questions."""

    @property
    def judge(self) -> str:
        """Whose verdicts."""

    @property
    def header(self) -> tuple[tuple[str, str], ...]:
        """What was measured on what by whom."""

    @property
    def cautions(self) -> tuple[str, ...]:
        """What a reader has to know first."""

    @property
    def runs(self) -> tuple[str, ...]:
        """The run folders as commands name them."""

    @property
    def seed(self) -> int:
        """The seed of the bootstrap."""

    @property
    def draws(self) -> int:
        """The number of its draws."""

    @property
    def detections(self) -> Targets | None:
        """What detectors of wrong answers reached."""


Inputs = TypeVar("Inputs", bound=JoinedRuns)


def make_report(folders: Sequence[Path], choices: Choices) -> Report:
    """Return the report of the runs in `folders`, those of each benchmark by themselves.

    Raises what reading runs raises, and ReportError for runs of a benchmark without a report.
    """
    groups: dict[str, list[Path]] = {}
    for folder in folders:
        groups.setdefault(benchmark_of(RunStore.open(folder).identity.settings), []).append(folder)
    if strange := sorted(groups.keys() - PARTS.keys()):
        named = ", ".join(f"{one} in {groups[one][0]}" for one in strange)
        raise ReportError(f"benchmark: found {named}, allowed: {', '.join(PARTS)}")
    return Report(tuple(make(groups[one], choices) for one, make in PARTS.items() if one in groups), choices)


def layered_part(folders: Sequence[Path], choices: Choices) -> Part:
    """Return what a report has of runs of Layered-VQA."""
    from lvqa_eval.reports.detectors.all_exhibits import detector_exhibits
    from lvqa_eval.reports.layered.all_exhibits import EXHIBITS
    from lvqa_eval.reports.study.join import study_inputs

    inputs = study_inputs(
        folders, choices.judge, choices.post_hoc, choices.draws, choices.seed, choices.relational
    )
    beside = inputs.panel.judges if inputs.panel else ()
    makers = (*EXHIBITS, *detector_exhibits(inputs, "layered-vqa"))
    part = replace(_part("layered-vqa", inputs, makers, inputs.post_hoc, beside), field=field_rows(inputs))
    if len(inputs.runs) > 1:
        return part
    table = _condition_table(Path(inputs.runs[0]), inputs)
    return replace(
        part, conditions=table, cautions=_cautions_of_one(table, part.cautions, part.sources[0].run)
    )


def page_part(folders: Sequence[Path], choices: Choices) -> Part:
    """Return what a report has of runs of BEAR-Bench."""
    from lvqa_eval.reports.bear import overview
    from lvqa_eval.reports.bear.all_exhibits import EXHIBITS
    from lvqa_eval.reports.bear.join import page_inputs
    from lvqa_eval.reports.bear.ocr_counts import characters_by_benchmark, read_ocr_counts
    from lvqa_eval.reports.detectors.all_exhibits import detector_exhibits

    ocr = None if choices.ocr is None else characters_by_benchmark(read_ocr_counts(choices.ocr))
    inputs = page_inputs(folders, choices.judge, choices.draws, choices.seed, ocr)
    detectors = detector_exhibits(inputs, "bear-bench")
    part = _part("bear-bench", inputs, (overview.exhibit, *EXHIBITS, *detectors))
    return replace(part, opening=part.exhibits[0].tables)


PARTS: Final[dict[Paper, Callable[[Sequence[Path], Choices], Part]]] = {
    "layered-vqa": layered_part,
    "bear-bench": page_part,
}
"""What a report has of the runs of each benchmark, by its name in `run.yaml`."""


def _part(
    paper: Paper,
    inputs: Inputs,
    makers: Sequence[Callable[[Inputs], Exhibit]],
    post_hoc: str | None = None,
    beside: Sequence[str] = (),
) -> Part:
    """Return what all parts have; `beside` are further judges whose verdicts are in some exhibit."""
    places = [Path(run) for run in inputs.runs]
    names = short_names(places)
    exhibits, lacking = _exhibits(makers, replace(inputs, runs=names), inputs)
    judges = [inputs.judge, *([post_hoc] if post_hoc else []), *beside]
    return Part(
        paper=paper,
        sources=_sources(places, names, inputs.study.models, judges),
        judge=inputs.judge,
        post_hoc=post_hoc,
        header=inputs.header,
        cautions=_without_places(inputs.cautions, inputs.runs, names),
        exhibits=exhibits,
        lacking=lacking,
    )


def _exhibits(
    makers: Sequence[Callable[[Inputs], Exhibit]], named: Inputs, inputs: Inputs
) -> tuple[tuple[Exhibit, ...], tuple[tuple[str, str], ...]]:
    """Return every exhibit, its runs named as a page names them, and what some lack, named as in `inputs`."""
    exhibits, lacking = [], []
    with progress("computing", len(makers)) as advance:
        for make in makers:
            exhibits.append(made := make(named))
            if made.missing is not None:
                lacking.append((made.heading, make(inputs).missing or ""))
            advance(made.label or made.title)
    return tuple(exhibits), tuple(lacking)


def _sources(
    places: Sequence[Path], names: Sequence[str], models: Sequence[str], judges: Sequence[str]
) -> tuple[Source, ...]:
    named = zip(places, names, models, strict=True)
    return tuple(source(RunStore.open(place), name, model, judges) for place, name, model in named)


def _condition_table(place: Path, inputs: StudyInputs) -> ConditionTable:
    return condition_table(RunStore.open(place), inputs.judge, inputs.draws, inputs.seed)


def _without_places(cautions: Sequence[str], runs: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """Name runs that were given by absolute paths by their folders: a page is for others too."""
    for place, name in zip(runs, names, strict=True):
        if Path(place).is_absolute():
            cautions = [one.replace(place, name) for one in cautions]
    return tuple(cautions)


def _cautions_of_one(table: ConditionTable, cautions: Sequence[str], name: str) -> tuple[str, ...]:
    """Return what to know of a single run: in the words of its table, and what these leave out."""
    subjects = {one.partition(":")[0] for one in table.cautions}
    further = (one.removeprefix(f"{name}: ") for one in cautions)
    return (*table.cautions, *(one for one in further if one.partition(":")[0] not in subjects))
