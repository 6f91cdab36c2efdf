"""Verdicts of real vLLM: pictures, log-probabilities and tokens as it gives them."""

import json

import pytest
from click.testing import CliRunner

from lvqa_eval.detectors.verdicts.store import VerdictStore
from lvqa_eval.main import main
from lvqa_eval.statuses import Status
from tests.support.page_folder import SIZES, answer, page_folder
from tests.support.verdict_runs import page_run

pytestmark = pytest.mark.vllm


def test_a_model_gives_verdicts_with_their_probability(vllm_endpoint, tmp_path):
    dataset = page_folder(tmp_path / "bear-bench")
    judge = f"{vllm_endpoint.model}@{vllm_endpoint.base_url}"

    def asked(name, *options):
        run = page_run(tmp_path / name, dataset, ("default",), lambda row: answer(row.question_id))
        command = ["verdicts", str(run), "--judge", judge, "--max-tokens", "24", *options]
        result = CliRunner().invoke(main, command)
        assert result.exit_code == 0, result.output
        return VerdictStore(run, vllm_endpoint.model).records().values()

    # A random model has nothing to say, and nothing is taken for a verdict; nothing fails in serving.
    free = asked("free")
    assert len(free) == len(SIZES)
    assert {one.status for one in free} <= {Status.UNPARSABLE, Status.TRUNCATED, Status.EMPTY, Status.OK}
    assert min(one.prompt_tokens for one in free) > 100

    words = {"structured_outputs": {"choice": ["CORRECT", "INCORRECT"]}}
    held = asked("held", "--extra-body", json.dumps(words))
    assert {one.status for one in held} == {Status.OK}
    for one in held:
        assert (one.reply, one.incorrect) in {("CORRECT", False), ("INCORRECT", True)}
        assert one.score is not None
        assert 0.0 <= one.score <= 1.0
    assert asked("mute", "--extra-body", json.dumps(words), "--logprobs", "0")
