"""Everything that the tables and figures of a layered study are computed from."""

from dataclasses import dataclass

from lvqa_eval.judging.panel import Panel
from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.citations import CitationCounts
from lvqa_eval.metrics.groups import RELATIONAL
from lvqa_eval.metrics.study import Study
from lvqa_eval.reports.detectors.detected import Targets


@dataclass(frozen=True, eq=False)
class Rulings:
    """What a post-hoc judge found in every turn; arrays begin (models, conditions, questions, runs).

    Each is read by the function of its name in `metrics.attempts`; the last two have a last axis of attempts.
    """

    first_attempt: Floats
    first_correct_attempt: Floats
    attempt_characters: Floats
    attempt_verdicts: Floats


@dataclass(frozen=True, eq=False)
class Readings:
    """What conversations say of themselves; arrays are (models, conditions, questions, runs).

    - `evidence`: `ungrounded.evidence_turn`; `turns`: `attempts.turn_count`; `characters` and `multi_turn`:
      `verbosity.reply_characters` and `verbosity.is_multi_turn`.
    - `measures` (models, questions, runs, 8): `grounding.read_measures` of all-layers; `best_measures` the
      same against the best of the alternative sets.
    - `citations`: one a model.
    """

    evidence: Floats
    turns: Floats
    characters: Floats
    multi_turn: Floats
    measures: Floats
    best_measures: Floats
    citations: tuple[CitationCounts, ...]


@dataclass(frozen=True, eq=False)
class StudyInputs:
    """The runs of a report, joined.

    - `study`, `readings`: in the same order of models. `baselines` of the same models, None where a run has
      none of them. `rulings`, with `post_hoc` its judge's name, None without such a judge in every run.
    - `panel`: of the judges that judged every run, None for fewer than two.
    - `weights` (draws, scenes): the one set of draws for all statistics; made with `seed`.
    - `judge`: whose verdicts; `header`: what was measured on what by whom, label and text; `cautions`: what
      a reader has to know first.
    - `runs`: the run folders as commands name them. `relational`: the categories held relational.
    - `detections`: what detectors of wrong answers reached, None where nobody set any against the answers.
    """

    study: Study
    readings: Readings
    weights: Floats
    seed: int
    judge: str
    header: tuple[tuple[str, str], ...]
    runs: tuple[str, ...]
    cautions: tuple[str, ...] = ()
    baselines: Study | None = None
    rulings: Rulings | None = None
    post_hoc: str | None = None
    panel: Panel | None = None
    relational: tuple[str, ...] = RELATIONAL
    detections: Targets | None = None

    @property
    def draws(self) -> int:
        """The number of draws of the bootstrap."""
        return len(self.weights)
