"""The condition table: what each delivery costs, with everything that has to stand beside the figures."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lvqa_eval.benchmarks import LAYERED_VQA
from lvqa_eval.metrics.alignment import AlignmentContrast, alignment_contrast
from lvqa_eval.metrics.bootstrap import DRAWS, scene_weights
from lvqa_eval.metrics.depth import DepthResponse, depth_responses
from lvqa_eval.reports.conditions.cautions import cautions
from lvqa_eval.reports.conditions.rows import ConditionRow, baseline_rows, condition_rows
from lvqa_eval.reports.header import (
    UNNAMED,
    dataset_label,
    intervals_line,
    judge_label,
    questions_line,
    user_line,
)
from lvqa_eval.reports.study.scored import read_scored
from lvqa_eval.runs.records import QuestionRecord

if TYPE_CHECKING:
    from lvqa_eval.runs.store import RunStore


@dataclass(frozen=True)
class ConditionTable:
    """A run under one judge: the sixteen conditions in the paper's order, any others run, then baselines.

    Only what makes the figures is in it, so the same records give the same table at any time and place.
    `identity` is that of the run, with the judge's settings under `judge`. `depths` is empty but for
    dose-response scenes.
    """

    model: str
    dataset: str
    judge: str
    questions: int
    scenes: int
    runs: int
    draws: int
    seed: int
    rows: tuple[ConditionRow, ...]
    contrast: AlignmentContrast | None
    cautions: tuple[str, ...]
    identity: Mapping[str, Any]
    depths: tuple[DepthResponse, ...] = ()

    @property
    def judge_label(self) -> str:
        """The judge's name, with what makes its verdicts provisional where something does."""
        return judge_label(self.judge)

    @property
    def header(self) -> tuple[tuple[str, str], ...]:
        """What was measured, on what and by what, as pairs of a label and its text."""
        return (
            ("Model", self.model),
            *user_line(self.identity),
            ("Dataset", self.dataset),
            ("Judge", self.judge_label),
            questions_line(self.questions, self.scenes),
            ("Runs", f"{self.runs} of each question and condition"),
            intervals_line(self.draws, self.seed),
        )


def condition_table(store: "RunStore", judge: str, draws: int = DRAWS, seed: int = 0) -> ConditionTable:
    """Return the table of a run under one of its judges."""
    run = read_scored(store, judge, QuestionRecord)
    scores, settings = run.scores, store.identity.settings
    weights = scene_weights(len(scores.scenes), draws, seed)
    conditions = condition_rows(scores, weights, LAYERED_VQA.conditions)
    rows = (*conditions, *baseline_rows(run.baselines, weights))
    contrast = alignment_contrast(scores, run.conversations, weights)
    return ConditionTable(
        model=_model(settings.get("model")),
        dataset=dataset_label(settings.get("dataset")),
        judge=judge,
        questions=len(scores.questions),
        scenes=len(scores.scenes),
        runs=scores.correct.shape[2],
        draws=draws,
        seed=seed,
        rows=rows,
        contrast=contrast,
        cautions=(*cautions(scores, rows, contrast, judge), *run.faults),
        identity={**settings, "judge": dict(store.judge_identity(judge).settings)},
        depths=depth_responses(scores, weights),
    )


def _model(setting: Any) -> str:
    if not isinstance(setting, Mapping):
        return str(setting) if setting else UNNAMED
    revision = setting.get("revision")
    return str(setting.get("name") or UNNAMED) + (f", revision {revision}" if revision else "")
