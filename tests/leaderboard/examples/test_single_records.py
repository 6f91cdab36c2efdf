"""Single records of a file: the same that reading it whole gives, also after it has grown."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as some

from leaderboard.examples.lines import KeyedLines
from lvqa_eval.runs.columns import ConversationStatus, JudgementStatus
from lvqa_eval.runs.objects import encode
from lvqa_eval.runs.reading import read_keyed
from lvqa_eval.runs.records import ConversationRecord, JudgementRecord, Key
from lvqa_eval.runs.store import is_final, is_ruling
from lvqa_eval.statuses import JudgeStatus, Status
from tests.support.scored_runs import conversation, judgement, turn


def lines_of(path):
    return KeyedLines(path, ConversationRecord, ConversationStatus, is_final)


def held(question, status=Status.OK, reply="red", run=1):
    return conversation("full", question, run, status, (turn(reply=reply),))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "conversations.jsonl"


def write(path, records):
    path.write_bytes(b"".join(map(encode, records)))


KEYS = some.tuples(
    some.sampled_from(["q1", "q2", "вопрос"]), some.sampled_from(list(Status)), some.text(max_size=5)
)


@given(some.lists(KEYS, max_size=12))
def test_the_same_record_stands_as_when_the_file_is_read_whole(tmp_path_factory, told):
    path = tmp_path_factory.mktemp("records") / "conversations.jsonl"
    write(path, [held(*one) for one in told])
    whole = read_keyed(path, ConversationRecord, is_final).records
    lines = lines_of(path)
    assert {key: lines.get(key) for key in whole} == whole
    assert lines.get(Key("full", "q3", 1)) is None


def test_a_file_that_has_grown_or_changed_is_searched_again(path):
    lines = lines_of(path)
    assert lines.get(Key("full", "q1", 1)) is None
    write(path, [held("q1")])
    assert lines.get(Key("full", "q1", 1)).turns[0].reply == "red"
    write(path, [held("q0"), held("q1", reply="a very blue one")])
    assert lines.get(Key("full", "q1", 1)).turns[0].reply == "a very blue one"
    path.unlink()
    assert lines.get(Key("full", "q1", 1)) is None


def test_what_is_no_record_is_left_out(path):
    whole = encode(held("q1"))
    path.write_bytes(
        b'{"condition": "full"\n' + b"\n" + whole + json.dumps({"a": 1}).encode() + b"\n" + whole[:20]
    )
    assert lines_of(path).get(Key("full", "q1", 1)) == held("q1")


def test_a_ruling_stands_before_a_failure_of_the_judge(tmp_path):
    path = tmp_path / "judge.jsonl"
    write(path, [judgement("full", "q1", 1, True), judgement("full", "q1", 1, None, JudgeStatus.PARSE_ERROR)])
    lines = KeyedLines(path, JudgementRecord, JudgementStatus, is_ruling)
    assert lines.get(Key("full", "q1", 1)).final_turn_correct is True
