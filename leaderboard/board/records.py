"""What the pages show: every figure computed once, as plain records."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from leaderboard.submissions.records import Badge, Openness
from lvqa_eval.metrics.figures import Figure

Shown = Literal["ranked", "not ranked", "reported"]


@dataclass(frozen=True)
class Entry:
    """One submission as it stands on the board, or one model's row in a paper.

    - `id`: that of the submission, empty for a reported row. `version`: counts a model's submissions from 1.
    - `parameters` in billions; `received` a date (ISO 8601); `harness` the version of LVQA that held the run.
    - `judges`: whose verdicts the figures are from, as they name themselves.
    - `prompt_tokens`, `completion_tokens`: of all conversations, None where a server gave none.
    - `coverage`: conversations that count, of those planned. `newest`: no later submission of the model.
    - `shown`: ranked, or in which section below; `reason` says why it is not ranked, empty otherwise.
    """

    id: str
    model: str
    badge: Badge | Literal["reported"]
    shown: Shown
    reason: str = ""
    revision: str | None = None
    version: int = 1
    newest: bool = True
    weights: Openness | None = None
    parameters: float | None = None
    received: str = ""
    harness: str = ""
    benchmark: str = ""
    dataset_version: str = ""
    judges: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    runs: int = 0
    conversations: int = 0
    coverage: float = 0.0
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    source: str = ""


@dataclass(frozen=True, eq=False)
class Row:
    """An entry with its figures; a figure that it lacks is not among them.

    `figures`: by the name of the column, see `columns.py`. `tier` counts from 1, None for one not ranked.
    """

    entry: Entry
    figures: Mapping[str, Figure]
    tier: int | None = None


@dataclass(frozen=True, eq=False)
class Matrix:
    """A table of figures by two kinds of names; `cells[row, column]`, without those that do not exist."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: Mapping[tuple[str, str], Figure]


@dataclass(frozen=True)
class Standing:
    """Which dataset a table is of; rows of another version never stand in it."""

    benchmark: str
    version: str
    manifest_sha256: str
    questions: int
    clusters: int
    conditions: tuple[str, ...]
    runs: int


@dataclass(frozen=True, eq=False)
class BenchmarkBoard:
    """Everything about one version of one benchmark.

    - `rows`: the newest submission of each model that are ranked, best first by `order`, then those that are
      not, then reported ones. `order` names the column that they are ranked by.
    - `history`: every submission, newest first.
    - `older`: the same of earlier versions of the dataset.
    - `judges`: whose verdicts the ranked rows rest on, as they name themselves.
    - `means`: the mean over the ranked models, by column; what one of them lacks is not there, and only what
      has kept its draws has an interval.
    - `counts`: the questions of a part of the dataset, by the column of its figures.
    - `scores`: the figure in `order` of every submission in `history` that has one, by its id.
    """

    standing: Standing
    order: str
    rows: tuple[Row, ...]
    history: tuple[Entry, ...] = ()
    older: tuple["BenchmarkBoard", ...] = ()
    judges: tuple[str, ...] = ()
    means: Mapping[str, Figure] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    scores: Mapping[str, Figure] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class DetectorRow:
    """One detector on one model's answers; `figures` by measure, `source` native or the name of a proxy."""

    model: str
    benchmark: str
    condition: str
    detector: str
    source: str
    reported: bool
    figures: Mapping[str, Figure]
    prevalence: float | None
    random_precision: float | None
    n: int
    unscored: int
    words: float | None


@dataclass(frozen=True, eq=False)
class JudgeBoard:
    """How judges rule: `crossed` has judges by assistants, `leniency` and `self_preference` by judge.

    `agreement`: between judges, and with people where an audit was done; by pair, with kappa beside.
    `benchmark`: whose runs they ruled on.
    """

    crossed: Matrix | None
    leniency: Mapping[str, Figure] = field(default_factory=dict)
    self_preference: Mapping[str, Figure] = field(default_factory=dict)
    agreement: tuple[tuple[str, str, Figure, float], ...] = ()
    benchmark: str = ""


@dataclass(frozen=True, eq=False)
class Board:
    """All that the pages show; `state` is a hash of everything it was computed from."""

    title: str
    layered: BenchmarkBoard | None
    bear: BenchmarkBoard | None
    detectors: tuple[DetectorRow, ...] = ()
    judges: JudgeBoard | None = None
    state: str = ""
