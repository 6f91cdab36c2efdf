"""One measure of one client, in a process of its own; prints it as JSON. scripts/bench/client.py calls it.

client_measures.py ours|aiohttp|sdk WORKLOAD WORK_FOLDER BASE_URL IN_FLIGHT CONVERSATIONS GOES
"""

import asyncio
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import aiohttp
import orjson

from lvqa_eval.dataset import open_dataset
from lvqa_eval.parts import make_client, make_setting
from lvqa_eval.plan import make_plan
from lvqa_eval.pool import for_each
from lvqa_eval.run import hold
from lvqa_eval.runs.identity import RunIdentity
from lvqa_eval.runs.records import Attempt, ConversationRecord, JudgementRecord
from lvqa_eval.runs.store import CONVERSATIONS, JUDGEMENTS, RunStore
from lvqa_eval.serving.request import Route
from lvqa_eval.settings import Settings
from lvqa_eval.simulation.messages import text_message
from lvqa_eval.statuses import JudgeStatus, Status

JUDGE = "judge"
INSTRUCTION = "Compare the answer with the reference and reply with JSON. " * 8
CASE = "Turn 1. The second square lies further to the left, as far as I can tell from this layer. " * 17
"""Together about 2 KB, as a judge's prompt has."""

Go = Callable[[], Awaitable[int]]
"""Holds all conversations once; returns the bytes of log that it left."""


class Job(NamedTuple):
    """What is measured."""

    client: str
    workload: str
    folder: Path
    base_url: str
    in_flight: int
    conversations: int
    goes: int

    @classmethod
    def read(cls, words: Sequence[str]) -> "Job":
        client, workload, folder, url, in_flight, conversations, goes = words
        return cls(client, workload, Path(folder), url, int(in_flight), int(conversations), int(goes))


def settings(job: Job) -> Settings:
    """Return the settings of a run of the workload."""
    rows = 100
    return Settings(
        model="mock",
        dataset=str(job.folder / "layered-vqa"),
        base_urls=(job.base_url,),
        conditions=None if job.workload == JUDGE else (job.workload,),
        runs=max(1, job.conversations // rows),
        limit=min(rows, job.conversations),
        in_flight=job.in_flight,
    )


async def ours(job: Job) -> dict[str, float]:
    """Measure `lvqa_eval`: plan, schedule, requests, statuses, store."""
    chosen = settings(job)
    dataset = open_dataset(chosen.dataset)
    plan = make_plan(chosen.benchmark, dataset, chosen.conditions, chosen.runs, chosen.limit)
    client = make_client(chosen, "mock", chosen.base_urls, ())
    setting = make_setting(chosen, dataset, client)

    async def conversations() -> int:
        with ExitStack() as stack:
            folder = Path(stack.enter_context(TemporaryDirectory()))
            store = stack.enter_context(
                RunStore.create_or_resume(folder, RunIdentity({"bench": 1}), plan.questions())
            )
            statuses: Counter[Status] = Counter()

            def keep(record: ConversationRecord) -> None:
                store.append(record)
                statuses[record.status] += 1

            await hold(enumerate(plan.work()), setting, client, keep, in_flight=job.in_flight)
            assert statuses == {Status.OK: plan.size}, statuses
            return (folder / CONVERSATIONS).stat().st_size

    async def judgements() -> int:
        with ExitStack() as stack:
            folder = Path(stack.enter_context(TemporaryDirectory()))
            store = stack.enter_context(
                RunStore.create_or_resume(folder, RunIdentity({"bench": 1}), plan.questions())
            )
            store.start_judge(JUDGE, {"judge": JUDGE})
            questions = list(store.questions().values())

            async def rule(number: int) -> None:
                messages = [text_message("system", INSTRUCTION), text_message("user", CASE)]
                reply = await client.complete(messages, seed=number, route=Route(0, number))
                assert reply.status is Status.OK, reply
                asked = questions[number % len(questions)].question_id
                attempt = Attempt(1, reply.text or "", True)
                record = JudgementRecord("full", asked, number, JudgeStatus.OK, True, 1, (attempt,))
                store.append_judgement(JUDGE, record)

            await for_each(range(job.conversations), rule, job.in_flight)
            return (folder / JUDGEMENTS / f"{JUDGE}.jsonl").stat().st_size

    async with client:
        if job.workload == JUDGE:
            return await best(job, judgements, job.conversations)
        return await best(job, conversations, plan.size)


async def bare(job: Job) -> dict[str, float]:
    """Measure aiohttp alone: bodies joined from ready messages, replies decoded, and nothing else."""
    talks = [
        [(said["role"], orjson.dumps(said)) for said in talk]
        for talk in orjson.loads((job.folder / f"{job.workload}.json").read_bytes())
    ]
    head = b'{"model":"mock","temperature":1.0,"top_p":1.0,"max_tokens":1024,"messages":['

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def one(number: int) -> None:
            messages: list[bytes] = []
            for role, said in talks[number % len(talks)]:
                messages.append(said)
                if role == "user":
                    body = head + b",".join(messages) + b'],"seed":%d}' % number
                    async with session.post(f"{job.base_url}/chat/completions", data=body) as response:
                        reply = orjson.loads(await response.read())
                    messages.append(orjson.dumps(reply["choices"][0]["message"]))

        async def conversations() -> int:
            await for_each(range(job.conversations), one, job.in_flight)
            return 0

        return await best(job, conversations, job.conversations)


async def sdk(job: Job) -> dict[str, float]:
    """Measure the openai SDK on the same messages; it keeps no log and counts no statuses."""
    from openai import AsyncOpenAI

    talks: list[list[Any]] = orjson.loads((job.folder / f"{job.workload}.json").read_bytes())
    sampling: dict[str, Any] = {"temperature": 1.0, "top_p": 1.0, "max_tokens": 1024}

    async with AsyncOpenAI(base_url=job.base_url, api_key="none") as client:

        async def one(number: int) -> None:
            messages: list[Any] = []
            for said in talks[number % len(talks)]:
                messages.append(said)
                if said["role"] == "user":
                    reply = await client.chat.completions.create(
                        model="mock", messages=messages, seed=number, **sampling
                    )
                    messages.append({"role": "assistant", "content": reply.choices[0].message.content})

        async def conversations() -> int:
            await for_each(range(job.conversations), one, job.in_flight)
            return 0

        return await best(job, conversations, job.conversations)


async def best(job: Job, go: Go, conversations: int) -> dict[str, float]:
    """Return the least CPU and wall time of a conversation, of several goes after one to warm up."""
    cpu, wall, log = [], [], 0
    for _ in range(job.goes + 1):
        start_cpu, start_wall = time.process_time(), time.perf_counter()
        log = await go()
        cpu.append(time.process_time() - start_cpu)
        wall.append(time.perf_counter() - start_wall)
    return {
        "first_cpu": cpu[0] / conversations,
        "cpu": min(cpu[1:]) / conversations,
        "wall": min(wall[1:]) / conversations,
        "log": log / conversations,
        "peak": peak(),
    }


def peak() -> float:
    """Return the most memory that this process has had, in bytes (getrusage counts the parent's in)."""
    found = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) * 1024


if __name__ == "__main__":
    asked = Job.read(sys.argv[1:])
    measures = {"ours": ours, "aiohttp": bare, "sdk": sdk}
    print(json.dumps(asyncio.run(measures[asked.client](asked))))
