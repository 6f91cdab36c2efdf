"""Whole evaluations against a loopback server: what is planned, kept, resumed and refused."""

import asyncio
import json
import os
import signal
import sys
from dataclasses import replace

import pytest
import yaml
from aiohttp import web
from click.testing import CliRunner

from dataset_builders.layered_vqa.build import build
from dataset_builders.layered_vqa.conditions import ConditionOptions
from lvqa_eval.evaluation import evaluate
from lvqa_eval.main import main
from lvqa_eval.runs.identity import IdentityChangedError
from lvqa_eval.runs.store import RunStore
from lvqa_eval.serving.preflight import PreflightError
from lvqa_eval.serving.request import Sampling
from lvqa_eval.settings import Settings
from lvqa_eval.statuses import Status
from lvqa_eval.tally import Prices
from tests.support.chat_server import completion, error, serving
from tests.support.sources import SmallSource


async def _models(_):
    return web.json_response({"data": [{"id": "talker", "max_model_len": 32768}]})


MODELS = ("GET", "/v1/models", _models)


@pytest.fixture
def dataset(tmp_path):
    return str(build(SmallSource(scenes=2), tmp_path / "layered-vqa", "1.0.0", ConditionOptions()).folder)


def settings(dataset, server, tmp_path, **changes):
    common = {"model": "talker", "dataset": dataset, "base_urls": (server.url,), "runs": 1}
    return Settings(**common | {"out": tmp_path / "run"} | changes)


async def run(chosen):
    """Evaluate in a thread: it brings an event loop of its own, and the server needs this one."""
    told = []
    return await asyncio.to_thread(evaluate, chosen, told.append), told


async def test_every_conversation_is_held_once_and_everything_is_recorded(dataset, tmp_path):
    async with serving(routes=[MODELS]) as server:
        outcome, told = await run(settings(dataset, server, tmp_path, sampling=Sampling(max_tokens=20)))
        asked = len(server.bodies)
        again, _ = await run(settings(dataset, server, tmp_path, sampling=Sampling(max_tokens=20)))
        assert len(server.bodies) == asked
    # The server says "red" to everything, which is no reply in four lines.
    assert outcome.held.statuses == {Status.OK: 30, Status.UNPARSABLE: 2}
    assert (again.done, again.planned, again.held.statuses) == (32, 32, {})
    assert told == [f"{tmp_path / 'run'}: 32 conversations, 0 done"]
    identity = yaml.safe_load((tmp_path / "run" / "run.yaml").read_text())
    assert identity["dataset"]["version"] == "1.0.0"
    assert identity["conditions"][:2] == ["full", "concat-q"]
    assert identity["model"]["name"] == "talker"
    assert identity["sampling"] == {"temperature": 1.0, "top_p": 1.0, "max_tokens": 20}
    assert identity["images"] == {
        **{"background": "checkerboard", "tile": 16, "greys": [204, 255]},
        **{"min_side": 28, "max_ratio": 200, "max_pixels": None},
    }
    assert identity["vllm_serve"] is None
    assert identity["server"]["images_per_prompt"] == 15
    assert set(identity["prompts"]) >= {"single_turn", "multi_turn", "grounding"}
    assert str(tmp_path) not in (tmp_path / "run" / "run.yaml").read_text()
    assert len(RunStore.open(tmp_path / "run").conversations()) == 32


async def test_a_changed_setting_is_refused_with_the_difference_before_anything_is_asked(dataset, tmp_path):
    async with serving(routes=[MODELS]) as server:
        await run(settings(dataset, server, tmp_path, conditions=("full",)))
        asked = len(server.bodies)
        with pytest.raises(IdentityChangedError) as caught:
            await run(settings(dataset, server, tmp_path, conditions=("full",), seed=5, background="white"))
        assert len(server.bodies) == asked
        with pytest.raises(IdentityChangedError, match="conditions: this run has"):
            await run(settings(dataset, server, tmp_path, conditions=("full", "oracle")))
    assert caught.value.differences[0] == "seed: this run has 0, asked for 5"
    assert 'images.background: this run has "checkerboard", asked for "white"' in caught.value.differences


async def test_failed_requests_are_tried_again_by_the_same_command(dataset, tmp_path):
    # Preflight takes the first steps of the script: a canary, a picture; then the two conversations.
    refused = [error(401, "no such key")] * 2
    async with serving(*[_says("yes")] * 2, *refused, routes=[MODELS]) as server:
        chosen = settings(dataset, server, tmp_path, conditions=("full",))
        first, _ = await run(chosen)
        second, told = await run(chosen)
    assert first.held.statuses == {Status.SERVER_ERROR: 2}
    assert second.held.statuses == {Status.OK: 2}
    assert told == [f"{tmp_path / 'run'}: 2 conversations, 0 done"]
    assert {one.status for one in RunStore.open(tmp_path / "run").conversations().values()} == {Status.OK}


