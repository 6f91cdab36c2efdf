"""Detectors on the answers of a board's models, beside those that a paper prints."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from leaderboard.board.records import DetectorRow
from leaderboard.board.reported import PRINTED_PAGES, no_interval
from lvqa_eval.detectors.detections import Detection, TargetDetections
from lvqa_eval.detectors.protocol import RANDOM
from lvqa_eval.detectors.saved import FOLDER, read_detections
from lvqa_eval.errors import LvqaError
from lvqa_eval.metrics.bear.conditions import DEFAULT
from lvqa_eval.metrics.figures import Figure
from lvqa_eval.reports.detectors.scorers import estimate
from lvqa_eval.reports.reported import ReportedRow, reported_row, reported_table
from lvqa_eval.runs.store import RunStore

PAPER: Final = "bear-bench"
PROXY: Final = "Qwen3-VL-8B"
"""The model whose token scores the paper uses where the answering model gives none."""

PRINTED: Final = {
    "balanced_accuracy": "balanced_accuracy",
    "auroc": "auroc",
    "average_precision": "auc_pr",
}
"""What the paper calls each measure."""

_log = logging.getLogger(__name__)


def detector_rows(runs: Mapping[str, Sequence[Path]]) -> Iterator[DetectorRow]:
    """Yield what maintainers set against the answers of `runs`, folders by model, then the paper's rows.

    Detections are those in `detections/` of a run's folder; what cannot be read is told in the log.
    """
    for model, folder in ((model, folder) for model, of in runs.items() for folder in of):
        if not (folder / FOLDER).is_dir():
            continue
        try:
            with RunStore.open(folder) as store:
                targets = read_detections(store)
        except LvqaError as error:
            _log.warning("%s", error)
            continue
        for target in targets.values():
            yield from _measured(model, target)
    yield from reported_detectors()


@cache
def reported_detectors() -> tuple[DetectorRow, ...]:
    """Return the paper's rows, without intervals; the share of wrong answers is that of its accuracies."""
    printed = reported_table(PAPER, "detectors").rows
    chance = {
        row.keys["model"]: row.figures["auc_pr"].value for row in printed if row.keys["detector"] == RANDOM
    }
    named = (row for row in printed if row.keys["detector"] != RANDOM)
    return tuple(_reported(row, chance[row.keys["model"]]) for row in named)


def _measured(model: str, target: TargetDetections) -> Iterator[DetectorRow]:
    for one in target.detections:
        if one.detector == RANDOM:
            continue
        yield DetectorRow(
            model=model,
            benchmark=target.benchmark,
            condition=target.condition,
            detector=one.detector,
            source=one.source,
            reported=False,
            figures=_figures(one, target),
            prevalence=one.prevalence,
            random_precision=one.random_precision,
            n=one.n,
            unscored=one.unscored,
            words=target.words[1],
        )


def _figures(one: Detection, target: TargetDetections) -> dict[str, Figure]:
    found = {}
    for measure in PRINTED:
        quality = getattr(one, measure)
        if quality.mean is not None:
            told = estimate(quality, one, target.documents)
            found[measure] = Figure(**vars(told), questions=one.n, planned=one.n + one.unscored)
    return found


def _reported(row: ReportedRow, random_precision: float) -> DetectorRow:
    model, native = row.keys["model"], row.keys["signals"] == "native"
    accuracy = reported_row(model, PAPER, "accuracy")
    figures = accuracy.figures if accuracy is not None else {}
    return DetectorRow(
        model=model,
        benchmark=PAPER,
        condition=DEFAULT,
        detector=row.keys["detector"],
        source=row.keys["signals"] if native else PROXY,
        reported=True,
        figures={
            measure: no_interval(row.figures[name].value, PRINTED_PAGES)
            for measure, name in PRINTED.items()
            if name in row.figures
        },
        prevalence=1 - figures["overall"].share if "overall" in figures else None,
        random_precision=random_precision,
        n=PRINTED_PAGES,
        unscored=0,
        words=figures["median_answer_words"].value if "median_answer_words" in figures else None,
    )
