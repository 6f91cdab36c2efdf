"""Words with the layers that they speak of, against the same words with other layers."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lvqa_eval.metrics.bootstrap import Estimate, bootstrap, scene_sums
from lvqa_eval.metrics.scores import Scores
from lvqa_eval.metrics.timing import evidence_turns
from lvqa_eval.runs.records import ConversationRecord, Key

ALIGNED = "aligned-vq"
MISALIGNED = "misaligned-vq"


@dataclass(frozen=True)
class AlignmentContrast:
    """Accuracy of `aligned-vq` minus that of `misaligned-vq`, on the pairs that are valid in both.

    - `difference`: paired over (question, run), with the interval of the scene-cluster bootstrap.
    - `identical`: questions left out because both deliveries are the same.
    - `aligned_turn`, `misaligned_turn`: mean turn of complete evidence over those pairs. Where they differ,
      the contrast is one of timing too.
    """

    difference: Estimate
    identical: int
    aligned_turn: float
    misaligned_turn: float


def alignment_contrast(
    scores: Scores, conversations: Mapping[Key, ConversationRecord], weights: NDArray[np.float64]
) -> AlignmentContrast | None:
    """Return the contrast under the draws `weights`; None unless both conditions were planned."""
    if not {ALIGNED, MISALIGNED} <= set(scores.conditions):
        return None
    identical = _identical(scores, conversations)
    difference = np.where(identical[:, None], np.nan, scores.of(ALIGNED) - scores.of(MISALIGNED))
    estimate = bootstrap(scene_sums(difference, scores.scene_of, len(scores.scenes)), weights).at()
    pairs = np.isfinite(difference)
    return AlignmentContrast(
        difference=estimate,
        identical=int(identical.sum()),
        aligned_turn=_mean(evidence_turns(scores, conversations, ALIGNED)[pairs]),
        misaligned_turn=_mean(evidence_turns(scores, conversations, MISALIGNED)[pairs]),
    )


def _identical(scores: Scores, conversations: Mapping[Key, ConversationRecord]) -> NDArray[np.bool_]:
    named = {
        key.question_id
        for key, conversation in conversations.items()
        if key.condition == MISALIGNED and conversation.misalignment == "identical"
    }
    return np.array([question.question_id in named for question in scores.questions], dtype=np.bool_)


def _mean(turns: NDArray[np.float64]) -> float:
    seen = turns[np.isfinite(turns)]
    return float(seen.mean()) if len(seen) else np.nan
