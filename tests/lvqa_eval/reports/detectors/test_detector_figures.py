"""Figures of detectors: what is drawn where, whether it can be read, and the tables behind them."""

import math
from dataclasses import replace

import numpy as np
import pytest

from lvqa_eval.detectors.transfer import Transfer, TransferMatrix
from lvqa_eval.reports.detectors import auroc_figure, length_figure, terse_and_long, transfer_matrix
from lvqa_eval.reports.detectors.all_exhibits import detector_exhibits
from lvqa_eval.reports.detectors.detected import Scorer, Target
from lvqa_eval.reports.detectors.length_groups import group_of, printed_values
from lvqa_eval.reports.detectors.measure import BALANCED_ACCURACY
from lvqa_eval.reports.plots.style import drawn, styled
from tests.support.detected_targets import PROXY, detection, found, inputs_of, random_target, scored_answers
from tests.support.legible import faults
from tests.support.table_cells import at, table_of

NAMES = ("Qwen/Qwen3-VL-235B-A22B-Thinking", "Gemini 2.5 Pro", "Claude Sonnet 4.6", "Qwen/Qwen3.5-9B")


def matrix(models):
    cells = [
        Transfer(one, other, 100, 0, quality, quality)
        for one in models
        for other in models
        for quality in [detection("x", auroc=0.7 if one == other else 0.55).auroc]
    ]
    return TransferMatrix(PROXY, "default", tuple(models), 5, 0, tuple(cells))


def panels(exhibit):
    with styled():
        return drawn(exhibit.plot).axes


@pytest.mark.parametrize("count", [1, 4])
def test_every_figure_can_be_read(count):
    sources = ("native", PROXY, PROXY, "native")
    lengths = (900, 3, 130, 1200)
    targets = [
        random_target(name, median, seed, n=120, source=source)
        for seed, (name, median, source) in enumerate(zip(NAMES, lengths, sources, strict=True))
    ][:count]
    inputs = inputs_of(*targets, draws=30)
    inputs.detections = replace(inputs.detections, transfer=matrix([one.name for one in targets]))
    exhibits = [make(inputs) for make in detector_exhibits(inputs, "bear-bench")]
    plots = {one.name: one.plot for one in exhibits if one.plot is not None}
    assert list(plots) == [
        "detectors-auroc-figure",
        *(["detectors-length"] if count > 1 else []),
        "detectors-terse-and-long",
        *(["detectors-transfer"] if count > 1 else []),
    ]
    for name, plot in plots.items():
        assert faults(plot) == [], name
        assert "nan" not in plot.alt
        assert plot.alt.endswith(".")


def test_a_panel_for_each_model_with_its_own_noise():
    one = Target("a", found(detection("max_prob", auroc=0.7), detection("mine", PROXY, auroc=0.4)))
    other = Target("b", found(detection("max_prob", PROXY, n=50, incorrect=20), n=50, incorrect=20))
    exhibit = auroc_figure.exhibit(inputs_of(one, other))
    first, second = panels(exhibit)
    # No model has two sources of a detector, so that one row holds both.
    assert [text.get_text() for text in first.get_yticklabels()] == ["max_prob", "mine"]
    assert first.get_title(loc="left") == "a\nn = 1,000"
    bands = [
        [(round(patch.get_x(), 3), round(patch.get_x() + patch.get_width(), 3)) for patch in axes.patches]
        for axes in (first, second)
    ]
    assert bands == [[(0.463, 0.537), (0.476, 0.524)], [(0.329, 0.671), (0.388, 0.612)]]
    dots = {
        line.get_label(): line.get_xdata() for line in first.lines if not line.get_label().startswith("_")
    }
    assert np.array_equal(dots["native signals"], [0.7, math.nan], equal_nan=True)
    assert np.array_equal(dots["signals of a proxy"], [math.nan, 0.4], equal_nan=True)
    told = "a: lowest mine (proxy org/Proxy-VL-8B) .40, highest max_prob (native) .70; noise .48 to .52"
    assert told in exhibit.plot.alt


def test_two_sources_of_a_detector_on_one_model_have_rows_of_their_own():
    one = Target("a", found(detection("max_prob"), detection("max_prob", PROXY), detection("mine", PROXY)))
    (axes,) = panels(auroc_figure.exhibit(inputs_of(one)))
    names = [text.get_text() for text in axes.get_yticklabels()]
    assert names == ["max_prob (native)", "max_prob (Proxy-VL-8B)", "mine"]


def test_detectors_without_any_ranking_have_no_figure():
    one = Target("a", found(detection("model_as_judge", "j", auroc=None, precision=None, binary=True)))
    inputs = inputs_of(one)
    assert auroc_figure.exhibit(inputs).plot is None
    assert auroc_figure.exhibit(inputs).tables[0].rows == ()
    assert length_figure.exhibit(inputs).plot is None


def test_models_are_grouped_by_the_median_of_their_answers():
    assert [group_of(words) for words in (2, 10, 10.5, 400, 401)] == [
        "terse",
        "terse",
        "sentences",
        "sentences",
        "long",
    ]
    printed = printed_values(BALANCED_ACCURACY)
    assert {group: len(values) for group, values in printed["max_prob"].items()} == {
        "terse": 4,
        "sentences": 4,
        "long": 2,
    }
    assert "random" not in printed


