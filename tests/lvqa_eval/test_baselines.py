"""The question without a picture: planned, held, kept and reported beside the conditions."""

import asyncio
import json

import pytest
import yaml
from aiohttp import web
from click.testing import CliRunner

from dataset_builders.layered_vqa.build import build
from dataset_builders.layered_vqa.conditions import ConditionOptions
from lvqa_eval.baselines import baseline_rows
from lvqa_eval.benchmarks import LAYERED_VQA
from lvqa_eval.dataset import Dataset, DatasetError, open_dataset
from lvqa_eval.evaluation import evaluate
from lvqa_eval.extensions import UnknownExtensionError
from lvqa_eval.main import main
from lvqa_eval.plan import make_plan
from lvqa_eval.prompts import load_prompt
from lvqa_eval.reports.conditions.table import condition_table
from lvqa_eval.runs.identity import IdentityChangedError
from lvqa_eval.runs.store import RunStore
from lvqa_eval.settings import Settings
from tests.support.chat_server import serving
from tests.support.sources import SmallSource


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data") / "layered-vqa"
    return open_dataset(str(build(SmallSource(scenes=3), folder, "1.0.0", ConditionOptions()).folder))


def test_its_rows_are_those_of_full_without_the_picture(dataset):
    rows = baseline_rows(dataset, "question-only", "full")
    full = dataset.rows("full")
    assert [row.question_id for row in rows] == [row.question_id for row in full]
    assert {row.condition for row in rows} == {"question-only"}
    for row, source in zip(rows, full, strict=True):
        (turn,) = row.turns
        assert (turn.text, turn.question, turn.layers, turn.composite) == (source.question, True, (), False)
        assert row.images_sent == 0
        assert (row.answer, row.scene_id, row.minimal_sets) == (
            source.answer,
            source.scene_id,
            source.minimal_sets,
        )


def test_unknown_and_impossible_baselines_are_refused(dataset):
    with pytest.raises(UnknownExtensionError, match="baselines: found 'blind', allowed: question-only"):
        baseline_rows(dataset, "blind", "full")
    without = Dataset(dataset.folder, {"conditions": ["oracle"]}, "")
    with pytest.raises(DatasetError, match="baseline question-only: needs the rows of 'full', which"):
        baseline_rows(without, "question-only", "full")
    clash = Dataset(dataset.folder, {"conditions": ["full", "question-only"]}, "")
    with pytest.raises(DatasetError, match="the folder has a condition of that name"):
        baseline_rows(clash, "question-only", "full")


def test_it_is_planned_beside_the_conditions_after_them(dataset):
    plan = make_plan(LAYERED_VQA, dataset, ["oracle"], runs=2, limit=2, baselines=["question-only"])
    assert (plan.conditions, plan.baselines, plan.size) == (["oracle"], ("question-only",), 8)
    assert [one.key for one in plan.work()][:4] == [
        ("oracle", "q1", 1),
        ("oracle", "q1", 2),
        ("question-only", "q1", 1),
        ("question-only", "q1", 2),
    ]
    assert plan.images_needed() == {"oracle": 2, "question-only": 0}
    assert plan.without("oracle").baselines == ("question-only",)


def test_it_has_a_contract_of_its_own(dataset):
    (row, *_) = baseline_rows(dataset, "question-only", "full")
    prompt = LAYERED_VQA.prompts()[LAYERED_VQA.contract(row)]
    assert prompt == load_prompt("question_only")
    assert "not shown" in prompt.text
    assert LAYERED_VQA.contract(dataset.rows("full")[0]) == "single_turn"


async def _models(_):
    return web.json_response({"data": [{"id": "talker", "max_model_len": 32768}]})


MODELS = ("GET", "/v1/models", _models)


async def test_it_can_be_added_to_a_finished_run_and_is_then_part_of_it(dataset, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    async def run(server, *baselines):
        settings = Settings(
            model="talker",
            dataset=str(dataset.folder),
            base_urls=(server.url,),
            conditions=("full", "oracle"),
            baselines=baselines,
            runs=2,
        )
        return await asyncio.to_thread(evaluate, settings, lambda line: None)

    async with serving(routes=[MODELS]) as server:
        first = await run(server)
        begun = yaml.safe_load((first.folder / "run.yaml").read_text())
        server.bodies.clear()
        second = await run(server, "question-only")
        asked = [body["messages"] for body in server.bodies if body["messages"][0]["role"] == "system"]
        with pytest.raises(IdentityChangedError) as refused:
            await run(server)
        again = await run(server, "question-only")
    assert (first.done, first.planned) == (12, 12)
    assert second.folder == first.folder
    assert (second.done, second.planned, sum(second.held.statuses.values())) == (18, 18, 6)
    assert len(asked) == 6
    assert [message["role"] for message in asked[0]] == ["system", "user"]
    assert asked[0][0]["content"] == load_prompt("question_only").text
    assert {messages[1]["content"] for messages in asked} == {row.question for row in dataset.rows("full")}
    sha256 = load_prompt("question_only").sha256
    identity = yaml.safe_load((first.folder / "run.yaml").read_text())
    assert identity == begun | {"baselines": {"question-only": sha256}}
    assert "question_only" not in identity["prompts"]
    assert refused.value.differences == [
        f'baselines: this run has {{"question-only":"{sha256}"}}, asked for nothing'
    ]
    assert sum(again.held.statuses.values()) == 0

    judged = await asyncio.to_thread(CliRunner().invoke, main, ["judge", str(first.folder)])
    assert "18 judged by exact-match" in judged.output
    table = condition_table(RunStore.open(first.folder), "exact-match", draws=50)
    right = sum(row.answer == "red" for row in dataset.rows("full"))
    last = table.rows[-1]
    assert (last.condition, last.baseline, last.measured.accuracy.valid) == ("question-only", True, 6)
    assert last.measured.accuracy.value == right / 3
    assert [row.condition for row in table.rows if row.measured] == ["full", "oracle", "question-only"]


async def test_preflight_and_the_command_know_it(dataset, tmp_path):
    async with serving(routes=[MODELS]) as server:
        command = [
            *("run", "--model", "talker", "--base-url", server.url, "--dataset", str(dataset.folder)),
            *("--out", str(tmp_path / "run"), "--runs", "1", "--conditions", "full"),
        ]
        done = await asyncio.to_thread(
            CliRunner().invoke, main, [*command, "--baseline", "question-only"], catch_exceptions=False
        )
        unknown = await asyncio.to_thread(CliRunner().invoke, main, [*command, "--baseline", "blind"])
    assert done.exit_code == 0
    assert "6 of 6 conversations" in done.output
    assert json.loads((tmp_path / "run/conversations.jsonl").read_text().splitlines()[0])["status"] == "ok"
    assert unknown.exit_code == 1
    assert "baselines: found 'blind', allowed: question-only" in unknown.output
