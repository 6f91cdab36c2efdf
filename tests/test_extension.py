"""The extension in examples/, installed beside the project and used through the command line alone."""

import asyncio
import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from aiohttp import web

from tests.support.chat_server import completion, says, serving

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Install the extension into a folder of its own; nothing of the project is touched."""
    target = tmp_path_factory.mktemp("site")
    source = tmp_path_factory.mktemp("source")
    # Building writes beside the source.
    subprocess.run(["cp", "-r", str(ROOT / "examples/extension"), str(source)], check=True)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    done = subprocess.run(
        [*pip, "--target", str(target), str(source / "extension")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture
def lvqa(installed, tmp_path):
    """Run `lvqa` with the extension at hand; returns the exit code, stdout and stderr."""

    async def run(*arguments):
        path = os.pathsep.join([str(installed), os.environ.get("PYTHONPATH", "")])
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", "from lvqa_eval.main import main; main()", *arguments),
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": path, "HF_HUB_OFFLINE": "1"},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await process.communicate()
        return process.returncode, out.decode(), err.decode()

    return run


async def models(request):
    return web.json_response({"data": [{"id": "talker", "max_model_len": 32768}]})


async def test_one_of_each_from_build_to_report(lvqa, tmp_path):
    code, out, err = await lvqa("build", "layered-vqa", "--source", "stripes", "--scenes", "5", "--seed", "3")
    assert (code, out) == (0, "layered-vqa: 5 scenes, 5 questions, 17 conditions, version 1.0.0\n"), err
    assert (await lvqa("validate", "layered-vqa"))[1] == "layered-vqa: valid\n"
    rows = [
        json.loads(line) for line in (tmp_path / "layered-vqa/question-last.jsonl").read_text().splitlines()
    ]
    assert [turn["layers"] for turn in rows[0]["turns"]] == [[0], [1], [2], [3], []]
    assert rows[0]["turns"][-1]["text"] == rows[0]["question"]

    replies = says(body=completion("I am not sure, perhaps the GREEN one."))
    async with serving(*[replies] * 99, routes=[("GET", "/v1/models", models)]) as server:
        command = ("run", "--model", "talker", "--base-url", server.url, "--runs", "1", "--out", "run")
        code, out, err = await lvqa(*command, "--conditions", "full,question-last")
        assert (code, out) == (0, "run: 10 of 10 conversations; held now: 270 + 30 tokens\n"), err
        last = server.bodies[-1]["messages"]
        assert (await lvqa(*command, "--conditions", "full,question-last"))[
            1
        ] == "run: 10 of 10 conversations\n"
    assert [message["role"] for message in last[:2]] == ["system", "user"]

    green = sum(row["answer"] == "green" for row in rows)
    assert 0 < green < 5
    code, out, _ = await lvqa("judge", "run", "--judge", "contains")
    assert (code, out) == (0, "run: 10 judged by contains, 10 of them now: 10 ok\n")
    code, out, _ = await lvqa("detect", "run", "--detector", "hedging")
    assert code == 0
    assert any(line.split()[:2] == ["hedging", "answer"] for line in out.splitlines())
    with (tmp_path / "run/detections/full.csv").open() as file:
        assert {row["hedging@answer"] for row in csv.DictReader(file)} == {"2.0"}
    code, out, _ = await lvqa("report", "run", "--draws", "50")
    assert code == 0
    accuracy = f"{green / 5:.1%}".rstrip("%")
    lines = {line.split()[0]: line.split() for line in out.splitlines() if line.strip()}
    assert lines["full"][1] == accuracy
    assert lines["question-last"][1] == accuracy
    assert lines["sharded-v"][1:3] == ["not", "run"]
    assert (tmp_path / "run/report/index.html").is_file()


async def test_unknown_names_list_what_is_installed(lvqa, tmp_path):
    code, _, err = await lvqa("build", "layered-vqa", "--source", "stripe")
    assert code == 1
    assert err.startswith("Error: scene sources: found 'stripe', allowed: procedural, ")
    assert err.endswith(", stripes\n")
    code, out, _ = await lvqa("build", "layered-vqa", "--source", "stripes", "--help")
    assert "--scenes INTEGER How many flags to draw. [default: 4]" in " ".join(out.split())
