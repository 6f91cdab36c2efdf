"""Accuracy against the depth of a scene, where the same pictures are cut into different numbers of layers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lvqa_eval.matched import matched
from lvqa_eval.metrics.bootstrap import Estimate, Floats, bootstrap, scene_sums
from lvqa_eval.metrics.scores import Scores


@dataclass(frozen=True)
class DepthResponse:
    """One condition under one cut: a figure for each of `depths`, ascending.

    `levels` are accuracies. `differences` are taken to the first depth, paired by picture, question and run;
    the first of them is None.
    """

    condition: str
    cut: str
    depths: tuple[int, ...]
    levels: tuple[Estimate, ...]
    differences: tuple[Estimate | None, ...]


def depth_responses(scores: Scores, weights: Floats) -> tuple[DepthResponse, ...]:
    """Return the response of each condition of the plan under each cut; none for fewer than two depths.

    `weights` are draws of `scores.scenes`: all cuts of a picture are drawn together. Questions about other
    scenes are left out.
    """
    cells = _Cells(scores)
    if len(cells.depths) < 2:
        return ()
    # (conditions, cuts, depths, pictures and their questions, runs); NaN where there is no such scene.
    correct = np.full((len(scores.conditions), *cells.shape, scores.correct.shape[2]), np.nan)
    for column, place in cells.places.items():
        correct[:, *place] = scores.correct[:, column]
    pictures = len(scores.scenes)
    levels = bootstrap(scene_sums(correct, cells.picture_of, pictures), weights)
    paired = bootstrap(scene_sums(correct - correct[:, :, :1], cells.picture_of, pictures), weights)
    return tuple(
        DepthResponse(
            condition,
            cut,
            cells.depths,
            tuple(levels.at(i, j, k) for k in range(len(cells.depths))),
            (None, *(paired.at(i, j, k) for k in range(1, len(cells.depths)))),
        )
        for i, condition in enumerate(scores.conditions)
        for j, cut in enumerate(cells.cuts)
    )


class _Cells:
    """Where each question of a dose-response scene stands: its cut, its depth, and what it is a cut of."""

    def __init__(self, scores: Scores) -> None:
        found = [
            (column, cut_of, question.question_id.removeprefix(question.scene_id))
            for column, question in enumerate(scores.questions)
            if (cut_of := matched(question.scene_id))
        ]
        self.cuts: Sequence[str] = sorted({cut_of.cut for _, cut_of, _ in found})
        self.depths = tuple(sorted({cut_of.depth for _, cut_of, _ in found}))
        # The id of a question goes on after that of its scene in the same way in every cut.
        asked = sorted({(cut_of.base, ending) for _, cut_of, ending in found})
        self.shape = (len(self.cuts), len(self.depths), len(asked))
        self.places = {
            column: (
                self.cuts.index(cut_of.cut),
                self.depths.index(cut_of.depth),
                asked.index((cut_of.base, ending)),
            )
            for column, cut_of, ending in found
        }
        self.picture_of = np.array([scores.scenes.index(base) for base, _ in asked], dtype=np.intp)
