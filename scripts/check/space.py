"""Start the app of a Space over a loopback Hub, and look at what it serves."""

import os
import subprocess
import sys
import time
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

from huggingface_hub import constants

from leaderboard.store.folder import BoardFolder
from leaderboard.store.hub_send import publish_board
from leaderboard.submissions.accept import accept
from tests.support.boards import SLOW, submission, tiny_folder
from tests.support.hub import TOKEN, Hub, serving_hub
from tests.support.publishing import publish_quietly, use_hub

RESULTS = "ORG/results"
PORT = 7861
PATIENCE = 180.0


def main() -> None:
    """Print what was found; exit with 1 where something is off."""
    space, python, work = map(Path, sys.argv[1:])
    constants.HF_HUB_CACHE = str(work / "hub-cache")
    os.environ["HF_TOKEN"] = TOKEN
    with serving_hub() as hub:
        use_hub(hub.url)
        constants.HUGGINGFACE_CO_URL_TEMPLATE = hub.url + "/{repo_id}/resolve/{revision}/{filename}"
        published(work)
        faults = list(looked_at(space, python, hub, work))
    for fault in faults:
        print(f"FAILED: {fault}")
    sys.exit(bool(faults))


def published(work: Path) -> None:
    """Put a dataset and a board with one submission on the Hub."""
    dataset = tiny_folder(work / "layered-vqa")
    publish_quietly(dataset)
    board = BoardFolder.init(work / "board", "A board", ["ORG/layered-vqa"])
    accept(board, submission(work / "run", dataset, SLOW), None, datetime.now(UTC))
    print(f"published: {len(publish_board(board, RESULTS, print))} files of a board")


def looked_at(space: Path, python: Path, hub: Hub, work: Path):
    """Yield what is wrong with the app as it runs."""
    started = time.monotonic()
    with running(space, python, hub, work) as (url, log):
        print(f"{url}: up after {time.monotonic() - started:.0f} s")
        first = fetched(f"{url}views/layered")
        if SLOW.name.encode() not in first:
            yield "the row of the board's submission is not there"
        if b"Hugging Face" not in fetched(f"{url}config"):
            yield "nobody can log in"
        state = space / "board" / "board.yaml"
        if not state.is_file():
            yield f"{state}: the board was not brought there"
        print(f"served: {len(first):,} bytes of the first page's view, with the row of {SLOW.name}")
        if "Traceback" in (text := log.read_text()):
            yield text[-2000:]


@contextmanager
def running(space: Path, python: Path, hub: Hub, work: Path):
    """Run the app as a Space does; give its address and its log."""
    environment = hub.environment(work / "home") | {
        "GRADIO_SERVER_NAME": "127.0.0.1",
        "GRADIO_SERVER_PORT": str(PORT),
        "SYSTEM": "spaces",
        "SPACE_ID": "ORG/leaderboard",
        "OAUTH_CLIENT_ID": "id",
        "OAUTH_CLIENT_SECRET": "secret",
        "OAUTH_SCOPES": "openid profile",
        "OPENID_PROVIDER_URL": hub.url,
        "PYTHONSAFEPATH": "1",
    }
    for name in ("PYTHONPATH", "VIRTUAL_ENV", "HF_HUB_OFFLINE", "HF_DATASETS_CACHE"):
        environment.pop(name, None)
    log = work / "app.log"
    url = f"http://127.0.0.1:{PORT}/"
    with log.open("wb") as file:
        process = subprocess.Popen(
            [str(python), "app.py"], cwd=space, env=environment, stdout=file, stderr=subprocess.STDOUT
        )
        try:
            wait_for(url, process, log)
            yield url, log
        finally:
            process.terminate()
            process.wait(30)


def wait_for(url: str, process: subprocess.Popen, log: Path) -> None:
    """Wait until the app answers; SystemExit with its log where it ends before."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if process.poll() is not None:
            sys.exit(f"FAILED: the app ended with {process.returncode}:\n{log.read_text()[-4000:]}")
        try:
            fetched(url)
            return
        except OSError:
            time.sleep(0.5)
    sys.exit(f"FAILED: no answer in {PATIENCE:.0f} s:\n{log.read_text()[-4000:]}")


def fetched(url: str) -> bytes:
    """Return what a URL gives."""
    try:
        with urlopen(url, timeout=60) as answer:
            return answer.read()
    except HTTPError as error:
        return error.read()


if __name__ == "__main__":
    main()
