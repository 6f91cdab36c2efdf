"""What a run will need, against what the same run sends."""

import asyncio
from dataclasses import replace

import pytest
from click.testing import CliRunner

from dataset_builders.layered_vqa.build import build
from dataset_builders.layered_vqa.conditions import ConditionOptions
from lvqa_eval.dataset import open_dataset
from lvqa_eval.evaluation import evaluate
from lvqa_eval.forecast import forecast
from lvqa_eval.images import Picture, PictureStore
from lvqa_eval.main import main
from lvqa_eval.reports.needs import misfits, notes, tokens
from lvqa_eval.runs.store import RunStore
from lvqa_eval.serving.model import Model
from lvqa_eval.serving.preflight import PreflightError
from lvqa_eval.serving.request import RequestBody, Sampling
from lvqa_eval.settings import Settings
from lvqa_eval.simulation.conversation import Setting
from lvqa_eval.simulation.replies import Reply
from lvqa_eval.simulation.users import ScriptedUser
from lvqa_eval.statuses import Status
from lvqa_eval.tally import Prices
from lvqa_eval.tokens import Patches
from tests.support.chat_server import says, serving
from tests.support.sources import SmallSource

MODEL = Model("talker", None, None)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data") / "layered-vqa"
    return open_dataset(str(build(SmallSource(scenes=2), folder, "1.0.0", ConditionOptions()).folder))


def settings(dataset, **changes):
    common = {"dataset": str(dataset.folder), "runs": 2, "sampling": Sampling(max_tokens=20)}
    return Settings("talker", **common | changes)


def needs(dataset, folder, **changes):
    chosen = settings(dataset, **changes)
    return forecast(chosen, dataset, chosen.plan(dataset), MODEL, folder)


class Servers:
    """Answers without a word, and keeps the number of bytes that each request has."""

    def __init__(self, number):
        self.body = RequestBody("talker", Sampling(max_tokens=20))
        self.held = [set() for _ in range(number)]
        self.sent = []

    async def complete(self, messages, *, seed, route, body=None):
        held = self.held[route.endpoint]
        self.sent.append(sum(map(len, self.body.fragments(messages, seed, held))))
        held |= {piece.sha256 for message in messages for piece in message if isinstance(piece, Picture)}
        return Reply(Status.OK, text="")


TRANSPORTS = [
    {},
    {"image_uuid": True},
    {"image_transport": "file"},
    {"image_transport": "file", "image_uuid": True},
]


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_bytes_are_those_that_the_run_sends(dataset, tmp_path, transport):
    changes = {"baselines": ("question-only",), "base_urls": ("http://a", "http://b"), **transport}
    chosen = settings(dataset, **changes)
    servers = Servers(2)
    by_file = chosen.image_transport == "file"
    setting = Setting(
        benchmark=chosen.benchmark,
        dataset=dataset,
        pictures=PictureStore(
            chosen.rendering(dataset), uuid=chosen.image_uuid, files=tmp_path / "media" if by_file else None
        ),
        user=ScriptedUser(),
        prompts=chosen.benchmark.prompts(),
        seed=chosen.seed,
        endpoints=2,
    )
    found = await asyncio.to_thread(needs, dataset, tmp_path / "media", **changes)
    by_condition = dict.fromkeys(found.conditions, 0)
    for work in chosen.plan(dataset).work():
        begun = len(servers.sent)
        await setting.converse(work.row, work.run, servers)
        by_condition[work.row.condition] += sum(servers.sent[begun:])
    assert {name: need.sent_bytes for name, need in found.conditions.items()} == by_condition
    assert found.total.sent_bytes == sum(servers.sent)
    assert found.total.requests == len(servers.sent)
    assert found.total.longest_bytes == max(servers.sent)


def test_counts_by_hand(dataset, tmp_path):
    """Two scenes of 5 layers, a question of 3 shards each, two runs."""
    found = needs(dataset, tmp_path, conditions=("full", "sharded-v", "snowball-v"))
    full, sharded, snowball = found.conditions.values()
    assert (full.conversations, full.requests, full.images, len(full.distinct)) == (4, 4, 4, 2)
    # The history holds 1, 2, .. 5 pictures; where all are sent again 1, 3, 6, 10, 15.
    assert (sharded.requests, sharded.images, len(sharded.distinct)) == (20, 4 * 15, 10)
    assert (snowball.requests, snowball.images, snowball.longest_images) == (20, 4 * 35, 15)
    assert (found.total.images, len(found.total.distinct)) == (4 + 60 + 140, 12)
    assert (found.total.reply_tokens_most, found.total.longest_images) == (44 * 20, 15)
    assert found.total.inline_bytes == found.total.sent_bytes


def test_the_longest_prompt_is_the_one_that_is_checked_before_a_run(dataset, tmp_path):
    chosen = settings(dataset)
    plan = chosen.plan(dataset)
    needed = plan.tokens_needed(chosen.prompt_tokens(dataset, MODEL), 20)
    found = needs(dataset, tmp_path).conditions
    assert {name: need.longest_tokens for name, need in found.items()} == needed
    sharded = found["sharded-v"]
    # Before turn t there are t replies: 0 + 1 + 2 + 3 + 4, in two questions and two runs.
    assert sharded.prompt_tokens_most - sharded.prompt_tokens == 4 * 10 * 20


