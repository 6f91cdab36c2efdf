"""Files that are too large, damaged, or no submission at all: said at the limit, with flat memory."""

import gzip
import io
import shutil
import tracemalloc
from pathlib import Path

import pytest

from leaderboard.submissions.foreign import what_it_is
from leaderboard.submissions.reading import Limits, read_submission

CASES = Path(__file__).resolve().parents[2] / "cases" / "leaderboard"
JSON_LINES = "JSON lines in UTF-8, plain or packed by gzip"


def told(content, limits=None):
    """Return the problems of a file as text, those of lines after those of the file."""
    source = io.BytesIO(content) if isinstance(content, bytes) else content
    parsed = read_submission(source, limits)
    lines = [str(problem) for one in parsed.records() for problem in getattr(one.record, "problems", ())]
    return [*map(str, parsed.problems), *lines]


def peak(work):
    """Return the most memory, in MiB, that `work` held at once."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


def test_zeros_that_unpack_to_fifty_mebibytes_are_refused_at_the_limit_of_a_line():
    bomb = CASES / "bomb_50MiB_of_zeros.jsonl.gz"
    found = []
    assert peak(lambda: found.extend(told(bomb))) < 8
    assert found == ["line 1: size: found more than 2 MiB, allowed: the line at most 2 MiB"]


def test_lines_without_end_are_refused_at_the_limit_of_the_file():
    line = b'{"kind":"' + b"x" * 1000 + b'"}\n'
    bomb = gzip.compress(line * 5000, 1)
    parsed = read_submission(io.BytesIO(bomb), Limits(unpacked_bytes=2 << 20))
    seen = []
    assert peak(lambda: seen.extend(one.line for one in parsed.records())) < 4
    assert [str(one) for one in parsed.problems] == [
        "file: size: found more than 2 MiB, allowed: the file unpacked at most 2 MiB"
    ]
    assert 2000 < len(seen) < (2 << 20) // len(line) + 1
    assert parsed.sha256 is None


@pytest.mark.parametrize(
    ("content", "limits", "found"),
    [
        (
            b"{}\n" * 50,
            Limits(packed_bytes=100),
            "file: size: found more than 100 bytes, allowed: the file as sent",
        ),
        (gzip.compress(b"{}\n" * 9999), Limits(unpacked_bytes=2048), "file: size: found more than 2 KiB"),
        (
            b"{}\n{" + b" " * 99,
            Limits(line_bytes=64),
            "line 2: size: found more than 64 bytes, allowed: the line",
        ),
        (b"{}\n{" + b" " * 99 + b"\n", Limits(line_bytes=64), "line 2: size: found more than 64 bytes"),
        (b"{}\n" * 5, Limits(conversations=1, judges=2), "file: lines: found more lines, allowed: at most 4"),
    ],
)
def test_each_limit_ends_the_reading(content, limits, found):
    assert told(content, limits)[0].startswith(found)


def test_what_reaches_a_limit_exactly_is_read():
    assert told(b"{}\n" * 4, Limits(conversations=1, judges=2))[0].startswith("line 1: kind: found nothing")
    assert "size" not in told(b"{}" + b" " * 62, Limits(line_bytes=64))[0]
    assert "size" not in told(b"{}\n{}", Limits(packed_bytes=5, unpacked_bytes=5))[0]


def test_a_damaged_gzip_file_is_named_as_such():
    good = gzip.compress(b"{}\n" * 1000)
    for content in (good[:-3], good[:20], good[:-5] + b"xxxxx", good + b"more"):
        [found] = [one for one in told(content) if one.startswith("file")]
        assert found.startswith("file: file: found a damaged gzip file (")
        assert found.endswith("), allowed: a whole one")


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("submission_bom.csv", "CSV (values between ',') in UTF-8"),
        (
            "submission_cp1251_semicolon.csv",
            "CSV (values between ';') in an encoding that is not UTF-8 (windows-1251?)",
        ),
        ("submissions.csv", "CSV (values between ',') in UTF-8"),
    ],
)
def test_a_table_gets_one_error_that_names_its_format_and_encoding(name, found):
    assert told(CASES / name) == [f"line 1: file: found {found}, allowed: {JSON_LINES}"]


@pytest.mark.parametrize(
    ("start", "found"),
    [
        (b"PK\x03\x04rest", "a ZIP archive (so is .xlsx)"),
        (gzip.compress(b"{}"), "gzip inside gzip"),
        ('{"kind"'.encode("utf-16"), "text in UTF-16"),
        ('{"kind"'.encode("utf-16-le"), "binary data, or text in UTF-16"),
        (b"  <!doctype html>", "HTML or XML in UTF-8"),
        (b'[{"kind":1}]', "a JSON array in UTF-8"),
        (b"a\tb\n1\t2", "CSV (values between tabs) in UTF-8"),
        ("ответ да".encode(), "text that is no JSON in UTF-8"),
        ("ответ да".encode()[:-1], "text that is no JSON in UTF-8"),
        ("да".encode("cp1251"), "text that is no JSON in an encoding that is not UTF-8 (windows-1251?)"),
    ],
)
def test_other_formats_are_known_by_their_start(start, found):
    assert what_it_is(start) == found


def test_an_empty_file_and_empty_lines_are_told():
    assert told(b"") == ["file: file: found an empty file, allowed: JSON lines, the header first"]
    assert told(gzip.compress(b"")) == told(b"")
    assert "line 2: JSON: found an empty line, allowed: one JSON object" in told(b"{}\n\n{}\n")


WHOLE = "a whole number from 0 to 2,147,483,647"


def test_every_faulty_field_of_a_line_is_named():
    line = (
        b'{"kind":"conversation","condition":7,"question_id":"q1","run":-1,"status":"done","extra":1,'
        b'"turns":[{"user":"x","question":1,"shards":"a","layers":[0,-2],"composite":true,"seed":1,'
        b'"status":"ok"}]}'
    )
    found = told(b"{}\n" + line)[1:]
    assert all(one.startswith("line 2: 7, q1, run -1: ") for one in found)
    assert [one.removeprefix("line 2: 7, q1, run -1: ") for one in found] == [
        "condition: found 7, allowed: text of at most 200 characters",
        f"run: found -1, allowed: {WHOLE}",
        'status: found "done", allowed: ok, truncated, refused, empty, unparsable, transport_error, timeout, '
        "server_error, context_overflow",
        "turns[0].question: found 1, allowed: true or false",
        f'turns[0].shards: found "a", allowed: a list of {WHOLE}, of length at most 1,000',
        f"turns[0].layers[1]: found -2, allowed: {WHOLE}",
        "turns[0].reply: found nothing, allowed: text of at most 400,000 characters or null",
        "extra: found a field that is not known, "
        "allowed: only condition, question_id, run, status, turns, misalignment",
    ]


def test_a_key_that_stands_twice_is_refused_wherever_it_stands():
    judgement = (
        b'{"kind":"judgement","judge":"j","condition":"full","question_id":"q1","run":1,"status":"ok",'
        b'"final_turn_correct":false,"final_turn_correct":true,"first_correct_turn":0}'
    )
    [_, found] = told(b"{}\n" + judgement)
    assert found.endswith("by j: final_turn_correct: found the key twice in one object, allowed: once")


def test_a_file_that_is_not_there_is_no_bad_submission(tmp_path):
    with pytest.raises(FileNotFoundError):
        told(tmp_path / "none")


def test_a_stream_is_read_as_a_file_is(tmp_path):
    path = tmp_path / "bomb.gz"
    shutil.copy(CASES / "bomb_50MiB_of_zeros.jsonl.gz", path)
    with path.open("rb") as file:
        assert told(file.read()) == told(path)
