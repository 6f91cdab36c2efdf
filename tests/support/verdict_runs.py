"""Runs to ask a judge about without the reference, and a judge that knows what to say of each response."""

import json
import math

from aiohttp import web

from lvqa_eval.benchmarks import BEAR_BENCH
from lvqa_eval.images import Rendering
from lvqa_eval.runs.records import ConversationRecord, TurnRecord
from lvqa_eval.statuses import Status
from tests.support.chat_server import completion
from tests.support.judged_runs import models
from tests.support.scored_runs import write_run

__all__ = ["models"]


def page_run(folder, dataset, conditions, reply):
    """Write a run over a BEAR-Bench folder; `reply` gives a page's answer, or the status of a failure."""
    opened = BEAR_BENCH.open(dataset)
    rows = [row for condition in conditions for row in opened.rows(condition)]
    settings = {
        "benchmark": "bear-bench",
        "dataset": {"name": dataset, "version": "1.0.0", "manifest_sha256": opened.manifest_sha256},
        "images": Rendering("white").identity(),
    }
    questions = {row.question_id: row.record() for row in rows}
    talks = [_conversation(row, reply(row)) for row in rows]
    return write_run(folder, conditions, 1, list(questions.values()), talks, {}, **settings).folder


def _conversation(row, said):
    status, text = (said, "cut") if isinstance(said, Status) else (Status.OK, said)
    turn = TurnRecord(row.turns[0].text, True, (), (), True, 1, status, text)
    return ConversationRecord(row.condition, row.question_id, 1, status, (turn,))


def seer(says):
    """Return a step of a server's script that replies to each response by `says`, and to canaries with yes.

    `says` is asked with the response; a text becomes a reply with the log-probabilities of its first token,
    a number p one of INCORRECT with probability p, and what can be called is a step of its own.
    """

    async def answer(request):
        response = response_in(json.loads(await request.read()))
        said = "yes" if response is None else says(response)
        if callable(said):
            return await said(request)
        return web.json_response(said if isinstance(said, dict) else _reply(said))

    return answer


def response_in(body):
    """Return the response that a request asks about, None for a canary."""
    content = body["messages"][-1]["content"]
    last = content[-1].get("text", "") if isinstance(content, list) else content
    before, tag, rest = last.partition("<response>\n")
    return rest.rpartition("\n</response>")[0] if tag and not before else None


def _reply(said):
    if isinstance(said, str):
        return completion(said)
    word = "INCORRECT" if said > 0.5 else "CORRECT"
    shares = {"IN": said, "COR": 1 - said}
    top = [{"token": token, "logprob": math.log(share)} for token, share in shares.items() if share]
    head = "IN" if said > 0.5 else "COR"
    tokens = [
        {"token": head, "logprob": math.log(shares[head]), "top_logprobs": top},
        {"token": word.removeprefix(head), "logprob": -0.1, "top_logprobs": top},
    ]
    body = completion(word)
    body["choices"][0]["logprobs"] = {"content": tokens}
    return body
