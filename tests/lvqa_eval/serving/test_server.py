import contextlib
import os
import signal
import stat
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from lvqa_eval.serving import server as serving
from lvqa_eval.serving.client import ChatClient
from lvqa_eval.serving.preflight import PreflightError, Requirements, ServerRecord, preflight
from lvqa_eval.serving.probes import message, picture, text
from lvqa_eval.serving.request import Sampling
from lvqa_eval.serving.server import ServerOptions, ServerStartError, VllmServer
from lvqa_eval.statuses import Status

# What `vllm serve` does as far as a supervisor sees it: a child of its own, a log, /health once it is up.
STAND_IN = """\
import http.server, os, subprocess, sys, time
arguments = sys.argv[1:]
print(*arguments, flush=True)
print("offline", os.environ.get("HF_HUB_OFFLINE"), "key", os.environ.get("VLLM_API_KEY"), flush=True)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
print("pids", os.getpid(), child.pid, flush=True)
if "--die" in arguments:
    print(*range(100), sep="\\n", flush=True)
    sys.exit(7)
if "--never" in arguments:
    time.sleep(60)
class Health(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/health" else 404)
        self.end_headers()
port = int(arguments[arguments.index("--port") + 1])
http.server.HTTPServer(("127.0.0.1", port), Health).serve_forever()
"""


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """Put a stand-in for `vllm` on PATH and none beside this Python."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "vllm"
    script.write_text(f"#!{sys.executable}\n{STAND_IN}")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(serving, "vllm_executable", lambda: str(script))
    monkeypatch.setattr(serving, "has_gpu", lambda: False)
    return script


def pids(log):
    line = next(line for line in log.read_text().splitlines() if line.startswith("pids"))
    return [int(word) for word in line.split()[1:]]


def alive(pid):
    """Tell whether a process runs; one that ended and waits to be collected does not."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def all_gone(processes, patience=20.0):
    end = time.monotonic() + patience
    while any(map(alive, processes)) and time.monotonic() < end:
        time.sleep(0.05)
    return not any(map(alive, processes))


SHARED = [
    *("--served-model-name", "tiny", "--max-model-len", "4096"),
    *("--limit-mm-per-prompt", '{"image": 36, "video": 0}'),
    *("--enable-prompt-tokens-details", "--seed", "5"),
]


def test_the_arguments_with_a_gpu():
    options = ServerOptions("org/m", 36, "tiny", 4096, seed=5, gpus=4, extra=("--quantization", "fp8"))
    devices = ["--dtype", "auto", "--tensor-parallel-size", "4"]
    assert options.arguments(gpu=True) == ["org/m", *SHARED, *devices, "--quantization", "fp8"]


def test_the_arguments_without_a_gpu():
    found = ServerOptions("org/m", 36, "tiny", 4096, seed=5, gpus=4).arguments(gpu=False)
    devices = ["--dtype", "float32", "--enforce-eager", "--max-num-seqs", "32"]
    assert found == ["org/m", *SHARED, *devices, "--max-num-batched-tokens", "8192"]


def test_a_model_is_served_by_its_own_name_and_context_if_nothing_else_is_asked():
    found = ServerOptions("org/m", 1).arguments(gpu=True)
    assert found[:3] == ["org/m", "--served-model-name", "org/m"]
    assert "--max-model-len" not in found


@pytest.mark.skipif(Path("/dev/kfd").exists(), reason="this machine has a GPU")
@pytest.mark.parametrize(
    ("script", "found"),
    [("echo 'GPU 0: NVIDIA H100'", True), ("echo 'No devices were found'; exit 6", False), (None, False)],
)
def test_a_gpu_is_what_the_driver_lists(tmp_path, monkeypatch, script, found):
    if script is not None:
        tool = tmp_path / "nvidia-smi"
        tool.write_text(f"#!/bin/sh\n{script}\n")
        tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert serving.has_gpu() is found


def test_a_missing_vllm_is_told_with_the_mend(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ServerStartError, match=r"vllm: not found .*pip install 'lvqa\[vllm\]'"):
        serving.vllm_executable()


def test_a_server_lives_as_long_as_its_block(stand_in, tmp_path, monkeypatch):
    monkeypatch.setenv("VLLM_API_KEY", "sk-secret")
    log = tmp_path / "logs" / "server.log"
    with VllmServer(ServerOptions(str(tmp_path), 2, "tiny"), log) as server:
        processes = pids(log)
        assert all(map(alive, processes))
        root = server.base_url.removesuffix("/v1")
        with urllib.request.urlopen(f"{root}/health") as answer:
            assert answer.status == 200
    assert all_gone(processes, patience=0)
    lines = log.read_text().splitlines()
    assert lines[0].startswith(f"serve {tmp_path} --served-model-name tiny --limit-mm-per-prompt")
    assert lines[1] == "offline 1 key None"
    server.stop()


def test_a_server_that_dies_is_told_with_the_end_of_its_log(stand_in, tmp_path):
    log = tmp_path / "server.log"
    with pytest.raises(ServerStartError) as caught:
        VllmServer(ServerOptions("org/m", 2, extra=("--die",)), log).__enter__()
    first, *last = str(caught.value).splitlines()
    assert first == f"vllm serve org/m: ended with exit code 7 while it started; the end of {log}:"
    assert last == [str(number) for number in range(70, 100)]
    assert all_gone(pids(log))


