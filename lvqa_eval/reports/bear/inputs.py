"""Everything that the tables and figures of a study of pages are computed from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lvqa_eval.metrics.bear.error_types import ErrorTags
from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.study import Study
from lvqa_eval.reports.detectors.detected import Targets
from lvqa_eval.runs.records import PageRecord


@dataclass(frozen=True, eq=False)
class PageReadings:
    """What conversations say of themselves; arrays are (models, conditions, questions, runs).

    Each is read by the function of its name in `metrics.bear.answer_length`. That an answer was cut off is an
    outcome of the study.
    """

    answer_words: Floats
    words_with_thinking: Floats


@dataclass(frozen=True, eq=False)
class PageInputs:
    """The runs of a report over pages, joined: one model a row.

    - `study`, `readings`: in the same order of models.
    - `weights` (draws, documents): the one set of draws for all statistics; made with `seed`.
    - `judge`: whose verdicts; `header`: what was measured on what by whom, label and text; `cautions`: what
      a reader has to know first.
    - `runs`: the run folders as commands name them.
    - `baselines`: of the same models, None where a run has none of them.
    - `tags`: the types of wrong answers by model, None where nobody tagged any.
    - `ocr`: the OCR characters of each image, white space left out, by benchmark; None where none but these
      pages were counted.
    - `detections`: what detectors of wrong answers reached, None where nobody set any against the answers.
    """

    study: Study[PageRecord]
    readings: PageReadings
    weights: Floats
    seed: int
    judge: str
    header: tuple[tuple[str, str], ...]
    runs: tuple[str, ...]
    cautions: tuple[str, ...] = ()
    baselines: Study[PageRecord] | None = None
    tags: ErrorTags | None = None
    ocr: Mapping[str, Sequence[int]] | None = None
    detections: Targets | None = None

    @property
    def draws(self) -> int:
        """The number of draws of the bootstrap."""
        return len(self.weights)
