import math

import pytest

from lvqa_eval.reports.numerals import ASCII, LATEX, PRINTED

NAN = math.nan


@pytest.mark.parametrize(
    ("share", "text"), [(0.615, "61.5"), (1.0, "100.0"), (0.0, "0.0"), (0.66666, "66.7"), (NAN, "–")]
)
def test_percent(share, text):
    assert PRINTED.percent(share) == text


@pytest.mark.parametrize(
    ("difference", "text"),
    [(0.059, "+5.9"), (-0.1234, "−12.3"), (0.0, "0.0"), (-0.0001, "0.0"), (0.0001, "0.0"), (NAN, "–")],
)
def test_points(difference, text):
    assert PRINTED.points(difference) == text


def test_a_figure_with_its_interval():
    assert PRINTED.percent_with_interval(0.615, 0.55, 0.689) == "61.5 [55.0, 68.9]"
    assert PRINTED.points_with_interval(-0.05, -0.1, 0.02) == "−5.0 [−10.0, +2.0]"
    assert ASCII.points_with_interval(-0.05, -0.1, 0.02) == "-5.0 [-10.0, +2.0]"
    assert LATEX.points(-0.05) == "$-$5.0"


def test_an_undefined_interval_is_a_dash_beside_its_figure():
    assert PRINTED.percent_with_interval(0.5, NAN, NAN) == "50.0 –"
    assert PRINTED.percent_with_interval(NAN, NAN, NAN) == "–"


@pytest.mark.parametrize(
    ("valid", "planned", "text"),
    [(300, 300, "100.0"), (29_999, 30_000, "99.9"), (9897, 10_000, "98.9"), (0, 300, "0.0"), (0, 0, "–")],
)
def test_coverage_is_rounded_down(valid, planned, text):
    assert PRINTED.coverage(valid, planned) == text
