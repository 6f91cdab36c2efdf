"""The append-only files: what a crash may do to them, and what is read afterwards."""

import json
import random
import resource
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lvqa_eval.runs.lines import AppendLog, LogInUseError, _write_whole, read_lines
from lvqa_eval.runs.objects import encode, split_objects

CASES = Path(__file__).resolve().parents[2] / "cases"

ODD_TEXT = "a\u0085b\u2028c\u2029d\x00\x1c\x0be\r\nf\ufeff\U0001f600"

texts = st.text() | st.just(ODD_TEXT) | st.text(alphabet='{}[]"\\\n\u0085\u2028\x1c ё')
records = st.dictionaries(texts, texts | st.integers(-(2**53), 2**53) | st.none(), min_size=1, max_size=4)


def case(tmp_path: Path, name: str) -> Path:
    return Path(shutil.copy(CASES / name, tmp_path))


@pytest.mark.parametrize(
    ("name", "ids", "faults"),
    [
        ("run_torn_tail.jsonl", ["a", "b"], [(3, "torn")]),
        ("run_torn_then_blank.jsonl", ["a"], [(2, "torn")]),
        ("run_no_final_newline.jsonl", ["a", "b"], []),
        ("run_middle_corrupt.jsonl", ["a", "c"], [(2, "damaged")]),
        ("run_concatenated.jsonl", ["a", "b", "c"], [(1, "joined")]),
        ("run_duplicates.jsonl", ["a", "b", "b", "c", "c"], []),
    ],
)
def test_damaged_files_keep_every_whole_record(tmp_path, name, ids, faults):
    path = case(tmp_path, name)
    found, problems = read_lines(path)
    assert [record["id"] for record in found] == ids
    assert [(problem.line, problem.kind) for problem in problems] == faults
    assert all(str(problem).startswith(f"{path}: line {problem.line}: ") for problem in problems)

    with AppendLog(path) as log:
        log.append({"id": "new"})
    found, problems = read_lines(path)
    assert [record["id"] for record in found] == [*ids, "new"]
    assert [problem.kind for problem in problems] == [kind for _, kind in faults if kind != "torn"]


def test_the_torn_bytes_are_kept_beside_the_file(tmp_path):
    path = case(tmp_path, "run_torn_tail.jsonl")
    AppendLog(path).close()
    assert path.with_name("run_torn_tail.jsonl.torn").read_bytes() == b'{"id":"c","answ\n'
    assert path.read_bytes().endswith(b'"answer":"2"}\n')


