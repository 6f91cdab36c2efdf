"""A ranking of models as if all wrote equally long replies."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lvqa_eval.metrics.bootstrap import Floats, drawn_sums, scene_sums
from lvqa_eval.metrics.figures import FieldTable, Figure, field_table
from lvqa_eval.metrics.rankings import kendall_tau, ranks
from lvqa_eval.metrics.replicated import Counts, Replicated, columns_of, ratio
from lvqa_eval.metrics.study import Study, StudyError


@dataclass(frozen=True)
class LengthControl:
    """Accuracy over `conditions`, as it is and at the field's mean length.

    - `table`: columns "accuracy" and "at equal length".
    - `slope`: accuracy gained for each doubling of the length, the same for all models.
    - `ranks`, `controlled_ranks`: by model, from 1; equals share the better rank.
    - `tau`: Kendall's tau-b of the two orders.
    """

    conditions: tuple[str, ...]
    table: FieldTable
    slope: Figure
    ranks: Floats
    controlled_ranks: Floats
    tau: float


def length_control(
    study: Study, characters: Floats, weights: Floats, conditions: Sequence[str] | None = None
) -> LengthControl:
    """Return accuracies controlled for length, by least squares inside each draw.

    Correct is regressed on log2(1 + characters) with one level for each model and condition, so the slope
    comes from replies to the same kind of conversation alone. A model's accuracy is then moved along it to
    the mean length of all models: analysis of covariance. Conversations without a reply to measure are left
    out, so these accuracies are not those of other tables. Raises StudyError unless every model has every
    condition: they could not be ranked.
    """
    held = study.conditions if conditions is None else study.held(conditions)
    lacking = [model for model, whole in zip(study.models, study.complete(held), strict=True) if not whole]
    if lacking:
        raise StudyError(f"length control: {', '.join(lacking)} lacks one of {', '.join(held)}")
    correct, length = study.of(held), np.log2(1 + study.pick(characters, held))
    correct = np.where(np.isfinite(length), correct, np.nan)
    # The data as they are come first, then the draws.
    drawn = np.vstack([np.ones(len(study.scenes)), weights])
    raw, controlled, slope = _controlled(*_moments(study, correct, length, drawn))
    valid = np.isfinite(correct).sum(axis=(1, 3))
    planned = study.planned_of(held).sum(axis=(1, 2, 3))

    def statistic(cells: Floats, valid: Counts, planned: Counts) -> Replicated:
        alone = np.array([len(set(study.scene_of[row > 0])) < 2 for row in np.atleast_2d(valid)])
        return Replicated(
            cells[..., 0], cells[..., 1:], valid, planned, alone.reshape(planned.shape), study.scene_of
        )

    both = columns_of([statistic(cells, valid, planned) for cells in (raw, controlled)])
    name = "Accuracy controlled for length"
    return LengthControl(
        conditions=held,
        table=field_table(name, "share", study.models, ("accuracy", "at equal length"), both),
        slope=statistic(slope, valid.sum(axis=0), planned.sum(axis=0)).figures().at(),
        ranks=ranks(raw[:, 0]),
        controlled_ranks=ranks(controlled[:, 0]),
        tau=kendall_tau(raw[:, 0], controlled[:, 0]),
    )


def _moments(study: Study, correct: Floats, length: Floats, drawn: Floats) -> Iterator[Floats]:
    """Yield n and the sums of y, x, xy and xx, each (models, conditions, draws)."""
    length = np.where(np.isfinite(correct), length, np.nan)
    sums = scene_sums(
        np.stack([correct, length, correct * length, length**2]), study.scene_of, drawn.shape[1]
    )
    yield drawn_sums(sums.counts[0], drawn)
    yield from drawn_sums(sums.totals, drawn)


def _controlled(n: Floats, y: Floats, x: Floats, xy: Floats, xx: Floats) -> tuple[Floats, Floats, Floats]:
    """Return accuracy as it is and at equal length, (models, draws), and the slope, (draws,)."""
    spread = (xx - ratio(x * x, n)).sum(axis=(0, 1))
    # What rounding leaves where all lengths are equal is no spread.
    spread = np.where(spread > 1e-12 * xx.sum(axis=(0, 1)), spread, 0.0)
    slope = ratio((xy - ratio(x * y, n)).sum(axis=(0, 1)), spread)
    raw, mean = (ratio(cells.sum(axis=1), n.sum(axis=1)) for cells in (y, x))
    return raw, raw - slope * (mean - mean.mean(axis=0)), slope
