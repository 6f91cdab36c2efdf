"""A run on disk: made, resumed, read, judged."""

import dataclasses
import json
import logging
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lvqa_eval.runs.identity import IdentityChangedError, RunIdentity
from lvqa_eval.runs.lines import AppendLog, LogInUseError, read_lines
from lvqa_eval.runs.objects import encode
from lvqa_eval.runs.reading import decoder, one_per_key
from lvqa_eval.runs.records import (
    Attempt,
    ConversationRecord,
    JudgementRecord,
    Key,
    QuestionRecord,
    TurnRecord,
)
from lvqa_eval.runs.store import RunFolderError, RunStore
from lvqa_eval.statuses import JudgeStatus, Status

CASES = Path(__file__).resolve().parents[2] / "cases"
IDENTITY = RunIdentity({"model": "tiny", "sampling": {"temperature": 1.0}})


def question(name: str, answer: str = "red") -> QuestionRecord:
    return QuestionRecord(
        question_id=name,
        scene_id="s1",
        depth=3,
        category="direct_ask",
        question="Which colour?",
        answer=answer,
        answer_description=None,
        gold_layers=(1,),
        minimal_sets=((1,), (0, 2)),
        dependencies=((0, 2),),
        distractors=(),
    )


def conversation(name: str, status: Status = Status.OK, reply: str | None = "red", run: int = 1):
    turn = TurnRecord(
        user="Which colour?",
        question=True,
        shards=(),
        layers=(0, 1),
        composite=True,
        seed=5,
        status=status,
        reply=reply,
    )
    return ConversationRecord("full", name, run, status, (turn,))


QUESTIONS = [question("q2"), question("q1")]


def create(folder: Path, identity: RunIdentity = IDENTITY, questions=QUESTIONS) -> RunStore:
    return RunStore.create_or_resume(folder, identity, questions)


def test_a_run_is_made_of_plain_files(tmp_path):
    folder = tmp_path / "runs" / "one"
    with create(folder) as store:
        store.append(conversation("q1"))
    assert sorted(path.name for path in folder.iterdir()) == [
        "conversations.jsonl",
        "questions.jsonl",
        "run.yaml",
    ]
    assert (folder / "run.yaml").read_text() == "model: tiny\nsampling:\n  temperature: 1.0\n"
    line = json.loads((folder / "conversations.jsonl").read_text())
    assert (line["question_id"], line["status"], line["turns"][0]["layers"]) == ("q1", "ok", [0, 1])
    store = RunStore.open(folder)
    assert store.identity == IDENTITY
    assert list(store.questions().values()) == QUESTIONS
    assert store.conversations() == {Key("full", "q1", 1): conversation("q1")}


def test_a_resumed_run_skips_what_is_final_and_no_other(tmp_path):
    with create(tmp_path / "run") as store:
        store.append(conversation("q1", Status.TIMEOUT, None))
        store.append(conversation("q2", Status.CONTEXT_OVERFLOW, None))
        store.append(conversation("q2", Status.TRUNCATED, run=2))
        store.append(conversation("q1", Status.SERVER_ERROR, None, run=2))
    with create(tmp_path / "run") as store:
        assert store.finished() == {Key("full", "q2", 1), Key("full", "q2", 2)}
        store.append(conversation("q1"))
        assert Key("full", "q1", 1) in store.finished()


def test_a_finished_conversation_is_not_written_twice(tmp_path):
    with create(tmp_path / "run") as store:
        store.append(conversation("q1"))
        with pytest.raises(RunFolderError, match=r"\('full', 'q1', 1\) is finished already"):
            store.append(conversation("q1"))
    with create(tmp_path / "run") as store:
        with pytest.raises(RunFolderError, match="is finished already"):
            store.append(conversation("q1", Status.TIMEOUT, None))
        with pytest.raises(RunFolderError, match=r"found question 'q9', not in questions\.jsonl"):
            store.append(conversation("q9"))
    assert len((tmp_path / "run" / "conversations.jsonl").read_bytes().splitlines()) == 1


def test_sixty_four_threads_lose_no_conversation(tmp_path):
    keys = [Key("full", name, run) for name in ("q1", "q2") for run in range(1, 501)]
    with create(tmp_path / "run") as store, ThreadPoolExecutor(64) as pool:
        list(pool.map(lambda key: store.append(conversation(key.question_id, run=key.run)), keys))
        assert store.finished() == set(keys)
    reading = RunStore.open(tmp_path / "run").read_conversations()
    assert (list(reading.records), reading.problems, reading.repeats) == (keys, (), 0)


