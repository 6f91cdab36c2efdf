"""From a run folder to the file that is submitted, and back."""

import gzip
import io
import json
from dataclasses import replace

import pytest

from leaderboard.submissions.format import PackError, pack
from leaderboard.submissions.lines import ConversationLine, Faulty, HeaderLine, JudgementLine
from leaderboard.submissions.reading import Limits, read_submission
from leaderboard.submissions.records import About
from lvqa_eval.runs.store import RunStore
from tests.support.boards import SLOW, tiny_folder
from tests.support.submitted import made_up_run

ABOUT = About(SLOW.name, "v1.1", "open", 7.2, "https://example.org/aurora", "As it is.")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packed")
    dataset = tiny_folder(folder / "layered-vqa")
    options = {"conditions": ("full", "sharded-v"), "runs": 2, "judges": ("judge-b", "judge-a")}
    return made_up_run(folder / "run", dataset, SLOW, **options)


def read(source, **limits):
    parsed = read_submission(source, Limits(**limits))
    return parsed, list(parsed.records())


def test_a_run_is_packed_as_header_conversations_and_judgements_in_order(run, tmp_path):
    packed = pack(run, ABOUT, tmp_path / "a.jsonl.gz")
    parsed, lines = read(packed.path)
    kinds = [type(one.record) for one in lines]
    assert kinds == [HeaderLine, *[ConversationLine] * 8, *[JudgementLine] * 16]
    assert [one.line for one in lines] == list(range(1, 26))
    keys = [one.record.key for one in lines[1:9]]
    assert keys == sorted(keys)
    assert keys[0] == ("full", "q1", 1)
    assert [one.record.judge for one in lines[9:]] == ["judge-a"] * 8 + ["judge-b"] * 8
    header = lines[0].record.record()
    assert (header.about, header.conversations, header.judgements) == (ABOUT, 8, 16)
    assert header.settings == RunStore.open(run).identity.settings
    assert header.judges["judge-a"]["protocol"] == "final-turn"
    assert (packed.conversations, packed.judgements, packed.about) == (8, 16, ABOUT)
    assert parsed.problems == []
    assert packed.id == parsed.sha256
    assert packed.unpacked_bytes == parsed.bytes_read == len(gzip.decompress(packed.path.read_bytes()))
    assert packed.packed_bytes == packed.path.stat().st_size


def test_conversations_and_judgements_come_back_without_what_stays_behind(run, tmp_path):
    store = RunStore.open(run)
    _, lines = read(pack(run, ABOUT, tmp_path / "a.jsonl.gz").path)
    held = store.conversations()
    for one in lines[1:9]:
        record = held[one.record.key]
        bare = [replace(turn, thinking=None, logprobs=None, error=None) for turn in record.turns]
        assert one.record.record() == replace(record, turns=tuple(bare))
    for one in lines[9:]:
        assert one.record.record() == store.judgements(one.record.judge)[one.record.key]
    text = gzip.decompress((tmp_path / "a.jsonl.gz").read_bytes()).decode()
    assert "Let me see." not in text
    assert not {"thinking", "logprobs", "error", "accuracy"} & {
        name for line in text.splitlines() for name in [*json.loads(line), *_inner(json.loads(line))]
    }


def _inner(line):
    return [name for turn in line.get("turns", ()) for name in turn]


def test_the_same_run_gives_the_same_bytes_whatever_the_file_is_called(run, tmp_path):
    one, other = (pack(run, ABOUT, tmp_path / name) for name in ("a.jsonl.gz", "b"))
    assert one.path.read_bytes() == other.path.read_bytes()
    assert one.path.read_bytes()[4:8] == bytes(4)  # no time
    assert one.id == other.id
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl.gz", "b"]


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        ({"conversations": 7}, "conversations: found 8, allowed: 7"),
        ({"judges": 1}, "judges: found 2, allowed: 1"),
        ({"packed_bytes": 100}, "bytes as sent: found"),
        ({"unpacked_bytes": 5000}, "allowed: 5,000"),
        ({"line_bytes": 300}, "bytes of a line: found"),
    ],
)
def test_a_run_that_no_board_takes_is_not_packed(run, tmp_path, limits, told):
    with pytest.raises(PackError, match=told):
        pack(run, ABOUT, tmp_path / "a.jsonl.gz", Limits(**limits))
    assert list(tmp_path.iterdir()) == []


def test_a_reply_with_half_a_surrogate_pair_is_packed_as_text(run, tmp_path):
    copy = tmp_path / "run"
    copy.mkdir()
    for name in ("run.yaml", "questions.jsonl"):
        (copy / name).write_bytes((run / name).read_bytes())
    store = RunStore.open(run)
    first = next(iter(store.conversations().values()))
    turns = (replace(first.turns[0], reply="red \ud83d"), *first.turns[1:])
    with RunStore.create_or_resume(copy, store.identity, list(store.questions().values())) as written:
        written.append(replace(first, turns=turns))
    _, lines = read(pack(copy, ABOUT, tmp_path / "a.jsonl.gz").path)
    assert lines[1].record.turns[0].reply == "red \ufffd"


def test_plain_packed_marked_and_with_other_line_ends_are_one_submission(run, tmp_path):
    packed = pack(run, ABOUT, tmp_path / "a.jsonl.gz")
    text = gzip.decompress(packed.path.read_bytes())
    others = [
        text,
        text.rstrip(b"\n"),
        b"\xef\xbb\xbf" + text,
        text.replace(b"\n", b"\r\n"),
        gzip.compress(text, 1),
    ]
    for content in others:
        parsed, lines = read(io.BytesIO(content))
        assert (parsed.sha256, len(lines), parsed.problems) == (packed.id, 25, [])
        assert not any(isinstance(one.record, Faulty) for one in lines)


def test_limits_are_told_in_words():
    assert str(Limits()) == (
        "At most 128 MiB as sent, 512 MiB unpacked, 2 MiB a line, 16,000 conversations and the verdicts of "
        "8 judges."
    )
    assert Limits(conversations=10, judges=2).lines == 31
