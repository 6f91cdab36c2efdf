"""What taking a stream apart costs, and what putting it together again gives back (Fig. 9)."""

from typing import Final, NamedTuple

import numpy as np

from lvqa_eval.metrics.bootstrap import Floats
from lvqa_eval.metrics.delivery import FULL
from lvqa_eval.metrics.figures import FieldTable, field_table
from lvqa_eval.metrics.replicated import replicate
from lvqa_eval.metrics.study import Study

STEPS = ("fragmenting", "restoring", "overshoot")


class Stream(NamedTuple):
    """A stream in one piece, in pieces, and in pieces that a last turn puts together."""

    whole: str
    sharded: str
    recap: str


STREAMS: Final = {
    "question": Stream(FULL, "sharded-q", "recap-q"),
    "scene": Stream(FULL, "sharded-v", "recap-v"),
}


def recomposition(study: Study, stream: Stream, weights: Floats) -> FieldTable:
    """Return three changes of accuracy, on the (question, run) that count in all three conditions.

    Fragmenting is sharded less whole, restoring is recap less sharded, overshoot is recap less whole: the sum
    of the two, positive where the recap does better than the stream in one piece.
    """
    correct = study.common(stream).of(stream)
    whole, sharded, recap = (correct[:, place : place + 1] for place in range(3))
    values = np.concatenate([sharded - whole, recap - sharded, recap - whole], axis=1)
    planned = study.planned_in_all(stream)
    statistic = replicate(values, planned, study.scene_of, weights)
    name = f"Change of accuracy: {' to '.join(stream)}"
    return field_table(name, "difference", study.models, STEPS, statistic)
