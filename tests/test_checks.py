"""The reduced form of every check in scripts/check, against the one server of the test run."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def check(name, **environment):
    """Run one check; its figures are shown with the test, and what it printed is returned."""
    done = subprocess.run(
        ["bash", str(ROOT / "scripts/check" / f"{name}.sh"), "--reduced"],
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    print(done.stdout)
    assert done.returncode == 0, done.stdout[-3000:]
    return done.stdout


@pytest.fixture
def server(vllm_endpoint):
    """Name the running server to the checks."""
    return {"LVQA_CHECK_URL": vllm_endpoint.base_url, "LVQA_CHECK_MODEL": vllm_endpoint.model}


def test_load_dataset():
    out = check("load_dataset")
    assert out.count(" rows; streamed: RGB ") == 17
    assert "1.00 x storing each once" in out
    assert "pictures in it: 0" in out
    assert "now ['proc-s1-0000', 'proc-s1-0001']" in out
    assert "the first again: ['proc-s1-0000', 'proc-s1-0001']" in out


def test_sources():
    out = check("sources")
    if out.startswith("skipped"):
        pytest.skip(out.strip())
    accepted = {"coco": 3, "mulan": 3, "openraster": 2, "photoshop": 3}
    assert [f"{source}: {count} scenes accepted" in out for source, count in accepted.items()] == [True] * 4
    assert out.count("bytes unlike decomposed/: 0") == 3


def test_faults():
    out = check("faults")
    assert "planned 128, kept 128, lost 0, doubled 0, wrong 0" in out
    assert "killed 2" in out
    assert "changed 0" in out


@pytest.mark.vllm
def test_end_to_end(server):
    assert "rows of the table: 16" in check("end_to_end", **server)


@pytest.mark.vllm
def test_photos(server):
    out = check("photos", **server)
    if out.startswith("skipped"):
        pytest.skip(out.strip())
    assert out.count("largest error against the photo 0/255") == 9
    assert "50 questions" in out


@pytest.mark.vllm
def test_kill_and_resume(server):
    out = check("kill_and_resume", **server)
    assert out.count(" conversations on disk") == 10
    assert "lost 0, doubled 0" in out


@pytest.mark.vllm
def test_judges(server):
    out = check("judges", **server)
    assert out.count("parse rate 100%") == 3
    assert out.count("parse rate 0%") == 1
    assert "'no_quorum': " in out


@pytest.mark.vllm
def test_reports(server):
    out = check("reports", **server)
    assert out.count(", faults: 0") == 2
    assert "17 of 17 exhibits made" in out
