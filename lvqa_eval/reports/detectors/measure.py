"""The three measures of detectors: what each is, and where records and the paper have it."""

from dataclasses import dataclass
from typing import Final, Literal

from lvqa_eval.detectors.detections import Detection, Quality
from lvqa_eval.reports.detectors.scorers import number


@dataclass(frozen=True)
class Measure:
    """One measure: its name in records, its column in the paper's figures, how it is called, what it is."""

    name: Literal["balanced_accuracy", "auroc", "average_precision"]
    printed: str
    title: str
    definition: str

    @property
    def stem(self) -> str:
        """The name of its exhibit."""
        return f"detectors-{self.name.replace('_', '-')}"

    def of(self, detection: Detection) -> Quality:
        """Return what a detector reached by this measure."""
        quality: Quality = getattr(detection, self.name)
        return quality

    def random(self, detection: Detection) -> float:
        """Return what a score without information is expected to reach on the same answers."""
        return number(detection.random_precision) if self.name == "average_precision" else 0.5


BALANCED_ACCURACY: Final = Measure(
    "balanced_accuracy",
    "balanced_accuracy",
    "Balanced accuracy",
    "Balanced accuracy: the mean of the share of wrong answers that are called wrong and the share of right "
    "answers that are not. An answer is called wrong at or above the threshold that did best on the other "
    "folds, so that a detector without information may fall below .5. Random: .5.",
)
AUROC: Final = Measure(
    "auroc",
    "auroc",
    "AUROC",
    "AUROC: the share of pairs of a wrong and a right answer of one fold in which the wrong one has the "
    "higher score, half a pair for equal scores. Verdicts have no ranking, so no AUROC. Random: .5.",
)
AVERAGE_PRECISION: Final = Measure(
    "average_precision",
    "auc_pr",
    "Average precision",
    "Average precision: the mean precision at each wrong answer, from the highest score down. It grows with "
    "the share of wrong answers, so two targets are not compared by it. Verdicts have no ranking, so none. "
    "Random: what a score without information is expected to reach on folds of this size, a little above "
    "that share. Draws repeat answers, which raises it: intervals lie about .01 high at n = 1,000.",
)
MEASURES: Final = (BALANCED_ACCURACY, AUROC, AVERAGE_PRECISION)
