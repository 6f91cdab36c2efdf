"""Models that reply by a rule, for `tests.support.steady_server`: an assistant, and judges of its answers."""

import hashlib
import json
import re

from tests.support.chat_server import completion

_CASE = re.compile(r"^Reference answer: (.*)$", re.MULTILINE)
WRONG = "something else"


def sometimes(answer, share=0.5):
    """Return an assistant that says `answer` to about this share of all requests, else something wrong.

    Which, is drawn from the words of the request.
    """

    def reply(body):
        words = json.dumps([message["content"] for message in body["messages"]], sort_keys=True)
        drawn = int(hashlib.sha256(words.encode()).hexdigest()[:8], 16) / 2**32
        return completion(answer if drawn < share else WRONG)

    return reply


def judge(right=lambda reference, answer: reference in answer):
    """Return a judge model: it calls answers right by this rule, in the form that it is asked for."""

    def reply(body):
        case = body["messages"][-1]["content"]
        if isinstance(case, list):
            case = "".join(part.get("text", "") for part in case)
        found = _CASE.search(case)
        return completion("{" if found is None else _verdict(found[1], _turns(case), right))

    return reply


def _turns(case):
    """Return what the assistant said, turn by turn."""
    told = [json.loads(line) for line in case.splitlines() if line.startswith('{"turn"')]
    return {one["turn"]: one["assistant"] or "" for one in told if "assistant" in one}


def _verdict(reference, turns, right):
    ruled = {turn: bool(right(reference, said)) for turn, said in turns.items()}
    last = max(turns)
    first = next((turn for turn, correct in ruled.items() if correct), 0)
    return json.dumps(
        {
            "reasoning": "Compared.",
            "answer_attempts": [
                {"turn": turn, "answer": turns[turn], "correct": correct} for turn, correct in ruled.items()
            ],
            "first_correct_turn": first,
            "final_turn_correct": ruled[last],
            "answer_span": turns[first or last],
            "is_correct": bool(first),
        }
    )
