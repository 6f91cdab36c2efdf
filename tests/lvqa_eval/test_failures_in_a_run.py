"""What servers fail, from the command to the report: excluded and told, never wrong, and never lost."""

import asyncio
import json

import pytest
from aiohttp import web
from click.testing import CliRunner

from dataset_builders.layered_vqa.build import build
from dataset_builders.layered_vqa.conditions import ConditionOptions
from lvqa_eval.main import main
from lvqa_eval.reports.conditions.formats import plain
from lvqa_eval.reports.conditions.table import condition_table
from lvqa_eval.runs.records import Key
from lvqa_eval.runs.store import RunStore
from lvqa_eval.serving.client import ChatClient
from lvqa_eval.simulation.conversation import request_seed
from lvqa_eval.statuses import Status
from tests.support.chat_server import completion, says, serving
from tests.support.sources import SmallSource


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data") / "layered-vqa"
    return build(SmallSource(scenes=50, depth=3), folder, "1.0.0", ConditionOptions()).folder


MODELS = ("GET", "/v1/models", says(body={"data": [{"id": "talker", "max_model_len": 32768}]}))


async def lvqa(*arguments):
    """Run a command in a thread: it brings an event loop of its own, and the server needs this one."""
    return await asyncio.to_thread(CliRunner().invoke, main, [str(one) for one in arguments])


def run_command(dataset, server, out):
    command = ("run", "--model", "talker", "--base-url", server.url, "--dataset", dataset, "--out", out)
    return (*command, "--conditions", "full")


async def report(out):
    """Judge the run and return its row of `full`, and the report for a terminal."""
    await lvqa("judge", out)
    table = condition_table(RunStore.open(out), "exact-match", draws=50)
    return table.rows[0].measured.accuracy, plain(table)


async def test_too_many_requests_are_an_error_and_not_a_wrong_answer(dataset, tmp_path, monkeypatch):
    """The server refuses one question of twenty six times: the first run gives up after five."""
    monkeypatch.setattr(ChatClient, "_wait", lambda self, attempt: 0.0)
    refusals = []

    async def answer(request):
        body = json.loads(await request.read())
        if body["seed"] == request_seed(0, Key("full", "q7", 1), 1) and len(refusals) < 6:
            refusals.append(body)
            told = {"error": {"message": "slow down", "type": "rate_limit", "code": 429}}
            return web.json_response(told, status=429, headers={"retry-after-ms": "5"})
        return web.json_response(completion("red"))

    async with serving(*[answer] * 99, routes=[MODELS]) as server:
        command = (*run_command(dataset, server, tmp_path / "run"), "--runs", "1", "--limit", "20")
        first = await lvqa(*command)
        failed = RunStore.open(tmp_path / "run").conversations()[Key("full", "q7", 1)]
        accuracy, text = await report(tmp_path / "run")
        second = await lvqa(*command)
        after, _ = await report(tmp_path / "run")
    assert (first.exit_code, second.exit_code, len(refusals)) == (1, 0, 6)
    assert "1 conversations failed in serving: the same command tries them again" in first.output
    assert failed.status is Status.SERVER_ERROR
    assert "429" in failed.turns[0].error
    assert (accuracy.valid, accuracy.planned, accuracy.counts["server_error"]) == (19, 20, 1)
    assert accuracy.value == accuracy.strict * 20 / 19
    assert "Server error, not counted: 1 of 20 conversations (5.0 %): full 1." in text
    assert "Coverage below 99 % of the plan, so not ranked: full." in text
    assert (after.valid, after.counts["ok"], after.counts["server_error"]) == (20, 20, 0)


async def test_a_thousand_conversations_with_64_in_flight_are_all_kept(dataset, tmp_path):
    async with serving(routes=[MODELS]) as server:
        command = run_command(dataset, server, tmp_path / "run")
        done = await lvqa(*command, "--runs", "20", "--in-flight", "64")
    assert done.exit_code == 0, done.output
    assert "1000 of 1000 conversations" in done.output
    lines = [json.loads(line) for line in (tmp_path / "run/conversations.jsonl").read_text().splitlines()]
    keys = {(one["condition"], one["question_id"], one["run"]) for one in lines}
    assert len(lines) == len(keys) == 1000


async def test_a_run_with_one_missing_ends_with_an_error(dataset, tmp_path):
    # Preflight takes the first two steps: a canary, a picture.
    script = [says(), says(), says(), says(401, {"error": {"message": "no such key"}})]
    async with serving(*script, routes=[MODELS]) as server:
        command = run_command(dataset, server, tmp_path / "run")
        done = await lvqa(*command, "--runs", "2", "--limit", "5")
    assert done.exit_code == 1
    assert "9 of 10 conversations" in done.output
