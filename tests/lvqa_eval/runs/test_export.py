"""`lvqa export`: typed Parquet that `datasets` reads, deterministic, whole or not at all."""

import dataclasses
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from lvqa_eval.main import main
from lvqa_eval.runs.arrow import record_fields
from lvqa_eval.runs.export import ExportError, export_runs
from lvqa_eval.runs.records import (
    ConversationRecord,
    JudgementRecord,
    QuestionRecord,
    TokenLogprobs,
    TurnRecord,
)
from lvqa_eval.runs.store import RunStore
from lvqa_eval.statuses import Status
from tests.support.scored_runs import conversation, judgement, question, turn, write_run
from tests.support.small_run import small_run

TYPES = {
    "text": pa.string(),
    "number": pa.int32(),
    "numbers": pa.list_(pa.field("item", pa.int32(), nullable=False)),
}


def spoken(folder, manifest="ab" * 32, version="1.0.0", asked=None):
    """Write a run of a conversation of two turns with log-probabilities, judged, and of one that failed."""
    logprobs = TokenLogprobs(("a", "\n"), (-0.12345, None), ((-0.12345, -2.0), ()), (0, None), ("no value",))
    turns = [
        dataclasses.replace(turn([2], reply="красный\u2028"), logprobs=logprobs, prompt_tokens=7),
        turn(reply=None),
    ]
    held = [conversation("full", "q1", 1, Status.OK, turns), conversation("full", "q1", 2, Status.TIMEOUT)]
    dataset = {"name": "layered-vqa", "version": version, "manifest_sha256": manifest}
    asked = asked or [question("q1", "s1", ((1, 2), (0,)))]
    return write_run(folder, ["full"], 2, asked, held, {"j": [judgement("full", "q1")]}, dataset=dataset)


def test_every_row_comes_back_typed(tmp_path):
    store = spoken(tmp_path / "one")
    assert export_runs([store.folder], tmp_path / "out") == {
        "conversations": 2,
        "judgements": 1,
        "questions": 1,
    }
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "README.md",
        "conversations.parquet",
        "judgements.parquet",
        "questions.parquet",
    ]
    table = pq.read_table(tmp_path / "out" / "conversations.parquet")
    first, second = table.to_pylist()
    head = ["run_name", "model", "dataset", "dataset_version", "dataset_manifest", "scene_id"]
    assert table.column_names == [*head, "condition", "question_id", "run", "status", "turns", "misalignment"]
    assert [first[name] for name in head] == ["one", "some/model-4b", "layered-vqa", "1.0.0", "ab" * 32, "s1"]
    assert (first["run"], first["status"], second["run"], second["status"]) == (1, "ok", 2, "timeout")
    assert first["turns"][0] | {"logprobs": None} == {
        "user": "Here it is.",
        "question": False,
        "shards": [],
        "layers": [2],
        "composite": False,
        "seed": 1,
        "status": "ok",
        "reply": "красный\u2028",
        "thinking": None,
        "finish_reason": None,
        "prompt_tokens": 7,
        "completion_tokens": None,
        "cached_tokens": None,
        "error": None,
        "logprobs": None,
        "user_fallback": False,
        "user_prompt_tokens": None,
        "user_completion_tokens": None,
    }
    assert first["turns"][0]["logprobs"] == {
        "tokens": ["a", "\n"],
        "logprobs": [-0.12345, None],
        "top": [[-0.12345, -2.0], []],
        "chosen": [0, None],
        "flags": ["no value"],
    }
    assert pq.read_table(tmp_path / "out" / "judgements.parquet").to_pylist() == [
        {
            "run_name": "one",
            "model": "some/model-4b",
            "judge": "j",
            "condition": "full",
            "question_id": "q1",
            "run": 1,
            "status": "ok",
            "final_turn_correct": True,
            "first_correct_turn": 1,
            "attempts": [{"turn": 1, "answer": "a circle", "correct": True}],
            "error": None,
            "flags": [],
            "is_correct": None,
            "answer_span": None,
            "reasoning": None,
            "reply": None,
            "prompt_tokens": None,
            "completion_tokens": None,
        }
    ]
    (asked,) = pq.read_table(tmp_path / "out" / "questions.parquet").to_pylist()
    assert (asked["dataset_manifest"], asked["minimal_sets"]) == ("ab" * 32, [[1, 2], [0]])


def test_the_schema_is_that_of_the_records():
    fields = {one.name: one for one in record_fields(ConversationRecord)}
    assert (fields["run"].type, fields["status"].type, fields["misalignment"].nullable) == (
        pa.int32(),
        pa.string(),
        True,
    )
    turns = fields["turns"].type.value_type
    assert {one.name for one in turns} == {one.name for one in dataclasses.fields(TurnRecord)}
    assert (turns.field("prompt_tokens").type, turns.field("prompt_tokens").nullable) == (pa.int32(), True)
    assert (turns.field("layers").type, turns.field("layers").nullable) == (TYPES["numbers"], False)
    logprobs = turns.field("logprobs").type
    assert logprobs.field("top").type.value_type.value_type == pa.float64()
    assert logprobs.field("logprobs").type.value_field.nullable
    for record in (JudgementRecord, QuestionRecord):
        assert [one.name for one in record_fields(record)] == [one.name for one in dataclasses.fields(record)]
    with pytest.raises(TypeError, match="allowed: text, bool"):
        record_fields(dataclasses.make_dataclass("Odd", [("when", bytes)]))


