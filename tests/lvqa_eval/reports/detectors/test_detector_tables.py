"""Tables of detectors: figures by hand, their notes, the paper's side, and what they say without input."""

import math
from dataclasses import replace

import pytest

from lvqa_eval.detectors.detections import Difference
from lvqa_eval.reports.detectors import measures, targets
from lvqa_eval.reports.detectors.all_exhibits import EXHIBITS, detector_exhibits
from lvqa_eval.reports.detectors.detected import Target, held
from lvqa_eval.reports.exhibit_view import exhibit_view
from lvqa_eval.reports.stems import check_names, stem
from lvqa_eval.reports.table import comma_separated, latex
from tests.support.detected_targets import JUDGE, PROXY, detection, found, inputs_of, quality
from tests.support.table_cells import at, table_of

TERSE = Target(
    "Gemini 2.5 Pro",
    found(
        detection("suq_probe", PROXY, 0.7, 0.77, 0.65, n=990, unscored=10),
        detection("max_prob", PROXY, 0.61, 0.63, 0.45),
        detection("answer-length", "answer", 0.5, 0.51, 0.41),
        detection("model_as_judge", JUDGE, 0.6, None, None, binary=True, bounds=(0.58, 0.62)),
        model="google/gemini-2.5-pro",
    ),
)
LONG = Target(
    "Qwen/Qwen3.5-9B",
    found(
        detection("max_prob", "native", 0.58, 0.63, 0.63, n=500, incorrect=250),
        replace(
            detection("max_prob", PROXY, 0.55, None, 0.52, n=500, incorrect=250),
            auroc=quality(0.57, half=None, folds=4, dropped=3),
            bounds=(0.57, 0.6),
        ),
        detection("mine", "native", 0.5, 0.5, 0.5, n=500, incorrect=250),
        n=500,
        incorrect=250,
        model="Qwen/Qwen3.5-9B",
        words=(700.0, 1162.0, 1800.0),
        left_out={},
        differences=(Difference("max_prob", "mine", "native", "native", "auroc", 0.13, 0.02, 0.24),),
    ),
)


@pytest.fixture
def inputs():
    return inputs_of(TERSE, LONG)


def made(inputs):
    return {one.name: one for one in (make(inputs) for make in detector_exhibits(inputs, "bear-bench"))}


def test_names_labels_and_views(inputs):
    exhibits = made(inputs)
    check_names(exhibits.values())
    measured = [f"detectors-{one}" for one in ("balanced-accuracy", "auroc", "average-precision")]
    assert list(exhibits)[:4] == ["detectors-targets", *measured]
    assert {exhibits[name].label for name in measured} == {"Tables 6 to 8"}
    assert stem(exhibits["detectors-auroc"]) == "bear-detectors-auroc"
    view = exhibit_view(exhibits["detectors-targets"], "")
    assert [(head.title, head.unit) for head in view.tables[0].heads][6:9] == [
        ("Lower quarter", "words"),
        ("Median", "words"),
        ("Upper quarter", "words"),
    ]


def test_a_row_for_each_detector_and_its_signals_and_random_last(inputs):
    table = measures.measure_exhibit(measures.AUROC, inputs).tables[0]
    assert [row[:2] for row in table.rows] == [
        ("answer-length", "words of the answer"),
        ("max_prob", "native"),
        ("max_prob", f"proxy {PROXY}"),
        ("suq_probe", f"proxy {PROXY}"),
        ("model_as_judge", f"judge {JUDGE}"),
        ("mine", "native"),
        ("random", ""),
    ]
    assert [head.title for head in table.heads] == ["Detector", "Signals", TERSE.name, LONG.name]
    probe = table.rows[3][2]
    assert (probe.value, probe.low, probe.high) == (0.77, 0.74, 0.80)
    assert (probe.n, probe.scenes) == (990, 60)
    assert math.isnan(table.rows[3][3])
    # Verdicts have no ranking.
    assert math.isnan(table.rows[4][2].value)
    assert table.rows[-1][2:] == (0.5, 0.5)
    assert table.summary == 1


