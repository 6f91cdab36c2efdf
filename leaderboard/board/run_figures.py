"""All that a board shows of one run, from the run's folder: computed once, then kept in `figures/`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from leaderboard.board.layered_figures import DELIVERED, layered_figures, read_layered
from leaderboard.board.measured import Measured, coverages
from leaderboard.board.page_figures import OVERALL, page_figures
from leaderboard.board.verdicts import Verdicts, board_verdicts
from leaderboard.submissions.derive import EXACT_MATCH, Uploaded, uploaded_verdicts
from lvqa_eval.judging.panel import read_panel
from lvqa_eval.judging.panel_members import choose_judges
from lvqa_eval.judging.panel_records import CONSENSUS
from lvqa_eval.metrics.bootstrap import DRAWS, Floats
from lvqa_eval.metrics.figures import Figure
from lvqa_eval.metrics.scores import Scores, score_conditions
from lvqa_eval.metrics.study import Study
from lvqa_eval.reports.study.scored import ScoredRun, read_scored
from lvqa_eval.runs.plan import read_plan
from lvqa_eval.runs.questions import benchmark_of
from lvqa_eval.runs.records import ConversationRecord, JudgementRecord, Key, PageRecord, QuestionRecord
from lvqa_eval.runs.store import RunStore
from lvqa_eval.statuses import EXCLUDED

SEED: Final = 0
"""Of the bootstrap: with it runs over the same questions share each draw."""

RANKING: Final = {"layered-vqa": DELIVERED, "bear-bench": OVERALL}
"""The column that models are ranked by, by benchmark."""

NO_VERDICT: Final = -1

Asked = TypeVar("Asked", QuestionRecord, PageRecord)
Rulings = Mapping[Key, JudgementRecord]
Measure = Callable[[Scores[Asked], Rulings | None, bool], Measured]
"""From scores, and the rulings turn by turn, to figures; the last says whether readings are wanted."""


@dataclass(frozen=True, eq=False)
class SelfJudged:
    """The figures of a run by the verdicts that came with its upload, of the judges in `names`."""

    names: tuple[str, ...]
    coverage: float
    figures: Mapping[str, Figure]


@dataclass(frozen=True, eq=False)
class RunFigures:
    """What a board shows of a run.

    - `verdicts`: whose, None where nobody has judged it; there are no figures then.
    - `questions`, `clusters`: how many it was asked; `counts`: of parts of the dataset, by column.
    - `coverage` of each condition. Tokens as of `Entry`.
    - `columns`: those whose draws are in `drawn` (columns, draws), the ranking column first if it is there.
    - `correct` (conditions, questions, runs): 1, 0, or -1 for what does not count; `outcome` as of `Scores`.
      Questions are sorted by id.
    - `votes` (judges, items): of the panel's members on what judges were asked about, -1 for none;
      `vote_clusters` (items,): indices into the sorted clusters. Empty without a panel of two.
    """

    verdicts: Verdicts | None
    questions: int
    clusters: int
    figures: Mapping[str, Figure]
    counts: Mapping[str, int]
    coverage: Mapping[str, float]
    prompt_tokens: int | None
    completion_tokens: int | None
    self_judged: SelfJudged | None
    columns: tuple[str, ...]
    drawn: NDArray[np.float32]
    correct: NDArray[np.int8]
    outcome: NDArray[np.int8]
    votes: NDArray[np.int8]
    vote_clusters: NDArray[np.int32]

    def draws_of(self, column: str) -> NDArray[np.float32] | None:
        """Return the draws of a column, (draws,); None where they were not kept."""
        return self.drawn[self.columns.index(column)] if column in self.columns else None

    def only(self, column: str) -> "RunFigures":
        """Return the same with the draws of one column alone, so that many can be held at once."""
        held = [self.columns.index(column)] if column in self.columns else []
        # Of what is cut out a copy, or the whole would be held.
        return replace(self, columns=(column,) if held else (), drawn=self.drawn[held].copy())


def compute_figures(store: RunStore, panel: Sequence[str], needed: Sequence[str]) -> RunFigures:
    """Return the figures of a run on a board with this panel; `needed` are the conditions of a full run.

    Everything is drawn with `SEED` over the clusters of the run's own questions, so that full runs of one
    dataset share each draw, whoever has judged them.
    """
    verdicts = board_verdicts(store, panel)
    benchmark = benchmark_of(store.identity.settings)
    if benchmark == "bear-bench":
        return _figures(store, verdicts, PageRecord, _page_measure, needed)
    return _figures(store, verdicts, QuestionRecord, _layered_measure, needed)


def _figures(
    store: RunStore,
    verdicts: Verdicts | None,
    kind: type[Asked],
    measure_of: Callable[[Mapping[Key, ConversationRecord], Sequence[str]], Measure[Asked]],
    needed: Sequence[str],
) -> RunFigures:
    run = read_scored(store, EXACT_MATCH if verdicts is None else verdicts.judge, kind)
    plan = read_plan(store.identity.settings, store.questions())
    held = {key: one for key, one in run.conversations.items() if plan.fault(key) is None}
    measure = measure_of(held, needed)
    rulings = _rulings(store, verdicts, run)
    measured = Measured() if verdicts is None else measure(run.scores, rulings, True)
    prompt, completion = _tokens(run.scores.conditions, held)
    ranking = RANKING[benchmark_of(store.identity.settings)]
    columns = tuple(sorted(measured.drawn, key=lambda name: name != ranking))
    votes, clusters = _votes(store, verdicts)
    correct = np.where(np.isfinite(run.scores.correct), run.scores.correct, NO_VERDICT)
    return RunFigures(
        verdicts=verdicts,
        questions=len(run.scores.questions),
        clusters=len(run.scores.scenes),
        figures=measured.figures,
        counts=measured.counts,
        coverage=coverages(Study.join({"run": run.scores})),
        prompt_tokens=prompt,
        completion_tokens=completion,
        self_judged=_self_judged(store, held, kind, measure),
        columns=columns,
        drawn=_stacked([measured.drawn[name] for name in columns]),
        correct=correct.astype(np.int8),
        outcome=run.scores.outcome,
        votes=votes,
        vote_clusters=clusters,
    )


def _layered_measure(
    conversations: Mapping[Key, ConversationRecord], needed: Sequence[str]
) -> Measure[QuestionRecord]:
    def measure(scores: Scores, rulings: Rulings | None, whole: bool) -> Measured:
        study = Study.join({"run": scores})
        readings = read_layered(study, conversations, rulings) if whole else None
        return layered_figures(study, readings, study.weights(DRAWS, SEED), needed)

    return measure


def _page_measure(conversations: Mapping[Key, ConversationRecord], _: Sequence[str]) -> Measure[PageRecord]:
    def measure(scores: Scores[PageRecord], _: Rulings | None, whole: bool) -> Measured:
        study = Study.join({"run": scores})
        return page_figures(study, conversations if whole else None, study.weights(DRAWS, SEED))

    return measure


def _rulings(store: RunStore, verdicts: Verdicts | None, run: ScoredRun[Asked]) -> Rulings | None:
    """Return the rulings turn by turn, None where there are none."""
    if verdicts is None or verdicts.post_hoc is None:
        return None
    if verdicts.post_hoc == verdicts.judge:
        return run.judgements
    return store.read_judgements(verdicts.post_hoc).records


def _self_judged(
    store: RunStore,
    conversations: Mapping[Key, ConversationRecord],
    kind: type[Asked],
    measure: Measure[Asked],
) -> SelfJudged | None:
    """Return the figures by uploaded verdicts: a consensus among them, or those of the only model."""
    uploaded = {one.judge: one for one in uploaded_verdicts(store.folder) if one.judge != EXACT_MATCH}
    found: Uploaded | None = uploaded.get(CONSENSUS)
    if found is None and len(uploaded) == 1:
        found = next(iter(uploaded.values()))
    if found is None:
        return None
    scores = score_conditions(store, conversations, found.judgements, kind)
    measured = measure(scores, None, False)
    coverage = measured.figures["coverage"].value
    return SelfJudged((found.judge,), coverage, measured.figures)


def _tokens(
    conditions: Sequence[str], conversations: Mapping[Key, ConversationRecord]
) -> tuple[int | None, int | None]:
    """Return the tokens of prompts and of replies; None where the server left one out of what it answered."""

    def counted() -> Iterator[tuple[int | None, int | None]]:
        for key, conversation in conversations.items():
            for turn in conversation.turns if key.condition in conditions else ():
                if turn.status not in EXCLUDED:
                    yield turn.prompt_tokens, turn.completion_tokens

    pairs = list(counted())
    sums = []
    for side in range(2):
        known = [pair[side] for pair in pairs]
        sums.append(None if not known or None in known else sum(one for one in known if one is not None))
    return sums[0], sums[1]


def _votes(store: RunStore, verdicts: Verdicts | None) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
    """Return what each member of the panel says, and of which clusters the conversations are."""
    if verdicts is None or len(verdicts.members) < 2:
        return np.zeros((0, 0), dtype=np.int8), np.zeros(0, dtype=np.int32)
    asked = read_panel([store], choose_judges([store], verdicts.members)).asked
    questions = store.questions()
    places = {name: place for place, name in enumerate(sorted({one.cluster for one in questions.values()}))}
    cluster_of = [places[questions[key.question_id].cluster] for key in asked.keys]
    return asked.votes, np.array(cluster_of, dtype=np.int32)


def _stacked(rows: Sequence[Floats]) -> NDArray[np.float32]:
    return np.stack(rows).astype(np.float32) if rows else np.zeros((0, DRAWS), dtype=np.float32)
