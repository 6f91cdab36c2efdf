"""What the papers print, as rows of their own: nothing added to it but intervals that it allows."""

import math

import pytest

from leaderboard.board.detectors import reported_detectors
from leaderboard.board.reported import PRINTED_PAGES, reported_costs, reported_rows
from lvqa_eval.reports.reported import reported_table


def rows_of(benchmark):
    """Return the rows of a paper by model."""
    return {row.entry.model: row for row in reported_rows(benchmark)}


def wilson(count, n):
    """Return the Wilson interval of a share, by its formula."""
    share, z = count / n, 1.959964
    middle = (share + z * z / 2 / n) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / 4 / n**2)
    return pytest.approx(middle - half), pytest.approx(middle + half)


def test_every_row_is_marked_and_is_of_no_submission():
    for benchmark, source in (("layered-vqa", "arXiv 2609.38368"), ("bear-bench", "arXiv 2608.17895")):
        rows = reported_rows(benchmark)
        assert rows
        for row in rows:
            told = row.entry
            assert (told.shown, told.badge, told.id, row.tier) == ("reported", "reported", "", None)
            assert (told.source, told.benchmark) == (source, benchmark)
            assert all(math.isfinite(one.value) for one in row.figures.values())
    assert reported_rows("another") == ()


def test_pages_have_the_intervals_of_wilson_from_the_printed_numbers_of_pages():
    assert PRINTED_PAGES == 1000
    best, least = rows_of("bear-bench")["Qwen3.5-397B-A17B"], rows_of("bear-bench")["Qwen3.5-0.8B"]
    overall = best.figures["overall"]
    assert (overall.value, overall.n) == (0.754, 1000)
    assert (overall.low, overall.high) == wilson(754, 1000)
    assert (round(least.figures["overall"].low, 3), round(least.figures["overall"].high, 3)) == (0.088, 0.127)
    english = best.figures["en"]
    assert (english.value, english.n) == (0.819, 382)
    # The whole pages nearest to the printed share.
    assert (english.low, english.high) == wilson(313, 382)
    assert [best.figures[one].n for one in ("ru", "business", "science")] == [618, 532, 468]


def test_what_has_no_printed_number_of_pages_has_no_interval():
    row = rows_of("bear-bench")["Gemini 3.1 Pro"]
    for key in ("figures", "diagrams", "equations", "words"):
        assert math.isnan(row.figures[key].low)
    assert row.figures["words"].value == 3
    # The paper prints no cells.
    assert not {"business-en", "science-ru"} & row.figures.keys()


def test_the_gap_has_an_interval_of_two_independent_shares():
    gap = rows_of("bear-bench")["Qwen3.5-397B-A17B"].figures["gap"]
    assert gap.value == pytest.approx(0.105)
    assert (gap.high - gap.low) / 2 == pytest.approx(0.053, abs=5e-4)
    english, russian = (rows_of("bear-bench")["Qwen3.5-397B-A17B"].figures[one] for one in ("en", "ru"))
    down = math.hypot(english.value - english.low, russian.high - russian.value)
    assert gap.low == pytest.approx(gap.value - down)


def test_sizes_and_openness_as_far_as_the_paper_tells():
    rows = rows_of("bear-bench")
    told = {name: (rows[name].entry.parameters, rows[name].entry.weights) for name in rows}
    assert told["Qwen3.5-397B-A17B"] == (397.0, "closed")
    assert told["Qwen3.5-0.8B"] == (0.8, "open")
    assert told["Gemini 2.5 Flash"] == (None, "closed")
    assert list(rows) == [row.keys["model"] for row in reported_table("bear-bench", "accuracy").rows]


def test_prompts_and_sizes_of_pictures():
    figures = rows_of("bear-bench")["Qwen3.5-9B"].figures
    assert [figures[one].value for one in ("cot", "downsample-1.5", "downsample-4")] == [0.493, 0.45, 0.047]
    assert figures["delta_cot"].value == pytest.approx(-0.003)
    assert figures["delta_downsample-2"].value == pytest.approx(-0.166)
    assert "downsample-1" not in figures
    assert rows_of("bear-bench")["Qwen3-VL-8B-Instruct"].figures["delta_cot"].value == pytest.approx(0.137)


def test_the_field_of_layered_vqa():
    field, *models = reported_rows("layered-vqa")
    assert field.entry.model == "Mean of 13 assistants"
    values = {key: one.value for key, one in field.figures.items()}
    assert (values["full"], values["all-layers"], values["joint"]) == (0.6, 0.587, 0.09)
    assert (values["delta_concat-v"], values["delta_oracle"]) == (-0.187, -0.148)
    assert (values["delta_sharded-q"], values["delta_recap-v"]) == (-0.141, 0.059)
    assert values["delta_evidence-first"] == pytest.approx(-0.335)
    # It prints neither of these, nor any mean over the deliveries, nor of relational questions alone.
    assert not {"delivered", "unreliability", "delta_snowball-q", "aligned-vq"} & values.keys()
    restored = field.figures["restored_scene"]
    assert (restored.value, restored.low, restored.high) == (0.343, 0.315, 0.373)
    assert [one.entry.model for one in models] == ["Qwen3-VL-4B", "Qwen3.6-27B", "Gemini-3.7-Flash"]
    assert models[0].figures["grounding_f1"].value == 0.346


def test_costs_are_differences_to_full():
    costs = reported_costs()
    (field,) = costs.rows
    assert len(costs.columns) == 16
    assert costs.cells[field, "full"].value == 0.6
    assert costs.cells[field, "all-layers"].value == -0.017
    lacking = {one for one in costs.columns if (field, one) not in costs.cells}
    assert lacking == {"shuffled-concat", "snowball-q", "snowball-v", "aligned-vq", "misaligned-vq"}


def test_printed_detectors():
    rows = {(one.model, one.detector): one for one in reported_detectors()}
    assert len(rows) == 10 * 9
    one = rows["Claude Opus 4.6", "max_prob"]
    values = {name: figure.value for name, figure in one.figures.items()}
    assert values == {"balanced_accuracy": 0.51, "auroc": 0.51, "average_precision": 0.41}
    assert (one.random_precision, one.words, one.source, one.reported) == (0.4, 149, "Qwen3-VL-8B", True)
    assert one.prevalence == pytest.approx(0.385)
    assert all(math.isnan(figure.low) for figure in one.figures.values())
    native = rows["Qwen3.5-27B", "model_as_judge"]
    assert (native.source, set(native.figures)) == ("native", {"balanced_accuracy"})
    assert ("Qwen3.5-27B", "random") not in rows
