"""Publishing to the loopback Hub: in this process, or in one that is killed on the way."""

import multiprocessing
import os
import signal

from dataset_builders.layered_vqa.build import build
from dataset_builders.layered_vqa.conditions import ConditionOptions
from dataset_builders.publishing.plan import BatchSize
from dataset_builders.publishing.upload import Choices, publish
from tests.support.hub import TOKEN
from tests.support.sources import SmallSource

NAME = "ORG/layered-vqa"
SMALL = BatchSize(files=6)


def built(folder, version="1.0.0", scenes=2, depth=3):
    """Build a small dataset folder, in place of one that stands there."""
    source = SmallSource(scenes=scenes, depth=depth)
    return build(source, folder, version, ConditionOptions(), replace=True).folder


def content(folder):
    """Return path -> bytes of a folder, as the Hub should hold it."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def use_hub(url, token=TOKEN):
    """Point the Hub's client in this process at a loopback Hub."""
    from huggingface_hub import constants

    constants.ENDPOINT = url
    constants.HF_HUB_DISABLE_XET = True
    constants.HF_HUB_OFFLINE = False
    os.environ["HF_TOKEN"] = token


def publish_quietly(folder, **choices):
    """Publish here; return what came of it and every line that was told."""
    told = []
    done = publish(folder, NAME, Choices(batch=SMALL, **choices), told.append, told.append)
    return done, told


def _child(url, folder):
    use_hub(url)
    publish_quietly(folder)


def publish_killed(hub, folder, wanted, then):
    """Publish in another process that gets SIGKILL when the n-th write whose line holds `text` comes in.

    `wanted` is (text, n), and `then` says whether the Hub still serves that request: "lose" or "drop".
    """
    text, number = wanted
    # Children of a server without threads start fast and safely beside the Hub's threads.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.support.publishing", "huggingface_hub"])
    process = context.Process(target=_child, args=(hub.url, folder))
    seen = []

    def on_request(method, path, body):
        if method in ("POST", "PUT") and text in f"{path} {body[:400]!r}":
            seen.append(path)
            if len(seen) == number:
                os.kill(process.pid, signal.SIGKILL)
                return then
        # Requests that were under way already.
        return "drop" if len(seen) >= number else None

    hub.on_request = on_request
    process.start()
    process.join(60)
    hub.on_request = None
    assert process.exitcode == -signal.SIGKILL, f"ended with {process.exitcode} after {seen}"