def _says(text):
    async def answer(_):
        return web.json_response(completion(text))

    return answer


async def test_deep_scenes_leave_snowball_v_out_where_the_server_cannot_take_it(tmp_path):
    folder = build(
        SmallSource(scenes=1, depth=9), tmp_path / "layered-vqa", "1.0.0", ConditionOptions()
    ).folder
    limit = 12

    async def answer(request):
        body = json.loads(await request.read())
        images = sum(
            part["type"] == "image_url"
            for message in body["messages"]
            if isinstance(message["content"], list)
            for part in message["content"]
        )
        if images > limit:
            told = {"message": f"At most {limit} image(s) may be provided in one prompt.", "code": 400}
            return web.json_response({"error": told}, status=400)
        return web.json_response(completion("red"))

    async with serving(*[answer] * 999, routes=[MODELS]) as server:
        chosen = settings(str(folder), server, tmp_path)
        outcome, told = await run(chosen)
        assert "snowball-v is left out, scenes have more than 8 layers" in told[1]
        with pytest.raises(PreflightError, match="snowball-v needs 45"):
            await run(settings(str(folder), server, tmp_path, conditions=("snowball-v",), out=tmp_path / "r"))
    assert outcome.planned == 15
    assert "snowball-v" not in RunStore.open(tmp_path / "run").identity.settings["conditions"]


async def test_an_interrupt_keeps_what_is_done_and_the_same_command_goes_on(dataset, tmp_path):
    async def slow(request):
        await asyncio.sleep(0.05)
        return web.json_response(completion("red"))

    program = "from lvqa_eval.main import main; main()"
    async with serving(*[slow] * 999, routes=[MODELS]) as server:
        command = [
            *(sys.executable, "-c", program, "run", "--model", "talker", "--base-url", server.url),
            *("--dataset", dataset, "--out", str(tmp_path / "run"), "--runs", "1", "--in-flight", "2"),
        ]
        process = await asyncio.create_subprocess_exec(
            *command,
            stderr=asyncio.subprocess.PIPE,
            # A shell starts its background jobs with interrupts ignored, and children inherit that.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        path = tmp_path / "run" / "conversations.jsonl"
        while not path.exists() or path.read_bytes().count(b"\n") < 5:  # noqa: ASYNC110 - another process writes
            await asyncio.sleep(0.05)
        os.kill(process.pid, signal.SIGINT)
        _, err = await process.communicate()
        assert process.returncode == 1
        assert b"interrupted: the same command goes on" in err
        assert b"Traceback" not in err
        done = path.read_bytes().count(b"\n")
        again = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        out, _ = await again.communicate()
    assert b"32 of 32 conversations" in out
    assert done < 32 == path.read_bytes().count(b"\n")


async def test_nothing_begins_once_the_money_is_spent_and_more_money_goes_on(dataset, tmp_path):
    # Each reply costs 9 prompt tokens and one of its own: 19 at these prices, in millionths.
    async with serving(routes=[MODELS]) as server:
        chosen = settings(
            dataset, server, tmp_path, conditions=("full", "oracle"), prices=Prices(1.0, 10.0), in_flight=1
        )
        outcome, _ = await run(replace(chosen, max_cost=40e-6))
        assert (outcome.done, outcome.planned, outcome.over_budget) == (3, 4, True)
        assert outcome.held.cost == pytest.approx(57e-6)
        again, _ = await run(replace(chosen, max_cost=50e-6))
        assert (again.done, again.held.statuses, again.over_budget) == (3, {}, True)
        whole, _ = await run(replace(chosen, max_cost=60e-6))
        assert (whole.done, whole.over_budget) == (4, False)


async def test_a_run_with_failures_exits_with_an_error_and_says_what_to_do(dataset, tmp_path):
    refused = [error(401, "no such key")] * 2
    async with serving(*[_says("yes")] * 2, *refused, routes=[MODELS]) as server:
        command = [
            *("run", "--model", "talker", "--base-url", server.url, "--dataset", dataset),
            *("--out", str(tmp_path / "run"), "--runs", "1", "--conditions", "full"),
        ]
        result = await asyncio.to_thread(CliRunner().invoke, main, command)
        assert result.exit_code == 1
        assert "0 of 2 conversations; held now: 2 server_error, 0 + 0 tokens" in result.stdout
        assert "2 conversations failed in serving: the same command tries them again" in result.stderr
        result = await asyncio.to_thread(CliRunner().invoke, main, command)
        assert result.exit_code == 0, result.output


def test_a_limit_of_money_needs_prices():
    result = CliRunner().invoke(main, ["run", "--model", "m", "--max-cost", "3"])
    assert result.exit_code == 2
    assert "--max-cost needs --price-in and --price-out" in result.output
