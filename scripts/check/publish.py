"""Publish two versions to a Hub on the loopback address and load them from it; part of publish.sh."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from dataset_builders.layered_vqa.build import build
from dataset_builders.layered_vqa.conditions import ConditionOptions
from dataset_builders.layered_vqa.sources.procedural import ProceduralSource
from tests.support.hub import serving_hub
from tests.support.load_from_hub import written
from tests.support.publishing import NAME, content

LVQA = str(Path(sys.executable).with_name("lvqa"))


def start(hub, work, folder):
    return subprocess.Popen(
        [LVQA, "publish", str(folder), NAME, "--files-per-commit", "40"],
        env=hub.environment(work / "home"),
        stdout=subprocess.DEVNULL,
    )


def publish(hub, work, folder, told):
    requests, received = len(hub.requests), hub.received
    assert start(hub, work, folder).wait() == 0
    print(f"  {told}: {len(hub.requests) - requests} requests, {hub.received - received:,} bytes sent")


def publish_killed(hub, work, folder, number):
    """kill -9 when the n-th commit comes in; the Hub keeps what it has."""
    commits = []
    requests, received = len(hub.requests), hub.received

    def on_request(method, path, body):
        if "/commit/" in path:
            commits.append(path)
            if len(commits) == number:
                os.kill(process.pid, signal.SIGKILL)
        return "drop" if len(commits) >= number else None

    hub.on_request = on_request
    process = start(hub, work, folder)
    assert process.wait() == -signal.SIGKILL
    hub.on_request = None
    sent = hub.received - received
    print(f"  killed at commit {number}: {len(hub.requests) - requests} requests, {sent:,} bytes sent")


def load(hub, work, *asked):
    done = subprocess.run(
        [sys.executable, "tests/support/load_from_hub.py", NAME, *asked],
        env=hub.environment(work / "home") | {"PYTHONPATH": str(Path.cwd())},
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(done.stdout)["loaded"]


def main():
    work, scenes = Path(sys.argv[1]), int(sys.argv[2])
    one = build(ProceduralSource(scenes=scenes, seed=1), work / "1", "1.0.0", ConditionOptions()).folder
    fewer = ProceduralSource(scenes=scenes - 1, seed=2)
    two = build(fewer, work / "2", "1.1.0", ConditionOptions()).folder
    size = sum(map(len, content(one).values()))
    print(f"{len(content(one))} files, {size:,} bytes; then {len(content(two))} files of another build")
    with serving_hub() as hub:
        hub.page = 1000
        publish(hub, work, one, "first time")
        publish(hub, work, one, "second time")
        for number in (1, 2):
            publish_killed(hub, work, two, number)
        publish(hub, work, two, "after that")
        repo = hub.repos[NAME]
        whole = repo.tree("main") == repo.tree("v1.1.0") == content(two) and repo.tree("v1.0.0") == content(
            one
        )
        print(f"  the Hub holds exactly both versions: {'yes' if whole else 'no'}")
        expected = {"sharded-v@v1.0.0": one, "sharded-v@v1.1.0": two}
        found = load(hub, work, *expected)
    same = True
    for asked, folder in expected.items():
        rows = written(folder, "sharded-v")
        identical = found[asked] == {"test": rows}
        same = same and identical
        print(f"  {asked}: {rows[0]} rows, words and pixels identical: {'yes' if identical else 'no'}")
    return 0 if whole and same else 1


if __name__ == "__main__":
    sys.exit(main())
