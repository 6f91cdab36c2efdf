"""The condition table: what each delivery costs, with everything that has to stand beside the figures."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lvqa_eval.benchmarks import LAYERED_VQA
from lvqa_eval.metrics.alignment import AlignmentContrast, alignment_contrast
from lvqa_eval.metrics.bootstrap import DRAWS, scene_weights
from lvqa_eval.metrics.depth import DepthResponse, depth_responses
from lvqa_eval.metrics.scores import score_baselines, score_run
from lvqa_eval.reports.conditions.cautions import cautions, disagreeing, unread
from lvqa_eval.reports.conditions.rows import ConditionRow, baseline_rows, condition_rows

if TYPE_CHECKING:
    from lvqa_eval.runs.store import RunStore

UNNAMED = "not named"
PROVISIONAL_JUDGES = {"exact-match": "provisional: exact text match, no judge model"}


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
        remark = PROVISIONAL_JUDGES.get(self.judge)
        return f"{self.judge} ({remark})" if remark else self.judge

    @property
    def header(self) -> tuple[tuple[str, str], ...]:
        """What was measured, on what and by what, as pairs of a label and its text."""
        scenes = "1 scene" if self.scenes == 1 else f"{self.scenes} scenes"
        user = self.identity.get("user", {}).get("name")
        return (
            ("Model", self.model),
            *([("User", f"{user}, in the conversations of several turns")] if user else []),
            ("Dataset", self.dataset),
            ("Judge", self.judge_label),
            ("Questions", f"{self.questions} in {scenes}"),
            ("Runs", f"{self.runs} of each question and condition"),
            ("Intervals", f"95 %, scene-cluster bootstrap, {self.draws:,} draws, seed {self.seed}"),
        )


def condition_table(store: "RunStore", judge: str, draws: int = DRAWS, seed: int = 0) -> ConditionTable:
    """Return the table of a run under one of its judges."""
    conversations, judgements = store.read_conversations(), store.read_judgements(judge)
    scores = score_run(store, conversations.records, judgements.records)
    settings = store.identity.settings
    weights = scene_weights(len(scores.scenes), draws, seed)
    beside = score_baselines(store, conversations.records, judgements.records)
    conditions = condition_rows(scores, weights, LAYERED_VQA.conditions)
    rows = (*conditions, *baseline_rows(beside, weights))
    contrast = alignment_contrast(scores, conversations.records, weights)
    return ConditionTable(
        model=_model(settings.get("model")),
        dataset=_dataset(settings.get("dataset")),
        judge=judge,
        questions=len(scores.questions),
        scenes=len(scores.scenes),
        runs=scores.correct.shape[2],
        draws=draws,
        seed=seed,
        rows=rows,
        contrast=contrast,
        cautions=(
            *cautions(scores, rows, contrast, PROVISIONAL_JUDGES.get(judge)),
            *unread([*conversations.problems, *judgements.problems]),
            *disagreeing([*conversations.conflicts, *judgements.conflicts]),
        ),
        identity={**settings, "judge": dict(store.judge_identity(judge).settings)},
        depths=depth_responses(scores, weights),
    )


def _model(setting: Any) -> str:
    if not isinstance(setting, Mapping):
        return str(setting) if setting else UNNAMED
    revision = setting.get("revision")
    return str(setting.get("name") or UNNAMED) + (f", revision {revision}" if revision else "")


def _dataset(setting: Any) -> str:
    if not isinstance(setting, Mapping):
        return str(setting) if setting else UNNAMED
    named = [str(setting[key]) for key in ("name", "version") if setting.get(key)]
    digest = setting.get("manifest_sha256")
    return " ".join(named) + (f", manifest sha256:{digest[:16]}" if digest else "") or UNNAMED
