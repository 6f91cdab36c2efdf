"""Log-probabilities as real vLLM gives them: which tokens spell a reply, and what bounds their entropies."""

from dataclasses import replace

import numpy as np
import pytest

from lvqa_eval.detectors.answers import Answer, Answers
from lvqa_eval.detectors.native_signals import native_tokens
from lvqa_eval.detectors.reply_tokens import reply_places
from lvqa_eval.serving.client import ChatClient
from lvqa_eval.serving.model_files import read_json
from lvqa_eval.serving.request import Sampling, body_fields
from lvqa_eval.simulation.messages import text_message
from tests.support.scored_runs import conversation, question, turn

pytestmark = pytest.mark.vllm

K = 5
SAID = "Вот 😊, a café!"
"""The tiny model's tokenizer has no token for any of its letters outside ASCII: they fall into bytes."""


async def ask(endpoint, count, **extra):
    sampling = Sampling(temperature=1.0, max_tokens=64, extra=body_fields(None, None, K) | extra)
    async with ChatClient([endpoint.base_url], endpoint.model, sampling) as chat:
        return [await chat.complete([text_message("user", "Say it.")], seed=seed) for seed in range(count)]


def answered(replies):
    items = []
    for number, reply in enumerate(replies):
        last = replace(turn(reply=reply.text), logprobs=reply.logprobs)
        record = conversation("full", f"q{number}", turns=[last])
        items.append(Answer(question(f"q{number}", f"s{number}"), record, incorrect=False))
    return Answers("tiny", "full", "judge", tuple(items), {})


async def test_the_tokens_of_replies_are_found_and_their_entropies_bounded(vllm_endpoint):
    replies = await ask(vllm_endpoint, 12)
    vocabulary = read_json(vllm_endpoint.folder, "config.json")["text_config"]["vocab_size"]
    found = native_tokens(answered(replies), vocabulary)
    assert sum(bool(reply.text) for reply in replies) >= 6
    for reply, signals in zip(replies, found, strict=True):
        assert len(reply.logprobs.tokens) == reply.completion_tokens
        assert (signals is None) == (not reply.text)
        if signals is None:
            continue
        places = reply_places(reply.logprobs.tokens, reply.text)
        assert "".join(reply.logprobs.tokens[place] for place in places).strip() == reply.text
        assert signals.logprobs.tolist() == [reply.logprobs.logprobs[place] for place in places]
        assert (signals.entropies >= 0).all()
        assert (signals.entropies <= signals.entropies_upper).all()
        assert (signals.entropies_upper <= np.log(vocabulary) + 1e-3).all()


async def test_letters_in_parts_are_of_the_reply(vllm_endpoint):
    (reply,) = await ask(vllm_endpoint, 1, structured_outputs={"choice": [SAID]})
    assert reply.text == SAID
    tokens = reply.logprobs.tokens
    said = len(tokens) - (tokens[-1] == "<|im_end|>")
    assert "" in tokens
    assert reply_places(tokens, SAID) == list(range(said))
