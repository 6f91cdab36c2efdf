import numpy as np
import pytest

from lvqa_eval.metrics.citations import citations, cited_layers, count_citations
from lvqa_eval.statuses import Status
from tests.support.scored_runs import conversation, question, turn
from tests.support.studies import agrees, scipy_bootstrap, study_of


@pytest.mark.parametrize(
    ("reply", "layers"),
    [
        ("The dog in layer 3 is brown.", {3}),
        ("Layer 3, then layer 3 again", {3}),
        ("layers 1 and 2", {1, 2}),
        ("Layers 0, 2 and 4 show it", {0, 2, 4}),
        ("layers 1-3", {1, 2, 3}),
        ("layer #2", {2}),
        ("На слое 2 собака, в слоях 3 и 4 кот", {2, 3, 4}),
        ("слой №1", {1}),
        ("It has 3 layers and 2 dogs.", set()),
        ("multilayer 3", set()),
        ("player 3", set()),
        ("a dog, 3 years old", set()),
    ],
)
def test_layers_that_a_reply_names(reply, layers):
    assert cited_layers(reply, turn([1]), depth=6) == (layers, 0)


def test_image_labels_are_those_of_the_message_that_is_answered():
    message = turn([4, 2], composite=True)
    # The whole scene is image 1, and no layer.
    assert cited_layers("Image 1 and image 3 show a cat", message, 6) == ({2}, 0)
    assert cited_layers("Image 1", turn([4, 2]), 6) == ({4}, 0)
    assert cited_layers("see Image 4", message, 6) == (set(), 1)
    # A whole label names its layer once.
    assert cited_layers("Image 2: layer 4", message, 6) == ({4}, 0)


def test_layers_that_the_scene_does_not_have_are_counted_apart():
    assert cited_layers("layers 2 and 9", turn([2]), 6) == ({2}, 1)
    assert cited_layers("layer 9", turn([2]), 6) == (set(), 1)


def study_and(*replies, condition="sharded-v"):
    """One question a conversation; layer t - 1 comes in turn t."""
    asked = [question(f"q{i}", f"s{i}", ((1,),), 3) for i in range(len(replies))]
    study = study_of(np.ones((1, 1, len(replies), 1)), [condition], asked=asked)
    records = [
        conversation(condition, f"q{i}", turns=[turn([t], reply=words) for t, words in enumerate(told)])
        for i, told in enumerate(replies)
    ]
    return study, {record.key: record for record in records}


REPLIES = (
    ("layer 0", "layer 0 and layer 1", "layer 2"),
    ("nothing yet", "layer 2 will tell", "layers 0 and 2, not layer 7"),
)


def test_shares_by_hand():
    study, records = study_and(*REPLIES)
    counts = count_citations(study, records)
    found = citations(study, [counts], study.weights(50))
    # Layer 0 came first: cited in turns 1, 2 and 3 once each. Layer 1: in turn 2. Layer 2: ahead, and twice.
    np.testing.assert_allclose(found.row_share.value, [[1 / 3] * 3, [0, 1, 0], [0, 1 / 3, 2 / 3]], atol=1e-12)
    assert found.hit_rate.value.tolist() == [[0.5, 0.5, 0.5], [0, 0.5, 0], [0, 0.5, 1]]
    assert found.row_share.n.tolist() == [[3] * 3, [1] * 3, [3] * 3]
    assert (found.hit_rate.n == 2).all()
    # In the turn of arrival: layer 0 once, layer 1 once, layer 2 twice, of seven.
    assert found.pooled_on_arrival.value == pytest.approx(4 / 7)
    assert found.on_arrival.of_field(found.on_arrival.columns[0]).value == pytest.approx(4 / 7)
    assert found.unresolved == 1


def test_a_layer_that_is_sent_again_arrived_the_first_time():
    study, _ = study_and(("", ""))
    record = conversation("sharded-v", "q0", turns=[turn([0]), turn([0, 1], reply="layer 0")])
    counts = count_citations(study, {record.key: record})
    assert counts.cited[0, 0, 1] == 1
    assert counts.cited.sum() == 1


def test_other_conditions_and_failed_conversations_are_passed_over():
    study, records = study_and(*REPLIES)
    broken = conversation("sharded-v", "q0", status=Status.TRUNCATED, turns=[turn([0], reply="layer 0")])
    strange = conversation("snowball-v", "q1", turns=[turn([0], reply="layer 0")])
    assert count_citations(study, {one.key: one for one in (broken, strange)}).cited.sum() == 0
    assert count_citations(study, records, conditions=["recap-v"]).chances.sum() == 0


def test_a_layer_that_never_came_is_not_resolved():
    study, _ = study_and(("",))
    record = conversation("sharded-v", "q0", turns=[turn([0], reply="layer 2")])
    assert count_citations(study, {record.key: record}).unresolved == 1


def test_models_are_weighed_alike_in_the_field_and_citations_in_the_pool():
    study, records = study_and(*REPLIES)
    pair = study_of(np.ones((2, 1, 2, 1)), ["sharded-v"], asked=study.questions)
    _, other = study_and(("layer 0",), ())
    found = citations(pair, [count_citations(pair, one) for one in (records, other)], pair.weights(20))
    assert found.on_arrival.cells.value[:, 0] == pytest.approx([4 / 7, 1.0])
    assert found.on_arrival.field.value == pytest.approx([(4 / 7 + 1) / 2])
    assert found.pooled_on_arrival.value == pytest.approx(5 / 8)


def test_agrees_with_scipy():
    words = ["layer 0", "layers 0 and 1", "layer 1", "", "layer 2", "layers 1, 2"]
    study, records = study_and(
        *[(words[i % 6], words[(i + 2) % 6], words[(i * 5 + 1) % 6]) for i in range(9)]
    )
    counts = count_citations(study, records)

    def share(drawn):
        return counts.cited[drawn, 0, 1].sum() / counts.cited[drawn, 0].sum()

    weights, low, high = scipy_bootstrap(study, share)
    agrees(citations(study, [counts], weights).row_share.at(0, 1), share(list(range(9))), low, high)


def test_nothing_said_has_no_shares():
    study, records = study_and(("", ""))
    found = citations(study, [count_citations(study, records)], study.weights(5))
    assert np.isnan(found.row_share.value).all()
    assert found.hit_rate.value.tolist() == [[0, 0], [0, 0]]
    assert np.isnan(found.pooled_on_arrival.value)