def test_a_torn_record_joined_to_a_whole_one_is_cut_alone(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"id":1}\n{"id":2}{"id":')
    with AppendLog(path) as log:
        log.append({"id": 3})
    assert path.read_bytes() == b'{"id":1}\n{"id":2}\n{"id":3}\n'


def test_a_tail_of_zero_bytes_is_cut_off(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"id":1}\n' + bytes(5000))
    with AppendLog(path) as log:
        log.append({"id": 2})
    assert path.read_bytes() == b'{"id":1}\n{"id":2}\n'


def test_rewriting_puts_each_record_on_its_line_and_names_the_rest(tmp_path):
    path = case(tmp_path, "run_concatenated.jsonl")
    with path.open("ab") as file:
        file.write(b'{"id":"x","an#!\n{"id":"d"}\n')
    with AppendLog(path) as log:
        log.rewrite()
        with pytest.raises(LogInUseError):
            AppendLog(path)
        log.append({"id": "e"})
    assert path.read_bytes() == (
        b'{"id":"a","answer":"1"}\n{"id":"b","answer":"2"}\n{"id":"c","answer":"3"}\n{"id":"d"}\n{"id":"e"}\n'
    )
    aside = path.with_name("run_concatenated.jsonl.damaged")
    assert aside.read_bytes() == b'line 3: {"id":"x","an#!\n'
    assert sorted(p.name for p in tmp_path.iterdir()) == [path.name, aside.name]


def test_what_is_json_but_no_record_is_named_with_its_line(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"id":1}\n[1,2]\n{"id":2}\n')
    found, problems = read_lines(path)
    assert found == [{"id": 1}, {"id": 2}]
    assert [(problem.line, problem.kind) for problem in problems] == [(2, "damaged")]

    def wants_two(line: bytes) -> int:
        if json.loads(line) != {"id": 2}:
            raise ValueError("id: found another, allowed: 2")
        return 2

    path.write_bytes(b'{"id":1}\n{"id":2}\n')
    found, problems = read_lines(path, wants_two)
    assert found == [2]
    assert str(problems[0]) == f"{path}: line 1: refused: id: found another, allowed: 2"


@settings(deadline=None)
@given(st.lists(records, max_size=5))
def test_any_text_comes_back_from_its_own_line(tmp_path_factory, written):
    path = tmp_path_factory.mktemp("lines") / "x.jsonl"
    with AppendLog(path) as log:
        for record in written:
            log.append(record)
    assert read_lines(path) == (written, [])
    assert path.read_bytes().count(b"\n") == len(written)


@settings(deadline=None)
@given(st.lists(records, min_size=1, max_size=4), records, st.data())
def test_a_cut_at_any_byte_keeps_exactly_the_complete_records(tmp_path_factory, written, added, data):
    path = tmp_path_factory.mktemp("cut") / "x.jsonl"
    lines = [encode(record) for record in written]
    cut = data.draw(st.integers(0, sum(map(len, lines))))
    path.write_bytes(b"".join(lines)[:cut])
    # A record is complete without its newline.
    ends = [sum(map(len, lines[: count + 1])) - 1 for count in range(len(lines))]
    complete = written[: sum(end <= cut for end in ends)]

    found, problems = read_lines(path)
    assert found == complete
    assert [problem.kind for problem in problems] in ([], ["torn"])
    with AppendLog(path) as log:
        log.append(added)
    assert read_lines(path) == ([*complete, added], [])
    assert path.read_bytes() == b"".join(map(encode, [*complete, added]))


@settings(deadline=None)
@given(st.lists(records, min_size=1, max_size=3), st.sampled_from([b"", b" ", b"\t", b"\r"]))
def test_objects_joined_on_one_line_are_told_apart(written, between):
    line = between.join(encode(record).strip() for record in written)
    assert split_objects(line) == ([encode(record).strip() for record in written], b"")


def test_half_a_surrogate_pair_does_not_stop_the_log(tmp_path):
    path = tmp_path / "x.jsonl"
    with AppendLog(path) as log:
        log.append({"reply": "a\ud83d b", "pair": "\ud83d\ude00"})
    assert read_lines(path) == ([{"reply": "a\ufffd b", "pair": "\U0001f600"}], [])


def test_only_objects_are_records(tmp_path):
    with AppendLog(tmp_path / "x.jsonl") as log, pytest.raises(TypeError, match="found list"):
        log.append([1])
    assert (tmp_path / "x.jsonl").read_bytes() == b""


def test_waiting_for_the_disk_writes_the_same(tmp_path):
    path = tmp_path / "x.jsonl"
    with AppendLog(path, fsync=True) as log:
        log.append({"id": 1})
        log.close()
    assert path.read_bytes() == b'{"id":1}\n'


def test_a_second_writer_is_refused_until_the_first_has_closed(tmp_path):
    path = tmp_path / "x.jsonl"
    with AppendLog(path) as log:
        with pytest.raises(LogInUseError) as refused:
            AppendLog(path)
        assert str(refused.value) == f"{path}: another process is writing here; one writer is allowed"
        log.append({"id": 1})
    with AppendLog(path) as log:
        log.append({"id": 2})
    assert path.read_bytes() == b'{"id":1}\n{"id":2}\n'


def test_a_short_write_is_completed():
    class Narrow:
        taken = b""

        def write(self, line):
            self.taken += line[:3]
            return len(line[:3])

    narrow = Narrow()
    _write_whole(narrow, b'{"id":1}\n')
    assert narrow.taken == b'{"id":1}\n'


def test_a_record_that_the_disk_refused_leaves_nothing_behind(tmp_path):
    path = tmp_path / "x.jsonl"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with AppendLog(path) as log:
        log.append({"id": 1})
        resource.setrlimit(resource.RLIMIT_FSIZE, (20, hard))
        try:
            with pytest.raises(OSError, match="cannot append a record") as refused:
                log.append({"id": 2, "text": "x" * 100})
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert refused.value.filename == str(path)
        assert path.stat().st_size == 20
        log.append({"id": 3})
    assert path.read_bytes() == b'{"id":1}\n{"id":3}\n'


def test_many_threads_lose_nothing(tmp_path):
    path = tmp_path / "x.jsonl"
    with AppendLog(path) as log, ThreadPoolExecutor(64) as pool:
        list(pool.map(lambda number: log.append({"id": number}), range(1000)))
    found, problems = read_lines(path)
    assert sorted(record["id"] for record in found) == list(range(1000))
    assert problems == []


WRITE_FIFTY_IN_TURN = """
import sys, time
from pathlib import Path
from lvqa_eval.runs.lines import AppendLog, LogInUseError
path, writer = Path(sys.argv[1]), sys.argv[2]
while True:
    try:
        log = AppendLog(path)
        break
    except LogInUseError:
        time.sleep(0.01)
for number in range(50):
    log.append({"id": f"{writer}-{number}", "text": writer * 300_000})
"""


def test_four_processes_with_large_lines_never_interleave(tmp_path):
    path = tmp_path / "x.jsonl"
    command = [sys.executable, "-c", WRITE_FIFTY_IN_TURN, str(path)]
    writers = [subprocess.Popen([*command, name]) for name in "abcd"]
    assert [writer.wait(120) for writer in writers] == [0, 0, 0, 0]
    found, problems = read_lines(path)
    assert problems == []
    assert {record["id"] for record in found} == {f"{name}-{n}" for name in "abcd" for n in range(50)}
    assert len(found) == 200


WRITE_UNTIL_KILLED = """
import sys
from pathlib import Path
from lvqa_eval.runs.lines import AppendLog
log = AppendLog(Path(sys.argv[1]))
for number in range(int(sys.argv[2]), 10**9):
    log.append({"id": number, "text": "ё\u2028" * 20_000})
    sys.stdout.write(f"{number}\\n")
    sys.stdout.flush()
"""


def test_kill_9_loses_nothing_that_was_acknowledged_and_doubles_nothing(tmp_path):
    path = tmp_path / "x.jsonl"
    moments = random.Random(7)
    expected = 0
    for _ in range(10):
        command = [sys.executable, "-c", WRITE_UNTIL_KILLED, str(path), str(expected)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            for _ in range(moments.randint(1, 40)):
                acknowledged = int(writer.stdout.readline())
            writer.kill()
            acknowledged = max([acknowledged, *map(int, writer.stdout.read().split("\n")[:-1])])
        AppendLog(path).close()
        found, problems = read_lines(path)
        assert problems == []
        assert [record["id"] for record in found] == list(range(len(found)))
        assert acknowledged + 1 <= len(found) <= acknowledged + 2
        expected = len(found)
