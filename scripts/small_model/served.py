"""Compare what real vLLM says with what `transformers` says, for one exported model.

    python -m scripts.small_model.served FOLDER [--prompts 200]

Prompts are first, middle and last turns of conversations under all sixteen conditions, with right replies as
their history; both sides always take the most likely token. Exits with 1 where more than 1 % differ.
"""

import argparse
import base64
import io
import json
import tempfile
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from PIL import Image

from dataset_builders.layered_vqa.conditions import CONDITIONS
from dataset_builders.layered_vqa.scene import Scene
from dataset_builders.layered_vqa.sources.procedural import ProceduralSource
from lvqa_eval.images import Rendering
from lvqa_eval.serving.server import ServerOptions, VllmServer

from .evaluate import DEPTHS, EXAM_SEED, LONGEST_REPLY, as_asked
from .prompts import conversation

ALLOWED = 0.01
NAME = "small"


@dataclass(frozen=True)
class Prompt:
    """Messages to answer, with pictures in them as `pictures` has them in order."""

    condition: str
    messages: list[dict[str, Any]]
    pictures: list[Image.Image]


def main() -> None:
    """Compare both sides on so many prompts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--prompts", type=int, default=200)
    arguments = parser.parse_args()
    asked = list(prompts(arguments.prompts))
    ours = said_by_transformers(arguments.folder, asked)
    theirs = said_by_vllm(arguments.folder, asked)
    differing = [trio for trio in zip(asked, ours, theirs, strict=True) if trio[1] != trio[2]]
    for prompt, one, other in differing:
        print(f"{prompt.condition}: transformers {one!r}, vLLM {other!r}")
    print(f"{len(asked) - len(differing)} of {len(asked)} replies are the same")
    raise SystemExit(len(differing) > ALLOWED * len(asked))


def prompts(count: int) -> Iterator[Prompt]:
    """Yield so many prompts, of every condition in turn."""
    least, most = DEPTHS
    names = list(CONDITIONS.names())
    draw = Random(0)
    source = ProceduralSource(
        scenes=count, questions_per_scene=1, seed=EXAM_SEED, min_depth=least, max_depth=most
    )
    for index, material in enumerate(source.read()):
        talk = conversation(as_asked(material.examples[0]), names[index % len(names)])
        turn = draw.randrange(len(talk.exchanges))
        messages, pictures = [talk.system], []
        for exchange in talk.exchanges[:turn]:
            messages += [exchange.message, {"role": "assistant", "content": exchange.reply}]
        messages.append(talk.exchanges[turn].message)
        for exchange in talk.exchanges[: turn + 1]:
            pictures += [_picture(material.scene, layer) for layer in exchange.layers]
        yield Prompt(talk.condition, messages, pictures)


def _picture(scene: Scene, layer: int | None) -> Image.Image:
    return Image.fromarray(Rendering().render(scene.composite() if layer is None else scene.layers[layer]))


def said_by_transformers(folder: Path, asked: list[Prompt]) -> list[str]:
    """Return the replies of the model as `transformers` runs it."""
    import torch
    from transformers import AutoModelForImageTextToText, AutoProcessor

    sees = AutoProcessor.from_pretrained(folder)
    model = AutoModelForImageTextToText.from_pretrained(folder, dtype=torch.float32).eval()
    replies = []
    for prompt in asked:
        text = sees.apply_chat_template(prompt.messages, tokenize=False, add_generation_prompt=True)
        given = sees(text=[text], images=prompt.pictures, return_tensors="pt")
        with torch.inference_mode():
            written = model.generate(**given, do_sample=False, max_new_tokens=LONGEST_REPLY)
        new = written[0, given["input_ids"].shape[1] :]
        replies.append(sees.tokenizer.decode(new, skip_special_tokens=True))
    return replies


def said_by_vllm(folder: Path, asked: list[Prompt]) -> list[str]:
    """Return the replies of the model as real vLLM serves it."""
    options = ServerOptions(str(folder), images_per_prompt=64, served_name=NAME, max_model_len=16384)
    with (
        tempfile.TemporaryDirectory() as work,
        VllmServer(options, Path(work) / "server.log", patience=900) as server,
        ThreadPoolExecutor(8) as pool,
    ):
        return list(pool.map(lambda prompt: _ask(server.base_url, prompt), asked))


def _ask(base_url: str, prompt: Prompt) -> str:
    pictures = iter(prompt.pictures)
    messages = [
        {**message, "content": [_as_sent(part, pictures) for part in message["content"]]}
        if isinstance(message["content"], list)
        else message
        for message in prompt.messages
    ]
    body = {"model": NAME, "messages": messages, "temperature": 0, "max_tokens": LONGEST_REPLY}
    request = urllib.request.Request(
        f"{base_url}/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=600) as answer:
        return str(json.load(answer)["choices"][0]["message"]["content"])


def _as_sent(part: dict[str, Any], pictures: Iterator[Image.Image]) -> dict[str, Any]:
    if part["type"] == "text":
        return part
    png = io.BytesIO()
    next(pictures).save(png, format="PNG")
    data = base64.b64encode(png.getvalue()).decode()
    return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}


if __name__ == "__main__":
    main()
