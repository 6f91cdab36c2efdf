import numpy as np
import pytest

from lvqa_eval.detectors.contextual_lens import (
    ContextualLens,
    ContextualLensChosen,
    ContextualLensTop10,
    layer_pairs,
    patch_counts,
)
from lvqa_eval.detectors.layers import MissingLayersError
from lvqa_eval.detectors.signals import PatchSignals, Signals
from tests.support.probed_answers import answers_of, documents

# A model of 32 layers: the answer is read at 27, the picture at 13.
AT = (27, 13)


def patches(cosines, pair=AT, **others):
    values = np.array(cosines, dtype=np.float32)
    return PatchSignals({pair: values, **others}, ((1, len(cosines)),))


def signals_of(*each, depth=32):
    return Signals("proxy", patches=each, depth=depth)


def answers(count, incorrect=()):
    return answers_of([place in incorrect for place in range(count)], documents(count))


def test_the_score_is_minus_the_highest_cosine_at_the_two_layers():
    other = {(13, 27): np.array([0.9, 0.9]), (27, 27): np.array([0.8, 0.8])}
    first = PatchSignals({AT: np.array([0.1, 0.5]), **other}, ((1, 2),))
    second = PatchSignals({AT: np.array([-0.5, -0.25]), **other}, ((2, 1),))
    read = ContextualLens().read(answers(2), signals_of(first, second))
    assert read.values.tolist() == [-0.5, 0.25]
    assert not read.binary


def test_the_mean_of_the_ten_highest_or_of_all_where_there_are_fewer():
    twelve = [0.0, -1.0, *([0.25] * 5), *([0.75] * 5)]
    read = ContextualLensTop10().read(answers(2), signals_of(patches(twelve), patches([0.5, 0.25])))
    assert read.values.tolist() == [-0.5, -0.375]


@pytest.mark.parametrize("lens", [ContextualLens, ContextualLensTop10])
def test_answers_without_patches_have_no_score(lens):
    nothing = PatchSignals({AT: np.array([], dtype=np.float32)}, ())
    unknown = patches([np.nan, np.nan])
    read = lens().read(
        answers(5), signals_of(None, patches([0.5]), nothing, unknown, patches([np.nan, 0.25]))
    )
    assert str(read.values.tolist()) == "[nan, -0.5, nan, nan, -0.25]"


def test_only_answers_without_patches_is_no_error():
    signals = signals_of(None, None)
    assert np.isnan(ContextualLens().read(answers(2), signals).values).all()
    found = ContextualLensChosen().read(answers(2, [0]), signals).fold(np.array([0, 1]), np.array([1]))
    assert np.isnan([*found.train, *found.test]).all()


def test_layers_that_are_not_there_are_named():
    here = PatchSignals({(9, 4): np.array([0.1]), (5, 4): np.array([0.1])}, ((1, 1),))
    with pytest.raises(MissingLayersError) as error:
        ContextualLens().read(answers(1), signals_of(here))
    assert str(error.value) == (
        "signals of proxy: layers: found (5, 4), (9, 4), needed: text layer 27 with image layer 13; "
        "extract the features again without a choice of layers"
    )
    with pytest.raises(
        MissingLayersError, match="found none, needed: a pair of text and image layer for all"
    ):
        ContextualLensChosen().read(answers(2), signals_of(here, patches([0.1])))


def chosen_signals():
    """Four answers, the first two incorrect: unlike their pictures at (3, 2), too like at (3, 1)."""
    like = [0.1, 0.2, 0.8, 0.9]
    each = [
        PatchSignals(
            {
                (3, 1): np.array([-cosine, -1.0]),
                (3, 2): np.array([cosine, -1.0]),
                (4, 1): np.array([cosine, -1.0]),
            },
            ((1, 2),),
        )
        for cosine in like
    ]
    return signals_of(*each, depth=4)


def test_the_pair_is_chosen_on_the_training_answers():
    signals = chosen_signals()
    assert layer_pairs(signals) == ((3, 1), (3, 2), (4, 1))
    train, test = np.array([0, 2]), np.array([1, 3])
    found = ContextualLensChosen().read(answers(4, [0, 1]), signals).fold(train, test)
    # (4, 1) is as good: the earlier text layer is taken.
    assert found.chosen == "text layer 3, image layer 2"
    assert found.train.tolist() == [-0.1, -0.8]
    assert found.test.tolist() == [-0.2, -0.9]
    # With the other verdicts in training the other pair, whatever those of the test answers are.
    turned = ContextualLensChosen().read(answers(4, [2, 1]), signals).fold(train, test)
    assert turned.chosen == "text layer 3, image layer 1"
    assert turned.test.tolist() == [0.2, 0.9]


def test_one_class_has_no_choice():
    found = ContextualLensChosen().read(answers(4), chosen_signals()).fold(np.arange(2), np.arange(2, 4))
    assert np.isnan([*found.train, *found.test]).all()
    assert found.chosen == ""


def test_the_number_of_patches():
    two = PatchSignals({AT: np.zeros(14)}, ((2, 3), (4, 2)))
    assert str(patch_counts(signals_of(two, None, patches([0.5]))).tolist()) == "[14.0, nan, 1.0]"


def test_what_they_are():
    names = [one().name for one in (ContextualLens, ContextualLensTop10, ContextualLensChosen)]
    assert names == ["contextual_lens", "contextual_lens_top10", "contextual_lens_chosen"]
    assert {one().needs for one in (ContextualLens, ContextualLensTop10, ContextualLensChosen)} == {"patches"}