def test_a_record_that_vanished_from_the_file_is_not_finished(tmp_path):
    with create(tmp_path / "run") as store:
        store.append(conversation("q1"))
        store.append(conversation("q2"))
        path = tmp_path / "run" / "conversations.jsonl"
        path.write_bytes(path.read_bytes().splitlines(keepends=True)[1])
        assert store.finished() == {Key("full", "q2", 1)}


def test_other_settings_or_questions_are_refused_with_the_difference(tmp_path):
    folder = tmp_path / "run"
    create(folder).close()
    changed = RunIdentity({"model": "tiny", "sampling": {"temperature": 0.6}})
    with pytest.raises(IdentityChangedError, match=r"temperature: this run has 1\.0, asked for 0\.6"):
        create(folder, changed)
    with pytest.raises(IdentityChangedError) as refused:
        create(folder, questions=[question("q1", "blue"), question("q2")])
    assert refused.value.differences == ['q1.answer: this run has "red", asked for "blue"']
    with pytest.raises(IdentityChangedError, match=r"q2: this run has .*, asked for nothing"):
        create(folder, questions=QUESTIONS[1:])
    create(folder, questions=QUESTIONS[::-1]).close()


def test_question_ids_may_not_repeat(tmp_path):
    with pytest.raises(RunFolderError, match=r"found the id\(s\) q1 more than once"):
        create(tmp_path / "run", questions=[*QUESTIONS, question("q1")])


