"""One pass over answers: exact figures, checked against what transformers gives when asked for everything."""

import math

import numpy as np
import pytest

from lvqa_eval.detectors.features.depths import Depths
from lvqa_eval.detectors.features.errors import FeaturesError
from lvqa_eval.detectors.features.forward import read_answers
from tests.support.reading_models import talks

EXACT = {"rtol": 0, "atol": 2e-5}


def inputs(reader, shown):
    maker = reader.inputs({})
    return [maker.make(messages, reply) for messages, reply in talks(shown)]


def everything(reader, one):
    """Return log-probabilities of all words at all places, and the state of each layer before the next."""
    import torch

    network, states = reader.network, {}

    def keep(layer):
        return lambda _, given, named: states.__setitem__(layer, (given or (named["hidden_states"],))[0][0])

    handles = [
        layer.register_forward_pre_hook(keep(number), with_kwargs=True)
        for number, layer in enumerate(network.model.language_model.layers)
    ]
    with torch.no_grad():
        tokens = {name: tensor[None] for name, tensor in one.tokens.items()}
        given = network(**tokens, **one.pictures, output_hidden_states=True)
    for handle in handles:
        handle.remove()
    states[len(handles)] = given.hidden_states[-1][0]
    return (
        torch.log_softmax(given.logits[0].double(), -1).numpy(),
        {layer: state.double().numpy() for layer, state in states.items()},
        [state[0].double().numpy() for state in given.hidden_states],
    )


def test_figures_are_those_of_the_model_read_one_by_one(reader, shown):
    for one, read in zip(inputs(reader, shown), reader.read(inputs(reader, shown)), strict=True):
        logprobs, states, given = everything(reader, one)
        ids = one.tokens["input_ids"].tolist()
        # Position P - 1 + j predicts token j of the answer.
        expected = [logprobs[one.prompt - 1 + j, ids[one.prompt + j]] for j in range(one.answer)]
        np.testing.assert_allclose(read.logprobs, expected, **EXACT)
        before = logprobs[one.prompt - 1 : -1]
        np.testing.assert_allclose(read.entropies, -(np.exp(before) * before).sum(-1), **EXACT)
        assert sorted(read.hidden) == list(reader.depths.hidden)
        for layer, state in read.hidden.items():
            np.testing.assert_allclose(state, states[layer][-1], **EXACT)
            np.testing.assert_allclose(state, given[layer][-1], **EXACT)
        for (text, image), cosines in read.cosines.items():
            mean = states[text][one.prompt :].mean(0)
            patches = states[image][list(one.image_places)]
            lengths = np.linalg.norm(patches, axis=1) * np.linalg.norm(mean)
            np.testing.assert_allclose(cosines, patches @ mean / lengths, **EXACT)
        assert set(read.cosines) == (set(reader.depths.pairs) if one.image_places else set())


def test_a_batch_gives_what_its_answers_give_alone(reader, shown):
    made = inputs(reader, shown)
    assert len({one.length for one in made}) == len(made)
    for alone, together in zip([reader.read([one])[0] for one in made], reader.read(made), strict=True):
        np.testing.assert_allclose(together.logprobs, alone.logprobs, **EXACT)
        np.testing.assert_allclose(together.entropies, alone.entropies, **EXACT)
        for layer in alone.hidden:
            np.testing.assert_allclose(together.hidden[layer], alone.hidden[layer], **EXACT)
        for pair in alone.cosines:
            np.testing.assert_allclose(together.cosines[pair], alone.cosines[pair], **EXACT)


def test_nothing_stays_on_the_model_when_it_has_read(readers, shown):
    reader = readers("qwen2_5_vl")
    reader.read(inputs(reader, shown)[:1])
    assert not any(module._forward_pre_hooks for module in reader.network.modules())


def test_a_word_without_any_chance_adds_nothing_to_an_entropy(readers, shown):
    """0 log 0 is 0: a distribution over two equal words has the entropy log 2, whatever the others."""
    import torch

    reader, one = readers("qwen2_5_vl"), inputs(readers("qwen2_5_vl"), shown)[0]
    head = reader.network.lm_head
    ids = one.tokens["input_ids"][one.prompt :].tolist()
    assert len(set(ids)) == 2

    def two_words(_module, _given, logits):
        certain = torch.full_like(logits, -torch.inf)
        certain[..., ids] = 1.0
        return certain

    handle = head.register_forward_hook(two_words)
    try:
        (read,) = reader.read([one])
    finally:
        handle.remove()
    np.testing.assert_allclose(read.entropies, [math.log(2)] * 2, rtol=1e-6)
    np.testing.assert_allclose(read.logprobs, [-math.log(2)] * 2, rtol=1e-6)


def test_figures_that_are_no_numbers_are_refused(readers, shown):
    reader, one = readers("qwen2_5_vl"), inputs(readers("qwen2_5_vl"), shown)[0]
    handle = reader.network.lm_head.register_forward_hook(lambda *given: given[-1] * math.nan)
    try:
        with pytest.raises(FeaturesError, match="not finite; try --dtype bfloat16"):
            reader.read([one])
    finally:
        handle.remove()


def test_layers_follow_the_depth():
    # Of 36: 18, 24, 27, 36 for the probe; 9, 14.6, 18, 30.4, 36 for the lens.
    deep = Depths.of(36)
    assert (deep.hidden, deep.lens) == ((18, 24, 27, 36), (9, 15, 18, 30, 36))
    assert deep.all == (9, 15, 18, 24, 27, 30, 36)
    assert len(deep.pairs) == 25
    assert (30, 15) in deep.pairs
    assert Depths.read(deep.identity()) == deep
    assert Depths.of(2) == Depths(2, (1, 2), (0, 1, 2))


def test_half_precision_is_close(readers, shown):
    from lvqa_eval.detectors.features.model import load_model

    full = readers("qwen2_5_vl")
    half = load_model(full.files.name, device="cpu", dtype="bfloat16")
    assert (half.dtype, half.identity()["dtype"]) == ("bfloat16", "bfloat16")
    made = inputs(full, shown)
    for one, other in zip(full.read(made), read_answers(half.network, made, half.depths, 0), strict=True):
        np.testing.assert_allclose(other.logprobs, one.logprobs, atol=0.3)
        assert other.logprobs.dtype == np.float32
