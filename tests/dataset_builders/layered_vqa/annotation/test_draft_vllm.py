"""Drafts from real vLLM: it takes the three schemas, and holds even a model of random weights to them."""

import asyncio
import json

import pytest

from dataset_builders.layered_vqa.annotation.drafting import KINDS
from dataset_builders.layered_vqa.annotation.prompts import load_prompts
from dataset_builders.layered_vqa.annotation.replies import read_reply, schema_of
from dataset_builders.layered_vqa.annotation.run import DraftOptions, draft_all
from lvqa_eval.serving.client import ChatClient
from lvqa_eval.serving.request import RequestBody, Sampling
from lvqa_eval.serving.structured import held_to
from lvqa_eval.simulation.messages import text_message
from lvqa_eval.statuses import Status
from tests.support.draft_replies import ASKED, find

pytestmark = pytest.mark.vllm

TOKENS = 300


async def test_every_reply_has_the_form_and_no_random_one_is_accepted(vllm_endpoint):
    sampling = Sampling(temperature=0.0, max_tokens=TOKENS)
    async with ChatClient([vllm_endpoint.base_url], vllm_endpoint.model, sampling, attempts=1) as chat:
        for call, kind in KINDS.items():
            body = RequestBody(vllm_endpoint.model, held_to(sampling, call, schema_of(kind)))
            reply = await chat.complete([text_message("user", "Go on.")], seed=0, body=body)
            assert reply.status in (Status.OK, Status.TRUNCATED), reply
            # Random weights can fill a reply with the white space that a grammar allows everywhere.
            opening, said = f'{{"{next(iter(kind.model_fields))}":', "".join((reply.text or "").split())
            assert said.startswith(opening) or opening.startswith(said), reply.text
            if reply.status is Status.OK:
                assert read_reply(kind, reply.text) == kind.model_validate(json.loads(reply.text))
    options = DraftOptions(
        (vllm_endpoint.base_url,), vllm_endpoint.model, load_prompts(), sampling, deadline=300.0
    )
    kept = []
    await asyncio.to_thread(draft_all, [ASKED], options, find, lambda _, made: kept.append(made))
    (made,) = kept
    assert (made.status, made.verdict, made.accepted) == (Status.OK, "flag_for_human", False)
    assert made.flags
    assert made.prompts_sha256 == load_prompts().sha256
    assert {one.status for one in made.calls} <= {Status.OK, Status.TRUNCATED}
    assert all(one.prompt_tokens and one.completion_tokens for one in made.calls)
