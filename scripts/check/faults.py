"""Evaluate against the faulty server, kill both on the way, and compare what is kept with what was said."""

import hashlib
import json
import socket
import subprocess
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from string import Template

import numpy as np
from PIL import Image

from tests.support.faulty_server import RATES, look, reply_to

ROOT = Path(__file__).resolve().parents[2]
KILLS = [("client", 0.2), ("server", 0.4), ("client", 0.65)]
"""Which process is killed, and at which share of the planned conversations on disk."""
DEADLINE, DOWN, MOST_STARTS = 2.5, 1.0, 60


class Server:
    """The faulty server: started, killed, and started again at the same port with other draws."""

    def __init__(self, record):
        self.record, self.lives = record, 0
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

    def start(self):
        self.lives += 1
        script = ROOT / "tests/support/faulty_server.py"
        options = ("--port", self.port, "--record", self.record, "--seed", self.lives)
        self.process = subprocess.Popen([sys.executable, script, *map(str, options)])
        while not self._up():
            assert self.process.poll() is None, "the server did not start"
            time.sleep(0.05)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def _up(self):
        with socket.socket() as line:
            return line.connect_ex(("127.0.0.1", self.port)) == 0


class Lines:
    """The number of lines in a growing file."""

    def __init__(self, path):
        self.path, self.count, self._offset = path, 0, 0

    def now(self):
        if self.path.exists():
            with self.path.open("rb") as file:
                file.seek(self._offset)
                added = file.read()
            self._offset += len(added)
            self.count += added.count(b"\n")
        return self.count


def run_to_the_end(command, server, lines, planned):
    """Start the command until it ends well, with the kills on the way; return its exit codes."""
    kills, codes = list(KILLS), []
    while not codes or codes[-1] != 0:
        assert len(codes) < MOST_STARTS, f"not done after {MOST_STARTS} starts: {codes}"
        client = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while client.poll() is None:
            if kills and lines.now() >= kills[0][1] * planned:
                who, _ = kills.pop(0)
                print(f"  killed the {who} at {lines.now()} conversations on disk")
                if who == "client":
                    client.kill()
                else:
                    server.kill()
                    time.sleep(DOWN)
                    server.start()
            time.sleep(0.02)
        codes.append(client.returncode)
        said = client.stderr.read().decode().strip().splitlines()
        print(
            f"  start {len(codes)}: exit code {codes[-1]}, {lines.now()} on disk: {said[-1] if said else ''}"
        )
    assert not kills, f"ended before {kills}"
    return codes