def test_identities_stand_in_the_metadata_and_runs_in_the_card(tmp_path):
    spoken(tmp_path / "one")
    small = small_run(tmp_path / "two")
    export_runs([small.folder, tmp_path / "one"], tmp_path / "out", allow_mixed=True)
    for name in ("conversations", "judgements", "questions"):
        metadata = json.loads(pq.read_schema(tmp_path / "out" / f"{name}.parquet").metadata[b"lvqa"])
        assert metadata["two"] == {
            "run": small.identity.settings,
            "judges": {"exact-match": {"judge": "exact-match"}},
        }
        assert sorted(metadata) == ["one", "two"]
    card = (tmp_path / "out" / "README.md").read_text()
    assert "| two | some/model-4b | layered-vqa 1.0.0 | 0123456789abcdef | 47 | 48 | exact-match |" in card
    assert "49 conversations, 44 judgements and 7 questions" in card


def test_datasets_loads_the_folder(tmp_path):
    from datasets import load_dataset

    small_run(tmp_path / "two")
    export_runs([tmp_path / "two"], tmp_path / "out")
    out, cache = str(tmp_path / "out"), str(tmp_path / "cache")
    found = {
        config: load_dataset(out, config, split="test", cache_dir=cache)
        for config in ("conversations", "judgements", "questions")
    }
    assert {config: len(rows) for config, rows in found.items()} == {
        "conversations": 47,
        "judgements": 43,
        "questions": 6,
    }
    fields = [one.name for one in dataclasses.fields(JudgementRecord)]
    assert found["judgements"].column_names == ["run_name", "model", "judge", *fields]
    assert found["conversations"][0]["turns"][0]["layers"] == [1]
    assert load_dataset(out, split="test", cache_dir=cache).column_names[-1] == "misalignment"


def test_the_same_runs_give_the_same_bytes(tmp_path):
    one, two = spoken(tmp_path / "one").folder, spoken(tmp_path / "two").folder
    export_runs([one, two], tmp_path / "a")
    export_runs([two, one], tmp_path / "b")
    export_runs([two, one], tmp_path / "b")
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()
    rows = pq.read_table(tmp_path / "a" / "conversations.parquet", columns=["run_name", "run"]).to_pylist()
    assert [tuple(row.values()) for row in rows] == [("one", 1), ("one", 2), ("two", 1), ("two", 2)]
    assert pq.read_metadata(tmp_path / "a" / "questions.parquet").num_rows == 1


def test_different_datasets_are_refused_unless_allowed(tmp_path):
    spoken(tmp_path / "one")
    spoken(tmp_path / "two", "cd" * 32, "1.1.0")
    spoken(tmp_path / "three")
    folders = [tmp_path / name for name in ("two", "one", "three")]
    with pytest.raises(ExportError) as refused:
        export_runs(folders, tmp_path / "out")
    assert str(refused.value) == (
        "runs over different datasets; --allow-mixed exports them together:\n"
        "  layered-vqa 1.0.0, manifest abababababababab: one, three\n"
        "  layered-vqa 1.1.0, manifest cdcdcdcdcdcdcdcd: two"
    )
    assert not (tmp_path / "out").exists()
    result = CliRunner().invoke(
        main, ["export", *map(str, folders), "--out", str(tmp_path / "out"), "--allow-mixed"]
    )
    assert (result.exit_code, result.output) == (
        0,
        f"{tmp_path / 'out'}: 6 conversations, 3 judgements, 2 questions\n",
    )


def test_runs_that_cannot_be_told_apart_are_refused(tmp_path):
    spoken(tmp_path / "a" / "run")
    spoken(tmp_path / "b" / "run")
    with pytest.raises(ExportError, match=r"run: found 'run' twice: .*/a/run, .*/b/run"):
        export_runs([tmp_path / "a" / "run", tmp_path / "b" / "run"], tmp_path / "out")
    spoken(tmp_path / "other", asked=[question("q1", "s2")])
    with pytest.raises(ExportError, match=r"run: question 'q1': another run has other fields"):
        export_runs([tmp_path / "a" / "run", tmp_path / "other"], tmp_path / "out")


def test_nothing_but_an_earlier_export_is_replaced(tmp_path):
    store = spoken(tmp_path / "one")
    with pytest.raises(ExportError, match=r"one: found conversations\.jsonl, judgements, "):
        export_runs([store.folder], store.folder)
    (tmp_path / "out").mkdir()
    export_runs([store.folder], tmp_path / "out")
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    with store.folder.joinpath("conversations.jsonl").open("ab") as file:
        file.write(b'{"condition":"full","question_id":"q9","run":1,"status":"ok","turns":[]}\n')
    with pytest.raises(ExportError, match=r"one: question 'q9': not in questions\.jsonl"):
        export_runs([store.folder], tmp_path / "out")
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "out"]
    assert RunStore.open(store.folder).judges() == ["j"]
