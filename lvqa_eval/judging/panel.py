"""The votes of a panel of judges on the conversations of runs, read from what each judge has kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from lvqa_eval.judging.panel_members import Chosen, PanelError
from lvqa_eval.metrics.votes import NO_VOTE, Votes, encode
from lvqa_eval.reports.header import dataset_label
from lvqa_eval.runs.reading import read_keyed
from lvqa_eval.runs.records import Key
from lvqa_eval.runs.store import JUDGEMENTS, RunStore
from lvqa_eval.statuses import EXCLUDED, JudgeStatus, Status


class Vote(msgspec.Struct, frozen=True, gc=False):
    """The part of a judgement that votes; the rest of the line is not looked at."""

    condition: str
    question_id: str
    run: int
    status: JudgeStatus
    final_turn_correct: bool | None

    @property
    def key(self) -> Key:
        """The name of the conversation that was judged."""
        return Key(self.condition, self.question_id, self.run)


@dataclass(frozen=True)
class Panel:
    """What judges said of the conversations of runs; items are those of all runs, one after the other.

    - `judges`, `assistants`: their names; `own` (assistants,): the judge that is the same model, -1 for none.
    - `votes`, `statuses` (judges, items): verdicts; indices into `JudgeStatus`, -1 where there is no record.
    - `keys` (items,); `assistant_of`, `scene_of` (items,): indices. Each run is an assistant of its own.
    - `failed` (items,): the model failed; wrong without a judge. `baseline` (items,): part of no condition.
    - `size`: the number of judges of which more than half must have voted.
    """

    judges: tuple[str, ...]
    assistants: tuple[str, ...]
    own: NDArray[np.intp]
    votes: Votes
    statuses: NDArray[np.int8]
    keys: tuple[Key, ...]
    assistant_of: NDArray[np.intp]
    scene_of: NDArray[np.intp]
    scenes: int
    failed: NDArray[np.bool_]
    baseline: NDArray[np.bool_]
    size: int

    def only(self, items: NDArray[np.bool_]) -> Self:
        """Return the panel on some of its items."""
        arrays = ("assistant_of", "scene_of", "failed", "baseline")
        return replace(
            self,
            votes=self.votes[:, items],
            statuses=self.statuses[:, items],
            keys=tuple(key for key, kept in zip(self.keys, items.tolist(), strict=True) if kept),
            **{name: getattr(self, name)[items] for name in arrays},
        )

    @property
    def asked(self) -> Self:
        """The panel on the items that judges were asked about, baselines left out."""
        return self.only(~self.failed & ~self.baseline)

    @property
    def counted(self) -> Self:
        """The panel on the items that make accuracies: those asked about, and those that the model failed."""
        return self.only(~self.baseline)


STATUSES = tuple(JudgeStatus)


def check_comparable(stores: Sequence[RunStore]) -> None:
    """Raise PanelError where runs are of different datasets, versions or builds, naming each."""
    found = {store.folder: dataset_of(store) for store in stores}
    if len(set(found.values())) > 1:
        lines = "\n".join(f"  {folder}: {dataset}" for folder, dataset in found.items())
        raise PanelError(f"runs: found different datasets, allowed: one version of one:\n{lines}")


def read_panel(stores: Sequence[RunStore], chosen: Chosen, size: int | None = None) -> Panel:
    """Return what the judges said of every conversation that can be judged; `size` as of `Panel`.

    Raises PanelError for a size below the number of judges.
    """
    panel = len(chosen.final) if size is None else size
    if panel < len(chosen.final):
        raise PanelError(
            f"--panel: found {panel}, allowed: at least {len(chosen.final)}, the judges that voted"
        )
    parts = [_of_run(store, chosen.final) for store in stores]
    keys = tuple(key for part in parts for key in part.keys)
    scenes = sorted({scene for part in parts for scene in part.scenes})
    index = {scene: place for place, scene in enumerate(scenes)}
    models = [assistant_model(store) for store in stores]
    judge_of = {model: place for place, model in enumerate(chosen.models)}
    return Panel(
        judges=chosen.final,
        assistants=assistant_names(stores),
        own=np.array([judge_of.get(model, -1) for model in models], dtype=np.intp),
        votes=np.concatenate([part.votes for part in parts], axis=1),
        statuses=np.concatenate([part.statuses for part in parts], axis=1),
        keys=keys,
        assistant_of=np.repeat(np.arange(len(parts)), [len(part.keys) for part in parts]),
        scene_of=np.array([index[scene] for part in parts for scene in part.scenes], dtype=np.intp),
        scenes=len(scenes),
        failed=np.concatenate([part.failed for part in parts]),
        baseline=np.concatenate([part.baseline for part in parts]),
        size=panel,
    )


def votes_of(stores: Sequence[RunStore], panel: Panel, judge: str) -> Votes:
    """Return the votes (items,) of any judge on the items of a panel that was read from `stores`."""
    found = [read_votes(store, judge) for store in stores]
    verdicts = (found[run].get(key) for key, run in zip(panel.keys, panel.assistant_of.tolist(), strict=True))
    return encode(
        None if one is None or one.status is not JudgeStatus.OK else one.final_turn_correct
        for one in verdicts
    )


def read_votes(store: RunStore, judge: str) -> dict[Key, Vote]:
    """Return the votes of one judge on one run."""
    path = store.folder / JUDGEMENTS / f"{judge}.jsonl"
    return read_keyed(path, Vote, lambda record: record.status is JudgeStatus.OK).records


def assistant_model(store: RunStore) -> str:
    """Return the name of the model that a run is of; the folder's where it has none."""
    model = store.identity.settings.get("model")
    return str(model.get("name") if isinstance(model, Mapping) else model or store.folder.name)


