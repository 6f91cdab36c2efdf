import numpy as np
import pytest

from lvqa_eval.metrics.alignment import alignment_contrast
from lvqa_eval.metrics.bootstrap import scene_weights
from lvqa_eval.metrics.scores import score
from lvqa_eval.metrics.timing import complete_evidence_turn, evidence_turns
from tests.support.scored_runs import conversation, judgement, question, turn


@pytest.mark.parametrize(
    ("minimal_sets", "turns", "expected"),
    [
        ([(1, 2)], [turn(composite=True)], 1),
        ([(1, 2)], [turn([0]), turn([1]), turn([2]), turn([3])], 3),
        ([(1, 2)], [turn([2, 1]), turn([0])], 1),
        # The set that is complete first counts.
        ([(1, 3), (1, 2)], [turn([1]), turn([2]), turn([3])], 2),
        # A layer that is sent again counts from its first arrival.
        ([(1, 2)], [turn([1]), turn([1, 2]), turn([1, 2, 3])], 2),
        # The whole scene caps the turn, and only caps it.
        ([(1, 3)], [turn([1]), turn([2]), turn(composite=True), turn([3])], 3),
        ([(1,)], [turn([1]), turn(composite=True)], 1),
        # The conversation ended before.
        ([(1, 2)], [turn([1])], None),
        ([(1, 2)], [], None),
    ],
)
def test_turn_of_complete_evidence(minimal_sets, turns, expected):
    assert complete_evidence_turn(minimal_sets, turns) == expected


def grid(records, verdicts, questions):
    conversations = {record.key: record for record in records}
    judgements = {verdict.key: verdict for verdict in verdicts}
    return score(["aligned-vq", "misaligned-vq"], 1, questions, conversations, judgements), conversations


def test_evidence_turns_of_a_condition():
    questions = [question("q1", "s1"), question("q2", "s2")]
    records = [conversation("aligned-vq", "q1", turns=[turn([1]), turn([2])])]
    scores, conversations = grid(records, [], questions)
    found = evidence_turns(scores, conversations, "aligned-vq")
    np.testing.assert_array_equal(found, [[2.0], [np.nan]])


def contrast_records():
    early, late = [turn([1, 2]), turn([0]), turn([3])], [turn([0]), turn([3]), turn([1, 2])]
    records, verdicts = [], []
    for name, aligned, misaligned, misalignment in [
        ("q1", True, False, "strict"),
        ("q2", True, True, "partial"),
        ("q3", False, True, "identical"),
        ("q4", True, None, "strict"),
    ]:
        records.append(conversation("aligned-vq", name, turns=early))
        records.append(conversation("misaligned-vq", name, turns=late, misalignment=misalignment))
        verdicts.append(judgement("aligned-vq", name, correct=aligned))
        if misaligned is not None:
            verdicts.append(judgement("misaligned-vq", name, correct=misaligned))
    return grid(records, verdicts, [question(f"q{i}", f"s{i}") for i in range(1, 5)])


def test_the_contrast_leaves_out_identical_deliveries_and_names_both_turns():
    scores, conversations = contrast_records()
    found = alignment_contrast(scores, conversations, scene_weights(4))
    assert found.difference.value == 0.5  # q1 differs, q2 does not; q3 is identical, q4 has one verdict
    assert found.difference.n == 2
    assert found.identical == 1
    assert (found.aligned_turn, found.misaligned_turn) == (1.0, 3.0)


def test_no_contrast_unless_both_were_planned():
    scores = score(["full", "aligned-vq"], 1, [question("q1", "s1")], {}, {})
    assert alignment_contrast(scores, {}, scene_weights(1)) is None


def test_a_contrast_without_a_pair_is_undefined_and_not_zero():
    scores = score(["aligned-vq", "misaligned-vq"], 1, [question("q1", "s1")], {}, {})
    found = alignment_contrast(scores, {}, scene_weights(1))
    assert np.isnan([found.difference.value, found.aligned_turn, found.misaligned_turn]).all()
    assert found.difference.n == 0
