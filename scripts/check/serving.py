"""Two servers of real vLLM under one run; each line that is printed is checked.

Conversations stay with their server, cached tokens grow over the turns, log-probabilities are kept, pictures
go by reference, also where a server has thrown one away.
"""

import re
import subprocess
import sys
import tempfile
import urllib.request
from collections import Counter
from pathlib import Path

from lvqa_eval.runs.records import ConversationRecord
from lvqa_eval.runs.store import RunStore
from lvqa_eval.serving.server import ServerOptions, VllmServer
from lvqa_eval.serving.servers import serving
from lvqa_eval.simulation.conversation import request_seed
from lvqa_eval.statuses import Status

ROOT = Path(__file__).resolve().parents[2]
LVQA = Path(sys.executable).with_name("lvqa")
TURNS = 4
CONDITIONS = "full,sharded-v,snowball-v,recap-v"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        model = work / "tiny-vlm"
        subprocess.run(
            [sys.executable, ROOT / "scripts/tiny_model.py", model], check=True, stdout=subprocess.DEVNULL
        )
        data = work / "layered-vqa"
        run_lvqa("build", "layered-vqa", "--scenes", "6", "--out", data)
        # A cache of a mebibyte holds a few pictures, so that servers do throw some away.
        options = ServerOptions(
            str(model),
            images_per_prompt=64,
            served_name="tiny-vlm",
            max_model_len=16384,
            extra=("--mm-processor-cache-gb", "0.001"),
        )
        logs = [work / "server-1.log", work / "server-2.log"]
        with serving(options, logs, patience=900, media=work) as servers:
            plain = evaluate(servers, data, work / "plain")
            before = [answers(server) for server in servers]
            by_reference = evaluate(servers, data, work / "by-reference", "--image-uuid")
            after = [answers(server) for server in servers]
            by_path = evaluate(servers, data, work / "by-path", "--image-transport", "file")
        check_runs(plain)
        check_same(plain, by_reference, "by reference")
        check_same(plain, by_path, "by path")
        check_routes(plain, before)
        refused = sum((now - then)["4xx"] for now, then in zip(after, before, strict=True))
        print(f"pictures that a server had thrown away, sent again: {refused} requests")
        assert refused > 0


def evaluate(servers: list[VllmServer], data: Path, out: Path, *options: str) -> list[ConversationRecord]:
    addresses = [part for server in servers for part in ("--base-url", server.base_url)]
    fixed = ("--conditions", CONDITIONS, "--runs", "1", "--max-tokens", "12", "--logprobs", "5")
    run_lvqa("run", "--model", "tiny-vlm", *addresses, "--dataset", data, "--out", out, *fixed, *options)
    return list(RunStore.open(out).conversations().values())


def check_runs(plain: list[ConversationRecord]) -> None:
    turns = [turn for record in plain for turn in record.turns]
    whole = [turn for turn in turns if turn.logprobs is not None and turn.completion_tokens]
    lengths = [len(turn.logprobs.tokens) - turn.completion_tokens for turn in whole if turn.logprobs]
    print(f"conversations: {len(plain)}, statuses: {dict(Counter(str(record.status) for record in plain))}")
    print(
        f"replies with log-probabilities: {len(whole)} of {len(turns)}, "
        f"one for each token: {set(lengths) == {0}}"
    )
    assert len(whole) == len(turns)
    assert set(lengths) == {0}
    values = [
        value for turn in whole if turn.logprobs for value in turn.logprobs.logprobs if value is not None
    ]
    assert values
    assert max(values) <= 0
    means = [mean_cached(plain, turn) for turn in range(TURNS)]
    print("prompt tokens found in the prefix cache, by turn:", ", ".join(f"{mean:.0f}" for mean in means))
    assert means == sorted(means)
    assert means[-1] > means[0]


def check_same(plain: list[ConversationRecord], others: list[ConversationRecord], how: str) -> None:
    same = sum(
        [turn.reply for turn in one.turns] == [turn.reply for turn in other.turns]
        for one, other in zip(plain, others, strict=True)
    )
    print(f"conversations with pictures {how} that equal those with pictures in full: {same} of {len(plain)}")
    assert {record.status for record in others} <= {Status.OK, Status.EMPTY, Status.TRUNCATED}
    assert same >= 0.9 * len(plain)


def mean_cached(records: list[ConversationRecord], turn: int) -> float:
    sharded = [record.turns for record in records if record.condition in ("sharded-v", "recap-v")]
    found = [turns[turn].cached_tokens or 0 for turns in sharded if len(turns) >= TURNS]
    return sum(found) / len(found)


def check_routes(records: list[ConversationRecord], answered: list[Counter[str]]) -> None:
    expected = Counter[int]()
    for record in records:
        expected[request_seed(0, record.key, 0) % 2] += len(record.turns)
    # Preflight asks each server a few times more.
    extra = [answered[place]["2xx"] - expected[place] for place in (0, 1)]
    print(
        f"requests at each server: {[expected[0], expected[1]]} by the conversations' routes, "
        f"{extra} by preflight"
    )
    assert extra[0] == extra[1] <= 6
    assert min(expected.values()) > 0


def answers(server: VllmServer) -> Counter[str]:
    """Return how many chat requests a server has answered, by the class of their status."""
    url = server.base_url.removesuffix("/v1") + "/metrics"
    with urllib.request.urlopen(url) as response:
        lines = response.read().decode().splitlines()
    found = Counter[str]()
    for line in lines:
        if line.startswith("http_requests_total{") and "/v1/chat/completions" in line:
            status = re.search(r'status="(\w+)"', line)
            assert status
            found[status[1]] += int(float(line.split()[-1]))
    return found


def run_lvqa(*arguments: str | Path) -> None:
    subprocess.run([LVQA, *arguments], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