class Expected:
    """What a model is told, read from the dataset and the prompts without the project's own code."""

    def __init__(self, dataset):
        self.dataset = dataset
        prompts = ROOT / "lvqa_eval/prompts"
        self.prompts = {path.stem: path.read_text().rstrip("\n") for path in prompts.glob("*.md")}
        self.looks = {}

    def rows(self, questions):
        for name in json.loads((self.dataset / "manifest.json").read_text())["conditions"]:
            for line in (self.dataset / f"{name}.jsonl").read_text().splitlines()[:questions]:
                yield json.loads(line)

    def replies(self, row):
        """Yield the reply to each turn of a row, after the replies before."""
        contract = "single_turn" if len(row["turns"]) == 1 else "multi_turn"
        if row["condition"] == "all-layers":
            contract = "grounding"
        history = [["system", [self.prompts[contract]]]]
        for turn in row["turns"]:
            history.append(["user", [*self._pictures(row, turn), turn["text"]]])
            reply = reply_to(history)
            history.append(["assistant", [reply]])
            yield reply

    def _pictures(self, row, turn):
        files = [("composite_label", {}, row["composite_file_name"])] if turn["composite"] else []
        files += [
            ("layer_label", {"layer": layer}, row["layers_file_names"][layer]) for layer in turn["layers"]
        ]
        for position, (label, holes, name) in enumerate(files, start=1):
            yield Template(self.prompts[label]).substitute(holes, position=position)
            yield self._look(name)

    def _look(self, name):
        if name not in self.looks:
            with Image.open(self.dataset / name) as picture:
                pixels = np.asarray(picture)
            height, width = pixels.shape[:2]
            if pixels.shape[2] == 4:
                y, x = np.mgrid[:height, :width] // 16
                ground = np.where((x + y) % 2, 255, 204)[..., None]
                alpha = pixels[..., 3:].astype(int)
                laid = pixels[..., :3] * alpha + ground * (255 - alpha)
                pixels = ((2 * laid + 255) // 510).astype(np.uint8)
            self.looks[name] = look(width, height, pixels.tobytes())
        return self.looks[name]


def check_replies(run, expected, questions):
    """Compare the run with what must be in it; return the failures that were tried again."""
    rows = {(row["condition"], row["question_id"]): row for row in expected.rows(questions)}
    records = [json.loads(line) for line in (run / "conversations.jsonl").read_bytes().split(b"\n") if line]
    again = Counter(one["status"] for one in records if one["status"] != "ok")
    kept = Counter((one["condition"], one["question_id"]) for one in records if one["status"] == "ok")
    lost, doubled = rows.keys() - kept.keys(), [key for key, count in kept.items() if count > 1]
    wrong = [
        (one["condition"], one["question_id"], number)
        for one in records
        if one["status"] == "ok"
        for number, (turn, reply) in enumerate(
            zip(one["turns"], expected.replies(rows[one["condition"], one["question_id"]]), strict=True)
        )
        if (turn["status"], turn["reply"]) != ("ok", reply)
    ]
    final = set(again) - {"transport_error", "timeout", "server_error"}
    print(
        f"planned {len(rows)}, kept {len(kept)}, lost {len(lost)}, doubled {len(doubled)}, wrong {len(wrong)}"
    )
    assert kept.keys() == rows.keys()
    assert not doubled, doubled[:3]
    assert not wrong, wrong[:3]
    assert not final, f"failures that became results: {final}"
    return again, rows


def check_histories(record, rows):
    """Check that every request of a conversation begins with the bytes of the one before, whenever sent."""
    named = {}
    for condition, question in rows:
        for turn in range(1, len(rows[condition, question]["turns"]) + 1):
            digest = hashlib.sha256(f"0:1:{question}:{condition}:{turn}".encode()).digest()
            seed = int.from_bytes(digest[:4], "big") >> 1
            assert seed not in named, "two requests of one seed: draw another set of scenes"
            named[seed] = (condition, question), turn
    histories = defaultdict(lambda: defaultdict(set))
    faults, requests = Counter(), 0
    for line in record.read_text().splitlines():
        sent = json.loads(line)
        key, turn = named[sent["seed"]]
        histories[key][turn].add(sent["history"])
        faults[sent["fault"]] += 1
        requests += 1
    changed = 0
    for turns in histories.values():
        before = ""
        for turn in sorted(turns):
            (history, *others) = turns[turn]
            changed += bool(others) or not history.startswith(before)
            before = history
    distinct = sum(map(len, histories.values()))
    assert distinct == sum(len(row["turns"]) for row in rows.values())
    print(f"requests {requests}, distinct {distinct}, sent again {requests - distinct}, changed {changed}")
    print("faults: " + ", ".join(f"{name} {faults[name]} ({faults[name] / requests:.1%})" for name in RATES))
    assert not changed
    assert all(faults[name] for name in RATES), "a fault was never drawn"


def main(work, questions):
    dataset, run, record = work / "layered-vqa", work / "run", work / "histories.jsonl"
    expected = Expected(dataset)
    planned = sum(1 for _ in expected.rows(questions))
    server = Server(record)
    server.start()
    command = [
        *(ROOT / ".venv/bin/lvqa", "run", "--model", "faulty", "--base-url"),
        *(f"http://127.0.0.1:{server.port}/v1", "--dataset", dataset, "--out", run, "--runs", 1),
        *("--limit", questions, "--deadline", DEADLINE, "--in-flight", 64),
    ]
    try:
        lines = Lines(run / "conversations.jsonl")
        codes = run_to_the_end(list(map(str, command)), server, lines, planned)
    finally:
        server.kill()
    again, rows = check_replies(run, expected, questions)
    check_histories(record, rows)
    killed = sum(code < 0 for code in codes)
    failed = ", ".join(f"{count} {status}" for status, count in sorted(again.items())) or "none"
    print(f"starts {len(codes)}: killed {killed}, ended with failures {len(codes) - killed - 1}")
    print(f"conversations that failed and were held again: {failed}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
