import hashlib
import json

import pytest
from aiohttp import web

from lvqa_eval.serving.chat_template import chat_template_hash
from lvqa_eval.serving.preflight import PreflightError, Requirements, ServerRecord, preflight
from lvqa_eval.serving.probes import image_order
from lvqa_eval.serving.request import Sampling
from tests.support.chat_server import error, says, serving

NEEDS = [Requirements("full", 2, 500), Requirements("snowball-v", 36, 9000)]


def models(*names, length=65536):
    cards = [{"id": name, "max_model_len": length} for name in names]
    return ("GET", "/v1/models", says(body={"object": "list", "data": cards}))


def version(number):
    return ("GET", "/version", says(body={"version": number}))


def tokenize(*, pictures_first=False):
    """Show prompts of a template that keeps pictures in place, or one that does not."""

    async def answer(request):
        parts = (await request.json())["messages"][0]["content"]
        if pictures_first:
            parts = sorted(parts, key=lambda part: part["type"] == "text")
        prompt = ["<user>"]
        for part in parts:
            if part["type"] == "text":
                prompt += [part["text"][:5], part["text"][5:]]
            else:
                prompt += ["<img>"] * (len(part["image_url"]["url"]) // 100)
        return web.json_response({"token_strs": [*prompt, "<end>"]})

    return ("POST", "/tokenize", answer)


async def check(server, needs=NEEDS, sampling=None, **options):
    servers = server if isinstance(server, list) else [server]
    return await preflight([each.url for each in servers], "tiny", sampling or Sampling(), needs, **options)


async def problems_of(*script, routes, needs=NEEDS, sampling=None):
    async with serving(*script, routes=routes) as server:
        with pytest.raises(PreflightError) as caught:
            await check(server, needs, sampling)
    return [problem.replace(server.url, "URL") for problem in caught.value.problems]


async def test_a_fit_server_is_recorded():
    async with serving(routes=[models("tiny", "other"), version("0.32.0"), tokenize()]) as server:
        record = await check(server)
    assert record == ServerRecord("tiny", 65536, "0.32.0", "kept", 36)
    canary, pictures = server.bodies
    assert canary["max_tokens"] == 1024
    assert pictures["max_tokens"] == 1
    parts = pictures["messages"][0]["content"]
    assert [part["type"] for part in parts] == ["text", "image_url"] * 36


async def test_a_server_that_shows_no_prompt_is_recorded_as_such():
    async with serving(routes=[models("tiny", length=None)]) as server:
        record = await check(server)
    assert record == ServerRecord("tiny", None, None, "not checkable", 36)


async def test_order_does_not_matter_where_no_prompt_has_two_pictures():
    async with serving(routes=[models("tiny")]) as server:
        record = await check(server, [Requirements("full", 1, 500)])
    assert record.image_order == "not needed"


async def test_a_model_that_is_not_served():
    assert await problems_of(routes=[models("small", "large")]) == [
        "model: found large, small at URL, not 'tiny': name one of them"
    ]


async def test_a_server_that_is_not_there():
    async with serving() as server:
        pass
    with pytest.raises(PreflightError) as caught:
        await check(server)
    (problem,) = caught.value.problems
    assert problem.startswith(f"server: {server.url}/models answers ClientConnectorError")
    assert problem.endswith("check the address, and the key")


async def test_too_short_a_context():
    assert await problems_of(routes=[models("tiny", length=8192)]) == [
        "context: the server takes 8192 tokens, snowball-v needs about 10024 (9000 and a reply of 1024): "
        "start it with --max-model-len 10024 (--context 10024 where `vllm serve` is started for you), make "
        "its pictures smaller (--max-pixels), or leave the condition out"
    ]


async def test_too_few_images():
    words = "At most 8 image(s) may be provided in one prompt. Set `--limit-mm-per-prompt` to increase it."
    refusal = error(400, words)
    assert await problems_of(says(), refusal, routes=[models("tiny")]) == [
        "images per prompt: the server takes 8, snowball-v needs 36: start it with "
        "--limit-mm-per-prompt '{\"image\": 36}' or leave the condition out"
    ]


async def test_images_refused_for_another_reason():
    problems = await problems_of(says(), error(400, "tiny is not multimodal"), routes=[models("tiny")])
    assert problems == ["images per prompt: a request with 36 fails: HTTP 400: tiny is not multimodal"]


async def test_a_plain_request_that_fails():
    problems = await problems_of(error(401, "bad key"), routes=[models("tiny")])
    assert problems == [
        "chat: a plain request fails: HTTP 401: bad key: check the key, the model and the sampling"
    ]


async def test_pictures_moved_to_the_front():
    problems = await problems_of(routes=[models("tiny"), tokenize(pictures_first=True)])
    assert problems == [
        "image order: the server puts pictures before the text, so that labels lose their pictures: start "
        "the server with a chat template that keeps them in place (--chat-template)"
    ]


async def test_every_problem_is_told_at_once():
    problems = await problems_of(
        says(), error(400, "At most 1 image(s) may be provided"), routes=[models("tiny", length=1000)]
    )
    assert [problem.split(":")[0] for problem in problems] == ["context"] * 2 + ["images per prompt"] * 2


async def test_servers_of_one_run_must_be_equal():
    async with (
        serving(routes=[models("tiny"), version("0.32.0")]) as one,
        serving(routes=[models("tiny"), version("0.33.0")]) as other,
    ):
        with pytest.raises(PreflightError, match=r"endpoints: they differ.*0\.32\.0.*0\.33\.0"):
            await check([one, other])
    async with serving(routes=[models("tiny")]) as one, serving(routes=[models("big")]) as other:
        with pytest.raises(PreflightError) as caught:
            await check([one, other])
    assert caught.value.problems == (
        f"{other.url}: model: found big at {other.url}, not 'tiny': name one of them",
    )


async def test_the_key_is_sent_and_never_shown():
    async with serving(error(401, "bad key sk-secret"), routes=[models("tiny")]) as server:
        with pytest.raises(PreflightError) as caught:
            await check(server, api_key="sk-secret")
    assert server.headers[0]["Authorization"] == "Bearer sk-secret"
    assert "sk-secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("shown", "order"),
    [
        ("<s>AA<i>BB<i><i></s>", "kept"),
        ("<s>AA<i><i>BB<i></s>", "the server swaps the pictures"),
        ("<s><i><i><i>AABB</s>", "the server puts pictures before the text"),
        ("<s>AABB<i><i><i></s>", "the server puts pictures behind the text"),
        ("<s>AA<i><i><i>BB</s>", "the server puts both pictures at the first label"),
        ("<s>AABB</s>", None),
        ("<s>A</s>", None),
        ("<s>BBAA</s>", None),
    ],
)
def test_the_order_that_a_prompt_shows(shown, order):
    assert image_order("<s>AABB</s>", shown, ("AA", "BB")) == order


def sha256(words):
    return hashlib.sha256(words.encode()).hexdigest()


def test_the_chat_template_is_looked_up_where_loaders_look(tmp_path):
    assert chat_template_hash(tmp_path) is None
    (tmp_path / "tokenizer_config.json").write_text("{}")
    assert chat_template_hash(tmp_path) is None
    named = [{"template": "c", "name": "default"}]
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"chat_template": named}))
    assert chat_template_hash(tmp_path) == sha256('[{"name": "default", "template": "c"}]')
    (tmp_path / "chat_template.json").write_text('{"chat_template": "b"}')
    assert chat_template_hash(tmp_path) == sha256("b")
    (tmp_path / "chat_template.jinja").write_text("a")
    assert chat_template_hash(tmp_path) == sha256("a")
