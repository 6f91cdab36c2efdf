"""What it costs to append a conversation to a run and to read a large run, beside other ways of doing so.

Conversations of five turns, 3.6 KB a line. All times are CPU time of this process, the least of several goes.
Run it: .venv/bin/python scripts/bench/store.py
"""

import argparse
import dataclasses
import gc
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import orjson

from lvqa_eval.runs.columns import ConversationStatus
from lvqa_eval.runs.lines import AppendLog, read_lines
from lvqa_eval.runs.objects import encode
from lvqa_eval.runs.reading import decoder
from lvqa_eval.runs.records import ConversationRecord, TurnRecord
from lvqa_eval.statuses import Status

TURNS = 5
SAID = "Here is one more layer of the picture, and with it one more piece of the question. "
REPLY = 'The small red circle stands to the left of the square, and "the" second one lies behind it. '

APPENDED = 20_000
GOES = 3


@dataclass(frozen=True)
class Line:
    """One line of the table."""

    what: str
    found: str
    ratio: str = ""
    goal: str = "-"


def conversation(number: int) -> ConversationRecord:
    """Return a conversation as a server's answers make it, 3.6 KB as a line."""
    turns = tuple(
        TurnRecord(
            user=SAID + f"This is number {turn} of conversation {number}.",
            question=turn == 0,
            shards=(),
            layers=(turn,),
            composite=False,
            seed=(number * 7919 + turn * 104729) % 2**31,
            status=Status.OK,
            reply=REPLY * 3,
            finish_reason="stop",
            prompt_tokens=1000 + 300 * turn,
            completion_tokens=40,
            cached_tokens=900,
        )
        for turn in range(TURNS)
    )
    return ConversationRecord("sharded-v", f"question-{number % 300:04}", number // 300 + 1, Status.OK, turns)


def cpu(work: Callable[[], Any]) -> float:
    """Return the CPU seconds of one go; what it gives is let go of afterwards."""
    gc.collect()
    start = time.process_time()
    given = work()
    seconds = time.process_time() - start
    del given
    return seconds


def appending(folder: Path) -> Iterator[Line]:
    """Append the same conversations in four ways."""
    records = [conversation(number) for number in range(300)]
    lines = [encode(record) for record in records]
    numbers = [number % len(records) for number in range(APPENDED)]

    def system() -> None:
        place = os.open(folder / "system.jsonl", os.O_CREAT | os.O_WRONLY | os.O_APPEND | os.O_TRUNC)
        for number in numbers:
            os.write(place, lines[number])
        os.close(place)

    def by_hand() -> None:
        place = os.open(folder / "by_hand.jsonl", os.O_CREAT | os.O_WRONLY | os.O_APPEND | os.O_TRUNC)
        for number in numbers:
            os.write(place, orjson.dumps(records[number], option=orjson.OPT_APPEND_NEWLINE))
        os.close(place)

    def ours() -> None:
        path = folder / "ours.jsonl"
        path.unlink(missing_ok=True)
        with AppendLog(path) as log:
            for number in numbers:
                log.append(records[number])

    def plain() -> None:
        path = folder / "plain.jsonl"
        path.unlink(missing_ok=True)
        for number in numbers:
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(dataclasses.asdict(records[number]), ensure_ascii=False) + "\n")

    # One after the other in each go, so that what else runs on the machine meets all of them.
    goes = [{work.__name__: cpu(work) for work in (system, by_hand, ours, plain)} for _ in range(GOES)]
    least = {name: min(go[name] for go in goes) / APPENDED * 1e6 for name in goes[0]}
    base = least["system"]
    ratios = {name: f"{microseconds / base:.1f} x" for name, microseconds in least.items()}
    yield Line("a record", f"{sum(map(len, lines)) / len(lines):.0f} bytes")
    yield Line("append: `os.write` of the finished line alone", f"{base:.1f} us", "1 x")
    yield Line("append: `orjson` and `os.write` by hand", f"{least['by_hand']:.1f} us", ratios["by_hand"])
    yield Line("append: ours, with lock and cut-back", f"{least['ours']:.1f} us", ratios["ours"], "7 us")
    yield Line("append: `json` and `open('a')` for each", f"{least['plain']:.1f} us", ratios["plain"])