def test_errors_named_before_the_end_of_the_log_are_told_too(tmp_path):
    log = tmp_path / "server.log"
    cause = "(EngineCore pid=7) ERROR subprocess.CalledProcessError: Command 'lscpu' returned 1."
    log.write_text("\n".join(["INFO starting", cause, cause, *map(str, range(30))]))
    assert VllmServer(ServerOptions("org/m", 2), log).last_lines().splitlines() == [
        cause,
        *map(str, range(30)),
    ]


def test_a_server_that_never_answers_is_ended(stand_in, tmp_path):
    log = tmp_path / "server.log"
    with pytest.raises(ServerStartError, match=r"vllm serve org/m: no answer within 1 s"):
        VllmServer(ServerOptions("org/m", 2, extra=("--never",)), log, patience=1.0).__enter__()
    assert all_gone(pids(log))


PARENT = """\
import sys, time
from pathlib import Path
from lvqa_eval.serving import server
server.vllm_executable = lambda: sys.argv[1]
server.has_gpu = lambda: False
with server.VllmServer(server.ServerOptions("org/m", 2), Path(sys.argv[2])):
    print("up", flush=True)
    time.sleep(60)
"""


def test_nothing_is_left_when_the_parent_is_killed(stand_in, tmp_path):
    log = tmp_path / "server.log"
    command = [sys.executable, "-c", PARENT, str(stand_in), str(log)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "up\n"
        processes = pids(log)
        guard = int(Path(f"/proc/{processes[0]}/stat").read_text().rpartition(")")[2].split()[1])
        os.kill(parent.pid, signal.SIGKILL)
    assert all_gone([guard, *processes])


@pytest.mark.vllm
async def test_vllm_passes_preflight(vllm_endpoint):
    needs = [Requirements("full", 1, 300), Requirements("snowball-v", 64, 12_000)]
    record = await preflight([vllm_endpoint.base_url], vllm_endpoint.model, Sampling(), needs)
    assert record.server_version is not None
    assert record == ServerRecord("tiny", 16384, record.server_version, "kept", 64)


@pytest.mark.vllm
async def test_vllm_fails_preflight_in_plain_words(vllm_endpoint):
    needs = [Requirements("deep", 65, 30_000), Requirements("full", 1, 300)]
    with pytest.raises(PreflightError) as caught:
        await preflight([vllm_endpoint.base_url], "tiny", Sampling(), needs)
    assert caught.value.problems == (
        "context: the server takes 16384 tokens, deep needs about 31024 (30000 and a reply of 1024): start "
        "it with --max-model-len 31024 (--context 31024 where `vllm serve` is started for you), make its "
        "pictures smaller (--max-pixels), or leave the condition out",
        "images per prompt: the server takes 64, deep needs 65: start it with "
        "--limit-mm-per-prompt '{\"image\": 65}' or leave the condition out",
    )
    with pytest.raises(PreflightError, match=r"model: found tiny at .*, not 'small': name one of them"):
        await preflight([vllm_endpoint.base_url], "small", Sampling(), needs)


@pytest.mark.vllm
async def test_a_conversation_with_vllm(vllm_endpoint):
    history = [message("system", text("You see pictures. " * 30))]
    cached, prompts = [], []
    async with ChatClient([vllm_endpoint.base_url], vllm_endpoint.model, Sampling()) as client:
        for turn in range(4):
            pictures = [picture(112, 4 * turn + number) for number in range(4)]
            history.append(message("user", *pictures, text("Which colour is the shape?")))
            reply = await client.complete(history, seed=turn)
            again = await client.complete(history, seed=turn)
            assert reply.status in {Status.OK, Status.EMPTY}
            assert (again.text, again.completion_tokens) == (reply.text, reply.completion_tokens)
            cached.append(reply.cached_tokens)
            prompts.append(reply.prompt_tokens)
            history.append(message("assistant", text(reply.text or "")))
    assert cached == sorted(cached)
    assert cached[0] < cached[-1] < prompts[-1]
    assert prompts == sorted(set(prompts))


@pytest.mark.vllm
async def test_replies_of_the_tiny_model_are_short_and_differ(vllm_endpoint):
    ask = [message("user", picture(112, 1), text("Which colour is it?"))]
    async with ChatClient([vllm_endpoint.base_url], vllm_endpoint.model, Sampling()) as client:
        replies = [await client.complete(ask, seed=seed) for seed in range(16)]
    assert [reply.status for reply in replies].count(Status.OK) >= 14
    assert len({reply.text for reply in replies}) >= 8
    assert max(reply.completion_tokens for reply in replies) < 60


@pytest.mark.vllm
async def test_a_conversation_beyond_the_context_of_vllm(vllm_endpoint):
    words = [message("user", text("red circle " * 9000))]
    pictures = [message("user", *[picture(112, 0)] * 64, text("red circle " * 8000))]
    async with ChatClient([vllm_endpoint.base_url], vllm_endpoint.model, Sampling()) as client:
        for ask in (words, pictures):
            reply = await client.complete(ask, seed=0)
            assert (reply.status, reply.text) == (Status.CONTEXT_OVERFLOW, None)
            assert "context length" in reply.error
