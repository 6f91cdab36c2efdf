"""Keys and statuses alone: the same as whole records give, whatever a crash did to the file."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lvqa_eval.runs.columns import ConversationStatus, JudgementStatus
from lvqa_eval.runs.lines import read_lines
from lvqa_eval.runs.objects import encode
from lvqa_eval.runs.reading import decoder
from lvqa_eval.runs.records import ConversationRecord, JudgementRecord, Key
from lvqa_eval.runs.store import RunStore
from lvqa_eval.statuses import JudgeStatus, Status
from tests.support.scored_runs import conversation, judgement, question, turn, write_run

CONDITIONS = ("full", "sharded-v", "конкат\u2028")
REPLIES = ("red", "красный \u0085 круг", '}{"condition":"full"', "")

conversations = st.builds(
    lambda condition, name, run, status, reply: conversation(
        condition, name, run, status, (turn([0], reply=reply), turn([1], reply=reply))
    ),
    st.sampled_from(CONDITIONS),
    st.sampled_from(["q1", "q2"]),
    st.integers(1, 2),
    st.sampled_from(Status),
    st.sampled_from(REPLIES),
)
judgements = st.builds(
    lambda condition, name, run, status: judgement(condition, name, run, True, status),
    st.sampled_from(CONDITIONS),
    st.sampled_from(["q1", "q2"]),
    st.integers(1, 2),
    st.sampled_from(JudgeStatus),
)


@st.composite
def files(draw, records):
    """Draw a file: whole lines, and between them joined, cut, garbled and blank ones; its end may be torn."""
    content = b""
    for record in draw(st.lists(records, max_size=6)):
        line = encode(record)
        cut = draw(st.integers(1, len(line) - 2))
        content += draw(
            st.sampled_from(
                [
                    line,
                    line[:-1],  # joined to what follows
                    line[:cut],  # torn, then joined
                    line[:cut] + b"\n",
                    line[:cut] + b"\xff" + line[cut:],
                    line[:cut] + b"\x00" + line[cut:],
                    line[:-1] + b"#!\n",
                    b" \n\x0b" + line,
                    line[:-1] + b"\r\n\n",
                ]
            )
        )
    return content[: len(content) - draw(st.sampled_from([0, 0, 1, 2, 40]))]


def read_both(path, content, whole, columns):
    path.write_bytes(content)
    records, problems = read_lines(path, decoder(whole))
    rows, told = read_lines(path, decoder(columns))
    return [(one.key, one.status) for one in records], problems, [(one.key, one.status) for one in rows], told


@given(st.data())
def test_keys_and_statuses_are_those_of_whole_records(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("columns") / "x.jsonl"
    for records, whole, columns in (
        (conversations, ConversationRecord, ConversationStatus),
        (judgements, JudgementRecord, JudgementStatus),
    ):
        content = data.draw(files(records))
        expected, problems, found, told = read_both(path, content, whole, columns)
        assert found == expected
        assert told == problems


def test_which_record_stands_does_not_depend_on_the_words(tmp_path):
    records = [
        conversation("full", "q1", 1, Status.TIMEOUT),
        conversation("full", "q1", 1, Status.OK),
        conversation("full", "q1", 1, Status.SERVER_ERROR),
        conversation("full", "q2", 1, Status.TIMEOUT),
    ]
    store = write_run(
        tmp_path / "run", ["full"], 1, [question("q1", "s"), question("q2", "s")], [], {"j": []}
    )
    (store.folder / "conversations.jsonl").write_bytes(b"".join(map(encode, records)))
    (store.folder / "judgements" / "j.jsonl").write_bytes(
        encode(judgement("full", "q1", 1)) + encode(judgement("full", "q1", 1, None, JudgeStatus.PARSE_ERROR))
    )
    found = store.read_conversation_statuses()
    assert {key: one.status for key, one in found.records.items()} == {
        Key("full", "q1", 1): Status.OK,
        Key("full", "q2", 1): Status.TIMEOUT,
    }
    assert found.repeats == store.read_conversations().repeats == 2
    assert store.read_judgement_statuses("j").records[Key("full", "q1", 1)].status is JudgeStatus.OK


@pytest.mark.parametrize("writing", [True, False])
def test_a_record_that_cannot_be_read_whole_is_held_again(tmp_path, writing):
    """Its key and its status are there, but what would be judged is not."""
    store = write_run(tmp_path / "run", ["full"], 1, [question("q1", "s")], [], {})
    broken = encode(conversation("full", "q1")).replace(b'"reply":"a circle"', b'"reply":17')
    (store.folder / "conversations.jsonl").write_bytes(broken)
    assert list(store.read_conversation_statuses().records) == [Key("full", "q1", 1)]
    if writing:
        with RunStore.create_or_resume(
            store.folder, store.identity, list(store.questions().values())
        ) as resumed:
            assert resumed.finished() == set()
            resumed.append(conversation("full", "q1"))
            assert resumed.finished() == {Key("full", "q1", 1)}
    else:
        assert RunStore.open(store.folder).finished() == set()
