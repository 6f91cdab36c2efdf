from lvqa_eval.benchmarks import LAYERED_VQA
from lvqa_eval.reports.conditions.rows import ConditionRow
from lvqa_eval.reports.deliveries import DELIVERIES, families
from lvqa_eval.reports.glyphs import HEIGHT, WIDTH, Bar, glyph


def test_every_published_condition_is_described_and_drawn():
    assert tuple(DELIVERIES) == LAYERED_VQA.conditions
    for condition in LAYERED_VQA.conditions:
        bars = glyph(condition).bars
        assert bars
        for bar in bars:
            assert bar.x >= 0
            assert bar.x + bar.width <= WIDTH
            assert bar.y >= 0
            assert bar.y + bar.height <= HEIGHT
    assert len({glyph(condition) for condition in LAYERED_VQA.conditions}) == 16


def test_full_is_one_whole_question_above_one_whole_scene():
    assert glyph("full").bars == (
        Bar("question", 1.0, 2.5, 7.0, 8.0),
        Bar("scene", 1.0, 13.5, 7.0, 8.0),
    )


def test_evidence_last_shows_its_order():
    lane = [(bar.kind, bar.x) for bar in glyph("evidence-last").bars if bar.kind != "question"]
    assert lane == [("other", 1.0), ("other", 12.0), ("evidence", 23.0), ("evidence", 34.0)]


def test_pairs_are_joined_by_lines():
    assert glyph("aligned-vq").links == ((4.5, 4.5), (15.5, 15.5), (26.5, 26.5), (37.5, 37.5))
    assert glyph("misaligned-vq").links == ((4.5, 15.5), (15.5, 4.5), (26.5, 37.5), (37.5, 26.5))


def test_a_baseline_is_drawn_without_a_scene():
    assert glyph("question-only").bars == (Bar("question", 1.0, 2.5, 7.0, 8.0),)


def test_a_condition_of_others_has_no_glyph_and_a_family_of_its_own():
    assert glyph("question-last") is None
    rows = [
        ConditionRow("full"),
        ConditionRow("question-last"),
        ConditionRow("question-only", baseline=True),
        ConditionRow("shuffled-pixels", baseline=True),
    ]
    assert families(rows) == {
        "Reference": ["full"],
        "Further conditions": ["question-last"],
        "Baseline": ["question-only", "shuffled-pixels"],
    }
