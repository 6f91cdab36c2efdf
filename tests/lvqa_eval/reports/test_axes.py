import math

import pytest

from lvqa_eval.metrics.bootstrap import Estimate
from lvqa_eval.reports.axes import SHARES, IntervalBar, difference_axis, interval_bar


def estimate(value, low, high):
    return Estimate(value, low, high, n=10, scenes=5, dropped=0)


def test_places_on_the_axis_of_shares():
    assert [SHARES.x(share) for share in (0.0, 0.5, 1.0)] == [12.0, 95.0, 178.0]
    bar = interval_bar(SHARES, estimate(0.5, 0.25, 0.75))
    assert bar == IntervalBar(at=95.0, start=53.5, end=136.5, clear=True)


@pytest.mark.parametrize(
    ("low", "high", "clear"), [(-0.2, -0.1, True), (0.1, 0.2, True), (-0.1, 0.1, False), (0.0, 0.1, False)]
)
def test_an_interval_is_clear_when_it_leaves_out_zero(low, high, clear):
    figure = estimate((low + high) / 2, low, high)
    assert interval_bar(difference_axis([figure]), figure).clear is clear


@pytest.mark.parametrize(
    ("figures", "limit"),
    [
        ([], 0.1),
        ([estimate(0.01, -0.02, 0.04)], 0.1),
        ([estimate(0.01, -0.02, 0.04), estimate(-0.3, -0.41, -0.2)], 0.5),
        ([estimate(-0.3, -0.4, -0.2)], 0.4),
        ([estimate(math.nan, math.nan, math.nan)], 0.1),
    ],
)
def test_the_axis_of_differences_holds_all_and_is_symmetric(figures, limit):
    axis = difference_axis(figures)
    assert (axis.low, axis.high) == (-limit, limit)


def test_an_accuracy_is_not_set_against_zero():
    assert interval_bar(SHARES, estimate(0.1, 0.0, 0.2)).clear is True


def test_a_figure_without_interval_is_a_mark_alone():
    alone = estimate(0.5, math.nan, math.nan)
    assert interval_bar(SHARES, alone) == IntervalBar(95.0, None, None, True)
    assert interval_bar(difference_axis([alone]), alone).clear is False
    assert interval_bar(SHARES, estimate(math.nan, math.nan, math.nan)) is None
