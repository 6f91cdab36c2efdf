"""`lvqa space`: a folder that is a Space, whose app can be imported."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from leaderboard.space import requirements
from lvqa_eval.main import main

ROOT = Path(__file__).resolve().parents[2]


def space(folder, *options):
    return CliRunner().invoke(main, ["space", str(folder), *options])


def test_a_space_has_a_card_an_app_and_pinned_requirements(tmp_path):
    done = space(tmp_path / "space", "--repo", "ORG/results", "--title", "Our board")
    assert done.exit_code == 0, done.output
    assert sorted(path.name for path in (tmp_path / "space").iterdir()) == [
        "README.md",
        "app.py",
        "requirements.txt",
    ]
    head, prose = (tmp_path / "space" / "README.md").read_text().split("---\n", 2)[1:]
    card = yaml.safe_load(head)
    assert (card["title"], card["sdk"], card["app_file"]) == ("Our board", "gradio", "app.py")
    assert (card["hf_oauth"], card["datasets"]) == (True, ["ORG/results"])
    assert re.fullmatch(r"6\.\d+\.\d+", card["sdk_version"])
    assert card["python_version"] == f"{sys.version_info.major}.{sys.version_info.minor}"
    assert len(card["short_description"]) <= 60
    assert "$" not in prose
    own, *pins = (tmp_path / "space" / "requirements.txt").read_text().splitlines()
    assert re.fullmatch(r"lvqa\[leaderboard\]==\d+\.\d+\.\d+", own)
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+(\[[a-z,]+\])?==[^=]+", pin) for pin in pins)
    assert f"gradio[oauth]=={card['sdk_version']}" in pins
    names = {pin.split("==")[0].partition("[")[0] for pin in pins}
    assert {"huggingface_hub", "numpy", "scipy", "msgspec", "click", "datasets"} <= names
    assert names.isdisjoint({"torch", "vllm", "pytest", "ray"})


def test_its_app_can_be_imported_and_serves_only_when_it_is_run(tmp_path):
    space(tmp_path / "space", "--repo", "ORG/results")
    program = "import app; assert app.RESULTS == 'ORG/results' and callable(app.serve_space)"
    command = [sys.executable, "-c", program]
    done = subprocess.run(
        command,
        cwd=tmp_path / "space",
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_space_without_a_repository_shows_the_board_beside_its_app(tmp_path):
    assert space(tmp_path / "space").exit_code == 0
    assert "RESULTS = None" in (tmp_path / "space" / "app.py").read_text()
    card = (tmp_path / "space" / "README.md").read_text()
    assert "datasets" not in yaml.safe_load(card.split("---\n")[1])
    assert "the board in the folder `board`, beside the app" in card


def test_lvqa_itself_may_come_from_elsewhere():
    wheel = "lvqa[leaderboard] @ https://example.org/lvqa-0.1.0-py3-none-any.whl"
    assert requirements(wheel).splitlines()[0] == wheel
    assert requirements(wheel).splitlines()[1:] == requirements().splitlines()[1:]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--repo", "results"), "--repo: found 'results', allowed: ORG/NAME"),
        (("--repo", "ORG/results')\nimport os"), "allowed: ORG/NAME"),
        (("--title", "a: b"), "--title: found 'a: b', allowed: one line without quotes"),
        (("--title", 'x"'), "--title: found"),
    ],
)
def test_names_that_would_break_a_file_are_refused(tmp_path, options, told):
    done = space(tmp_path / "space", *options)
    assert (done.exit_code, told in done.output) == (1, True), done.output
    assert not (tmp_path / "space").exists()
