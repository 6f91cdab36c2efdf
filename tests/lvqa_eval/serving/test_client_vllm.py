"""Pictures by reference, with real vLLM: it takes by name what it holds, and is given whole what it lacks."""

import io

import pytest
from PIL import Image

from lvqa_eval.images import Picture
from lvqa_eval.images.picture import data_url, image_part, reference_part
from lvqa_eval.serving.client import ChatClient
from lvqa_eval.serving.request import Sampling
from lvqa_eval.statuses import Status

pytestmark = pytest.mark.vllm


def picture(name, colour):
    buffer = io.BytesIO()
    Image.new("RGB", (56, 56), colour).save(buffer, "PNG")
    part = image_part(data_url(buffer.getvalue()), name)
    return Picture(name, 56, 56, part, reference_part(name))


def ask(*pictures):
    pieces = [b'{"role":"user","content":[']
    for one in pictures:
        pieces += [one, b","]
    return [(*pieces, b'{"type":"text","text":"What is it?"}]}')]


async def test_a_held_picture_goes_by_name_and_a_lost_one_is_sent_whole(vllm_endpoint):
    sampling = Sampling(temperature=0.0, max_tokens=4)
    red, blue = picture("client-red", "red"), picture("client-blue", "blue")
    async with ChatClient([vllm_endpoint.base_url], vllm_endpoint.model, sampling, attempts=1) as chat:
        whole = await chat.complete(ask(red), seed=0)
        named = await chat.complete(ask(red), seed=0)
        assert (whole.status, named.status, chat.retries) == (Status.OK, Status.OK, 0), (whole, named)
        assert named.text == whole.text
        chat._lines[0].held.add([blue.sha256])  # as if the server had held it once
        found = await chat.complete(ask(red, blue), seed=0)
        assert (found.status, chat.retries) == (Status.OK, 1), found
        again = await chat.complete(ask(red, blue), seed=0)
        assert (again.status, again.text, chat.retries) == (Status.OK, found.text, 1)