def assistant_names(stores: Sequence[RunStore]) -> tuple[str, ...]:
    """Return the names of the assistants: their models', with the run's where a model has several.

    Runs of one model whose folders have one name are told apart by their paths.
    """
    models = [assistant_model(store) for store in stores]
    named = [f"{model} ({store.folder.name})" for store, model in zip(stores, models, strict=True)]
    return tuple(
        model
        if models.count(model) == 1
        else (name if named.count(name) == 1 else f"{model} ({store.folder})")
        for store, model, name in zip(stores, models, named, strict=True)
    )


@dataclass(frozen=True)
class _Part:
    """The panel's share of one run."""

    keys: list[Key]
    scenes: list[str]
    votes: Votes
    statuses: NDArray[np.int8]
    failed: NDArray[np.bool_]
    baseline: NDArray[np.bool_]


def _of_run(store: RunStore, judges: Sequence[str]) -> _Part:
    questions = store.questions()
    held = store.read_conversation_statuses().records
    keys = [key for key, one in held.items() if one.status not in EXCLUDED and key.question_id in questions]
    failed = np.array([held[key].status is not Status.OK for key in keys], dtype=np.bool_)
    beside = store.identity.settings.get("baselines", ())
    votes = np.full((len(judges), len(keys)), NO_VOTE, dtype=np.int8)
    statuses = np.full((len(judges), len(keys)), -1, dtype=np.int8)
    for row, judge in enumerate(judges):
        found = read_votes(store, judge)
        for column, key in enumerate(keys):
            if (vote := found.get(key)) is None:
                continue
            statuses[row, column] = STATUSES.index(vote.status)
            if vote.status is JudgeStatus.OK and vote.final_turn_correct is not None:
                votes[row, column] = vote.final_turn_correct
    votes[:, failed] = 0  # by the rule, also where a judge has not got to it
    return _Part(
        keys,
        [questions[key.question_id].cluster for key in keys],
        votes,
        statuses,
        failed,
        np.array([key.condition in beside for key in keys], dtype=np.bool_),
    )


def dataset_of(store: RunStore) -> str:
    """Return the dataset of a run with its version and build."""
    return dataset_label(store.identity.settings.get("dataset"))
