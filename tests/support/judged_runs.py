"""Judges' replies and conversations to judge, one short call each."""

import json
import re
from dataclasses import replace

from aiohttp import web

from lvqa_eval.runs.records import TurnRecord
from lvqa_eval.simulation.replies import Reply
from lvqa_eval.statuses import Status
from tests.support.chat_server import completion
from tests.support.scored_runs import conversation, question


def said(*replies, condition="sharded-q", name="q1", run=1):
    """Return a conversation with these replies; (status, text) for one that failed."""
    turns = [_turn(number, reply) for number, reply in enumerate(replies, start=1)]
    return conversation(condition, name, run, turns[-1].status, turns)


def _turn(number, reply):
    status, text = reply if isinstance(reply, tuple) else (Status.OK, reply)
    return TurnRecord(f"Piece {number}.", False, (number,), (), False, 1, status, text, thinking="Hm, blue?")


def asked(name="q1", scene="s1", answer="a red circle", about=None):
    """Return a question."""
    return replace(question(name, scene), answer=answer, answer_description=about)


def verdict(final=True, *, turn=1, first=None, span="a red circle", **changes):
    """Return a judge's JSON on a conversation of which it finds an answer in `turn`, the last."""
    fields = {
        "reasoning": "Compared.",
        "answer_attempts": [{"turn": turn, "answer": "circle", "correct": final}],
        "first_correct_turn": (turn if final else 0) if first is None else first,
        "final_turn_correct": final,
        "answer_span": span,
        "is_correct": final,
    }
    return json.dumps(fields | changes)


class Says:
    """A speaker that gives these replies in turn, the last for ever, and keeps what it was asked."""

    def __init__(self, *replies):
        self.replies = [Reply(Status.OK, one) if isinstance(one, str) else one for one in replies]
        self.messages, self.seeds, self.bodies, self.routes = [], [], [], []

    async def complete(self, messages, *, seed, route=None, body=None):
        self.messages.append([json.loads(b"".join(message)) for message in messages])
        self.seeds.append(seed)
        self.bodies.append(json.loads(b"".join(body.fragments(messages, seed))))
        self.routes.append(route)
        return self.replies[min(len(self.messages), len(self.replies)) - 1]


def outside(prompt, *tags):
    """Return what stands in none of the sections between these tags, as a lenient reader sees them."""
    for tag in tags:
        prompt = re.sub(rf"(?is)<\s*{tag}\b.*?<\s*/\s*{tag}[^>]*>", " ", prompt)
    return " ".join(prompt.split())


def rules(*rulings):
    """Return a step of a script that answers as the first ruling whose words stand in the request.

    A ruling is (words, reply): a text, or a step of its own.
    """

    async def answer(request):
        shown = (await request.read()).decode()
        for words, reply in rulings:
            if words in shown:
                return await reply(request) if callable(reply) else web.json_response(completion(reply))
        raise AssertionError(f"nothing fits: {shown[-300:]}")

    return answer


def models(*names):
    """Return the route of a server's list of models."""

    async def answer(_):
        return web.json_response({"data": [{"id": name, "max_model_len": 8192} for name in names]})

    return "GET", "/v1/models", answer