def test_the_expected_pattern_is_shown_beside_and_never_with_ours():
    terse = Target("a", found(detection("suq_probe", "native", 0.58), detection("suq_probe", PROXY, 0.9)))
    also = Target("b", found(detection("suq_probe", PROXY, 0.64)))
    long = Target("c", found(detection("max_prob"), words=(500.0, 900.0, 1000.0)))
    exhibit = length_figure.exhibit(inputs_of(terse, also, long))
    printed = exhibit.reported
    assert at(printed, "suq_probe", "Reported, terse") == "0.67 to 0.72"
    assert at(printed, "suq_probe", "Reported, long") == "0.60 to 0.67"
    assert at(printed, "model_as_judge", "Reported, long") == "0.80 to 0.81"
    # Native signals come before those of a proxy.
    assert at(printed, "suq_probe", "Measured here, terse") == "0.58 to 0.64"
    assert at(printed, "max_prob", "Measured here, long") == "0.60"
    assert at(printed, "perplexity", "Measured here, terse") == "\N{EN DASH}"
    assert [head.reported for head in printed.heads] == [False, *[True] * 3, *[False] * 3]
    grouped = table_of(exhibit, "detectors-length-balanced-accuracy")
    (row,) = [row for row in grouped.rows if row[:2] == ("suq_probe", f"proxy {PROXY}")]
    assert row[2:5] == pytest.approx((0.77, 0.64, 0.9))
    assert all(map(math.isnan, row[5:]))
    assert grouped.notes == ("Models: terse 2, sentences 0, long 1.",)


def test_dots_of_a_proxy_are_hollow():
    one = Target("a", found(detection("max_prob", PROXY, auroc=0.6)))
    other = Target("b", found(detection("max_prob", auroc=0.7), words=(50.0, 100.0, 200.0)))
    (axes,) = panels(length_figure.exhibit(inputs_of(one, other)))
    (hollow, filled) = [bar.lines[0] for bar in axes.containers]
    assert hollow.get_markerfacecolor() == "none"
    assert filled.get_markerfacecolor() == filled.get_color()
    assert hollow.get_xydata().tolist() == [[3.0, 0.6]]
    assert filled.get_xydata().tolist() == [[100.0, 0.7]]


def test_terse_and_long_answers_by_hand():
    scorer = Scorer("max_prob", "native")
    words, incorrect = [1, 2, 3, 4, 20, 30, 40, 50], [1, 0, 1, 0, 1, 0, 1, 0]
    scores = [0.9, 0.1, math.inf, 0.2, 0.1, 0.9, 0.7, math.nan]
    answers = scored_answers(words, incorrect, {scorer: scores})
    record = found(
        replace(detection(*scorer), folds=detection("x", n=8, incorrect=4).folds[:1]), n=8, incorrect=4
    )
    exhibit = terse_and_long.exhibit(inputs_of(Target("a", record, answers)))
    auroc, balanced, fixed, _ = exhibit.tables
    # The median is 12; the infinite score is above all others.
    (row,) = auroc.rows
    assert [figure.value for figure in row[3:6]] == [1.0, 0.0, -1.0]
    assert row[6:] == (4, 3)
    assert auroc.notes == ("a: terse up to 12 words.",)
    assert [figure.value for figure in balanced.rows[0][3:6]] == [1.0, 0.25, -0.75]
    assert fixed.rows[0][6:] == (4, 3)
    assert fixed.notes == ("a: terse up to 10 words.",)
    assert dict(exhibit.basis)["Intervals here"] == "200 draws, seed 0"
    assert "cut at 12 words: the widest apart is max_prob, 1.00 on terse and .00 on long" in exhibit.plot.alt


def test_terse_and_long_without_the_scores_of_answers():
    with_them, bare = random_target("a", 3, n=60), Target("b", found(detection("max_prob")))
    lacking = terse_and_long.exhibit(inputs_of(bare))
    assert lacking.missing.endswith(
        "lvqa features runs/model-4B --model PATH, then lvqa detect runs/model-4B"
    )
    assert (
        dict(terse_and_long.exhibit(inputs_of(with_them, bare, draws=20)).basis)[
            "Without every answer's score"
        ]
        == "b"
    )


def test_the_transfer_matrix():
    inputs = inputs_of(*(Target(name, found(detection("suq_probe"), model=name)) for name in NAMES[:2]))
    lacking = transfer_matrix.exhibit(inputs)
    assert lacking.missing.endswith(f"{' '.join(inputs.runs[:1])} 'runs/Gemini 2.5 Pro' --transfer")
    inputs.detections = replace(inputs.detections, transfer=matrix(NAMES[:2]))
    exhibit = transfer_matrix.exhibit(inputs)
    auroc, _ = exhibit.tables
    assert [[figure.value for figure in row[1:]] for row in auroc.rows] == [[0.7, 0.55], [0.55, 0.7]]
    assert (auroc.rows[0][1].n, auroc.rows[0][1].scenes) == (100, 60)
    assert dict(exhibit.basis)["States"] == f"proxy {PROXY}"
    assert (
        "A model with itself: AUROC .70 to .70. A model with another: AUROC .55 to .55." in exhibit.plot.alt
    )
    axes = panels(exhibit)[0]
    texts = [text.get_text() for text in axes.texts]
    assert texts == [".70", ".55", ".55", ".70"]
