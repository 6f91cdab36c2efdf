"""What real vLLM makes of the parts: thin pictures padded, pictures by reference, pictures as files."""

import json
import urllib.request
from pathlib import Path

import pytest

from lvqa_eval.images import PictureKey, PictureStore
from lvqa_eval.simulation.messages import user_message

CASES = Path(__file__).resolve().parents[2] / "cases" / "pictures"


async def composite(name, **options):
    return await PictureStore(**options).picture(PictureKey("s", None, str(CASES / name)), Path)


def ask(endpoint, picture, held=()):
    """Return status 200's body for a question about one picture, which the server may hold already."""
    pieces = user_message([("Image 1:", picture)], "What is it?")
    message = b"".join(piece if isinstance(piece, bytes) else piece.sent(held) for piece in pieces)
    body = b'{"model":"%s","temperature":0,"max_tokens":8,"messages":[%s]}' % (
        endpoint.model.encode(),
        message,
    )
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{endpoint.base_url}/chat/completions", body, headers)
    with urllib.request.urlopen(request, timeout=120) as response:
        return json.load(response)


@pytest.mark.vllm
@pytest.mark.parametrize("name", ["thin_332x20.png", "sliver_300x1.png"])
async def test_a_picture_too_thin_for_the_processor_is_answered(vllm_endpoint, name):
    reply = ask(vllm_endpoint, await composite(name))
    assert reply["choices"][0]["message"]["content"]


@pytest.mark.vllm
async def test_a_picture_by_reference_is_the_picture(vllm_endpoint):
    thin = await composite("thin_332x20.png", uuid=True)
    sliver = await composite("sliver_300x1.png", uuid=True)
    # Of other widths, so that the prompt's length tells them apart.
    whole = [ask(vllm_endpoint, picture)["usage"]["prompt_tokens"] for picture in (thin, sliver)]
    held = {thin.sha256, sliver.sha256}
    named = [ask(vllm_endpoint, picture, held)["usage"]["prompt_tokens"] for picture in (thin, sliver)]
    assert named == whole
    assert whole[0] != whole[1]
