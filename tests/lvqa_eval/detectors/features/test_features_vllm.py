"""Features against real vLLM: the same prompts, log-probabilities and states of the same weights."""

import asyncio
import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from lvqa_eval.detectors.features.model import load_model
from lvqa_eval.detectors.features.read import feature_folders, read_features
from lvqa_eval.main import main
from lvqa_eval.runs.sent_messages import SentConversations
from lvqa_eval.runs.store import RunStore
from lvqa_eval.serving.request import whole
from lvqa_eval.simulation.logprobs import prompt_logprobs
from lvqa_eval.simulation.messages import text_message, user_message
from tests.support import vllm_states
from tests.support.page_folder import page_folder
from tests.support.read_runs import answers_of, scene_folder
from tests.support.reading_models import talks

pytestmark = pytest.mark.vllm

CLOSE = {"rtol": 0, "atol": 1e-4}


def chat(messages, reply):
    """Return messages as a run sends them, with a reply that is to be continued."""
    parts = [
        user_message(one.pictures, one.text) if one.role == "user" else text_message(one.role, one.text)
        for one in messages
    ]
    return [json.loads(whole(part)) for part in [*parts, text_message("assistant", reply)]]


def scored(endpoint, messages, reply):
    """Return the ids of prompt and reply, and the log-probability of each."""
    body = {
        "model": endpoint.model,
        "messages": chat(messages, reply),
        "add_generation_prompt": False,
        "continue_final_message": True,
        "prompt_logprobs": 1,
        "return_token_ids": True,
        "max_tokens": 1,
    }
    headers = {"Content-Type": "application/json"}
    url = f"{endpoint.base_url}/chat/completions"
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=300) as response:
        payload = json.load(response)
    return payload["prompt_token_ids"], prompt_logprobs(payload)


def lvqa(*words):
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.parametrize(
    ("benchmark", "conditions"),
    [
        ("layered-vqa", ("full", "sharded-v", "snowball-v", "sharded-q")),
        ("bear-bench", ("default", "downsample-2")),
    ],
)
def test_a_run_is_read_as_its_server_read_it(vllm_endpoint, tmp_path, benchmark, conditions):
    if benchmark == "bear-bench":
        dataset = page_folder(tmp_path / "pages")
    else:
        dataset = scene_folder(tmp_path / "set", scenes=2, depth=3)
    run = tmp_path / "run"
    server = ("--model", vllm_endpoint.model, "--base-url", vllm_endpoint.base_url, "--in-flight", 8)
    asked = ("--benchmark", benchmark, "--dataset", dataset, "--conditions", ",".join(conditions))
    lvqa("run", *server, *asked, "--runs", 1, "--max-tokens", 16, "--out", run)
    named = [word for condition in conditions for word in ("--condition", condition)]
    lvqa("features", run, "--model", vllm_endpoint.folder, "--device", "cpu", "--dataset", dataset, *named)

    store = RunStore.open(run)
    sent = SentConversations(store, str(dataset))
    maker = load_model(str(vllm_endpoint.folder), device="cpu").inputs({})
    (folder,) = feature_folders(run)
    checked = 0
    with asyncio.Runner() as runner:
        for condition in conditions:
            answers = answers_of(store, condition)
            found = read_features(folder, answers)
            for answer, tokens in zip(answers.items, found.tokens, strict=True):
                messages = runner.run(sent.messages(answer.conversation))
                prompt = maker.prompt_ids(messages)
                assert len(prompt) == answer.conversation.turns[-1].prompt_tokens
                if tokens is None:
                    continue
                ids, logprobs = scored(vllm_endpoint, messages, answer.reply)
                assert ids[: len(prompt)] == prompt
                assert len(ids) == len(prompt) + len(tokens.logprobs)
                np.testing.assert_allclose(tokens.logprobs, logprobs[len(prompt) :], **CLOSE)
                checked += 1
    # A random model now and then goes on to the end of what it may say.
    assert checked >= 4


@pytest.fixture(scope="module")
def computed(readers, shown, tmp_path_factory):
    """Give what vLLM computes of the same chats with the same weights, by shape and chat."""
    folder = tmp_path_factory.mktemp("states")
    job = [
        {"name": shape, "model": readers(shape).files.name, "chats": [chat(*talk) for talk in talks(shown)]}
        for shape in ("qwen3_vl", "qwen2_5_vl")
    ]
    (folder / "job.json").write_text(json.dumps(job))
    environment = {
        **os.environ,
        # Functions go to the worker as they are, and their results come back, in one process.
        "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
        "VLLM_CPU_KVCACHE_SPACE": "1",
        "VLLM_NO_USAGE_STATS": "1",
        "HF_HUB_OFFLINE": "1",
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
    }
    script = [sys.executable, vllm_states.__file__, str(folder / "job.json"), str(folder)]
    log = folder / "log"
    with log.open("wb") as file:
        done = subprocess.run(script, env=environment, stdout=file, stderr=subprocess.STDOUT, check=False)
    assert done.returncode == 0, log.read_text()[-3000:]
    return lambda shape, number: np.load(folder / f"{shape}-{number}.npz")


@pytest.mark.parametrize("shape", ["qwen3_vl", "qwen2_5_vl"])
def test_prompts_log_probabilities_and_states_are_those_of_vllm(computed, readers, shown, shape):
    reader = readers(shape)
    maker = reader.inputs({})
    for number, (messages, reply) in enumerate(talks(shown)):
        theirs, one = computed(shape, number), maker.make(messages, reply)
        assert theirs["ids"].tolist() == one.tokens["input_ids"].tolist()
        (read,) = reader.read([one])
        np.testing.assert_allclose(read.logprobs, theirs["logprobs"][one.prompt :], **CLOSE)
        for layer, state in read.hidden.items():
            np.testing.assert_allclose(state, theirs[f"state_{layer}"][-1], **CLOSE)
        for (text, image), cosines in read.cosines.items():
            mean = theirs[f"state_{text}"][one.prompt :].mean(0)
            patches = theirs[f"state_{image}"][list(one.image_places)]
            lengths = np.linalg.norm(patches, axis=1) * np.linalg.norm(mean)
            np.testing.assert_allclose(cosines, patches @ mean / lengths, **CLOSE)