def test_what_is_not_in_a_figure_is_told(inputs):
    notes = measures.measure_exhibit(measures.AUROC, inputs).tables[0].notes
    assert notes == (
        f"Answers without a score, left out. 10 of suq_probe on {TERSE.name}.",
        f"Folds with one class, left out. 1 of max_prob (Proxy-VL-8B) on {LONG.name}.",
        f"Draws with one class, left out of the interval. 3 of max_prob (Proxy-VL-8B) on {LONG.name}.",
        f"Without an interval, since one class is about one document alone. max_prob (Proxy-VL-8B) on "
        f"{LONG.name}.",
    )
    assert len(measures.measure_exhibit(measures.BALANCED_ACCURACY, inputs).tables[0].notes) == 1


def test_average_precision_stands_beside_that_of_a_random_score(inputs):
    exhibit = measures.measure_exhibit(measures.AVERAGE_PRECISION, inputs)
    wide, spread, *_ = exhibit.tables
    # Folds of 200 with 80: 79/199 + (1 - 79/199) H_200 / 200; of 100 with 50: 49/99 + (50/99) H_100 / 100.
    harmonic = [sum(1 / k for k in range(1, n + 1)) for n in (200, 100)]
    random = [79 / 199 + 120 / 199 * harmonic[0] / 200, 49 / 99 + 50 / 99 * harmonic[1] / 100]
    assert wide.rows[-1][2:] == pytest.approx(random)
    assert "Random" in [head.title for head in spread.heads]
    assert not any("noise" in one for one in exhibit.definition)


def test_the_spread_has_everything_of_a_figure(inputs):
    auroc = table_of(measures.measure_exhibit(measures.AUROC, inputs), "detectors-auroc-spread")
    heads = [head.title for head in auroc.heads]
    assert heads == [
        "Model", "Detector", "Signals", "AUROC", "SD over folds", "Folds", "n", "Unscored", "Wrong, %",
        "Least", "Greatest",
    ]  # fmt: skip
    (probe,) = [dict(zip(heads, row, strict=True)) for row in auroc.rows if row[1] == "suq_probe"]
    assert [probe[name] for name in ("SD over folds", "Folds", "n", "Unscored")] == [0.02, 5, 990, 10]
    assert probe["Wrong, %"] == pytest.approx(400 / 990)
    bounded = [row[-2:] for row in auroc.rows if not math.isnan(row[-1])]
    assert bounded == [(0.57, 0.6)]
    balanced = measures.measure_exhibit(measures.BALANCED_ACCURACY, inputs).tables[1]
    assert [row[-2:] for row in balanced.rows if not math.isnan(row[-1])] == [(0.58, 0.62)]
    assert balanced.notes[-1].startswith("Least and greatest: if no answer without a verdict")


def test_differences_are_in_points_and_only_by_their_measure(inputs):
    auroc = measures.measure_exhibit(measures.AUROC, inputs).tables
    assert [table.name for table in auroc][2:] == ["detectors-auroc-differences"]
    (row,) = auroc[2].rows
    assert row[:4] == ("max_prob", "native", "mine", "native")
    assert math.isnan(row[4])
    assert (row[5].value, row[5].low, row[5].high, row[5].n) == (0.13, 0.02, 0.24, 500)
    assert "max_prob,native,mine,native,,0.130000,0.020000,0.240000,500" in comma_separated(auroc[2])
    assert len(measures.measure_exhibit(measures.BALANCED_ACCURACY, inputs).tables) == 2


def test_printed_figures_stand_in_columns_of_their_own(inputs):
    printed = measures.measure_exhibit(measures.BALANCED_ACCURACY, inputs).reported
    heads = {head.title: head.reported for head in printed.heads}
    ours = f"{TERSE.name}, proxy {PROXY}, measured here"
    assert heads["Gemini 2.5 Pro, proxy"] is True
    assert heads[ours] is False
    assert list(heads).index(ours) == list(heads).index("Gemini 2.5 Pro, proxy") + 1
    assert at(printed, "suq_probe", "Gemini 2.5 Pro, proxy") == 0.7
    assert at(printed, "suq_probe", ours).value == 0.7
    assert at(printed, "model_as_judge", ours).value == 0.6
    assert math.isnan(at(printed, "contextual_lens", ours))
    # The paper has native signals of this model: ours of a proxy do not stand beside them.
    assert [one for one in heads if one.startswith("Qwen/")] == ["Qwen/Qwen3.5-9B, native, measured here"]
    assert len([one for one in heads.values() if one]) == 10
    assert "Qwen3-VL-8B" in printed.notes[0]
    assert r"0.74" in latex(printed)


