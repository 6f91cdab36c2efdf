"""Pages at real vLLM, from the command line to the report."""

import json

import pytest
from click.testing import CliRunner

from lvqa_eval.main import main
from lvqa_eval.runs.pictures import Name, read_pictures
from lvqa_eval.runs.records import Key
from lvqa_eval.runs.store import RunStore
from lvqa_eval.statuses import JudgeStatus, Status
from tests.support.page_folder import SIZES, page_folder

pytestmark = pytest.mark.vllm

CONDITIONS = ("default", "cot", "downsample-2")


def lvqa(*words):
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert result.exit_code == 0, result.output
    return result.output


def test_pages_are_asked_judged_and_reported(vllm_endpoint, tmp_path):
    dataset, run = page_folder(tmp_path / "bear-bench"), tmp_path / "run"
    server = ("--model", vllm_endpoint.model, "--base-url", vllm_endpoint.base_url)
    asked = ("--conditions", ",".join(CONDITIONS), "--max-tokens", 24, "--in-flight", 4)
    lvqa("run", "--benchmark", "bear-bench", "--dataset", dataset, *server, *asked, "--out", run)
    store = RunStore.open(run)
    held = store.conversations()
    assert set(held) == {Key(condition, name, 1) for condition in CONDITIONS for name in SIZES}
    # A random model says something, or is cut off; nothing fails in serving.
    assert {one.status for one in held.values()} <= {Status.OK, Status.TRUNCATED, Status.EMPTY}
    assert max(one.turns[0].completion_tokens for one in held.values()) <= 24
    assert store.identity.settings["sampling"] == {"temperature": 0.6, "top_p": 1.0, "max_tokens": 24}
    assert set(read_pictures(run)) == {Name(name, None, factor) for name in SIZES for factor in (1.0, 2.0)}

    def tokens(condition):
        return held[Key(condition, "business-en-1", 1)].turns[0].prompt_tokens

    # The system prompt takes tokens; a smaller page takes no more than a whole one.
    assert tokens("cot") > tokens("default") >= tokens("downsample-2")

    judge = f"{vllm_endpoint.model}@{vllm_endpoint.base_url}"
    lvqa("judge", run, "--judge", "exact-match", "--judge", judge, "--max-tokens", 48)
    plain = store.judgements("exact-match")
    assert set(plain) == set(held)
    assert {one.status for one in plain.values()} == {JudgeStatus.OK}
    ruled = store.judgements(f"{vllm_endpoint.model}.xml")
    assert set(ruled) == set(held)
    # Only a reply in the right form is a verdict, and random words are none.
    for key, one in ruled.items():
        if held[key].status is not Status.OK:
            assert (one.status, one.final_turn_correct) == (JudgeStatus.OK, False)
        elif one.status is JudgeStatus.PARSE_ERROR:
            assert (one.final_turn_correct, bool(one.error)) == (None, True)
        else:
            assert one.status is JudgeStatus.OK

    told = lvqa("report", run, "--judge", "exact-match", "--draws", 50)
    assert "11 of 13 exhibits made" in told
    written = json.loads((run / "report" / "report.json").read_text())
    assert written["runs"][0]["benchmark"] == "bear-bench"
    assert (run / "report" / "index.html").stat().st_size > 10_000
    assert "no problems; 24 of 24 conversations are final" in lvqa("runs", "verify", run, "--complete")
