"""What is put before a judge that sees no reference: the conversation as it was sent, and the response."""

from collections.abc import Sequence

import orjson

from lvqa_eval.images import Picture
from lvqa_eval.judging.delimiting import delimited
from lvqa_eval.judging.protocols import replies_shown
from lvqa_eval.prompts import Prompt
from lvqa_eval.runs.records import ConversationRecord
from lvqa_eval.runs.sent_messages import SentMessage
from lvqa_eval.serving.request import Message


def response_of(conversation: ConversationRecord) -> str:
    """Return the response that is checked: the final reply, of one in a form of lines only the answer."""
    return replies_shown(conversation)[-1]


def case(sent: Sequence[SentMessage], response: str, closing: Prompt) -> Message:
    """Return the message about one response to the messages `sent`; their contract is not shown.

    One question stands as it is. Several messages stand as JSON, so that no reply can pass for another turn,
    each behind its pictures and with the reply that it got.
    """
    asked = [one for one in sent if one.role == "user"]
    replies = [one.text for one in sent if one.role == "assistant"]
    parts: list[str | Picture] = []
    for number, message in enumerate(asked, start=1):
        for label, picture in message.pictures:
            parts += [picture] if label is None else [label, picture]
        if len(asked) == 1:
            parts.append(delimited(message.text, "question"))
            continue
        turn: dict[str, object] = {"turn": number, "user": message.text}
        if number <= len(replies):
            turn["assistant"] = replies[number - 1]
        parts.append(delimited(orjson.dumps(turn).decode(), "turn"))
    parts.append(closing.fill(response=delimited(response, "response")))
    return _message(parts)


def _message(parts: Sequence[str | Picture]) -> Message:
    pieces: list[bytes | Picture] = []
    between = b'{"role":"user","content":['
    for part in parts:
        if isinstance(part, str):
            pieces.append(between + orjson.dumps({"type": "text", "text": part}))
        else:
            pieces += [between, part]
        between = b","
    return (*pieces, b"]}")