def read_statuses(path: Path) -> object:
    """Read key and status of every conversation."""
    return read_lines(path, decoder(ConversationStatus))


def read_whole(path: Path) -> object:
    """Read every conversation as typed records."""
    return read_lines(path, decoder(ConversationRecord))


def read_pydantic(path: Path) -> object:
    """Read every conversation with pydantic, into the same records."""
    from pydantic import TypeAdapter

    adapter = TypeAdapter(ConversationRecord)
    return read_lines(path, lambda line: adapter.validate_json(line, strict=True))


def read_orjson(path: Path) -> object:
    """Read every conversation as a plain dict."""
    return read_lines(path)


def read_arrow_statuses(path: Path) -> object:
    """Read key and status with pyarrow."""
    import pyarrow as pa
    import pyarrow.json

    text, number = pa.string(), pa.int32()
    schema = pa.schema([("condition", text), ("question_id", text), ("run", number), ("status", text)])
    options = pyarrow.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
    blocks = pyarrow.json.ReadOptions(block_size=1 << 24)
    return pyarrow.json.read_json(path, read_options=blocks, parse_options=options)


def read_polars_statuses(path: Path) -> object:
    """Read key and status with polars."""
    import polars as pl

    schema = {"condition": pl.String, "question_id": pl.String, "run": pl.Int32, "status": pl.String}
    return pl.scan_ndjson(path, schema=schema).collect()


def read_polars(path: Path) -> object:
    """Read every conversation with polars."""
    import polars as pl

    return pl.read_ndjson(path)


def read_pandas(path: Path) -> object:
    """Read every conversation with pandas."""
    import pandas as pd

    return pd.read_json(path, lines=True)


READERS: tuple[tuple[str, Callable[[Path], object], str], ...] = (
    ("key and status: ours", read_statuses, "1 s"),
    ("key and status: polars", read_polars_statuses, "-"),
    ("key and status: pyarrow", read_arrow_statuses, "-"),
    ("whole: ours, typed and checked", read_whole, "2.5 s"),
    ("whole: the same records by pydantic", read_pydantic, "-"),
    ("whole: plain dicts by orjson", read_orjson, "-"),
    ("whole: polars", read_polars, "-"),
    ("whole: pandas", read_pandas, "-"),
)


def one_reading(place: int, path: Path) -> float:
    """Return the CPU seconds of one reader; meant for a fresh process, whose imports are done before."""
    _, read, _ = READERS[place]
    small = path.with_name("small.jsonl")
    read(small)
    return cpu(lambda: read(path))


def reading(folder: Path, count: int) -> Iterator[Line]:
    """Read the same file in every way, each in a process of its own."""
    path = folder / "conversations.jsonl"
    with path.open("wb") as file:
        file.writelines(encode(conversation(number)) for number in range(count))
    (folder / "small.jsonl").write_bytes(encode(conversation(1)))
    seconds: list[float] = []
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as processes:
        for place, (what, read, _) in enumerate(READERS):
            # The slow ones are no rivals: one go tells enough.
            goes = 1 if read in (read_polars, read_pandas) else GOES
            try:
                seconds.append(min(processes.map(one_reading, [place] * goes, [path] * goes)))
            except ModuleNotFoundError as missing:
                print(f"{what}: {missing}", file=sys.stderr)
                seconds.append(float("nan"))
    for place, (what, _, goal) in enumerate(READERS):
        base = seconds[0] if what.startswith("key") else seconds[3]
        yield Line(what, f"{seconds[place]:.2f} s", f"{seconds[place] / base:.1f} x", goal)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=200_000)
    chosen = parser.parse_args()
    libraries = ("orjson", "msgspec", "polars", "pyarrow", "pandas", "pydantic")
    print(", ".join(f"{name} {version(name)}" for name in libraries), file=sys.stderr)
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", file=sys.stderr)
    with tempfile.TemporaryDirectory() as work:
        print("| what | found | ratio | goal |\n|---|---|---|---|")
        for line in appending(Path(work)):
            print(f"| {line.what} | {line.found} | {line.ratio} | {line.goal} |", flush=True)
        for line in reading(Path(work), chosen.records):
            print(f"| {line.what} | {line.found} | {line.ratio} | {line.goal} |", flush=True)


if __name__ == "__main__":
    main()
