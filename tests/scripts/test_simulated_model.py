"""The stated model: what is expected of it, by hand, in sums, and in a draw of many scenes."""

import numpy as np
import pytest
from scipy.special import ndtr

from lvqa_eval.metrics.judges import corrected_self_preference, own_judges, raw_self_preference
from scripts.simulated.draw import draw
from scripts.simulated.model import CATEGORIES, ERROR, FIELD, Size, SizeError, stated_model
from scripts.simulated.patterns import CONDITIONS, all_patterns
from scripts.simulated.population import CHANGED, LAYERED, population, right_by_pattern

FULL, CONCAT_V, ORACLE = (CONDITIONS.index(name) for name in ("full", "concat-v", "oracle"))


@pytest.fixture(scope="module")
def model():
    return stated_model(Size())


def test_turns_and_evidence_of_patterns_are_those_of_the_deliveries():
    patterns = all_patterns()
    row = {condition: place for place, condition in enumerate(CONDITIONS)}
    assert len(patterns.examples) == 240
    assert patterns.turns[row["full"]].tolist() == [1] * 240
    assert patterns.turns[row["sharded-v"]].tolist() == patterns.depth.tolist()
    assert patterns.turns[row["recap-q"]].tolist() == [len(one.shards) + 1 for one in patterns.examples]
    assert patterns.asked[row["evidence-first"]].tolist() == patterns.depth.tolist()
    assert set(patterns.asked[row["aligned-vq"]].tolist()) == {2}
    last = [min(max(minimal) for minimal in one.minimal_sets) + 1 for one in patterns.examples]
    assert patterns.evidence[row["sharded-v"]].tolist() == last
    assert set(patterns.evidence[row["sharded-q"]].tolist()) == {1}


def test_shares_of_patterns_sum_to_one_and_give_the_kinds_their_share():
    shares = all_patterns().shares(0.45)
    assert shares.sum() == pytest.approx(1)
    assert shares[all_patterns().relational].sum() == pytest.approx(0.45)


def test_the_field_has_the_accuracies_that_are_stated(model):
    true = population(model)
    np.testing.assert_allclose(true.accuracy.mean(axis=0), [FIELD[name] for name in CONDITIONS], atol=1e-9)
    assert true.cost[:, CHANGED.index(CONCAT_V)].mean() == pytest.approx(-0.187, abs=1e-9)
    assert true.cost[:, CHANGED.index(ORACLE)].mean() == pytest.approx(-0.148, abs=1e-9)
    assert (true.excess[:, [CHANGED.index(CONCAT_V), CHANGED.index(ORACLE)]].mean(axis=0) > 0.1).all()


def test_a_cell_has_the_probability_that_the_statement_gives_it(model):
    patterns = all_patterns()
    place = int(np.flatnonzero((patterns.depth == 6) & patterns.relational & patterns.background)[0])
    m = model.ability[2] + model.effect[ORACLE] + model.interaction[2, ORACLE]
    m += -0.15 - 0.42 + 2 * -0.09 - 0.17
    expected = (1 - model.failing[2]) * ndtr(m)
    assert right_by_pattern(model)[2, ORACLE, place] == pytest.approx(expected)


def test_many_scenes_come_near_to_the_population():
    model = stated_model(Size(assistants=2, questions=12900, scenes=4000, judges=0))
    drawn, true = draw(model, seed=5), population(model)
    right = drawn.right.mean(axis=(2, 3))
    np.testing.assert_allclose(right, true.accuracy, atol=0.02)
    np.testing.assert_allclose(right[:, CHANGED] - right[:, [FULL]], true.cost, atol=0.015)
    related = all_patterns().relational[drawn.questions.pattern]
    kinds = [drawn.right[:, :, asked].mean(axis=(2, 3)) for asked in (~related, related)]
    single, relational = (level[:, CHANGED] - level[:, [FULL]] for level in kinds)
    np.testing.assert_allclose(single - relational, true.excess, atol=0.03)
    early = drawn.right & (drawn.first_right < drawn.evidence)
    ungrounded = early[:, LAYERED].sum(axis=(2, 3)) / drawn.right[:, LAYERED].sum(axis=(2, 3))
    np.testing.assert_allclose(ungrounded, true.ungrounded[:, :-1], atol=0.025)
    grounded = (drawn.right & ~early)[:, LAYERED].mean(axis=(1, 2, 3))
    np.testing.assert_allclose(grounded, true.grounded[:, -1], atol=0.02)


def test_nothing_can_be_right_before_the_question_is_asked(model):
    assert population(model).ungrounded[:, LAYERED.index(CONDITIONS.index("evidence-first"))].max() == 0


def test_expected_verdicts_are_additive_but_for_the_own_cells(model):
    sure, fooled = model.judge_rates()
    assert min(sure.min(), fooled.min()) >= 0
    assert max(sure.max(), fooled.max()) <= 1
    accuracy = population(model).accuracy.mean(axis=1, keepdims=True)
    verdicts = accuracy * sure + (1 - accuracy) * fooled
    own = own_judges(model.assistants, model.judges)
    np.testing.assert_allclose(corrected_self_preference(verdicts, own), model.preference, atol=1e-12)
    most = int(model.preference.argmax())
    assert 0.08 < raw_self_preference(verdicts, own)[most] < model.preference[most] == 0.129
    assert verdicts[12, 3] == pytest.approx(accuracy[12, 0] * (1 - 2 * ERROR) + ERROR + model.leniency[3])
    assert model.leniency.mean() == pytest.approx(0)


def test_categories_have_the_papers_counts_or_their_shares():
    assert dict(Size().categories) == CATEGORIES
    assert Size().relational == 0.45
    small = Size(questions=30, scenes=9).categories
    assert list(small.values()) == [8, 7, 5, 4, 4, 2]  # of 8.3, 6.5, 5.4, 4.4, 3.7 and 1.7


def test_a_size_that_cannot_be_drawn_is_refused_with_every_fault():
    with pytest.raises(SizeError) as caught:
        Size(assistants=0, questions=5, scenes=6, judges=3)
    assert str(caught.value).splitlines() == [
        "assistants: found 0, allowed: 1 or more",
        "questions: found 5, allowed: 6 or more",
        "judges: found 3, allowed: at most 0, the assistants",
    ]
