"""What was published is what `load_dataset` and `open_dataset` give, version by version."""

import json
import subprocess
import sys
from pathlib import Path

from tests.support.load_from_hub import written
from tests.support.publishing import NAME, built, publish_quietly

ROOT = Path(__file__).resolve().parents[3]


def load(hub, home, *asked):
    """Return what another process finds on the Hub."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests/support/load_from_hub.py"), NAME, *asked],
        env=hub.environment(home) | {"PYTHONPATH": str(ROOT)},
        cwd=home,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def test_every_version_loads_as_it_was_built(hub, tmp_path):
    one = built(tmp_path / "1", "1.0.0", scenes=3)
    two = built(tmp_path / "2", "1.1.0", scenes=4, depth=4)
    publish_quietly(one)
    publish_quietly(two)
    repo = hub.repos[NAME]
    head = repo.commits[repo.tags["v1.1.0"]]
    assert repo.branches["main"] == head.oid
    between = f"oracle@{head.parent}"
    asked = ["sharded-v@v1.0.0", "sharded-v@v1.1.0", "scenes@v1.1.0", "@v1.0.0", "sharded-v@", between]
    found = load(hub, tmp_path, *asked)
    assert found["loaded"] == {
        "sharded-v@v1.0.0": {"test": written(one, "sharded-v")},
        "sharded-v@v1.1.0": {"test": written(two, "sharded-v")},
        "scenes@v1.1.0": {"test": written(two, "scenes")},
        # Without a name, the config marked as default.
        "@v1.0.0": {"test": written(one, "full")},
        "sharded-v@": {"test": written(two, "sharded-v")},
        # The commit before the last of 1.1.0 has its new pictures already, and still gives the rows of 1.0.0.
        between: {"test": written(one, "oracle")},
    }
    for tag, folder in (("v1.0.0", one), ("v1.1.0", two)):
        opened = found["opened"][tag]
        assert (opened["version"], opened["revision"]) == (tag[1:], repo.tags[tag])
        lines = (folder / "sharded-v.jsonl").read_text().splitlines()
        assert opened["rows"] == [json.loads(line) for line in lines]
