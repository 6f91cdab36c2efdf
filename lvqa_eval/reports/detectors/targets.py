"""What detectors were set against: answers of each model, how many are wrong, how long they are."""

from typing import Final

from lvqa_eval.detectors.chance import Span, auroc_span, balanced_accuracy_span
from lvqa_eval.detectors.detections import FoldFigures
from lvqa_eval.reports.detectors.about import about
from lvqa_eval.reports.detectors.detected import DetectorInputs, Target, Targets, held
from lvqa_eval.reports.detectors.scorers import number, regimes
from lvqa_eval.reports.detectors.shared import POSITIVE, SIGNALS, basis, cluster_of, noise_told, paper_of
from lvqa_eval.reports.exhibit import Exhibit
from lvqa_eval.reports.table import Head, Table, Value

NAME: Final = "detectors-targets"
TITLE: Final = "Answers that detectors were set against"
WIDER: Final = 0.95
LENGTH: Final = (
    "Length: words of the final answer, thinking left out. A quarter, a half, and three quarters of the "
    "answers have so many words or fewer."
)


def exhibit(inputs: DetectorInputs) -> Exhibit:
    """Return the targets: their answers, signals and lengths, and what is noise on so many."""
    detected = held(inputs)
    return Exhibit(
        name=NAME,
        label="",
        title=TITLE,
        paper=paper_of(detected),
        definition=(POSITIVE, SIGNALS, LENGTH, noise_told(detected)),
        basis=(*basis(inputs, detected), *about(detected)),
        tables=(_targets(detected), _noise(detected)),
    )


def _targets(detected: Targets) -> Table:
    heads = (
        Head("Model"),
        Head("Condition"),
        Head("Signals"),
        Head("Answers", "count"),
        Head(f"{cluster_of(detected).capitalize()}s", "count"),
        Head("Wrong, %", "share"),
        Head("Lower quarter, words", "number"),
        Head("Median, words", "number"),
        Head("Upper quarter, words", "number"),
        Head("Left out"),
    )
    rows = tuple(_row(one) for one in detected.targets)
    return Table(NAME, TITLE, heads, rows)


def _row(target: Target) -> tuple[Value, ...]:
    found = target.found
    left = sorted((outcome, count) for outcome, count in found.left_out.items() if count)
    return (
        target.name,
        found.condition,
        "; ".join(regimes(target)) or "none but the words of the answer",
        found.answers,
        found.documents,
        found.incorrect / found.answers if found.answers else float("nan"),
        *found.words,
        ", ".join(f"{count:,} {outcome.replace('_', ' ')}" for outcome, count in left) or "none",
    )


def _noise(detected: Targets) -> Table:
    """Return what scores without information reach on the folds at hand."""
    heads = (
        Head("Model"),
        Head("n", "count"),
        *(Head(f"AUROC {end}", "area") for end in ("from", "to", "from, 95 %", "to, 95 %")),
        *(Head(f"Balanced accuracy {end}", "area") for end in ("from", "to")),
        Head("Average precision", "area"),
    )
    rows: list[tuple[Value, ...]] = [
        (one.name, one.random.n, *_ends(one.random.folds), number(one.random.random_precision))
        for one in detected.targets
    ]
    notes = (
        "Of scores without information 80 % are between the ends named from and to, or 95 % where that is "
        "said, if answers are independent; the more those on one "
        f"{cluster_of(detected)} resemble each other, the wider it is. Balanced accuracy: of calls that are "
        "made half of the time, which spread most. Average precision: what is expected of such a score.",
    )
    return Table(f"{NAME}-noise", "What a score without information reaches", heads, tuple(rows), notes)


def _ends(folds: tuple[FoldFigures, ...]) -> tuple[float, ...]:
    spans: tuple[Span, ...] = (auroc_span(folds), auroc_span(folds, WIDER), balanced_accuracy_span(folds))
    return tuple(end for span in spans for end in span)
