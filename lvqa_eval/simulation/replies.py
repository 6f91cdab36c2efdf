"""From the body of a chat completion to a reply: what was said, what was thought, and how it ended."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lvqa_eval.runs.records import TokenLogprobs
from lvqa_eval.simulation.logprobs import parse_logprobs
from lvqa_eval.statuses import Status


@dataclass(frozen=True)
class Reply:
    """One reply of a model, or what stood in its place.

    `text` is the answer without thinking; both are None where nothing came. Token counts are the server's
    own, None where it gave none. `error` says in words why there is no answer. `sent_logprobs` are the
    `logprobs` as the server sent them, which name the alternatives too.
    """

    status: Status
    text: str | None = None
    thinking: str | None = None
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    error: str | None = None
    logprobs: TokenLogprobs | None = None
    sent_logprobs: Any = field(default=None, repr=False, compare=False)


class MalformedReplyError(ValueError):
    """A body that is no chat completion."""


_OPEN = re.compile(
    r"<(?:think|thinking|thought|reasoning|seed:think)>"  # most open models
    r"|\[THINK\]|◁think▷|<\|begin_of_thought\|>|<\|channel>thought",  # Mistral, Kimi, others
    re.IGNORECASE,
)
_CLOSE = re.compile(
    r"</(?:think|thinking|thought|reasoning|seed:think)>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>|<channel\|>",
    re.IGNORECASE,
)
_MARKS = frozenset("<[◁")
"""One of these begins every mark above; most replies have none."""

_BROKEN_OFF = {"error", "abort"}


def parse_reply(payload: object) -> Reply:
    """Read the decoded body of a chat completion; never raises.

    In order: the provider's own refusal or content filter -> refused; an unclosed thinking block or
    finish_reason "length" -> truncated; no text outside thinking -> empty; else ok. Wording never decides.
    A body that is no chat completion, or carries an error, is a server_error with the reason.
    """
    try:
        choice, message = _first_choice(payload)
        finish_reason = _string(choice, "finish_reason")
        content = _content(message)
        refusal = _string(message, "refusal")
        separate = _string(message, "reasoning") or _string(message, "reasoning_content")
    except MalformedReplyError as error:
        return Reply(Status.SERVER_ERROR, error=str(error))
    text, inline, closed = split_thinking(content)
    prompt_tokens, completion_tokens, cached_tokens = _usage(payload)
    answer = text or (refusal or "").strip() or None
    return Reply(
        status=_status(finish_reason, refused=bool(refusal), closed=closed, answered=bool(text)),
        text=answer,
        thinking=_lines([separate or "", inline]) or None,
        finish_reason=finish_reason,
        error=f"the server broke off: finish_reason {finish_reason}"
        if finish_reason in _BROKEN_OFF
        else None,
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        cached_tokens=cached_tokens,
        logprobs=parse_logprobs(choice),
        sent_logprobs=choice.get("logprobs"),
    )


def split_thinking(content: str) -> tuple[str, str, bool]:
    """Split text into (answer, thinking, whether every thinking block is closed), each stripped.

    Some chat templates open the block in the prompt, so a closing tag alone ends thinking that began with
    the reply.
    """
    if not _MARKS.intersection(content):
        return content.strip(), "", True
    answer: list[str] = []
    thinking: list[str] = []
    rest, closed = content, True
    while rest:
        opening, closing = _OPEN.search(rest), _CLOSE.search(rest)
        if closing and (opening is None or closing.start() < opening.start()):
            thinking += [*answer, rest[: closing.start()]]
            answer = []
            rest = rest[closing.end() :]
        elif opening:
            answer.append(rest[: opening.start()])
            inner = rest[opening.end() :]
            closing = _CLOSE.search(inner)
            closed = closing is not None
            thinking.append(inner[: closing.start()] if closing else inner)
            rest = inner[closing.end() :] if closing else ""
        else:
            answer.append(rest)
            rest = ""
    return "".join(answer).strip(), _lines(thinking), closed


def _lines(parts: Iterable[str]) -> str:
    return "\n".join(part.strip() for part in parts if part.strip())


def _status(finish_reason: str | None, *, refused: bool, closed: bool, answered: bool) -> Status:
    if finish_reason in _BROKEN_OFF:
        return Status.SERVER_ERROR
    if refused or finish_reason == "content_filter":
        return Status.REFUSED
    if finish_reason == "length" or not closed:
        return Status.TRUNCATED
    return Status.OK if answered else Status.EMPTY


def _first_choice(payload: object) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    if not isinstance(payload, dict):
        raise MalformedReplyError(f"reply: found {type(payload).__name__}, needed a JSON object")
    if error := payload.get("error"):
        raise MalformedReplyError(error_message(payload) or f"reply: found error {error!r}")
    choices = payload.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise MalformedReplyError("reply, choices: found no choice, needed a list with at least one")
    message = choices[0].get("message")
    if not isinstance(message, dict):
        raise MalformedReplyError(f"reply, message: found {type(message).__name__}, needed a JSON object")
    return choices[0], message


def _content(message: Mapping[str, Any]) -> str:
    """Return the text of `content`: a string, null, or a list of parts of which the text parts count."""
    content = message.get("content")
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list) and all(isinstance(part, dict) for part in content):
        texts = [part.get("text") for part in content if part.get("type") == "text"]
        return "".join(text for text in texts if isinstance(text, str))
    raise MalformedReplyError(f"reply, content: found {type(content).__name__}, needed text, parts or null")


def _string(holder: Mapping[str, Any], field: str) -> str | None:
    value = holder.get(field)
    if value is None or isinstance(value, str):
        return value or None
    raise MalformedReplyError(f"reply, {field}: found {type(value).__name__}, needed text or null")


def _usage(payload: object) -> tuple[int | None, int | None, int | None]:
    """Return the tokens of the prompt, of the reply, and those of the prompt that were cached."""
    usage = payload.get("usage") if isinstance(payload, dict) else None
    usage = usage if isinstance(usage, dict) else {}
    details = usage.get("prompt_tokens_details")
    details = details if isinstance(details, dict) else {}
    return (
        _count(usage.get("prompt_tokens")),
        _count(usage.get("completion_tokens")),
        _count(details.get("cached_tokens")),
    )


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def error_message(payload: object) -> str | None:
    """Return the words of an error body, as OpenAI, vLLM and FastAPI shape it, or None."""
    if not isinstance(payload, dict):
        return None
    error = payload.get("error", payload)
    if isinstance(error, str):
        return error
    if isinstance(error, dict):
        for field in ("message", "detail"):
            if isinstance(error.get(field), str):
                return str(error[field])
    return None