def test_smaller_pictures_take_fewer_tokens(dataset, tmp_path):
    found = needs(dataset, tmp_path, conditions=("full",)).total
    smaller = needs(dataset, tmp_path, conditions=("full",), max_pixels=784).total
    # 40 x 32 pixels are 2 x 2 squares of 28; scaled to 784 they fit into one.
    assert found.prompt_tokens - smaller.prompt_tokens == 4 * 3


async def test_a_run_whose_pictures_do_not_fit_is_refused_before_it_begins(dataset, tmp_path):
    chosen = settings(dataset, conditions=("concat-v",), runs=1, out=tmp_path / "run", max_pixels=784)
    needed = chosen.plan(dataset).tokens_needed(chosen.prompt_tokens(dataset, MODEL), 20)["concat-v"]
    models = says(body={"data": [{"id": "talker", "max_model_len": needed + 20}]})
    async with serving(routes=[("GET", "/v1/models", models)]) as server:
        chosen = replace(chosen, base_urls=(server.url,))
        # Five pictures of 2 x 2 squares in place of one square each.
        with pytest.raises(
            PreflightError, match=f"concat-v needs about {needed + 20 + 5 * 3} .*--max-pixels"
        ):
            await asyncio.to_thread(evaluate, replace(chosen, max_pixels=None), lambda line: None)
        assert not any(body["messages"][0]["role"] == "system" for body in server.bodies)
        outcome = await asyncio.to_thread(evaluate, chosen, lambda line: None)
    assert outcome.held.statuses == {Status.OK: 2}


@pytest.mark.vllm
async def test_tokens_are_a_little_above_what_vllm_counts(dataset, tmp_path, vllm_endpoint):
    chosen = settings(
        dataset,
        runs=1,
        limit=1,
        baselines=("question-only",),
        base_urls=(vllm_endpoint.base_url,),
        out=tmp_path / "run",
    )
    await asyncio.to_thread(evaluate, replace(chosen, model=vllm_endpoint.model), lambda line: None)
    count = chosen.prompt_tokens(dataset, Model("tiny", vllm_endpoint.folder, None))
    ratios = {}
    for work in chosen.plan(dataset).work():
        turns = RunStore.open(tmp_path / "run").conversations()[work.key].turns
        replies = sum(turn.completion_tokens for turn in turns[:-1])
        ratios[work.row.condition] = (count.of_turns(work.row)[-1] + replies) / turns[-1].prompt_tokens
    assert len(ratios) == 17
    assert {name: ratio for name, ratio in ratios.items() if not 1.0 <= ratio <= 1.4} == {}


def test_costs_and_notes(dataset, tmp_path):
    chosen = settings(
        dataset, conditions=("full",), image_uuid=True, prices=Prices(2.0, 10.0), user="llm", max_pixels=784
    )
    found = forecast(chosen, dataset, chosen.plan(dataset), MODEL, tmp_path)
    need = replace(
        found.total, prompt_tokens=1_000_000, prompt_tokens_most=1_500_000, reply_tokens_most=30_000
    )
    assert tokens(need, chosen.prices)[-2:] == ("2.00", "3.30")
    assert len(tokens(need, Prices())) == 4
    need = replace(need, sent_bytes=250_000, inline_bytes=1_000_000)
    told = list(notes(replace(found, total=need), chosen, Patches(32, (1, 2))))
    assert "32 x 32 pixels of a picture (as the model's processor cuts them)" in told[0]
    assert "--image-uuid: 250k bytes instead of 1M, 75% less." in told
    assert told[-1] == "What the simulated user asks comes on top."


def test_what_does_not_fit_is_told(dataset, tmp_path):
    chosen = settings(dataset)
    found = forecast(chosen, dataset, chosen.plan(dataset), MODEL, tmp_path)
    longest = max(need.longest_tokens for need in found.conditions.values())
    assert list(misfits(found, chosen, None)) == list(misfits(found, chosen, longest + 20)) == []
    told = list(misfits(found, chosen, longest + 19))
    (name,) = [name for name, need in found.conditions.items() if need.longest_tokens == longest]
    assert told[0].startswith(f"context: the server takes {longest + 19} tokens, {name} needs about")


def test_the_command_prints_the_plan_and_makes_nothing(dataset, tmp_path):
    command = ["run", "--model", "talker", "--base-url", "http://127.0.0.1:9/v1", "--runs", "2", "--plan"]
    given = ["--dataset", str(dataset.folder), "--out", str(tmp_path / "run"), "--baseline", "question-only"]
    done = CliRunner().invoke(main, [*command, *given], catch_exceptions=False)
    assert done.exit_code == 0
    lines = {tuple(line.split()[:5]) for line in done.output.splitlines()}
    assert ("full", "4", "4", "4", "2") in lines
    assert ("question-only", "4", "4", "0", "0") in lines
    assert "Prompt: its tokens, an estimate" in done.output
    assert list(tmp_path.iterdir()) == []