def test_a_folder_with_other_content_is_refused_untouched(tmp_path):
    (tmp_path / "thesis.txt").write_text("x")
    with pytest.raises(RunFolderError, match=r"no run\.yaml, but other content \(thesis\.txt\)"):
        create(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
    other = tmp_path / "other"
    other.mkdir()
    (other / "conversations.jsonl").write_bytes(encode(conversation("q1")))
    with pytest.raises(RunFolderError, match=r"other content \(conversations\.jsonl\)"):
        create(other)


@pytest.mark.parametrize("left", [[], [".run.yaml.new"], [".run.yaml.new", "conversations.jsonl"]])
def test_a_creation_that_was_killed_is_taken_up(tmp_path, left):
    for name in left:
        (tmp_path / name).touch()
    create(tmp_path).close()
    (tmp_path / "questions.jsonl").unlink()
    (tmp_path / ".questions.jsonl.new").write_text('{"question_id":')
    with pytest.raises(RunFolderError, match=r"questions\.jsonl is missing"):
        RunStore.open(tmp_path)
    create(tmp_path).close()
    assert list(RunStore.open(tmp_path).questions()) == ["q2", "q1"]


def test_only_a_run_can_be_opened_and_only_a_writer_appends(tmp_path):
    with pytest.raises(RunFolderError, match=r"not a run folder: run\.yaml is missing"):
        RunStore.open(tmp_path)
    create(tmp_path / "run").close()
    with pytest.raises(RunFolderError, match="opened for reading"):
        RunStore.open(tmp_path / "run").append(conversation("q1"))


def test_one_process_writes_while_others_read(tmp_path):
    with create(tmp_path / "run") as store:
        with pytest.raises(LogInUseError, match=r"conversations\.jsonl: another process is writing here"):
            create(tmp_path / "run")
        store.append(conversation("q1"))
        assert len(RunStore.open(tmp_path / "run").conversations()) == 1


def test_a_final_status_beats_a_later_failure_and_the_last_final_stands(tmp_path):
    with create(tmp_path / "run") as store:
        log = tmp_path / "run" / "conversations.jsonl"
        written = [
            conversation("q1", Status.TIMEOUT, None),
            conversation("q1", reply="red"),
            conversation("q1", Status.TRANSPORT_ERROR, None),
            conversation("q2", reply="red"),
            conversation("q2", reply="blue"),
            conversation("q2", reply="blue"),
            conversation("q1", Status.TIMEOUT, None, run=2),
            conversation("q1", Status.SERVER_ERROR, None, run=2),
        ]
        log.write_bytes(b"".join(map(encode, written)))
        reading = store.read_conversations()
    kept = {tuple(key[1:]): (record.status, record.turns[0].reply) for key, record in reading.records.items()}
    assert kept == {
        ("q1", 1): (Status.OK, "red"),
        ("q1", 2): (Status.SERVER_ERROR, None),
        ("q2", 1): (Status.OK, "blue"),
    }
    assert list(reading.records) == sorted(reading.records)
    assert reading.repeats == 5
    assert reading.conflicts == (Key("full", "q2", 1),)


def test_repeats_weigh_once_and_conflicts_are_counted():
    rows, problems = read_lines(CASES / "run_duplicates.jsonl")
    chosen, left_out, conflicts = one_per_key(
        [(row["id"], row["score"]) for row in rows], key=lambda row: row[0], final=lambda row: True
    )
    assert problems == []
    assert sum(score for _, score in chosen.values()) / len(chosen) == 2 / 3
    assert (left_out, conflicts) == (2, ["b"])


def test_resuming_mends_the_file_and_names_what_was_lost(tmp_path, caplog):
    folder = tmp_path / "run"
    with create(folder) as store:
        store.append(conversation("q1"))
    log = folder / "conversations.jsonl"
    one, two = encode(conversation("q2")).strip(), encode(conversation("q2", run=2)).strip()
    log.write_bytes(log.read_bytes() + b"{broken\n" + one + two + b"\n" + one[:50])
    with caplog.at_level(logging.WARNING), create(folder) as store:
        assert len(store.finished()) == 3
        store.append(conversation("q1", run=2))
    assert f"{log}: line 2: damaged" in caplog.text
    records, problems = read_lines(log, decoder(ConversationRecord))
    assert [record.key[1:] for record in records] == [("q1", 1), ("q2", 1), ("q2", 2), ("q1", 2)]
    assert problems == []
    assert (folder / "conversations.jsonl.damaged").read_bytes() == b"line 2: {broken\n"
    assert (folder / "conversations.jsonl.torn").read_bytes() == one[:50] + b"\n"


def test_a_record_with_wrong_fields_is_named_and_tried_again(tmp_path):
    with create(tmp_path / "run") as store:
        good = dataclasses.asdict(conversation("q1"))
        with AppendLog(tmp_path / "other.jsonl") as log:
            log.append(good | {"status": "fine", "run": "1"})
        shutil.copy(tmp_path / "other.jsonl", tmp_path / "run" / "conversations.jsonl")
        reading = store.read_conversations()
    assert reading.records == {}
    (problem,) = reading.problems
    assert problem.kind == "refused"
    assert problem.detail == "run: Expected `int`, got `str`"


@pytest.mark.parametrize(
    ("field", "value", "detail"),
    [
        ("status", "fine", "status: Invalid enum value 'fine'"),
        ("run", True, "run: Expected `int`, got `bool`"),
        ("run", 1.0, "run: Expected `int`, got `float`"),
        ("turns", [{"user": "x"}], "turns[0]: Object missing required field `question`"),
        ("misalignment", 3, "misalignment: Expected `str | null`, got `int`"),
    ],
)
def test_nothing_is_converted_and_the_first_wrong_field_is_named(field, value, detail):
    line = json.dumps(dataclasses.asdict(conversation("q1")) | {field: value}).encode()
    with pytest.raises(ValueError, match="^" + re.escape(detail) + "$"):
        decoder(ConversationRecord)(line)


def test_what_no_field_takes_is_skipped_unless_it_is_no_utf_8():
    whole = json.dumps(dataclasses.asdict(conversation("q1")) | {"later": {"version": [1, "é"]}})
    assert decoder(ConversationRecord)(whole.encode()) == conversation("q1")
    torn = json.dumps(dataclasses.asdict(conversation("q1")) | {"later": "?"}).encode().replace(b"?", b"\xff")
    with pytest.raises(ValueError, match="utf-8"):
        decoder(ConversationRecord)(torn)


texts = st.text(max_size=30) | st.just("a\u0085b\u2028c\u2029d\x00\x1c\n")
small = st.integers(0, 2**31 - 1)
turns = st.builds(
    TurnRecord,
    user=texts,
    question=st.booleans(),
    shards=st.lists(small, max_size=3).map(tuple),
    layers=st.lists(small, max_size=3).map(tuple),
    composite=st.booleans(),
    seed=small,
    status=st.sampled_from(Status),
    reply=st.none() | texts,
    thinking=st.none() | texts,
    error=st.none() | texts,
)
conversations = st.builds(
    ConversationRecord,
    condition=texts,
    question_id=texts,
    run=small,
    status=st.sampled_from(Status),
    turns=st.lists(turns, max_size=3).map(tuple),
    misalignment=st.none() | st.just("strict"),
)
judgements = st.builds(
    JudgementRecord,
    condition=texts,
    question_id=texts,
    run=small,
    status=st.sampled_from(JudgeStatus),
    final_turn_correct=st.none() | st.booleans(),
    first_correct_turn=st.none() | small,
    attempts=st.lists(st.builds(Attempt, small, texts, st.booleans()), max_size=3).map(tuple),
    error=st.none() | texts,
)


@settings(deadline=None)
@given(conversations, judgements)
def test_every_record_comes_back_as_it_was(spoken, ruled):
    assert decoder(ConversationRecord)(encode(spoken)) == spoken
    assert decoder(JudgementRecord)(encode(ruled)) == ruled
    assert encode(spoken).count(b"\n") == encode(ruled).count(b"\n") == 1


def test_half_a_surrogate_pair_in_a_reply_is_replaced(tmp_path):
    with create(tmp_path) as store:
        store.append(conversation("q1", reply="red \ud83d"))
        assert store.conversations()[Key("full", "q1", 1)] == conversation("q1", reply="red \ufffd")


def test_damaged_questions_are_named(tmp_path):
    create(tmp_path).close()
    path = tmp_path / "questions.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"depth":3', b'"depth":"3"', 1))
    with pytest.raises(
        RunFolderError, match=r"questions\.jsonl: line 1: refused: depth: Expected `int`, got `str`"
    ):
        RunStore.open(tmp_path)


RULING = JudgementRecord("full", "q1", 1, JudgeStatus.OK, True, 1, (Attempt(1, "red", True),))


def test_judgements_stand_by_judge_and_a_ruling_beats_a_failure(tmp_path):
    create(tmp_path).close()
    failed = JudgementRecord("full", "q1", 1, JudgeStatus.PARSE_ERROR, None, None, error="no JSON")
    with RunStore.open(tmp_path) as store:
        assert store.judges() == []
        for name in ("strict", "Qwen2.5-VL_7B"):
            store.start_judge(name, {"prompt": name})
        store.append_judgement("strict", failed)
        store.append_judgement("strict", RULING)
        store.append_judgement("strict", failed)
        assert store.judges() == ["Qwen2.5-VL_7B", "strict"]
        assert store.judgements("strict") == {RULING.key: RULING}
        assert store.read_judgements("strict").repeats == 2
        assert store.judgements("Qwen2.5-VL_7B") == {}
        assert store.judge_identity("strict") == RunIdentity({"prompt": "strict"})
        with pytest.raises(RunFolderError, match="judge 'other' has not been started"):
            store.append_judgement("other", RULING)


def test_a_judge_with_other_settings_is_refused(tmp_path):
    create(tmp_path).close()
    with RunStore.open(tmp_path) as store:
        store.start_judge("j", {"prompt": "a"})
        store.append_judgement("j", RULING)
        with pytest.raises(IdentityChangedError, match=r"j\.yaml.*\n  prompt: this run has \"a\""):
            store.start_judge("j", {"prompt": "b"})
        with pytest.raises(LogInUseError, match=r"j\.jsonl"):
            RunStore.open(tmp_path).start_judge("j", {"prompt": "a"})
    with RunStore.open(tmp_path) as store:
        with pytest.raises(IdentityChangedError):
            store.start_judge("j", {"prompt": "b"})
        with pytest.raises(RunFolderError, match="has not been started"):
            store.append_judgement("j", RULING)
        store.start_judge("j", {"prompt": "a"})
    (tmp_path / "judgements" / "j.yaml").unlink()
    with (
        RunStore.open(tmp_path) as store,
        pytest.raises(RunFolderError, match=r"holds judgements, but j\.yaml"),
    ):
        store.start_judge("j", {"prompt": "a"})


@pytest.mark.parametrize(
    "name", ["", "../run", "a/b", ".hidden", "-x", "a b", "судья", "a\n", "a\x00", "x" * 101]
)
def test_a_judge_name_never_leaves_its_folder(tmp_path, name):
    create(tmp_path / "run").close()
    with RunStore.open(tmp_path / "run") as store:
        with pytest.raises(RunFolderError, match=r"^judge: found "):
            store.start_judge(name, {})
        with pytest.raises(RunFolderError, match=r"^judge: found "):
            store.judgements(name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run"]