def test_printed_figures_without_any_of_the_papers_models():
    alone = inputs_of(replace(TERSE, found=replace(TERSE.found, model="org/other")))
    printed = measures.measure_exhibit(measures.AVERAGE_PRECISION, alone).reported
    assert len(printed.heads) == 11
    assert printed.notes[1:] == (
        "None of the models here is one of the paper's.",
        "The auc_pr of random is a little above the share of wrong answers, as a mean over folds of some 200 "
        "items would be.",
    )
    assert at(printed, "random", "Gemini 3.1 Pro, proxy") == 0.27
    assert math.isnan(at(printed, "model_as_judge", "Gemini 3.1 Pro, proxy"))


def test_targets_with_their_lengths_signals_and_noise(inputs):
    exhibit = targets.exhibit(inputs)
    (first, second), noise = exhibit.tables[0].rows, exhibit.tables[1]
    assert first == (
        TERSE.name, "default", f"proxy {PROXY}; judge {JUDGE}", 1000, 60, 0.4, 2.0, 3.0, 7.0,
        "4 not judged, 6 truncated",
    )  # fmt: skip
    assert second[2] == f"native; proxy {PROXY}"
    assert second[-1] == "none"
    # Five folds of 80 and 120: sd = sqrt(5 * 201 / (12 * 80 * 120)) / 5 = .018680.
    half = 0.018680 * 1.281552
    assert noise.rows[0][1:4] == pytest.approx((1000, 0.5 - half, 0.5 + half), abs=1e-5)
    (told,) = [one for one in exhibit.definition if "noise" in one]
    assert told.startswith("About .48 to .53 is noise at n = 1,000")
    assert f".48 to .52 at n = 1,000 ({TERSE.name})" in told
    assert f".47 to .53 at n = 500 ({LONG.name})" in told


def test_what_an_exhibit_rests_on():
    other = replace(
        LONG.found,
        judge="strict.xml",
        settings={"folds": 3, "sources": {PROXY: {"layers": [8, 16], "model": {"sha256": "ab" * 32}}}},
    )
    inputs = inputs_of(TERSE, replace(LONG, found=other), lacking=["org/bare"])
    basis = dict(targets.exhibit(inputs).basis)
    assert basis["n"] == "1,500 answers of 2 models"
    # 1,500 of 1,510.
    assert basis["Coverage"] == "99.3 % of the planned conversations"
    assert basis["Left out"] == "4 not judged, 6 truncated"
    assert basis["Judge of the answers"] == "consensus, strict.xml"
    told = "org/bare: lvqa features runs/gemini-2.5-pro runs/Qwen3.5-9B --model PATH, then lvqa detect"
    assert basis["Without detections"].startswith(told)
    assert basis[f"Detection, {TERSE.name}"] == "folds 5; fold seed 0; draws 2000; seed 0; level 0.95"
    assert basis[f"Signals, {PROXY}, {LONG.name}"] == "layers 8, 16; model: sha256 abababababab"


def test_without_detections_one_exhibit_says_what_makes_them():
    inputs = inputs_of(runs=("runs/one", "runs/the other"))
    (make,) = detector_exhibits(inputs, "bear-bench")
    lacking = make(inputs)
    assert lacking.heading == "Tables 6 to 8. Detectors of wrong answers"
    needs = exhibit_view(lacking, "").needs
    assert needs[0].startswith("No detector was set against the answers of runs/one, runs/the other.")
    assert needs[1] == (
        "lvqa features runs/one 'runs/the other' --model PATH, then lvqa detect runs/one 'runs/the other'"
    )
    assert detector_exhibits(inputs, "layered-vqa") == ()
    with pytest.raises(ValueError, match="detections: found none in runs/one"):
        held(inputs)


def test_layered_runs_speak_of_scenes_and_have_no_printed_side():
    record = replace(TERSE.found, benchmark="layered-vqa", condition="full")
    inputs = inputs_of(replace(TERSE, found=record))
    exhibits = [make(inputs) for make in EXHIBITS]
    for one in exhibits:
        told = " ".join((*one.definition, *(note for table in one.tables for note in table.notes)))
        assert "document" not in told, one.name
        assert "page" not in told, one.name
        assert (one.paper, one.label, one.reported) == ("layered-vqa", "", None)
    assert [head.title for head in exhibits[0].tables[0].heads][4] == "Scenes"
