"""What `lvqa run` makes of --ray, --workers and --out."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from lvqa_eval import evaluation
from lvqa_eval.main import main
from lvqa_eval.tally import Tally


@pytest.fixture
def chosen(monkeypatch):
    """The settings of each evaluation that is asked for; nothing is run."""
    seen = []

    def evaluate(settings, tell):
        seen.append(settings)
        return evaluation.Outcome(Path("there"), Tally(), 1, 1)

    monkeypatch.setattr(evaluation, "evaluate", evaluate)
    return seen


def run(*arguments):
    return CliRunner().invoke(main, ["run", "--model", "talker", *arguments])


@pytest.mark.parametrize("url", ["s3://bucket/runs/one", "file:///runs/one", "memory://one"])
def test_a_url_is_a_mirror_and_a_path_is_the_folder(chosen, url):
    assert run("--out", url).exit_code == 0
    assert run("--out", "runs/one").exit_code == 0
    assert [(one.out, one.mirror) for one in chosen] == [(None, url), (Path("runs/one"), None)]


def test_the_cluster_and_its_workers(chosen):
    assert run("--ray", "head:6379", "--workers", "8").exit_code == 0
    assert run().exit_code == 0
    assert [(one.ray, one.workers) for one in chosen] == [("head:6379", 8), (None, None)]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--workers", "2"), "--workers needs --ray"),
        (("--ray", "auto", "--servers", "2"), "--servers is not for it"),
    ],
)
def test_options_that_do_not_go_together_are_refused(chosen, arguments, words):
    done = run(*arguments)
    assert done.exit_code == 2
    assert words in done.output
    assert chosen == []
