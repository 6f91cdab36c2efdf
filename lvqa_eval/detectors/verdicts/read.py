"""The verdicts of a run as signals of detectors."""

import math
from pathlib import Path

import numpy as np

from lvqa_eval.detectors.answers import Answers
from lvqa_eval.detectors.signals import Signals
from lvqa_eval.detectors.verdicts.record import VerdictRecord
from lvqa_eval.detectors.verdicts.store import VerdictStore, verdict_judges
from lvqa_eval.statuses import Status


def verdict_signals(run_folder: Path, answers: Answers) -> list[Signals]:
    """Return the signals of each judge that was asked about a run without the reference, by its name.

    An answer has NaN where the judge has given no verdict, for whatever reason; `verdict_scores` is None
    where no answer has one.
    """
    return [_of_judge(VerdictStore(run_folder, judge), answers) for judge in verdict_judges(run_folder)]


def _of_judge(store: VerdictStore, answers: Answers) -> Signals:
    records = store.records()
    given = [records.get(answer.key) for answer in answers.items]
    scores = np.array([_number(None if one is None else one.score) for one in given], dtype=np.float64)
    return Signals(
        store.judge,
        about=store.identity.settings,
        verdicts=np.array([_verdict(one) for one in given], dtype=np.float64),
        verdict_scores=None if np.isnan(scores).all() else scores,
    )


def _verdict(record: VerdictRecord | None) -> float:
    return _number(record.incorrect if record is not None and record.status is Status.OK else None)


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)
